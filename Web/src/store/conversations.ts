import type { Conversation } from "../contract/types";
import { call, callIn } from "../wire/rpc";
import { seenNow } from "../wire/events";
import { Store } from "./store";
import { Table } from "./table";

/** The conversations, and whether there are more of them than have been read. */
export interface Conversations {
  table: Table<Conversation>;
  /** Where the next page begins; null: all are here; undefined: none was read yet. */
  next: string | null | undefined;
  archived: string | null | undefined;
}

export const conversations = new Store<Conversations>({ table: Table.empty(), next: undefined, archived: undefined });

/** Conversations in a page. */
const PAGE = 100;

export const takeConversations = (list: readonly Conversation[], seq: number): void =>
  conversations.update((now) => ({ ...now, table: now.table.put(list.map((item) => [item.id, item]), seq) }));

export const removeConversation = (id: string, seq: number): void =>
  conversations.update((now) => ({ ...now, table: now.table.remove(id, seq) }));

/** Reads the first page of both lists, or the next of one. */
export async function loadConversations(archived: boolean, more = false): Promise<void> {
  const cursor = archived ? conversations.get().archived : conversations.get().next;
  if (more && cursor == null) return;
  const asked = seenNow();
  const answer = await call("conversation.list", { limit: PAGE, archived, ...(more && cursor != null ? { before: cursor } : {}) });
  takeConversations(answer.conversations, asked);
  const next = answer.next ?? null;
  conversations.update((now) => {
    const whole = !more && next === null;
    const ids = new Set(answer.conversations.map(({ id }) => id));
    const table = whole ? now.table.keepOnly(new Set([...now.table.values()].filter((item) => item.archived !== archived || ids.has(item.id)).map(({ id }) => id)), asked) : now.table;
    return archived ? { ...now, table, archived: next } : { ...now, table, next };
  });
}

/** A conversation that may not have been read yet. */
export async function loadConversation(id: string): Promise<void> {
  const asked = seenNow();
  takeConversations([await call("conversation.get", { id })], asked);
}

const activity = (item: Conversation): number => item.lastMessage?.sentAt ?? item.updatedAt;

/** Those that are pinned, then the others, the latest activity first. */
export function ordered(table: Table<Conversation>, archived: boolean): Conversation[] {
  return [...table.values()]
    .filter((item) => item.archived === archived)
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || activity(b) - activity(a) || (a.id < b.id ? 1 : -1));
}

type Change = Partial<Pick<Conversation, "pinned" | "archived" | "muted">>;

/** Pins, archives or mutes: shows it at once, and takes it back if it is refused. */
export async function change(id: string, wanted: Change): Promise<void> {
  const before = conversations.get().table.get(id);
  const patch = (values: Change) => conversations.update((now) => ({ ...now, table: now.table.patch(id, (item) => ({ ...item, ...values })) }));
  patch(wanted);
  try {
    const asked = seenNow();
    takeConversations([await callIn(id, "conversation.update", { id, ...wanted })], asked);
  } catch (error) {
    if (before !== undefined) patch({ pinned: before.pinned, archived: before.archived, muted: before.muted });
    throw error;
  }
}

/** Unread messages in all conversations that are not muted. */
export const unreadOf = (table: Table<Conversation>): number => {
  let sum = 0;
  for (const item of table.values()) if (!item.muted && !item.archived) sum += item.unread;
  return sum;
};
