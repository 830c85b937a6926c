// Tells of messages while no window of Kibo has the focus: each once, whatever the number of tabs.
import type { Message } from "../contract/types";
import { go } from "../screens/router";
import { preview } from "../text/preview";
import { visibleName } from "../text/safe";
import { t } from "../text/t";
import { sayNotifies } from "../wire/events";
import { ownId } from "./account";
import { browser } from "./browser";
import { contacts } from "./contacts";
import { conversations } from "./conversations";
import { groups } from "./groups";
import { personName } from "./people";
import { chime } from "./sound";

/** A tab that has told of a message keeps others from it for so long, in ms. */
const ONCE = 20_000;
/** Older messages were waited for elsewhere: nobody is told of them, in ms. */
const FRESH = 120_000;
const FOCUS = "kibo.focus";

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

async function isSeen(): Promise<boolean> {
  const { held } = await navigator.locks.query();
  return held?.some(({ name }) => name === FOCUS) === true;
}

async function tell(message: Message): Promise<void> {
  const chat = conversations.get().table.get(message.conversation);
  if (chat === undefined || chat.muted || (await isSeen())) return;
  if (browser.get().sound) chime();
  if (!mayShow()) return;
  const sender = personName(message.sender, contacts.get(), groups.get().get(chat.group));
  const title = chat.kind === "group" ? `${visibleName(sender)} · ${visibleName(chat.title)}` : visibleName(sender);
  const shown = new Notification(title, { body: browser.get().notificationText ? preview(message) : t("notify.hidden"), tag: message.conversation, icon: "" });
  shown.onclick = () => {
    focus();
    go(`chats/${message.conversation}`);
    shown.close();
  };
}

/** Whether the browser shows notifications: it was asked for, and the browser allows it. */
export const mayShow = (): boolean => browser.get().notifications && "Notification" in globalThis && Notification.permission === "granted";
const isOn = (): boolean => "locks" in navigator && (mayShow() || browser.get().sound);

/** A message has come in. */
export function notifyOf(message: Message): void {
  if (!isOn() || message.sender === ownId() || !message.unread || message.kind === "system" || Date.now() - (message.receivedAt ?? 0) > FRESH) return;
  navigator.locks.request(`kibo.told.${message.id}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    await tell(message);
    await new Promise((done) => setTimeout(done, ONCE));
  }).catch(() => undefined);
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
