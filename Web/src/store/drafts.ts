// Texts that were begun and not sent, kept by this browser; and voice notes, kept by this page.
import { Store } from "../base/store";
import type { Recorder } from "../sound/recorder";
import type { Parcel } from "../wire/parcels";
import { uploads } from "./uploads";

const PREFIX = "kibo.draft.";

function read(): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (let index = 0; index < localStorage.length; index += 1) {
    const name = localStorage.key(index) ?? "";
    if (name.startsWith(PREFIX)) all.set(name.slice(PREFIX.length), localStorage.getItem(name) ?? "");
  }
  return all;
}

/** Drafts by conversation. */
export const drafts = new Store<ReadonlyMap<string, string>>(read());

/** Voice notes that were begun, by conversation. */
export const voiceDrafts = new Store<ReadonlyMap<string, Recorder>>(new Map());

export const setVoiceDraft = (conversation: string, recorder: Recorder | null): void => voiceDrafts.update((now) => {
  const next = new Map(now);
  if (recorder === null) next.delete(conversation);
  else next.set(conversation, recorder);
  return next;
});

/** Takes over drafts from other tabs. Before a page is closed that has drafts which would be lost, the browser asks. */
export function watchDrafts(): void {
  addEventListener("beforeunload", (event) => {
    if (voiceDrafts.get().size + uploads.get().size > 0) event.preventDefault();
  });
  addEventListener("storage", (event) => {
    if (event.key === null || event.key.startsWith(PREFIX)) drafts.set(read());
  });
}

export function setDraft(conversation: string, text: string): void {
  if ((drafts.get().get(conversation) ?? "") === text) return;
  try {
    if (text.trim() === "") localStorage.removeItem(PREFIX + conversation);
    else localStorage.setItem(PREFIX + conversation, text);
  } catch {
    // A text that is longer than the browser keeps lives as long as the page. What it keeps of it would be another text.
    localStorage.removeItem(PREFIX + conversation);
  }
  drafts.update((now) => {
    const next = new Map(now);
    if (text.trim() === "") next.delete(conversation);
    else next.set(conversation, text);
    return next;
  });
}

/** Something that was to be sent and that the user must change first. */
export interface Returned {
  text: string;
  files: readonly Parcel[];
  /** The message that it answers. */
  replyTo: string | null;
}

const takers = new Map<string, (returned: Returned) => void>();

/** The field for writing in a conversation takes back what was refused. */
export function takeReturned(conversation: string, take: (returned: Returned) => void): () => void {
  takers.set(conversation, take);
  return () => {
    if (takers.get(conversation) === take) takers.delete(conversation);
  };
}

/** A text that was taken back, before what was begun since. */
export const before = (text: string, begun: string): string => [text, begun].filter((one) => one !== "").join("\n");

/** Gives what was refused back to the field for writing, or keeps its text until there is one. */
export function giveBack(conversation: string, returned: Returned): void {
  const take = takers.get(conversation);
  if (take === undefined) setDraft(conversation, before(returned.text, drafts.get().get(conversation) ?? ""));
  else take(returned);
}
