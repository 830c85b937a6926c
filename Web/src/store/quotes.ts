// Messages that others answer and that are not in the stretch on screen.
import { Store } from "../base/store";
import type { Message } from "../contract/types";
import { asRefused } from "../wire/refusal";
import { call } from "../wire/rpc";

/** By id; null: there is no such message here. */
export const quotes = new Store<ReadonlyMap<string, Message | null>>(new Map());
const asking = new Set<string>();

export function wantQuote(id: string): void {
  if (quotes.get().has(id) || asking.has(id)) return;
  asking.add(id);
  call("message.get", { id })
    .then((message) => quotes.update((now) => new Map(now).set(id, message)), (error: unknown) => {
      // Whatever else fails says nothing of the message.
      if (asRefused(error).kind === "not_found") quotes.update((now) => new Map(now).set(id, null));
    })
    .finally(() => asking.delete(id));
}
