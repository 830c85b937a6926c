// What this page gives to devices nearby, from the choice of it until the user has seen its end. It doesn't outlive the page.
import { Store } from "../base/store";
import type { GuestDevice, GuestOffer } from "../contract/types";
import { wording } from "../text/errors";
import { isolatedName } from "../text/safe";
import { t } from "../text/t";
import { Folder } from "../wire/parcels";
import type { Parcel } from "../wire/parcels";
import { Refused, asRefused } from "../wire/refusal";
import { call } from "../wire/rpc";
import type { Types } from "../wire/upload";
import { dismissOffer, give, guests, isOpenOffer, nobody } from "./guests";
import { notify } from "./notices";
import { MOST_FILES, newKey } from "./outbox";
import { beginUploads, cancelUploads, endUploads, giveUpUploads } from "./uploads";

export interface Gift {
  key: string;
  device: GuestDevice;
  /** What is given, if it is a text: there are no files then. */
  text: string | null;
  files: readonly Parcel[];
  /** Files on their way to the daemon: keys of uploads. */
  uploads: readonly string[];
  /** The uploads, once the daemon has all files. */
  ids: readonly string[] | null;
  types: Types;
  /** The PIN that was said to the device last. */
  pin?: string;
  /** The offer that it has become last; null before. */
  offer: string | null;
  /** Why it could not be offered. */
  problem: Refused | null;
}

export const gifts = new Store<readonly Gift[]>([]);

const giftOf = (key: string): Gift | undefined => gifts.get().find((gift) => gift.key === key);
const put = (gift: Gift): void => gifts.update((all) => (all.some(({ key }) => key === gift.key) ? all.map((one) => (one.key === gift.key ? gift : one)) : [...all, gift]));
const isNear = ({ id }: GuestDevice): boolean => guests.get().devices.some((device) => device.id === id);

/** Why something can't be given to a device. */
export const givingText = (problem: Refused, device: GuestDevice): string =>
  problem.kind === "not_found" ? t("give.gone", { name: isolatedName(device.name) }) : wording(problem);

/** Has the daemon remove the copies of files. It keeps those that a note names, and those that are needed now. */
const dropUploads = ({ ids }: Gift): void => {
  for (const id of ids ?? []) call("upload.cancel", { id }).catch(() => undefined);
};

/** Offers what the daemon has by now, in the place of its last offer, if there was one. Throws Refused. */
async function offer(gift: Gift): Promise<void> {
  const { device, text, ids, types, pin } = gift;
  const wasListed = giftOf(gift.key) !== undefined;
  const made = await give({
    device: device.id, ...(text === null ? { files: (ids ?? []).map((id) => `upload:${id}`), ...types } : { text }), ...(pin === undefined ? {} : { pin }),
  });
  // The user may have given it up meanwhile.
  if (wasListed && giftOf(gift.key) === undefined) {
    call("guest.decline", { offer: made.id }).catch(() => undefined);
    return dropUploads(gift);
  }
  put({ ...gift, offer: made.id, problem: null });
  if (gift.offer !== null) dismissOffer(gift.offer);
}

/** Copies the files to the daemon and offers them. */
async function deliver(gift: Gift): Promise<void> {
  const begun = beginUploads(gift.files, gift.types);
  const uploads = begun.map(({ key }) => key);
  put({ ...gift, uploads, ids: null, offer: null, problem: null });
  try {
    const ids = await Promise.all(begun.map(({ done }) => done));
    const copied = { ...gift, ids, uploads: [], offer: null, problem: null };
    // The user may have given it up.
    if (giftOf(gift.key) === undefined) throw new Refused({ code: 0, message: "It was given up.", data: { kind: "cancelled" } });
    put(copied);
    await offer(copied);
  } catch (error) {
    const now = giftOf(gift.key);
    if (now === undefined || now.ids === null) giveUpUploads(begun);
    if (now !== undefined) put({ ...now, uploads: [], problem: asRefused(error) });
  } finally {
    endUploads(uploads);
  }
}

const made = (device: GuestDevice, values: Partial<Gift>): Gift => ({ key: newKey(), device, text: null, files: [], uploads: [], ids: null, types: {}, offer: null, problem: null, ...values });

/** Gives files and folders to a device. A card says how far it is. */
export function giveFiles(device: GuestDevice, files: readonly Parcel[]): void {
  if (files.length > MOST_FILES) return notify(t("give.tooMany", { count: files.length, most: MOST_FILES }));
  const empty = files.find((one) => one instanceof Folder && one.files.length === 0);
  if (empty !== undefined) return notify(t("give.empty", { name: isolatedName(empty.name) }));
  if (files.length > 0) void deliver(made(device, { files }));
}

/** Gives a text to a device. Throws Refused. */
export const giveText = (device: GuestDevice, text: string): Promise<void> => offer(made(device, { text }));

/** What can be offered again of an offer that is over: what this page has given, and any text. */
export const giftFor = (over: GuestOffer): Gift | undefined =>
  gifts.get().find((gift) => gift.offer === over.id) ?? (over.text === null ? undefined : made(over.device, { text: over.text, offer: over.id }));

/** Offers it once more, with the same uploads while the daemon has them. Throws Refused if its last offer is still shown. */
export async function giveAgain(gift: Gift, values: Partial<Pick<Gift, "pin" | "types">> = {}): Promise<void> {
  const again = { ...gift, ...values };
  if (again.text === null && again.ids === null) return void deliver(again);
  if (again.offer === null) put({ ...again, problem: null });
  try {
    await offer(again);
  } catch (error) {
    const problem = asRefused(error);
    if (again.text === null && problem.kind === "not_found" && isNear(again.device)) {
      // The daemon has let go of the uploads.
      void deliver(again);
      if (again.offer !== null) dismissOffer(again.offer);
    } else if (again.offer === null) {
      put({ ...again, problem });
    } else {
      throw problem;
    }
  }
}

/** The user has seen the end of it, or it is given up before there is an offer. */
export function dismissGift(key: string): void {
  const gift = giftOf(key);
  gifts.update((all) => all.filter((one) => one.key !== key));
  if (gift === undefined) return;
  cancelUploads(gift.uploads);
  const isTaken = guests.get().given.some(({ id, state }) => id === gift.offer && state === "taken");
  if (gift.offer !== null) dismissOffer(gift.offer);
  // Those that were taken stand in the notes.
  if (!isTaken) dropUploads(gift);
}

/** The offers that were open when they were listed last. */
let open = new Set<string>();

// A restarted daemon knows of no offer: what was under way is over, and can be offered again.
guests.subscribe(() => {
  const now = guests.get();
  if (now === nobody) return;
  const listed = new Set(now.given.map(({ id }) => id));
  const lost = gifts.get().filter(({ offer: id }) => id !== null && !listed.has(id));
  if (lost.length > 0) {
    gifts.update((all) => all.flatMap((gift) => !lost.includes(gift) ? [gift]
      : open.has(gift.offer ?? "") ? [{ ...gift, offer: null, problem: new Refused({ code: 0, message: "Kibo was restarted.", data: { kind: "cancelled" } }) }] : []));
  }
  open = new Set(now.given.filter(isOpenOffer).map(({ id }) => id));
});
