// Copies a file to the daemon, piece by piece, one upload at a time for the whole page. It goes on where it broke.
import { base64 } from "./base64";
import { untilOpen } from "./link";
import { Folder } from "./parcels";
import type { Parcel } from "./parcels";
import { Refused, isAway } from "./refusal";
import type { WireError } from "./refusal";
import { call, inTurn } from "./rpc";

/** How much the gateway takes at a time, in bytes. Each piece is a request, during which nothing else of the file is sent. */
const PIECE = 16 * 1024 * 1024;
/** How often a piece may add nothing before the upload is given up. */
const VAIN = 5;

/** A file that can't be read any more as it was chosen: it was changed or removed meanwhile. */
export class Unreadable extends Refused {
  /** @param parcel what was chosen: the file, or the folder that it is in */
  constructor(readonly parcel: Parcel, name: string) {
    super({ code: 0, message: `${name} was changed or removed while it was being copied.`, data: { kind: "file_changed", parameters: { name } } });
  }
}

/** A file whose name isn't possible where the file should go. */
export class OddName extends Refused {
  constructor(name: string) {
    super({ code: 0, message: `${name} has a name that no file can have there.`, data: { kind: "odd_name", hint: "rename_file", parameters: { name } } });
  }
}

/** A refusal of a file for its name, as one that names it. */
function named(error: unknown, name: string): unknown {
  const isOdd = error instanceof Refused && error.kind === "invalid" && (error.field === "name" || error.field === "path");
  return isOdd ? new OddName(name) : error;
}

/** Whether a piece of a file can be read: a browser refuses to read a file that is another one than was chosen. */
const isReadable = (piece: Blob): Promise<boolean> => piece.slice(0, 1).arrayBuffer().then(() => true, () => false);

export interface UploadProgress {
  /** Bytes that are with the daemon. */
  sent(bytes: number): void;
  signal: AbortSignal;
  /** A file of a folder stays behind, because it can't have its name there. */
  leftOut?(name: string): void;
}

/** Which types of files go: those of the settings, or any, if the user has said so. */
export type Types = { readonly anyType?: true };

/** One piece; how much is there afterwards. Throws `lost` if the file can't be read. */
async function putPiece(id: string, at: number, piece: Blob, signal: AbortSignal, lost: Unreadable): Promise<number> {
  let response: Response;
  try {
    response = await fetch(`/upload/${id}?at=${at}`, { method: "PUT", headers: { "X-Kibo": "1" }, body: piece, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    // The browser gives the same error for both: that it could not fetch.
    if (!(await isReadable(piece))) throw lost;
    throw new Refused({ code: 0, message: "The web service does not answer.", data: { kind: "offline_page", retryable: true } });
  }
  const answer = (await response.json().catch(() => ({}))) as { received?: number; error?: WireError };
  if ((response.ok || response.status === 409) && answer.received !== undefined) return answer.received;
  throw new Refused(answer.error ?? { code: response.status, message: `The web service answered ${response.status}.` });
}

/** Tries again for as long as the daemon or the gateway is away. */
async function patiently<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await task();
    } catch (error) {
      if (!isAway(error)) throw error;
      // The link may still say "open" for a moment after a break.
      await new Promise((done) => setTimeout(done, 500));
      await untilOpen();
    }
  }
}

async function copy(id: string, file: File, progress: UploadProgress, parcel: Parcel): Promise<void> {
  const lost = new Unreadable(parcel, file.name);
  let at = 0;
  let vain = 0;
  while (at < file.size) {
    // After a break more may be there than this page knows: the daemon then says where to go on.
    const next = await patiently(progress.signal, () => putPiece(id, at, file.slice(at, at + PIECE), progress.signal, lost));
    vain = next > at ? 0 : vain + 1;
    if (vain > VAIN) throw new Refused({ code: 0, message: "The upload does not get on.", data: { kind: "internal", retryable: true } });
    at = next;
    progress.sent(at);
  }
}

async function whole(file: File, begun: { id: string }, progress: UploadProgress, parcel: Parcel = file): Promise<void> {
  await inTurn("uploads", () => copy(begun.id, file, progress, parcel));
  await patiently(progress.signal, () => call("upload.finish", { id: begun.id }));
}

/** Files up to this size go together with others of a folder, in bytes. */
const SMALL = 64 * 1024;
/** How much is sent in one request, in encoded bytes: less than the gateway accepts, and all that is read from files at a time. */
const TOGETHER = 512 * 1024;
/** Files that `upload.put` takes. */
const MOST_TOGETHER = 256;

/** The bytes of a file that is put with others need as much, and its place. */
const written = ({ path, file }: Folder["files"][number]): number => Math.ceil(file.size / 3) * 4 + 6 * path.length + 8;

/** The files of a folder in parts: small ones together, each other one alone. */
function parts(files: Folder["files"]): Folder["files"][] {
  const all: Folder["files"][number][][] = [];
  let small: Folder["files"][number][] = [];
  let room = 0;
  for (const one of files) {
    if (one.file.size > SMALL) {
      all.push([one]);
    } else {
      if (small.length === 0 || small.length === MOST_TOGETHER || written(one) > room) {
        all.push(small = []);
        room = TOGETHER;
      }
      small.push(one);
      room -= written(one);
    }
  }
  return all;
}

