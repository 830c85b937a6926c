// Devices nearby that speak LocalSend, such as phones, with what they offer this user and what goes out to them.
import { Store } from "../base/store";
import type { Params, Result } from "../contract/methods";
import type { GuestOffer, GuestProgress } from "../contract/types";
import { call } from "../wire/rpc";
import { notifyOfOffer } from "./notifications";

type Guests = Result<"guest.list">;

/** A file of an offer. */
export type Item = GuestOffer["items"][number];

/** A file, or a folder with all that is offered of it: `item` is the first then, and `root` its name. */
export interface Summed {
  item: Item;
  root: string | null;
  count: number;
  size: number;
}

/** The files of an offer, where a folder with all in it counts once. */
export function summed(items: readonly Item[]): Summed[] {
  const folders = new Map<string, Summed>();
  const all: Summed[] = [];
  for (const item of items) {
    const root = item.folder?.split("/")[0] ?? null;
    const folder = root === null ? undefined : folders.get(root);
    if (folder === undefined) {
      const made = { item, root, count: 1, size: item.size };
      all.push(made);
      if (root !== null) folders.set(root, made);
    } else {
      folder.count += 1;
      folder.size += item.size;
    }
  }
  return all;
}

/** Nothing is listed. */
export const nobody: Guests = { on: false, name: "", port: null, problem: null, devices: [], offers: [], given: [] };

/** The last list. Its offers, in both directions, are those to show: open ones, and those that ended a little while ago. */
export const guests = new Store<Guests>(nobody);

/** How far the files of offers have come since, by offer. */
export const guestProgress = new Store<ReadonlyMap<string, GuestProgress>>(new Map());

export const isOpenOffer = ({ state }: GuestOffer): boolean => state === "waiting" || isMoving(state);

const isMoving = (state: GuestOffer["state"]): boolean => state === "receiving" || state === "sending";

/** The offers that this page has seen open, and those of them that it shows no more. */
let seen = new Set<string>();
let dismissed = new Set<string>();

const isShown = (offer: GuestOffer): boolean => isOpenOffer(offer) || (seen.has(offer.id) && !dismissed.has(offer.id));
const shown = (told: Guests): Guests => ({ ...told, offers: told.offers.filter(isShown), given: told.given.filter(isShown) });

/** Those of a set that are still listed: the daemon forgets offers after some minutes. */
const kept = (ids: ReadonlySet<string>, listed: ReadonlySet<string>): Set<string> => new Set([...ids].filter((id) => listed.has(id)));

function take(told: Guests): void {
  const all = [...told.offers, ...told.given];
  const listed = new Set(all.map(({ id }) => id));
  const fresh = told.offers.filter((offer) => offer.state === "waiting" && !seen.has(offer.id));
  seen = kept(seen, listed);
  dismissed = kept(dismissed, listed);
  for (const offer of all) if (isOpenOffer(offer)) seen.add(offer.id);
  const moving = new Set(all.filter(({ state }) => isMoving(state)).map(({ id }) => id));
  guestProgress.update((now) => ([...now.keys()].every((id) => moving.has(id)) ? now : new Map([...now].filter(([id]) => moving.has(id)))));
  guests.set(shown(told));
  for (const offer of fresh) notifyOfOffer(offer);
}

/** The user has seen what became of an offer. */
export function dismissOffer(id: string): void {
  dismissed.add(id);
  guests.update(shown);
}

export const takeGuestProgress = (told: GuestProgress): void => guestProgress.update((now) => new Map(now).set(told.offer, told));

/** The least time between two questions, in ms. */
const STEP = 500;

let isAsking = false;
let isWanted = false;
let isLooking = false;
/** Offers of this page that are being made, and how many were begun. */
let making = 0;
let begun = 0;
let last = -STEP;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Asks for what is wanted: one question at a time, and all that is wanted meanwhile by the next one. */
function ask(): void {
  if (!isWanted || isAsking || making > 0 || timer !== undefined) return;
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
  const before = begun;
  const taken = (told: Guests) => {
    // It may lack an offer that this page has made meanwhile.
    if (begun === before) take(told);
    else isWanted = true;
  };
  // What could not be read is read with the next event, or when the daemon is back.
  call("guest.list", params).then(taken).catch(() => undefined).finally(() => {
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

/** Offers something to a device, and lists it at once. Throws Refused. */
export async function give(params: Params<"guest.give">): Promise<GuestOffer> {
  begun += 1;
  making += 1;
  try {
    const made = await call("guest.give", params);
    seen.add(made.id);
    guests.update((now) => ({ ...now, given: [...now.given, made] }));
    return made;
  } finally {
    making -= 1;
    guestsChanged();
  }
}

/** While the daemon is away, nobody can be answered. What it offers then is listed when it is back. */
export function guestsGone(): void {
  guests.set(nobody);
  guestProgress.set(new Map());
}
