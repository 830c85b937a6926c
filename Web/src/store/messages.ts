// The messages of the conversations that are or were open: of each a stretch of its history in the daemon's order.
import { placeOf } from "../base/position";
import { Store } from "../base/store";
import type { Message } from "../contract/types";
import { seenNow } from "../wire/events";
import { call } from "../wire/rpc";
import { claim, confirmed } from "./outbox";
import { covers, overMessages, pending, pendingIn } from "./pending";
import type { Pending } from "./pending";

/** A stretch of a conversation's history. */
export interface History {
  /** What the daemon has reported, and the same with the changes made here that have no answer yet. */
  told: readonly Message[];
  rows: readonly Message[];
  /** Whether there is more before and after it. */
  before: boolean;
  after: boolean;
  /** How new each row is, and what was removed when. */
  seqs: ReadonlyMap<string, number>;
  gone: ReadonlyMap<string, number>;
}

/** Messages that a chat begins with, that are read in a step, and in a stretch at most. A stretch is longer where a window shows more. */
export const PAGE = 50;
const STEP = 64;
export const MOST_ROWS = 160;
/** As many messages as the daemon gives at once. */
const MOST_READ = 500;
/** How many conversations keep their stretch while another is open. */
const MOST_HISTORIES = 12;

export const histories = new Store<ReadonlyMap<string, History>>(new Map());

const empty: History = { told: [], rows: [], before: true, after: false, seqs: new Map(), gone: new Map() };

type Late = { message: Message; seq: number } | { removed: string; seq: number };
/** Events of conversations that a page is awaited for: the page may be older than they are. */
const late = new Map<string, Late[]>();
const loading = new Map<string, number>();

/** With what was changed here. */
function shown(conversation: string, history: History): History {
  return { ...history, rows: overMessages(history.told, pendingIn(conversation)) };
}

pending.subscribe(() => {
  const all = [...histories.get()];
  // A history without pending changes shows again what the daemon reported.
  const changed = all.filter(([conversation, history]) => history.rows !== history.told || pendingIn(conversation).length > 0);
  if (changed.length === 0) return;
  const anew = new Set(changed.map(([conversation]) => conversation));
  histories.set(new Map(all.map(([conversation, history]) => [conversation, anew.has(conversation) ? shown(conversation, history) : history])));
});

/** Changes a history that is here, in its place. */
const alter = (conversation: string, history: History): void => histories.update((now) => new Map(now).set(conversation, shown(conversation, history)));

function place(conversation: string, history: History): void {
  histories.update((now) => {
    const next = new Map(now);
    next.delete(conversation);
    next.set(conversation, shown(conversation, history));
    for (const id of next.keys()) {
      if (next.size <= MOST_HISTORIES) break;
      if (!loading.has(id)) next.delete(id);
    }
    return next;
  });
}

/** The history with a message that is as new as `seq`; the same one if it is not of this stretch, or older than what is here. */
function withMessage(history: History, message: Message, seq: number, page = false): History {
  if ((history.seqs.get(message.id) ?? -1) > seq || (history.gone.get(message.id) ?? -2) >= seq) return history;
  const told = [...history.told];
  const old = told.findIndex(({ id }) => id === message.id);
  if (old >= 0 && told[old]?.position === message.position) {
    told[old] = message;
  } else {
    if (old >= 0) told.splice(old, 1);
    const at = placeOf(told, message.position);
    const outside = (at === 0 && history.before && told.length > 0) || (at === told.length && history.after);
    if (outside && !page) return old >= 0 ? { ...history, told } : history;
    told.splice(at, 0, message);
  }
  return { ...history, told, seqs: new Map(history.seqs).set(message.id, seq) };
}

function withoutMessage(history: History, id: string, seq: number): History {
  if ((history.seqs.get(id) ?? -1) > seq) return history;
  return { ...history, told: history.told.filter((row) => row.id !== id), gone: new Map(history.gone).set(id, seq) };
}

/** A page goes in whole: once for all its rows, since most are new. */
function withPage(history: History, messages: readonly Message[], seq: number): History {
  const rows = new Map(history.told.map((row) => [row.id, row]));
  const seqs = new Map(history.seqs);
  for (const message of messages) {
    if ((seqs.get(message.id) ?? -1) > seq || (history.gone.get(message.id) ?? -2) >= seq) continue;
    rows.set(message.id, message);
    seqs.set(message.id, seq);
  }
  return { ...history, told: [...rows.values()].sort((a, b) => (a.position < b.position ? -1 : 1)), seqs };
}