/** Puts small files into a folder; the places that no file can have. */
async function put(folder: Folder, into: string, files: Folder["files"], signal: AbortSignal, types: Types): Promise<string[]> {
  const contents = await Promise.all(files.map(async ({ file }) => {
    const bytes = await file.arrayBuffer().catch(() => { throw new Unreadable(folder, file.name); });
    return base64(new Uint8Array(bytes));
  }));
  const paths = files.map(({ path }) => path);
  return (await patiently(signal, () => call("upload.put", { in: into, paths, contents, ...types }))).leftOut;
}

/** A large file of a folder; its place, if no file can have it. */
async function large(folder: Folder, into: string, { path, file }: Folder["files"][number], progress: UploadProgress, types: Types): Promise<string[]> {
  let begun: { id: string };
  try {
    begun = await patiently(progress.signal, () => call("upload.begin", { name: file.name, size: file.size, in: into, path, ...types }));
  } catch (error) {
    if (named(error, path) instanceof OddName) return [path];
    throw error;
  }
  await whole(file, begun, progress, folder);
  return [];
}

/** The files of a folder, one part after another. */
async function contents(folder: Folder, into: string, progress: UploadProgress, types: Types): Promise<void> {
  const { signal } = progress;
  let before = 0;
  // Browsers make a backslash in a name a slash in its path: another place than it had.
  const hasItsPlace = ({ path, file }: Folder["files"][number]) => path.slice(path.lastIndexOf("/") + 1) === file.name;
  let left = folder.files.filter((one) => !hasItsPlace(one)).map(({ path, file }) => path.slice(0, path.length - file.name.length) + file.name);
  for (const part of parts(folder.files.filter(hasItsPlace))) {
    signal.throwIfAborted();
    const [one] = part;
    const odd = part.length === 1 && one !== undefined && one.file.size > SMALL
      ? await large(folder, into, one, { signal, sent: (bytes) => progress.sent(before + bytes) }, types)
      : await inTurn("uploads", () => put(folder, into, part, signal, types));
    left = [...left, ...odd];
    before += part.reduce((sum, { file }) => sum + file.size, 0);
    progress.sent(before);
  }
  // An empty folder would be another one than was chosen.
  if (left[0] !== undefined && left.length === folder.files.length) throw new OddName(left[0]);
  for (const name of left) progress.leftOut?.(name);
}

/** Copies a file or folder and returns the id of its upload, which `message.send` and others take as `upload:ID`. */
export async function upload(parcel: Parcel, progress: UploadProgress, purpose: "message" | "picture" | "addressBook" = "message", types: Types = {}): Promise<string> {
  const begun = await patiently(progress.signal, () => parcel instanceof Folder
    ? call("upload.begin", { name: parcel.name, folder: true, ...types })
    : call("upload.begin", { name: parcel.name, size: parcel.size, ...(purpose === "message" ? {} : { purpose }), ...types }))
    .catch((error: unknown) => { throw named(error, parcel.name); });
  try {
    if (parcel instanceof Folder) {
      await contents(parcel, begun.id, progress, types);
      await patiently(progress.signal, () => call("upload.finish", { id: begun.id }));
    } else {
      await whole(parcel, begun, progress);
    }
    return begun.id;
  } catch (error) {
    call("upload.cancel", { id: begun.id }).catch(() => undefined);
    throw error;
  }
}

/** Whether files go together with others, where they are many. */
export const isSmall = (parcel: Parcel): parcel is File => parcel instanceof File && parcel.size <= SMALL;

/** Whether a file was refused for its type only. The others go without it. */
export const isOfOtherType = (error: unknown): error is Refused => error instanceof Refused && error.kind === "type_not_allowed";

/**
 * Copies small files in few requests; the ids of their uploads, and why files of other types have none. What is refused so is copied file by file:
 * then it is known which one it is.
 */
export async function uploadTogether(files: readonly File[], signal: AbortSignal, types: Types): Promise<(string | Refused)[]> {
  const ids: (string | Refused)[] = [];
  try {
    for (const part of parts(files.map((file) => ({ path: file.name, file })))) {
      const paths = part.map(({ path }) => path);
      const put = async () => {
        const contents = await Promise.all(part.map(async ({ file }) => base64(new Uint8Array(await file.arrayBuffer()))));
        return (await patiently(signal, () => call("upload.put", { paths, contents, ...types }))).ids ?? [];
      };
      const done = await inTurn("uploads", put).catch(() => []);
      if (done.length === part.length) ids.push(...done);
      else for (const { file } of part) ids.push(await upload(file, { sent: () => undefined, signal }, "message", types).catch(typeOnly));
    }
    return ids;
  } catch (error) {
    for (const id of ids) if (typeof id === "string") call("upload.cancel", { id }).catch(() => undefined);
    throw error;
  }
}

/** A refusal for a type as a value; throws any other. */
function typeOnly(error: unknown): Refused {
  if (isOfOtherType(error)) return error;
  throw error;
}

/** Copies a picture for an avatar or logo, and returns what stands for its path. */
export async function uploadPicture(picture: File): Promise<string> {
  return `upload:${await upload(picture, { sent: () => undefined, signal: new AbortController().signal }, "picture")}`;
}
