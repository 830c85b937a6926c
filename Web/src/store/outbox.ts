// What was written here and has no answer yet. It stands at the end of its conversation at once and outlives a reload.
import { Store } from "../base/store";
import type { Message } from "../contract/types";
import { wording } from "../text/errors";
import { isolatedName } from "../text/safe";
import { t } from "../text/t";
import { seenNow } from "../wire/events";
import { untilOpen } from "../wire/link";
import { Folder } from "../wire/parcels";
import type { Parcel } from "../wire/parcels";
import { asRefused, isAway } from "../wire/refusal";
import type { Refused } from "../wire/refusal";
import { call, inTurn } from "../wire/rpc";
import { Unreadable, isOfOtherType } from "../wire/upload";
import type { Types } from "../wire/upload";
import { ownId } from "./account";
import { conversations } from "./conversations";
import { disk } from "./disk";
import { giveBack } from "./drafts";
import { takeSent } from "./messages";
import { notify } from "./notices";
import { beginUploads, cancelUploads, endUploads, giveUpUploads } from "./uploads";

export interface Waiting {
  /** The client's name for the message: the same key again is the same message. */
  key: string;
  conversation: string;
  text: string;
  replyTo: string | null;
  at: number;
  /** Files that go with it: keys of uploads, in their order. */
  uploads: readonly string[];
  /** Why it was refused; null while it is under way. */
  problem: string | null;
  /** The file or folder that can't be read any more, by its place among the files, and has to be chosen again. */
  lost?: number | undefined;
  /** Whether it was refused because of the type of a file: the user may send it anyway. */
  isOfOtherType?: boolean | undefined;
  /** Whether the disk had no room for it: it goes once there is. */
  needsRoom?: boolean | undefined;
  /** The user has said that files of any type go. */
  anyType?: true | undefined;
  /** The message that an event brought before the answer came. */
  claimed: string | null;
}

const PREFIX = "kibo.outbox.";

export const outbox = new Store<readonly Waiting[]>([]);
/** The time of the last key, in ms. */
let lastKey = 0;

/** A UUID of version 7: its beginning is the time. Those of a page grow. */
export function newKey(): string {
  lastKey = Math.max(Date.now(), lastKey + 1);
  const now = lastKey;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let index = 0; index < 6; index += 1) bytes[index] = Math.floor(now / 2 ** (8 * (5 - index))) & 255;
  bytes[6] = ((bytes[6] ?? 0) & 15) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function keep(item: Waiting): void {
  if (item.uploads.length > 0) return;
  try {
    localStorage.setItem(PREFIX + item.key, JSON.stringify(item));
  } catch {
    // A full store keeps it for as long as the page lives.
  }
}

function alter(key: string, values: Partial<Waiting>): void {
  outbox.update((items) => items.map((item) => (item.key === key ? { ...item, ...values } : item)));
}

/** Takes it out of the outbox: it has been sent, or is given up. */
export function drop(key: string): void {
  copying.delete(key);
  parcels.delete(key);
  together.delete(key);
  endUploads(outbox.get().find((item) => item.key === key)?.uploads ?? []);
  localStorage.removeItem(PREFIX + key);
  outbox.update((items) => items.filter((item) => item.key !== key));
}

/** Files of a message up to this size keep later texts waiting, so that all comes in its order; texts overtake more. In bytes. */
const IN_ORDER = 32 * 1024 * 1024;

/** The copying of a waiting message's files; it gives their ids once the daemon has them, and why those of other types have none. */
const copying = new Map<string, Promise<(string | Refused)[]>>();
/** The files themselves, to begin again with. They don't outlive the page. */
const parcels = new Map<string, readonly Parcel[]>();
/** The bytes of all files that were chosen together, which may be spread over several messages. */
const together = new Map<string, number>();
/** Messages that are under way, each until it is sent or refused. */
const under = new Map<string, Promise<void>>();

const endingOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1).toLowerCase();

/** A picture or table with the ending of another type goes under its own: that is said. */
function sayRenamed(key: string, { attachments }: Message): void {
  (parcels.get(key) ?? []).forEach((parcel, index) => {
    const name = attachments[index]?.name;
    if (!(parcel instanceof Folder) && name !== undefined && endingOf(name) !== endingOf(parcel.name)) notify(t("file.sentAs", { old: isolatedName(parcel.name), name: isolatedName(name) }));
  });
}

/** The user can't allow a file whose content is not what its name says. */
const isOfOtherContent = (error: unknown): error is Refused => isOfOtherType(error) && error.hint === "rename_file";

/** Which of a message's files a refusal of the daemon is about, by their size: a page hears of no paths. */
const concerned = (key: string, { parameters }: Refused): boolean[] =>
  (parcels.get(key) ?? []).map((parcel) => !(parcel instanceof Folder) && parcel.size === parameters.bytes);