/** Drops the far end of a stretch that has grown too long, but none of the rows that were `needed` before a step. */
function trimmed(history: History, keep: "start" | "end", needed: number): History {
  const most = Math.max(MOST_ROWS, needed + STEP);
  if (history.told.length <= most) return history;
  const told = keep === "start" ? history.told.slice(0, most) : history.told.slice(-most);
  const seqs = new Map(told.map((row) => [row.id, history.seqs.get(row.id) ?? -1]));
  return { ...history, told, seqs, ...(keep === "start" ? { after: true } : { before: true }) };
}

/** Runs a read of a conversation, and applies after its answer what events said meanwhile. */
async function reading(conversation: string, read: (asked: number) => Promise<(now: History) => History>): Promise<void> {
  loading.set(conversation, (loading.get(conversation) ?? 0) + 1);
  try {
    const change = await read(seenNow());
    let history = change(histories.get().get(conversation) ?? empty);
    for (const event of late.get(conversation) ?? []) {
      history = "message" in event ? withMessage(history, event.message, event.seq) : withoutMessage(history, event.removed, event.seq);
    }
    place(conversation, history);
  } finally {
    const left = (loading.get(conversation) ?? 1) - 1;
    if (left > 0) {
      loading.set(conversation, left);
    } else {
      loading.delete(conversation);
      late.delete(conversation);
    }
  }
}

export const isLoading = (conversation: string): boolean => loading.has(conversation);

/** Takes what this page kept of a conversation: it is older than whatever the daemon says. */
export const takeLastHistory = (conversation: string, rows: readonly Message[], before: boolean): void =>
  place(conversation, { ...withPage(empty, rows, -1), before });

/** Reads the end of a conversation, in place of what is here of it. */
export const loadEnd = (conversation: string, limit = PAGE): Promise<void> => reading(conversation, async (asked) => {
  const page = await call("message.list", { conversation, limit });
  return (now) => withPage({ ...empty, gone: now.gone, before: page.hasMore }, page.messages, asked);
});

/** Reads the stretch that begins a little before a position. */
const loadFrom = (conversation: string, position: string): Promise<void> => reading(conversation, async (asked) => {
  const older = await call("message.list", { conversation, before: position, limit: PAGE / 5 });
  const last = older.messages[older.messages.length - 1];
  const newer = await call("message.list", { conversation, limit: PAGE, ...(last === undefined ? { at: 0 } : { after: last.position }) });
  return (now) => withPage({ ...empty, gone: now.gone, before: older.hasMore, after: newer.hasMore }, [...older.messages, ...newer.messages], asked);
});

/** Reads a conversation where its unread messages begin, else its end; unless a stretch of it is here already. */
export async function openHistory(conversation: string, unread: number, firstUnread: string | null): Promise<void> {
  if (histories.get().has(conversation) || loading.has(conversation)) return;
  if (firstUnread !== null && unread > PAGE / 2) await loadFrom(conversation, firstUnread);
  else await loadEnd(conversation);
}

/** Reads a step of older messages. `needed`: how many rows from the beginning have to stay, when they are here. */
export async function loadBefore(conversation: string, needed: () => number): Promise<void> {
  const first = histories.get().get(conversation)?.told[0];
  if (first === undefined || loading.has(conversation)) return;
  await reading(conversation, async (asked) => {
    const page = await call("message.list", { conversation, before: first.position, limit: STEP });
    // The stretch may be another one by now.
    return (now) => now.told[0]?.id !== first.id ? now : trimmed({ ...withPage(now, page.messages, asked), before: page.hasMore }, "start", needed());
  });
}

/** Reads a step of newer messages. `needed`: how many rows from the end have to stay, when they are here. */
export async function loadAfter(conversation: string, needed: () => number): Promise<void> {
  const last = histories.get().get(conversation)?.told.at(-1);
  if (last === undefined || loading.has(conversation)) return;
  await reading(conversation, async (asked) => {
    const page = await call("message.list", { conversation, after: last.position, limit: STEP });
    return (now) => now.told.at(-1)?.id !== last.id ? now : trimmed({ ...withPage(now, page.messages, asked), after: page.hasMore }, "end", needed());
  });
}

