// A conversation as text that is read without Kibo.
import type { Message } from "../contract/types";
import { beginning, shortened } from "./cut";
import { clockTime, fullDay, size } from "./format";
import { preview } from "./preview";
import { closed, isolatedName, isolatedText, visibleLine, visibleName } from "./safe";
import { t } from "./t";

/** As much of a message is repeated where another one answers it, in UTF-16 units. */
const EXCERPT = 60;

/** Words messages one after another: `14:05 Anna Berg: text`, under a heading for each day. */
export class Transcript {
  #day = "";
  /** Who has said what, for answers to it. */
  readonly #said = new Map<string, string>();

  /** @param nameOf what to call an account */
  constructor(private readonly nameOf: (account: string) => string) {}

  /** The lines of the next message. Its further lines are indented, so that no text can look like another message. */
  lines(message: Message): string {
    const day = fullDay(message.sentAt);
    const heading = day === this.#day ? "" : `\n${day}\n\n`;
    this.#day = day;
    const begin = `${heading}${clockTime(message.sentAt)} `;
    if (message.kind === "system") return `${begin}${preview(message)}\n`;
    const name = isolatedName(this.nameOf(message.sender));
    this.#said.set(message.id, `${name}: ${closed(shortened(preview(message), EXCERPT))}`);
    return `${begin}${name}${this.#answer(message)}: ${this.#content(message).join("\n    ")}\n`;
  }

  #answer({ replyTo }: Message): string {
    if (replyTo === null) return "";
    const what = this.#said.get(replyTo);
    return ` (${what === undefined ? t("saving.answersOther") : t("saving.answers", { message: what })})`;
  }

  #content(message: Message): string[] {
    if (message.deleted) return [`(${t("message.deleted")})`];
    const text = message.kind === "call" ? t("message.call") : isolatedText(message.text);
    const edited = message.editedAt === null ? "" : ` (${t("message.edited")})`;
    return [
      ...(text === "" ? [] : `${text}${edited}`.split("\n")),
      ...message.attachments.map((one) => `[${visibleName(one.name)}, ${size(one.size)}]`),
      ...message.reactions.map(({ account, emoji }) => `${visibleLine(emoji)} ${isolatedName(this.nameOf(account))}`),
    ];
  }
}

/** A name for the file of a conversation: `Kibo – Anna Berg – 2026-11-23.txt`. */
export function transcriptName(title: string, day: string): string {
  // What a file system or the browser would not take in a name.
  const name = beginning(visibleName(title).replace(/[/\\:*?"<>|]/g, "_"), EXCERPT).trim();
  return `Kibo – ${name} – ${day}.txt`;
}
