// Files that are with the daemon, fetched to be sent again: a page can't name them by a path.
import { call } from "./rpc";
import { Folder } from "./parcels";
import type { Parcel } from "./parcels";
import { Refused } from "./refusal";

/** Files in a page of a folder's list. */
const PAGE = 500;

async function one(address: string, name: string): Promise<File> {
  const response = await fetch(address).catch(() => {
    throw new Refused({ code: 0, message: "The web service does not answer.", data: { kind: "offline_page", retryable: true } });
  });
  if (!response.ok) throw new Refused({ code: response.status, message: `The web service answered ${response.status}.`, data: { kind: "not_found" } });
  // The browser keeps what is large on its disk.
  const bytes = await response.blob();
  return new File([bytes], name, { type: bytes.type });
}

/** The file or folder of a transfer. */
export async function fetched(transfer: string, name: string, isFolder: boolean): Promise<Parcel> {
  if (!isFolder) return one(`/file/${transfer}`, name);
  const files: { path: string; file: File }[] = [];
  let after: number | undefined;
  do {
    const page = await call("transfer.entries", { id: transfer, limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const { index, path } of page.entries) files.push({ path, file: await one(`/file/${transfer}/${index}`, path.slice(path.lastIndexOf("/") + 1)) });
    after = page.next;
  } while (after !== undefined);
  return new Folder(name, files);
}
