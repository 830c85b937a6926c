// Hands each event to the store it concerns, and has the lists read when the page starts or events were lost.
import type { Json } from "../contract/types";
import type { StreamEvent } from "../wire/stream";
import { call, callAll } from "../wire/rpc";
import { retryNow } from "../wire/events";
import { asRefused, isAway, Refused } from "../wire/refusal";
import type { Listener } from "../wire/events";
import { link } from "../wire/link";
import { ownId, self, takeAccount } from "./account";
import { bookChanged } from "./addressBook";
import { loadCalls, takeCall } from "./calls";
import { contacts, contactsGone, loadContacts, takeContacts } from "./contacts";
import { couriersChanged } from "./couriers";
import { resumeSending } from "./changes";
import { ageConversations, dropKept, loadConversations, removeConversation, takeConversations } from "./conversations";
import { groups, groupsGone, loadGroups, memberGone, takeGroups } from "./groups";
import { guestsChanged, guestsGone, takeGuestProgress } from "./guests";
import { reloadHistories, takeMessage, takeRemoval } from "./messages";
import { tellAgain } from "./idle";
import { notifyOf, notifyOfRequest } from "./notifications";
import { Pace } from "./pace";
import { loadPeers, peerAppeared, peerVanished } from "./peers";
import { loadSettings, settings, takeSettings } from "./settings";
import { loadTotals, takeTotals } from "./totals";
import { disk } from "./disk";
import { refreshTransfers, takeTransfers, transfers } from "./transfers";
import { forgetTyping, takeTyping } from "./typing";

/** How many events have told of the account. */
let accountNews = 0;

function take(event: StreamEvent): void {
  const { seq } = event;
  switch (event.type) {
    case "account.changed":
      accountNews += 1;
      if (event.change !== "delete") takeAccount(event.data);
      break;
    case "contact.changed":
      if (event.change === "delete") contacts.update((table) => table.remove(event.data.id, seq));
      else {
        const before = contacts.get().get(event.data.id)?.relation;
        takeContacts([event.data], seq);
        notifyOfRequest(event.data, before, event.at);
      }
      break;
    case "presence.changed":
      if (event.change !== "delete") takeContacts([event.data], seq);
      break;
    case "conversation.changed":
      if (event.change === "delete") removeConversation(event.data.id, seq);
      else takeConversations([event.data], seq);
      break;
    case "message.added":
    case "message.changed":
      if (event.change === "delete") break;
      takeMessage(event.data, seq, event.type === "message.added");
      if (event.type === "message.added") notifyOf(event.data);
      break;
    case "message.removed":
      if (event.data.conversation !== null) takeRemoval(event.data.conversation, event.data.id, seq);
      break;
    case "group.changed":
      if (event.change === "delete") groups.update((table) => table.remove(event.data.id, seq));
      else takeGroups([event.data], seq);
      break;
    case "transfer.changed":
    case "transfer.progress":
      if (event.change !== "delete") takeTransfers([event.data], seq);
      break;
    case "settings.changed":
      if (event.change !== "delete") takeSettings([event.data], seq);
      break;
    case "peer.appeared":
      if (event.change !== "delete") peerAppeared(event.data);
      break;
    case "peer.vanished":
      peerVanished(event.data);
      if (event.data.account !== ownId()) memberGone(event.data.account);
      break;
    case "typing.changed":
      if (event.change !== "delete") takeTyping(event.data.conversation, event.data.account, event.data.typing);
      break;
    case "totals.changed":
      if (event.change !== "delete") takeTotals(event.data);
      break;
    case "addressBook.changed":
    case "addressBook.matched":
      bookChanged();
      break;
    case "courier.changed":
      couriersChanged();
      break;
    case "guest.changed":
      guestsChanged();
      break;
    case "guest.progress":
      if (event.change !== "delete") takeGuestProgress(event.data);
      break;
    case "disk.changed":
      if (event.change !== "delete") disk.set(event.data);
      break;
    case "call.changed":
      if (event.change !== "delete") takeCall(event.data);
      break;
    case "gap":
      break;
  }
}

/** Whether lists may be read: an open account, or a locked one whose history may be seen. */
const readable = (): boolean => self.get().phase === "ready";

/** Reads whose account this is. */
export async function loadAccount(): Promise<void> {
  const before = accountNews;
  const [account] = await callAll({ method: "account.get" });
  // What an event has told meanwhile is newer.
  if (accountNews !== before) return;
  if (account.result !== undefined) takeAccount(account.result);
  else if (account.error.data?.kind === "no_account") {
    // An account that was made meanwhile stays: the answer is older.
    if (self.get().account === null) takeAccount(null);
  } else throw new Refused(account.error);
}

/** Whether the lists were read since the account was opened. */
let loaded = false;

