import { Store } from "../base/store";
import type { Conversation } from "../contract/types";
import { seenNow } from "../wire/events";
import { call } from "../wire/rpc";
import { histories, isUnread } from "./messages";
import { overConversation, pending } from "./pending";
import { Table } from "./table";

/** The conversations, and whether there are more of them than have been read. */
export interface Conversations {
  /** What the daemon has reported, and the same with the changes made here that have no answer yet. */
  told: Table<Conversation>;
  table: Table<Conversation>;
  /** Where the next page begins; null: all are here; undefined: none was read yet. */
  next: string | null | undefined;
  archived: string | null | undefined;
}

export const conversations = new Store<Conversations>({ told: Table.empty(), table: Table.empty(), next: undefined, archived: undefined });

/** Conversations in a page. */
const PAGE = 100;

/** With what was changed here. */
function shown(told: Table<Conversation>): Table<Conversation> {
  const items = pending.get();
  let table = told;
  for (const id of new Set(items.map(({ conversation }) => conversation))) {
    table = table.patch(id, (one) => overConversation(one, items.filter(({ conversation }) => conversation === id), (message) => isUnread(id, message)));
  }
  return table;
}

const take = (change: (told: Table<Conversation>) => Table<Conversation>): void => conversations.update((now) => {
  const told = change(now.told);
  return told === now.told ? now : { ...now, told, table: shown(told) };
});

const showAnew = (): void => conversations.update((now) => ({ ...now, table: shown(now.told) }));
pending.subscribe(showAnew);
// The messages show how much of a read mark the daemon has taken.
histories.subscribe(() => {
  if (pending.get().some(({ method }) => method === "conversation.markRead")) showAnew();
});

export const takeConversations = (list: readonly Conversation[], seq: number): void => take((told) => told.put(list.map((item) => [item.id, item]), seq));

export const removeConversation = (id: string, seq: number): void => take((told) => told.remove(id, seq));

/** After a gap the next answer counts. */
export const ageConversations = (): void => take((told) => told.aged());

/** Drops what this page had kept before it was loaded again, and no answer has told since. */
export const dropKept = (): void => take((told) => told.keepOnly(new Set(), -1));

/** The last page that was read: how many unread messages it brought that were not counted here before. */
export const pages = new Store<{ brought: number }>({ brought: 0 });

/** Takes conversations that may not have been read before. */
function takeRead(list: readonly Conversation[], seq: number): void {
  const before = unreadOf(conversations.get().table);
  takeConversations(list, seq);
  pages.set({ brought: unreadOf(conversations.get().table) - before });
}

/** Reads the first page of both lists, or the next of one. */
export async function loadConversations(archived: boolean, more = false): Promise<void> {
  const cursor = archived ? conversations.get().archived : conversations.get().next;
  if (more && cursor == null) return;
  const asked = seenNow();
  const answer = await call("conversation.list", { limit: PAGE, archived, ...(more && cursor != null ? { before: cursor } : {}) });
  const before = unreadOf(conversations.get().table);
  takeConversations(answer.conversations, asked);
  const next = answer.next ?? null;
  const ids = new Set(answer.conversations.map(({ id }) => id));
  if (!more && next === null) {
    take((told) => told.keepOnly(new Set([...told.values()].filter((item) => item.archived !== archived || ids.has(item.id)).map(({ id }) => id)), asked));
  }
  conversations.update((now) => archived ? { ...now, archived: next } : { ...now, next });
  pages.set({ brought: unreadOf(conversations.get().table) - before });
}

/** A conversation that may not have been read yet. */
export async function loadConversation(id: string): Promise<void> {
  const asked = seenNow();
  takeRead([await call("conversation.get", { id })], asked);
}

/** All whose titles have a query in them, also those that are archived or were not read yet. */
export async function findConversations(query: string): Promise<Conversation[]> {
  const both = await Promise.all([false, true].map(async (archived) => {
    const found: Conversation[] = [];
    let cursor: string | undefined;
    do {
      const asked = seenNow();
      const answer = await call("conversation.list", { query, archived, limit: PAGE, ...(cursor === undefined ? {} : { before: cursor }) });
      takeRead(answer.conversations, asked);
      found.push(...answer.conversations);
      cursor = answer.next;
    } while (cursor !== undefined);
    return found;
  }));
  return both.flat();
}

const activity = (item: Conversation): number => item.lastMessage?.sentAt ?? item.updatedAt;

/** Those that are pinned, then the others, the latest activity first. */
export function ordered(table: Table<Conversation>, archived: boolean): Conversation[] {
  return [...table.values()]
    .filter((item) => item.archived === archived)
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || activity(b) - activity(a) || (a.id < b.id ? 1 : -1));
}

/** The conversation with oneself, if it is there and was read. */
export const notesIn = (table: Table<Conversation>): Conversation | undefined => [...table.values()].find(({ kind }) => kind === "notes");

/** Unread messages that mention this account, and count even where the conversation is muted. */
export const loudMentions = ({ unread, mentions, muted, mentionsMuted }: Conversation): number => (muted && mentionsMuted ? 0 : Math.min(unread, mentions));

/** Unread messages in the conversations of a table: of those that are muted, only the mentions. */
export const unreadOf = (table: Table<Conversation>): number => {
  let sum = 0;
  for (const item of table.values()) sum += item.muted ? loudMentions(item) : item.unread;
  return sum;
};
