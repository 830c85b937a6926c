// A message in one line, for lists, quotes and what is read out.
import type { Message } from "../contract/types";
import { beginning } from "./cut";
import { unmarked } from "./formatted";
import { lineText } from "./lines";
import { closed, visibleLine, visibleName } from "./safe";
import { t } from "./t";

/** Enough for any line on a screen, in UTF-16 units. */
const LONGEST = 160;

/** The text of a message on one line, without the marks of what is formatted: its words, else the names of its files, else what Kibo says. */
export function preview(message: Message): string {
  if (message.deleted) return t("message.deleted");
  if (message.kind === "system") return message.line === null ? visibleLine(message.text) : lineText(message.line);
  // A character that turns a part of the text may have its end after the part that is shown, though not far away.
  if (message.text !== "") return closed(beginning(visibleLine(unmarked(beginning(message.text, 8 * LONGEST))), LONGEST));
  const [first] = message.attachments;
  if (first === undefined) return message.kind === "call" ? t(message.unread ? "message.call.missed" : "message.call") : "";
  const name = visibleName(first.name);
  return message.attachments.length > 1 ? t("message.filesMore", { name, count: message.attachments.length - 1 }) : name;
}