/** Some files are left to a message of their own, which waits: those of other types for the user's word. */
function leaveOut({ key: from }: Waiting, problem: Refused, isLeft: (index: number) => boolean): void {
  const item = outbox.get().find((one) => one.key === from);
  if (item === undefined) return;
  const all = parcels.get(item.key) ?? [];
  const key = newKey();
  parcels.set(key, all.filter((_, index) => isLeft(index)));
  parcels.set(item.key, all.filter((_, index) => !isLeft(index)));
  const left: Waiting = { ...item, key, text: "", replyTo: null, uploads: item.uploads.filter((_, index) => isLeft(index)), problem: wording(problem), isOfOtherType: !isOfOtherContent(problem) };
  alter(item.key, { uploads: item.uploads.filter((_, index) => !isLeft(index)) });
  outbox.update((items) => [...items, left]);
}

async function deliver(item: Waiting): Promise<void> {
  const copied = await copying.get(item.key) ?? [];
  let files: string[] = copied.filter((one): one is string => typeof one === "string");
  const refusal = copied.find((one): one is Refused => typeof one !== "string");
  if (refusal !== undefined) {
    if (files.length === 0) throw refusal;
    leaveOut(item, refusal, (index) => typeof copied[index] !== "string");
  }
  for (;;) {
    if (!outbox.get().some(({ key }) => key === item.key)) return;
    await untilOpen();
    const asked = seenNow();
    try {
      const message = await call("message.send", {
        conversation: item.conversation,
        key: item.key,
        ...(item.text === "" ? {} : { text: item.text }),
        ...(item.replyTo === null ? {} : { replyTo: item.replyTo }),
        ...(files.length === 0 ? {} : { files: files.map((id) => `upload:${id}`) }),
        ...(item.anyType === true ? { anyType: true } : {}),
      });
      sayRenamed(item.key, message);
      return takeSent(item.key, message, asked);
    } catch (error) {
      const refused = asRefused(error);
      // Once the account is open again, resumeSending goes on.
      if (refused.kind === "logged_out" || refused.kind === "locked") return;
      const isLeft = isOfOtherContent(refused) ? concerned(item.key, refused) : [];
      if (isLeft.length === files.length && isLeft.includes(true) && isLeft.includes(false)) {
        leaveOut(item, refused, (index) => isLeft[index] === true);
        for (const id of files.filter((_, index) => isLeft[index])) call("upload.cancel", { id }).catch(() => undefined);
        files = files.filter((_, index) => !isLeft[index]);
        continue;
      }
      if (!isAway(refused) && refused.kind !== "busy") throw refused;
      // The link may still say "open" for a moment after a break.
      await new Promise((done) => setTimeout(done, 500));
    }
  }
}

export function send(item: Waiting): void {
  if (under.has(item.key)) return;
  const bytes = together.get(item.key) ?? 0;
  const first = bytes > IN_ORDER ? copying.get(item.key) : undefined;
  const turn = () => inTurn(item.conversation, () => deliver(item));
  const over = (first === undefined ? turn() : first.then(turn))
    .catch((error: unknown) => {
      const lost = error instanceof Unreadable ? (parcels.get(item.key) ?? []).indexOf(error.parcel) : undefined;
      const refused = asRefused(error);
      const needsRoom = refused.kind === "no_space";
      alter(item.key, { problem: needsRoom ? t("chat.noRoom") : wording(refused), lost, needsRoom, isOfOtherType: isOfOtherType(refused) && !isOfOtherContent(refused) && parcels.has(item.key) });
    })
    .finally(() => under.delete(item.key));
  under.set(item.key, over);
}

/** Begins to copy the files of a message, if need be after another message. The keys of the uploads. */
function copyFiles(key: string, files: readonly Parcel[], types: Types = {}, after?: Promise<void>): string[] {
  if (files.length === 0) return [];
  const begun = beginUploads(files, types, after);
  const done = Promise.all(begun.map((one) => one.done.catch((error: unknown) => {
    if (isOfOtherType(error)) return error;
    throw error;
  })));
  done.catch(() => giveUpUploads(begun));
  copying.set(key, done);
  parcels.set(key, files);
  return begun.map((one) => one.key);
}

/** The most files that a message may have. */
export const MOST_FILES = 32;

/** The files of so many messages may be with the daemon and in no message yet: it holds few of them. */
const AHEAD = 3;

/** The number of messages that are needed for these files. */
export const messagesFor = (files: readonly Parcel[]): number => Math.max(1, Math.ceil(files.length / MOST_FILES));

