// What waits in all conversations together: the numbers on badges and in the title.
import { Store, useStore } from "../base/store";
import type { Totals } from "../contract/types";
import { call } from "../wire/rpc";
import { conversations, pages, unreadOf } from "./conversations";

interface Known extends Totals {
  /** How many of the unread messages were in the page's own conversations when this was reported. */
  here: number;
}

export const totals = new Store<Known>({ unread: 0, muted: 0, mentions: 0, requests: 0, missedCalls: 0, here: 0 });

/** Counts the events: an answer that was asked for before the last one knows less. */
let heard = 0;

function take(told: Totals): void {
  totals.set({ ...told, here: unreadOf(conversations.get().table) });
}

export function takeTotals(told: Totals): void {
  heard += 1;
  take(told);
}

export async function loadTotals(): Promise<void> {
  const before = heard;
  const told = await call("conversation.totals");
  if (before === heard) take(told);
}

// A page of conversations that was read changes what is here, and not what is unread.
pages.subscribe(() => totals.update((now) => ({ ...now, here: now.here + pages.get().brought })));

/**
 * Unread messages of all conversations: of those that are muted, only the mentions. What was read here counts at once: the daemon tells its sum
 * a moment later, and while it is away not at all.
 */
export function useUnread(): number {
  const { unread, mentions, here } = useStore(totals, (now) => now);
  const now = useStore(conversations, ({ table }) => unreadOf(table));
  return Math.max(0, unread + mentions + now - here);
}

export const useMissedCalls = (): number => useStore(totals, ({ missedCalls }) => missedCalls);

/** Friend requests that wait for an answer here. */
export const useRequestCount = (): number => useStore(totals, ({ requests }) => requests);
