// Saves a whole chat as a text that is read without Kibo.
import type { Conversation } from "../../contract/types";
import { saveFile } from "../../parts/saveFile";
import { self } from "../../store/account";
import { contacts } from "../../store/contacts";
import { groups } from "../../store/groups";
import { keepSaying, notify } from "../../store/notices";
import { personName, titleOf } from "../../store/people";
import { wording } from "../../text/errors";
import { fileTime, percent } from "../../text/format";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { Transcript, transcriptName } from "../../text/transcript";
import { exported } from "../../wire/exported";
import { asRefused } from "../../wire/refusal";

/** So much text is handed to the browser at once, in characters: it keeps what is large on its disk. */
const PIECE = 256 * 1024;
/** How often the progress is told, in ms. */
const STEP = 2000;

/** The chats that are being saved. */
const under = new Set<string>();

async function written(item: Conversation, signal: AbortSignal, tell: (share: number) => void): Promise<Blob> {
  const own = self.get().account;
  const group = groups.get().get(item.group);
  const transcript = new Transcript((id) => (id === own?.id ? own.displayName : personName(id, contacts.get(), group)));
  const pieces: Blob[] = [];
  let text = `Kibo – ${isolatedName(titleOf(item))}\n`;
  for await (const { messages, share } of exported(item.id, signal)) {
    for (const message of messages) text += transcript.lines(message);
    if (text.length > PIECE) {
      pieces.push(new Blob([text]));
      text = "";
    }
    tell(share);
  }
  return new Blob([...pieces, text], { type: "text/plain;charset=utf-8" });
}

/** Fetches the messages, words them and saves them as a file. What takes long says how far it is, and can be cancelled. */
export async function saveChat(item: Conversation): Promise<void> {
  if (under.has(item.id)) return;
  under.add(item.id);
  const stop = new AbortController();
  const say = keepSaying({ label: t("common.cancel"), run: () => stop.abort() });
  const name = isolatedName(titleOf(item));
  let share = 0;
  const timer = setInterval(() => say(t("saving.progress", { name, percent: percent(share) })), STEP);
  try {
    const file = transcriptName(titleOf(item), fileTime(new Date()).slice(0, 10));
    saveFile(await written(item, stop.signal, (now) => {
      share = now;
    }), file);
    notify(t("saving.done", { file }));
  } catch (error) {
    if (!stop.signal.aborted) notify(t("saving.failed", { name, reason: wording(asRefused(error)) }));
  } finally {
    clearInterval(timer);
    say(null);
    under.delete(item.id);
  }
}
