// Searching in all messages, or in those of one chat. The daemon searches; the page keeps the last question and its answer.
import type { Found } from "../contract/types";
import { call } from "../wire/rpc";
import { Store } from "./store";

export interface Search {
  query: string;
  /** Only in this conversation; null: in all. */
  conversation: string | null;
  found: readonly Found[];
  /** Where the next page begins; null: that is all. */
  next: string | null;
  state: "none" | "busy" | "done";
}

export const search = new Store<Search>({ query: "", conversation: null, found: [], next: null, state: "none" });

/** Results in a page. */
const PAGE = 30;
/** A question counts once nothing was typed for so long, in ms. */
const REST = 180;

let turn = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Each word is the beginning of one, unless the person says otherwise. */
function asked(query: string): string {
  const words = query.trim();
  return /["*]/.test(words) ? words : words.split(/\s+/).map((word) => `${word}*`).join(" ");
}

async function run(more: boolean): Promise<void> {
  const { query, conversation, next } = search.get();
  turn += 1;
  const mine = turn;
  search.update((now) => ({ ...now, state: "busy" }));
  try {
    const answer = await call("message.search", {
      query: asked(query), limit: PAGE, ...(conversation === null ? {} : { conversation }), ...(more && next !== null ? { before: next } : {}),
    });
    if (mine !== turn) return;
    search.update((now) => ({ ...now, found: more ? [...now.found, ...answer.messages] : answer.messages, next: answer.next ?? null, state: "done" }));
  } catch (error) {
    if (mine !== turn) return;
    search.update((now) => ({ ...now, found: more ? now.found : [], next: null, state: "done" }));
    throw error;
  }
}

/** Asks anew. An empty question has no answer. */
export function ask(values: Partial<Pick<Search, "query" | "conversation">>, failed: (error: unknown) => void): void {
  clearTimeout(timer);
  search.update((now) => ({ ...now, ...values }));
  if (search.get().query.trim() === "") {
    turn += 1;
    search.update((now) => ({ ...now, found: [], next: null, state: "none" }));
    return;
  }
  timer = setTimeout(() => run(false).catch(failed), REST);
}

export const askMore = (): Promise<void> => run(true);