/** Reads all lists that every screen needs, or what may have changed unheard since they were read. */
async function loadLists(): Promise<void> {
  couriersChanged();
  guestsChanged();
  if (loaded) {
    await Promise.all([loadTotals(), loadPeers(), loadContacts(), loadGroups(), loadCalls(true), refreshTransfers()]);
    return;
  }
  await Promise.all([loadConversations(false), loadTotals(), loadContacts(), loadGroups(), loadSettings(), loadPeers(), loadCalls()]);
  loaded = true;
  if (!isTaken) return;
  isTaken = false;
  dropKept();
  reloadHistories().catch(ignore);
}

/** Reads once what is not known yet. */
async function begin(): Promise<void> {
  // The lists are asked for at once: mostly the account is open. If it isn't, they are refused.
  const lists = loadLists();
  lists.catch(ignore);
  call("system.status").then((now) => disk.set(now.disk), ignore);
  await loadAccount();
  if (!readable()) return;
  tellAgain();
  resumeSending();
  await lists;
}

const ignore = (): void => undefined;

/** First and longest pause before what could not be read is asked for again, in ms. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

let pause = FIRST_PAUSE;
let again: ReturnType<typeof setTimeout> | undefined;
let isReading = false;
let isWanted = false;

/**
 * Reads what isn't known yet, one attempt at a time. If an attempt fails while the stream is up, another follows after
 * a pause. If the daemon went away meanwhile, the next "ready" calls this again.
 */
async function readMissing(): Promise<void> {
  clearTimeout(again);
  isWanted = true;
  if (isReading) return;
  isReading = true;
  let isRead = false;
  while (isWanted) {
    isWanted = false;
    isRead = await begin().then(() => true, () => false);
  }
  isReading = false;
  if (isRead) pause = FIRST_PAUSE;
  else if (link.get() === "open") {
    again = setTimeout(() => {
      if (link.get() === "open") void readMissing();
    }, pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}

/** How often a daemon that tells no events is asked whether its account is locked, in ms. */
const ASK_AGAIN = 2000;

let asking: ReturnType<typeof setTimeout> | undefined;

/** What this page last knew: it is in the tab's storage only while the daemon is away. */
const LAST = "kibo.last";
const forgetLast = (): void => {
  isKept = false;
  globalThis.sessionStorage?.removeItem(LAST);
};
/** Whether it was put there, or was taken from there, since the daemon went away. */
let isKept = false;
/** Whether the stores have what was taken from there, and not yet what the daemon says. */
let isTaken = false;

/** While the account is locked the daemon tells no events: that it is there is learnt by asking. */
async function askAway(): Promise<void> {
  const problem = await loadAccount().then(() => null, asRefused);
  if (link.get() !== "daemon") return;
  if (problem === null && readable()) retryNow();
  else if (problem !== null && isAway(problem) && !isKept) {
    isKept = true;
    import("./last").then(({ keepOrTake }) => {
      if (isKept) isTaken = keepOrTake(LAST) || isTaken;
    }, forgetLast);
  }
  asking = setTimeout(() => void askAway(), ASK_AGAIN);
}

link.subscribe(() => {
  clearTimeout(asking);
  const way = link.get();
  if (way === "open" || way === "out") forgetLast();
  if (way === "open") return;
  contactsGone();
  groupsGone();
  guestsGone();
  forgetTyping();
  if (way === "daemon") void askAway();
});

let phase = self.get().phase;
self.subscribe(() => {
  const before = phase;
  phase = self.get().phase;
  if (phase === "none" || phase === "locked") forgetLast();
  if (phase !== "ready") loaded = false;
  // An event or an answer tells about unlocking and creating an account. What wasn't reported before is read now.
  else if (before !== "starting" && before !== "ready") {
    if (link.get() === "open") void readMissing();
    else retryNow();
  }
});

// Another order turns the histories around, whoever has set it.
let order: Json | undefined;
settings.subscribe(() => {
  const before = order;
  order = settings.get().get("messages.order")?.value;
  if (before !== undefined && order !== before) reloadHistories().catch(ignore);
});

const pace = new Pace();
const waiting: StreamEvent[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/** Hands out all that came. The stores' readers are drawn once for it. */
function takeWaiting(): void {
  clearTimeout(timer);
  timer = undefined;
  const begun = performance.now();
  for (const event of waiting.splice(0)) take(event);
  // React draws in a microtask that was queued before this one.
  queueMicrotask(() => pace.worked(performance.now() - begun));
}

export const feed: Listener = {
  ready() {
    // Kept events go on without a hole; those without a number may have been missed.
    forgetTyping();
    bookChanged();
    void readMissing();
  },
  events(events) {
    waiting.push(...events);
    if (timer !== undefined) return;
    const wait = pace.wait(performance.now());
    if (wait > 0) timer = setTimeout(takeWaiting, wait);
    else takeWaiting();
  },
  gap() {
    takeWaiting();
    contacts.update((table) => table.aged());
    groups.update((table) => table.aged());
    settings.update((table) => table.aged());
    transfers.update((table) => table.aged());
    ageConversations();
    loaded = false;
    void readMissing();
    reloadHistories().catch(ignore);
  },
};
