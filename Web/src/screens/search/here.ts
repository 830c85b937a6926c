import { refused } from "../../parts/notice";
import { ask, search } from "../../store/search";
import { go } from "../router";

/** Searches in the chat that is open, beside it. */
export function searchHere(conversation: string): void {
  if (search.get().conversation !== conversation) ask({ conversation }, refused);
  go(`search/${conversation}`);
}

/** Searches in all chats, for these words or for what was searched last. */
export function searchAll(query?: string): void {
  if (query !== undefined || search.get().conversation !== null) ask({ conversation: null, ...(query === undefined ? {} : { query }) }, refused);
  go("search");
}
