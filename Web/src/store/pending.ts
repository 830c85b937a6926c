// What was changed here and has no answer yet: it shows at once, over what the daemon has told.
import { Store } from "../base/store";
import type { Params } from "../contract/methods";
import type { Conversation, Message } from "../contract/types";

/** The methods whose requests wait while the daemon is away. Each may be said twice: the second time changes nothing. */
export type ChangeMethod = "message.edit" | "message.react" | "message.delete" | "conversation.update" | "conversation.markRead" | "conversation.markUnread" | "conversation.delete";

/** A request that changes a conversation or one of its messages. */
export type Change = { [M in ChangeMethod]: { method: M; params: Params<M> } }[ChangeMethod];

export type Pending = Change & {
  /** Grows: changes and texts of a conversation leave in the order of their keys. */
  key: string;
  conversation: string;
  /** Whose reaction it is. */
  by: string;
  at: number;
  /** Which messages a read mark is about; null: all that had come by then. */
  seen: readonly string[] | null;
};

export const pending = new Store<readonly Pending[]>([]);

export const pendingIn = (conversation: string): readonly Pending[] => pending.get().filter((item) => item.conversation === conversation);

/** Whether a read mark covers a message. */
export const covers = (mark: Pending, message: Message): boolean =>
  mark.method === "conversation.markRead" && (mark.seen === null ? (message.receivedAt ?? 0) <= mark.at : mark.seen.includes(message.id));

function overOne(message: Message, item: Pending): Message | null {
  switch (item.method) {
    case "message.edit":
      return message.id !== item.params.id || message.deleted ? message : { ...message, text: item.params.text, editedAt: item.at };
    case "message.react": {
      if (message.id !== item.params.id || message.deleted) return message;
      const others = message.reactions.filter(({ account, emoji }) => account !== item.by || emoji !== item.params.emoji);
      return { ...message, reactions: item.params.remove === true ? others : [...others, { account: item.by, emoji: item.params.emoji }] };
    }
    case "message.delete":
      if (message.id !== item.params.id) return message;
      return item.params.for === "me" ? null : { ...message, deleted: true, text: "", attachments: [], reactions: [] };
    case "conversation.markRead":
      return message.unread && covers(item, message) ? { ...message, unread: false } : message;
    case "conversation.update":
    case "conversation.markUnread":
    case "conversation.delete":
      return message;
  }
}

/** A message as it is with the changes; null: it is gone. */
export function overMessage(message: Message, items: readonly Pending[]): Message | null {
  let shown: Message | null = message;
  for (const item of items) if (shown !== null) shown = overOne(shown, item);
  return shown;
}

/** The messages of a conversation with the changes; the same list if there are none. */
export const overMessages = (rows: readonly Message[], items: readonly Pending[]): readonly Message[] =>
  items.length === 0 ? rows : rows.map((row) => overMessage(row, items)).filter((row): row is Message => row !== null);

/** A conversation with the changes; null: it is gone. `isUnread` says whether the daemon still holds a message for unread. */
export function overConversation(conversation: Conversation, items: readonly Pending[], isUnread: (message: string) => boolean): Conversation | null {
  let shown = conversation;
  for (const item of items) {
    if (item.method === "conversation.delete") return null;
    if (item.method === "conversation.update") {
      const { pinned = shown.pinned, archived = shown.archived, mentionsMuted = shown.mentionsMuted, muted, mutedUntil } = item.params;
      shown = { ...shown, pinned, archived, mentionsMuted };
      if (muted !== undefined) {
        const { mutedUntil: _, ...rest } = shown;
        shown = { ...rest, muted, ...(mutedUntil === undefined ? {} : { mutedUntil }) };
      }
    } else if (item.method === "conversation.markRead") {
      const unread = item.seen === null ? 0 : Math.max(0, shown.unread - item.seen.filter(isUnread).length);
      shown = { ...shown, unread, firstUnread: unread === 0 ? null : shown.firstUnread };
    } else if (item.method === "conversation.markUnread") {
      shown = { ...shown, unread: Math.max(1, shown.unread) };
    } else if (shown.lastMessage !== null) {
      shown = { ...shown, lastMessage: overOne(shown.lastMessage, item) ?? shown.lastMessage };
    }
  }
  return shown;
}