/** Sends a text or files, which appear in the conversation at once. Too many files for one message go in several, one after another. */
export function post(conversation: string, text: string, replyTo: string | null, files: readonly Parcel[] = []): void {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const posted: (Promise<void> | undefined)[] = [];
  for (let index = 0; index < messagesFor(files); index += 1) {
    const some = files.slice(index * MOST_FILES, (index + 1) * MOST_FILES);
    posted.push(postOne(conversation, index === 0 ? text : "", index === 0 ? replyTo : null, some, bytes, posted[index - AHEAD]));
  }
}

/** @param bytes of all files that were chosen with these */
function postOne(conversation: string, text: string, replyTo: string | null, files: readonly Parcel[], bytes: number, after: Promise<void> | undefined): Promise<void> | undefined {
  const key = newKey();
  together.set(key, bytes);
  // Nobody has to be asked whether notes may have a type of file.
  const types: Types = conversations.get().table.get(conversation)?.kind === "notes" ? { anyType: true } : {};
  const item: Waiting = { key, conversation, text, replyTo, at: Date.now(), uploads: copyFiles(key, files, types, after), problem: null, claimed: null, ...types };
  keep(item);
  outbox.update((items) => [...items, item]);
  send(item);
  return under.get(key);
}

/** Releases the files that were copied for a message, because they are no longer wanted. */
function release(key: string): void {
  copying.get(key)?.then((ids) => {
    for (const id of ids) if (typeof id === "string") call("upload.cancel", { id }).catch(() => undefined);
  }, () => undefined);
  copying.delete(key);
}

/** It is not sent, and its files are not copied. */
export function giveUp(item: Waiting): void {
  cancelUploads(item.uploads);
  release(item.key);
  drop(item.key);
}

/** It is not sent: its text and files are where they were written, to be changed. */
export function takeBack(item: Waiting): void {
  const files = parcels.get(item.key) ?? [];
  giveUp(item);
  giveBack(item.conversation, { text: item.text, files, replyTo: item.replyTo });
}

/** Whether the user chooses a folder where the file that was lost is chosen again. */
export const isFolderLost = (item: Waiting): boolean => item.lost !== undefined && parcels.get(item.key)?.[item.lost] instanceof Folder;

/** Takes another file in the place of the one that was lost, and sends. */
export function chooseAgain(item: Waiting, chosen: Parcel): void {
  parcels.set(item.key, (parcels.get(item.key) ?? []).map((one, index) => (index === item.lost ? chosen : one)));
  tryAgain(item.key);
}

/** Sends files of any type: the user has been asked. */
export function sendAnyway(item: Waiting): void {
  alter(item.key, { anyType: true });
  tryAgain(item.key);
}

/** Tries again what was refused; files are copied once more. */
export function tryAgain(key: string): void {
  const old = outbox.get().find((waiting) => waiting.key === key);
  if (old === undefined) return;
  endUploads(old.uploads);
  release(key);
  const types: Types = old.anyType === true ? { anyType: true } : {};
  alter(key, { problem: null, lost: undefined, needsRoom: undefined, isOfOtherType: undefined, uploads: copyFiles(key, parcels.get(key) ?? [], types) });
  const item = outbox.get().find((waiting) => waiting.key === key);
  if (item !== undefined) send(item);
}

disk.subscribe(() => {
  if (disk.get().room === "full") return;
  for (const { key, needsRoom } of outbox.get()) if (needsRoom === true) tryAgain(key);
});

/** Takes in what this browser kept. Sending the same key twice does no harm. */
export function readKept(): void {
  const here = new Set(outbox.get().map(({ key }) => key));
  const found: Waiting[] = [];
  for (let index = 0; index < localStorage.length; index += 1) {
    const name = localStorage.key(index) ?? "";
    if (!name.startsWith(PREFIX) || here.has(name.slice(PREFIX.length))) continue;
    try {
      found.push({ ...(JSON.parse(localStorage.getItem(name) ?? "") as Waiting), claimed: null });
    } catch {
      localStorage.removeItem(name);
    }
  }
  found.sort((a, b) => (a.key < b.key ? -1 : 1));
  if (found.length > 0) outbox.update((items) => [...items, ...found]);
}

/** An event may bring an own message before the answer to its request comes: the waiting text is then removed at once. */
export function claim(message: Message): void {
  if (message.sender !== ownId()) return;
  const item = outbox.get().find((waiting) =>
    waiting.conversation === message.conversation && waiting.claimed === null && waiting.problem === null &&
    waiting.text === message.text && waiting.uploads.length === message.attachments.length);
  if (item === undefined) return;
  alter(item.key, { claimed: message.id });
}

/** The answer has come. If an event had been taken for another text's, that one shows again. */
export function confirmed(key: string, message: Message): void {
  for (const item of outbox.get()) {
    if (item.key !== key && item.claimed === message.id) alter(item.key, { claimed: null });
  }
  drop(key);
}
