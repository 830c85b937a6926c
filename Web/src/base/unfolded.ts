// What was unfolded stays so as long as the page is open: a row of a history goes and comes back as one scrolls.
import { useCallback } from "react";
import { Store, useStore } from "./store";

const unfolded = new Store<ReadonlySet<string>>(new Set());

/** Whether something is shown in full, and what unfolds it. The key is the id of what it belongs to, and a word for the part: `<id> text`. */
export function useUnfolded(key: string): [isOpen: boolean, open: () => void] {
  const isOpen = useStore(unfolded, (all) => all.has(key));
  return [isOpen, useCallback(() => unfolded.update((all) => new Set(all).add(key)), [key])];
}