/** Reads the stretch around a position, replacing what is here, including the message at that position. */
const loadAround = (conversation: string, position: string, middle: Message | null, half: number): Promise<void> => reading(conversation, async (asked) => {
  const [older, newer] = await Promise.all([
    call("message.list", { conversation, before: position, limit: half }),
    call("message.list", { conversation, after: position, limit: half }),
  ]);
  const messages = [...older.messages, ...(middle === null ? [] : [middle]), ...newer.messages];
  return (now) => withPage({ ...empty, gone: now.gone, before: older.hasMore, after: newer.hasMore }, messages, asked);
});

/** Makes sure that a message is in the stretch that is here, or reads that and `half` as many on each side. Throws Refused if it is gone. */
export async function reach(conversation: string, id: string, half = PAGE / 2): Promise<void> {
  if (histories.get().get(conversation)?.rows.some((row) => row.id === id) === true) return;
  const message = await call("message.get", { id });
  await loadAround(conversation, message.position, message, half);
}

/** Makes sure that the first unread message is here, which stands at that position. Its id, if it is still unread. */
export async function reachUnread(conversation: string, position: string): Promise<string | undefined> {
  const find = () => histories.get().get(conversation)?.rows.find((row) => row.unread && row.position >= position)?.id;
  const told = histories.get().get(conversation)?.told ?? [];
  if ((told[0]?.position ?? "~") > position || (told.at(-1)?.position ?? "") < position) await loadFrom(conversation, position);
  return find();
}

/** Makes sure that the first message that is not older than a time is here. Its id; null: the end is here, since all are older. */
export async function reachTime(conversation: string, time: number): Promise<string | null> {
  const [first] = (await call("message.list", { conversation, at: time, limit: 1 })).messages;
  if (first === undefined) {
    if (histories.get().get(conversation)?.after !== false) await loadEnd(conversation);
    return null;
  }
  if (histories.get().get(conversation)?.told.some((row) => row.id === first.id) !== true) await loadFrom(conversation, first.position);
  return first.id;
}

/** After lost events or a change of order, reads the open conversation again around its middle, and forgets the rest. */
export async function reloadHistories(): Promise<void> {
  const all = [...histories.get()];
  const open = all.at(-1);
  histories.set(new Map(open === undefined ? [] : [open]));
  if (open === undefined) return;
  const [conversation, history] = open;
  const middle = history.told[history.told.length >> 1];
  if (!history.after || middle === undefined) return loadEnd(conversation, Math.min(MOST_READ, Math.max(PAGE, history.told.length)));
  histories.set(new Map());
  await reach(conversation, middle.id, Math.min(MOST_READ, Math.max(PAGE, history.told.length)) >> 1);
}

/** An event about a message. */
export function takeMessage(message: Message, seq: number, added: boolean): void {
  const { conversation } = message;
  if (added) claim(message);
  late.get(conversation)?.push({ message, seq });
  if (loading.has(conversation) && !late.has(conversation)) late.set(conversation, [{ message, seq }]);
  const history = histories.get().get(conversation);
  if (history === undefined) return;
  const next = withMessage(history, message, seq);
  if (next !== history) alter(conversation, next);
}

export function takeRemoval(conversation: string, id: string, seq: number): void {
  if (loading.has(conversation)) late.set(conversation, [...(late.get(conversation) ?? []), { removed: id, seq }]);
  const history = histories.get().get(conversation);
  if (history !== undefined) alter(conversation, withoutMessage(history, id, seq));
}

/** A message that was sent here has its answer: it takes the place of the text that waited. */
export function takeSent(key: string, message: Message, asked: number): void {
  takeMessage(message, asked, false);
  confirmed(key, message);
}

/** Whether the daemon still holds a message for unread, as far as is known here. */
export const isUnread = (conversation: string, id: string): boolean =>
  histories.get().get(conversation)?.told.find((row) => row.id === id)?.unread !== false;

/** The daemon has taken a read mark; the events of the messages may come later. */
export function forgetUnread(mark: Pending): void {
  const history = histories.get().get(mark.conversation);
  if (history === undefined) return;
  alter(mark.conversation, { ...history, told: history.told.map((row) => (row.unread && covers(mark, row) ? { ...row, unread: false } : row)) });
}
