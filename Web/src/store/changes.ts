// Sends what was changed here: in the order of its conversation, again after each break, and again after a reload.
import type { Conversation, Message } from "../contract/types";
import { t } from "../text/t";
import { seenNow } from "../wire/events";
import { untilOpen } from "../wire/link";
import { asRefused, isAway } from "../wire/refusal";
import { call, inTurn } from "../wire/rpc";
import { ownId } from "./account";
import { conversations, removeConversation, takeConversations } from "./conversations";
import { giveBack, setDraft, setVoiceDraft } from "./drafts";
import { forgetUnread, takeMessage, takeRemoval } from "./messages";
import { notify, refused } from "./notices";
import { giveUp, newKey, outbox, readKept, send as sendText } from "./outbox";
import { pending } from "./pending";
import type { Change, ChangeMethod, Pending } from "./pending";

const PREFIX = "kibo.change.";

/** Changes that are under way. */
const under = new Set<string>();
/** Changes that this browser keeps. One of them that is not kept any more was sent by another tab. */
const kept = new Set<string>();

/** Shows a change at once and sends it. `seen`: the messages that a read mark is about. */
export function make(conversation: string, change: Change, seen: readonly string[] | null = null): void {
  const item: Pending = { ...change, key: newKey(), conversation, by: ownId(), at: Date.now(), seen };
  try {
    localStorage.setItem(PREFIX + item.key, JSON.stringify(item));
    kept.add(item.key);
  } catch {
    // A full store keeps it for as long as the page lives.
  }
  pending.update((items) => [...items, item]);
  send(item);
}

function drop(key: string): void {
  kept.delete(key);
  localStorage.removeItem(PREFIX + key);
  pending.update((items) => items.filter((item) => item.key !== key));
}

const isWaiting = (key: string): boolean =>
  pending.get().some((item) => item.key === key) && (!kept.has(key) || localStorage.getItem(PREFIX + key) !== null);

/** A mute whose time has come while the daemon was away: nothing is left to do. */
const isOver = (item: Pending): boolean => item.method === "conversation.update" && (item.params.mutedUntil ?? Infinity) <= Date.now();

/** Drops everything that was begun in a conversation that is gone. */
function forget(conversation: string, asked: number): void {
  removeConversation(conversation, asked);
  setDraft(conversation, "");
  setVoiceDraft(conversation, null);
  for (const waiting of outbox.get()) if (waiting.conversation === conversation) giveUp(waiting);
}

/** The daemon has done it: what it answered takes the place of what was shown. */
function done(item: Pending, answer: Message | Conversation | null, asked: number): void {
  const isGone = item.method === "message.delete" && item.params.for === "me";
  if (isGone) takeRemoval(item.conversation, item.params.id, asked);
  else if (item.method === "conversation.markRead") forgetUnread(item);
  else if (item.method === "conversation.delete") forget(item.conversation, asked);
  if (answer !== null && "position" in answer && !isGone) takeMessage(answer, asked, false);
  else if (answer !== null && "lastMessage" in answer) takeConversations([answer], asked);
  drop(item.key);
}

async function deliver(item: Pending): Promise<void> {
  for (;;) {
    await untilOpen();
    if (!isWaiting(item.key) || isOver(item)) return drop(item.key);
    const asked = seenNow();
    try {
      const answer = await call<ChangeMethod>(item.method, item.params);
      // A deletion answers with nothing.
      return done(item, "id" in answer ? (answer as Message | Conversation) : null, asked);
    } catch (error) {
      const problem = asRefused(error);
      // Once the account is open again, resumeSending goes on.
      if (problem.kind === "logged_out" || problem.kind === "locked") return;
      // It may have been deleted by a request whose answer was lost.
      if (problem.kind === "not_found" && (item.method === "message.delete" || item.method === "conversation.delete")) return done(item, null, asked);
      if (!isAway(problem) && problem.kind !== "busy") {
        drop(item.key);
        // Nothing that was written is lost.
        if (item.method === "message.edit") giveBack(item.conversation, { text: item.params.text, files: [], replyTo: null });
        // A read mark that comes too late is no user's concern.
        if (item.method === "conversation.markUnread" && problem.kind === "not_found" && conversations.get().table.get(item.conversation) !== undefined) notify(t("chats.markUnread.none"));
        else if (item.method !== "conversation.markRead") refused(problem);
        return;
      }
      // The link may still say "open" for a moment after a break.
      await new Promise((after) => setTimeout(after, 500));
    }
  }
}

/** One tab at a time sends the changes of a conversation: an old one must not come after a new one of another tab. */
const alone = (conversation: string, task: () => Promise<void>): Promise<void> =>
  globalThis.navigator?.locks === undefined ? task() : navigator.locks.request(`kibo.change.${conversation}`, task);

function send(item: Pending): void {
  if (under.has(item.key)) return;
  under.add(item.key);
  inTurn(item.conversation, () => alone(item.conversation, () => deliver(item)))
    .catch((error: unknown) => {
      drop(item.key);
      refused(error);
    })
    .finally(() => under.delete(item.key));
}

function readChanges(): void {
  const here = new Set(pending.get().map(({ key }) => key));
  const found: Pending[] = [];
  for (let index = 0; index < localStorage.length; index += 1) {
    const name = localStorage.key(index) ?? "";
    if (!name.startsWith(PREFIX) || here.has(name.slice(PREFIX.length))) continue;
    try {
      const item = JSON.parse(localStorage.getItem(name) ?? "") as Pending;
      kept.add(item.key);
      found.push(item);
    } catch {
      localStorage.removeItem(name);
    }
  }
  found.sort((a, b) => (a.key < b.key ? -1 : 1));
  if (found.length > 0) pending.update((items) => [...items, ...found]);
}

/** After a start or a break: texts and changes that this browser kept go on, in the order in which they were made. */
export function resumeSending(): void {
  readKept();
  readChanges();
  const all = [
    ...outbox.get().filter(({ problem }) => problem === null).map((item) => ({ key: item.key, go: () => sendText(item) })),
    ...pending.get().map((item) => ({ key: item.key, go: () => send(item) })),
  ];
  for (const { go } of all.sort((a, b) => (a.key < b.key ? -1 : 1))) go();
}

/** Drops changes that another tab has sent. */
export function watchChanges(): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (key === null || !key.startsWith(PREFIX) || newValue !== null) return;
    const item = key.slice(PREFIX.length);
    if (!under.has(item)) drop(item);
  });
}
