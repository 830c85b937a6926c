import { refused } from "../../store/notices";
import { go } from "../../store/router";
import { ask, search } from "../../store/search";

/** Searches in the chat that is open, beside it. */
export function searchHere(conversation: string): void {
  if (search.get().conversation !== conversation) ask({ conversation }, refused);
  go(`search/${conversation}`);
}

/** Searches for everything, beginning with what was searched last. */
export function searchAll(): void {
  if (search.get().conversation !== null) ask({ conversation: null }, refused);
  go("search");
}
