// Files on their way from this page to the daemon.
import { Store } from "../base/store";
import { listed } from "../text/format";
import { isolatedName } from "../text/safe";
import { t } from "../text/t";
import type { Parcel } from "../wire/parcels";
import { call } from "../wire/rpc";
import { isSmall, upload, uploadTogether } from "../wire/upload";
import type { Types } from "../wire/upload";
import { notifyUntilRead } from "./notices";

export interface Upload {
  key: string;
  name: string;
  size: number;
  /** Bytes that are with the daemon. */
  sent: number;
}

export const uploads = new Store<ReadonlyMap<string, Upload>>(new Map());

const stops = new Map<string, AbortController>();
let last = 0;

/** So many files that stay behind are named; of others it is said how many. */
const NAMED = 5;

function sayLeftOut(folder: string, names: readonly string[]): void {
  const some = names.slice(0, NAMED).map((name) => `“${isolatedName(name)}”`);
  if (names.length > NAMED) some.push(t("file.more", { count: names.length - NAMED }));
  notifyUntilRead(t("file.leftOut.names", { folder: isolatedName(folder), names: listed(some) }));
}

interface Begun {
  key: string;
  /** The id for `upload:ID`. */
  done: Promise<string>;
}

/** Begins to copy files and folders, if need be after something else: small files together, each other one alone. */
export function beginUploads(files: readonly Parcel[], types: Types, after?: Promise<void>): Begun[] {
  const small = files.filter(isSmall);
  const begun = new Map<Parcel, Begun>();
  if (small.length > 1) {
    const stop = new AbortController();
    const keys = note(small, stop);
    const copy = () => uploadTogether(small, stop.signal, types);
    const ids = after === undefined ? copy() : after.then(copy);
    small.forEach((file, index) => begun.set(file, {
      key: keys[index] ?? "",
      done: ids.then((all) => {
        const one = all[index] ?? "";
        if (typeof one !== "string") throw one;
        return one;
      }),
    }));
    for (const { done } of begun.values()) done.catch(() => undefined);
  }
  return files.map((file) => begun.get(file) ?? beginUpload(file, types, after));
}

/** Shows uploads as begun; their keys. */
function note(files: readonly Parcel[], stop: AbortController): string[] {
  const begun = files.map(({ name, size }) => ({ key: `${Date.now()}-${last += 1}`, name, size, sent: 0 }));
  for (const { key } of begun) stops.set(key, stop);
  uploads.update((now) => new Map([...now, ...begun.map((one) => [one.key, one] as const)]));
  return begun.map(({ key }) => key);
}

function beginUpload(file: Parcel, types: Types, after?: Promise<void>): Begun {
  const stop = new AbortController();
  const [key = ""] = note([file], stop);
  const left: string[] = [];
  const copy = () => upload(file, {
    signal: stop.signal,
    sent: (sent) => uploads.update((now) => {
      const old = now.get(key);
      return old === undefined ? now : new Map(now).set(key, { ...old, sent });
    }),
    leftOut: (name) => left.push(name),
  }, "message", types).then((id) => {
    if (left.length > 0) sayLeftOut(file.name, left);
    return id;
  });
  const done = after === undefined ? copy() : after.then(copy);
  done.catch(() => undefined);
  return { key, done };
}

/** They are sent or given up. */
export function endUploads(keys: readonly string[]): void {
  if (keys.length === 0) return;
  for (const key of keys) stops.delete(key);
  const ended = new Set(keys);
  uploads.update((now) => new Map([...now].filter(([key]) => !ended.has(key))));
}

/** One file of several can't be copied: the others are not wanted in the daemon either. */
export function giveUpUploads(begun: readonly Begun[]): void {
  for (const { key, done } of begun) {
    stops.get(key)?.abort();
    done.then((id) => call("upload.cancel", { id })).catch(() => undefined);
  }
}

export function cancelUploads(keys: readonly string[]): void {
  for (const key of keys) stops.get(key)?.abort();
  endUploads(keys);
}
