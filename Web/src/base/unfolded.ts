// What was opened stays open while the page is: a row of a history goes and comes back as one scrolls.
import { useCallback } from "react";
import { Store, useStore } from "./store";

const unfolded = new Store<ReadonlySet<string>>(new Set());

/** Whether what has this key was opened in full, and a function that opens it. Keys of messages are their ids, and what of them it is. */
export function useUnfolded(key: string): [isOpen: boolean, open: () => void] {
  const isOpen = useStore(unfolded, (all) => all.has(key));
  return [isOpen, useCallback(() => unfolded.update((all) => new Set(all).add(key)), [key])];
}
