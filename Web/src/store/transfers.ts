import { Store } from "../base/store";
import type { TransferState } from "../contract/codes";
import type { Attachment, Transfer } from "../contract/types";
import { seenNow } from "../wire/events";
import { call, callAll } from "../wire/rpc";
import { Table } from "./table";

export const transfers = new Store<Table<Transfer>>(Table.empty());

export const takeTransfers = (list: readonly Transfer[], seq: number): void =>
  transfers.update((table) => table.put(list.map((transfer) => [transfer.id, transfer]), seq));

const asking = new Set<string>();
/** Those that are asked for together: a message has up to 32 files. */
let wanted: string[] = [];
/** So many `callAll` takes. */
const MOST_TOGETHER = 50;

/** Reads a transfer that a message names, once. Its events keep it fresh. */
export function wantTransfer(id: string): void {
  if (transfers.get().get(id) !== undefined || asking.has(id)) return;
  asking.add(id);
  if (wanted.length === 0) queueMicrotask(askForWanted);
  wanted.push(id);
}

function askForWanted(): void {
  const ids = wanted;
  wanted = [];
  const asked = seenNow();
  for (let first = 0; first < ids.length; first += MOST_TOGETHER) {
    const some = ids.slice(first, first + MOST_TOGETHER);
    callAll(...some.map((id) => ({ method: "transfer.get" as const, params: { id } })))
      .then((answers) => takeTransfers(answers.flatMap(({ result }) => (result === undefined ? [] : [result])), asked), () => undefined)
      .finally(() => { for (const id of some) asking.delete(id); });
  }
}

/** After a break: those that are under way may have gone on unheard. */
export async function refreshTransfers(): Promise<void> {
  const moving = [...transfers.get().values()].filter(({ state }) => state === "active" || state === "queued" || state === "offered" || state === "paused");
  const asked = seenNow();
  takeTransfers(await Promise.all(moving.map(({ id }) => call("transfer.get", { id }))), asked);
}

export const isUnderWay = (state: TransferState): boolean => state === "active" || state === "queued" || state === "paused";
export const hasEndedBadly = (state: TransferState): boolean => state === "declined" || state === "cancelled" || state === "failed";

/** Whether the whole file lies on this host, so that it can be shown and saved. */
export function isHere(attachment: Attachment, transfer: Transfer | undefined, own: boolean): boolean {
  const state = transfer?.state ?? attachment.state;
  return !attachment.removed && (state === "done" || (own && !hasEndedBadly(state)));
}
