// The account is locked after as long without input as the user of this browser wants.
// Friends see "away" after five minutes without input in any tab of this browser, and "online" again with the first input.
import { call } from "../wire/rpc";
import { self, takeAccount } from "./account";
import { browser } from "./browser";
import { calls } from "./calls";

/** So long without input is away, in ms. */
const AWAY = 5 * 60_000;
/** How often tabs tell each other of input, and look whether it is time, in ms. */
const STEP = 10_000;

let last = Date.now();
let told = 0;
/** What the daemon was last told; null: nothing that counts. A browser that has told nothing doesn't count; an idle one speaks for all. */
let away: boolean | null = null;

function set(isAway: boolean): void {
  if (self.get().phase !== "ready" || isAway === away) return;
  away = isAway;
  call("presence.set", { state: isAway ? "away" : "online", idle: true }).catch(() => {
    away = null;
  });
}

/** Locks the account if it is time. Who talks and listens in a call needs no input. */
function lockInTime(): void {
  const { phase, account } = self.get();
  const wanted = browser.get().lockAfter * 60_000;
  if (wanted === 0 || Date.now() - last < wanted || phase !== "ready" || account?.hasPassphrase !== true || calls.get().some(({ state }) => state === "active")) return;
  call("account.lock").then(takeAccount, () => undefined);
}

/** Whether nobody has been here for so long that the user is shown as away. Another tab may count from a step earlier. */
export const isIdle = (): boolean => Date.now() - last >= AWAY - STEP;

/** The daemon was away: it knows nothing of it any more. */
export function tellAgain(): void {
  if (away === null) return;
  const before = away;
  away = null;
  set(before);
}

/** Watches for as long as the page lives. Of several tabs the one that holds the lock speaks. */
export function watchIdle(): void {
  const channel = new BroadcastChannel("kibo.active");
  let leads = false;
  const active = () => {
    last = Date.now();
    if (leads && away === true) set(false);
  };
  const input = () => {
    active();
    if (last - told < STEP && away !== true) return;
    told = last;
    channel.postMessage(last);
  };
  channel.onmessage = active;
  for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "focus"]) addEventListener(kind, input, { capture: true, passive: true });
  const lead = () => {
    leads = true;
    setInterval(() => {
      set(Date.now() - last >= AWAY);
      lockInTime();
    }, STEP);
    // The lock is held until the tab goes.
    return new Promise<never>(() => undefined);
  };
  if ("locks" in navigator) navigator.locks.request("kibo.idle", lead).catch(() => undefined);
  else void lead();
}
