// Devices nearby that speak LocalSend, such as phones, and what they want to give to this user.
import { Store } from "../base/store";
import type { Result } from "../contract/methods";
import type { GuestOffer, GuestProgress } from "../contract/types";
import { call } from "../wire/rpc";
import { notifyOfOffer } from "./notifications";

type Guests = Result<"guest.list">;

const nobody: Guests = { on: false, name: "", port: null, problem: null, devices: [], offers: [] };

/** What was listed last. Its offers are those to show: that are open, or were and have ended a little while ago. */
export const guests = new Store<Guests>(nobody);

/** How far the files of offers have come since, by offer. */
export const guestProgress = new Store<ReadonlyMap<string, GuestProgress>>(new Map());

export const isOpenOffer = ({ state }: GuestOffer): boolean => state === "waiting" || state === "receiving";

/** The offers that this page has seen open, and those of them that it shows no more. */
let seen = new Set<string>();
let dismissed = new Set<string>();

const isShown = (offer: GuestOffer): boolean => isOpenOffer(offer) || (seen.has(offer.id) && !dismissed.has(offer.id));

/** Those of a set that are still listed: the daemon forgets offers after some minutes. */
const kept = (ids: ReadonlySet<string>, listed: ReadonlySet<string>): Set<string> => new Set([...ids].filter((id) => listed.has(id)));

function take(told: Guests): void {
  const listed = new Set(told.offers.map(({ id }) => id));
  const fresh = told.offers.filter((offer) => offer.state === "waiting" && !seen.has(offer.id));
  seen = kept(seen, listed);
  dismissed = kept(dismissed, listed);
  for (const offer of told.offers) if (isOpenOffer(offer)) seen.add(offer.id);
  const receiving = new Set(told.offers.filter(({ state }) => state === "receiving").map(({ id }) => id));
  guestProgress.update((now) => ([...now.keys()].every((id) => receiving.has(id)) ? now : new Map([...now].filter(([id]) => receiving.has(id)))));
  guests.set({ ...told, offers: told.offers.filter(isShown) });
  for (const offer of fresh) notifyOfOffer(offer);
}

/** The user has seen what became of an offer. */
export function dismissOffer(id: string): void {
  dismissed.add(id);
  guests.update((now) => ({ ...now, offers: now.offers.filter(isShown) }));
}

export const takeGuestProgress = (told: GuestProgress): void => guestProgress.update((now) => new Map(now).set(told.offer, told));

/** The least time between two questions, in ms. */
const STEP = 500;

let isAsking = false;
let isWanted = false;
let isLooking = false;
let last = -STEP;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Asks for what is wanted: one question at a time, and all that is wanted meanwhile by the next one. */
function ask(): void {
  if (!isWanted || isAsking || timer !== undefined) return;
  const wait = last + STEP - performance.now();
  if (wait > 0) {
    timer = setTimeout(() => {
      timer = undefined;
      ask();
    }, wait);
    return;
  }
  const params = isLooking ? { look: true } : {};
  isAsking = true;
  isWanted = false;
  isLooking = false;
  last = performance.now();
  // What could not be read is read with the next event, or when the daemon is back.
  call("guest.list", params).then(take).catch(() => undefined).finally(() => {
    isAsking = false;
    ask();
  });
}

/** Something has changed: they are listed again. */
export function guestsChanged(): void {
  isWanted = true;
  ask();
}

/** Also asks all devices who they are; those that answer are reported by an event. */
export function lookForGuests(): void {
  isLooking = true;
  guestsChanged();
}

/** While the daemon is away, nobody can be answered. What it offers then is listed when it is back. */
export function guestsGone(): void {
  guests.set(nobody);
  guestProgress.set(new Map());
}
