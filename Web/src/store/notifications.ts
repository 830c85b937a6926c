// Tells of messages and friend requests while no window of Kibo has the focus: each once, whatever the number of tabs.
import type { Contact, GuestOffer, Message } from "../contract/types";
import { shortened } from "../text/cut";
import { preview } from "../text/preview";
import { isolatedName, isolatedText, quotable } from "../text/safe";
import { t } from "../text/t";
import { sayNotifies } from "../wire/events";
import { ownId } from "./account";
import { browser } from "./browser";
import { contacts, nameOf } from "./contacts";
import { conversations } from "./conversations";
import { groups } from "./groups";
import { personName } from "./people";
import { go, place } from "./router";
import { chime } from "./sound";

/** How long a tab that has announced something keeps others from announcing it, in ms. */
const ONCE = 20_000;
/** Older things were waiting elsewhere and are not announced, in ms. */
const FRESH = 120_000;
/** A longer name of a person or a group is cut in a title, which has room for both, in UTF-16 units. */
const LONGEST_NAME = 40;
const FOCUS = "kibo.focus";
/** The tag of friend requests: a newer one takes the place of the one before, so that strangers can't fill the screen. */
const REQUESTS = "requests";
/** The tag of what devices offer. */
const OFFERS = "offers";
/** So many requests are told of one by one within this time, in ms; the others are summed up at its end. */
const SINGLE = 5;
const GATHER = 60_000;

/** Holds a lock while this window has the focus, so that other tabs know. */
function watchFocus(): void {
  let release: (() => void) | null = null;
  const held = () => {
    if (!document.hasFocus()) {
      release?.();
      release = null;
    } else if (release === null) {
      const end = new Promise<void>((done) => {
        release = done;
      });
      navigator.locks.request(FOCUS, { mode: "shared" }, () => end).catch(() => undefined);
    }
  };
  addEventListener("focus", held);
  addEventListener("blur", held);
  held();
}

/** Whether a window of Kibo has the focus, in any tab of this browser. */
export async function isSeen(): Promise<boolean> {
  const { held } = await navigator.locks.query();
  return held?.some(({ name }) => name === FOCUS) === true;
}

/** Sounds and shows, as the user has it; a click on it leads to a place in the page. */
function show(title: string, body: string, tag: string, path: string): void {
  if (browser.get().sound) chime();
  if (!mayShow()) return;
  const shown = new Notification(title, { body, tag, icon: "" });
  shown.onclick = () => {
    focus();
    go(path);
    shown.close();
  };
}

async function tell(message: Message): Promise<void> {
  const chat = conversations.get().table.get(message.conversation);
  if (chat === undefined || (chat.muted && (!message.mentionsYou || chat.mentionsMuted)) || (await isSeen())) return;
  const sender = personName(message.sender, contacts.get(), groups.get().get(chat.group));
  // No person can have a name that reads like the one of somebody in a group.
  const name = quotable(isolatedName(shortened(sender, LONGEST_NAME)));
  const title = chat.kind === "group" ? t("notify.in", { name, group: quotable(isolatedName(shortened(chat.title, LONGEST_NAME))) }) : name;
  show(title, browser.get().notificationText ? preview(message) : t("notify.hidden"), message.conversation, `chats/${message.conversation}`);
}

const asks = (id: string): boolean => contacts.get().get(id)?.relation === "incoming";

/** When requests were announced one by one, and which requests wait to be summed up. */
let told: number[] = [];
const more = new Set<string>();

async function tellOfMore(): Promise<void> {
  const count = [...more].filter(asks).length;
  more.clear();
  if (count > 0 && !(await isSeen())) show(t("friends.requests"), t("notify.requests", { count }), REQUESTS, "friends/requests");
}

async function tellRequest(contact: Contact): Promise<void> {
  // It may have been answered meanwhile.
  if ((await isSeen()) || !asks(contact.id)) return;
  told = told.filter((at) => Date.now() - at < GATHER);
  if (more.size > 0 || told.length >= SINGLE) {
    if (more.size === 0) setTimeout(() => void tellOfMore(), GATHER);
    more.add(contact.id);
    return;
  }
  told.push(Date.now());
  const name = nameOf(contact);
  const words = browser.get().notificationText && contact.note !== "" ? t("notify.request.note", { note: isolatedText(contact.note) }) : t("people.asks");
  show(name === "" ? t("people.noName") : quotable(isolatedName(name)), words, REQUESTS, "friends/requests");
}

/** Whether the browser shows notifications: it was asked for, and the browser allows it. */
export const mayShow = (): boolean => browser.get().notifications && "Notification" in globalThis && Notification.permission === "granted";
const isOn = (): boolean => "locks" in navigator && (mayShow() || browser.get().sound);

/** Makes one tab announce something that came at this time. */
function once(id: string, at: number, telling: () => Promise<void>): void {
  if (!isOn() || Date.now() - at > FRESH) return;
  navigator.locks.request(`kibo.told.${id}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    await telling();
    await new Promise((done) => setTimeout(done, ONCE));
  }).catch(() => undefined);
}

/** A message has come in. */
export function notifyOf(message: Message): void {
  if (message.sender === ownId() || !message.unread) return;
  once(message.id, message.receivedAt ?? 0, () => tell(message));
}

/** Announces a contact that was reported at this time. `before` is the earlier relation: each request to be a friend is announced once. */
export function notifyOfRequest(contact: Contact, before: Contact["relation"] | undefined, at: number): void {
  if (contact.relation === "incoming" && before !== "incoming") once(contact.id, at, () => tellRequest(contact));
}

/** A device nearby wants to give something. It is asked about wherever the user is in the page. */
export function notifyOfOffer({ id, cameAt, device }: GuestOffer): void {
  once(id, cameAt, async () => {
    // Nobody has proved that name: it is no title, which those of friends are.
    if (!(await isSeen())) show("LocalSend", t("notify.offer", { name: quotable(isolatedName(shortened(device.name, LONGEST_NAME))) }), OFFERS, place.get());
  });
}

/** Asks the browser for leave; true if it was given. */
export async function askToNotify(): Promise<boolean> {
  return "Notification" in globalThis && (await Notification.requestPermission()) === "granted";
}

/** Before the stream is opened, which says whether this page notifies. */
export function watchNotifications(): void {
  if (!("locks" in navigator)) return;
  watchFocus();
  const told = () => sayNotifies(mayShow());
  told();
  browser.subscribe(told);
}
