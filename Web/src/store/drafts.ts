// Texts that were begun and not sent, kept by this browser.
import { Store } from "./store";

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

/** Takes over what was begun in another tab. */
export function watchDrafts(): void {
  addEventListener("storage", (event) => {
    if (event.key === null || event.key.startsWith(PREFIX)) drafts.set(read());
  });
}

export function setDraft(conversation: string, text: string): void {
  if ((drafts.get().get(conversation) ?? "") === text) return;
  if (text.trim() === "") localStorage.removeItem(PREFIX + conversation);
  else localStorage.setItem(PREFIX + conversation, text);
  drafts.update((now) => {
    const next = new Map(now);
    if (text.trim() === "") next.delete(conversation);
    else next.set(conversation, text);
    return next;
  });
}
