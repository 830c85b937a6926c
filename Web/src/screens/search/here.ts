import { refused } from "../../parts/notice";
import { ask, search } from "../../store/search";
import { go } from "../router";

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
