// Who calls, in words, for as long as it rings: the title of the page says it.
import { Store } from "../base/store";

export const ringing = new Store<readonly string[]>([]);

/** Says who calls until the returned function is called. */
export function sayRings(words: string): () => void {
  ringing.update((all) => [...all, words]);
  return () => ringing.update((all) => all.filter((_, index) => index !== all.indexOf(words)));
}
