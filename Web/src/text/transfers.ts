// How a transfer stands, in a few words.
import type { TransferState } from "../contract/codes";
import type { Contact, Transfer } from "../contract/types";
import { reasonText, typesText } from "./errors";
import { duration, percent, size } from "./format";
import { isolatedName } from "./safe";
import { t } from "./t";

/** Whether a transfer stands still because the other side isn't there: nobody has paused it, and it goes on by itself. */
export const waitsForOther = ({ state, pausedBy }: Transfer, other: Contact | undefined): boolean =>
  (state === "paused" && pausedBy === null) || (state === "queued" && other?.presence === "offline");

const isMoving = ({ state }: Transfer): boolean => state === "active" || state === "paused" || state === "queued";

/** `37 % · 12 MB of 33 MB · 5 MB/s · 0:07`, of what is under way; else the size. */
export function progressText(transfer: Transfer): string {
  if (!isMoving(transfer)) return size(transfer.size);
  const parts = [
    percent(transfer.size === 0 ? 1 : transfer.bytesDone / transfer.size),
    t("transfers.of", { done: size(transfer.bytesDone), size: size(transfer.size) }),
  ];
  if (transfer.state === "active" && transfer.rate > 0) parts.push(t("transfers.rate", { rate: size(transfer.rate) }));
  if (transfer.state === "active" && transfer.secondsLeft !== null) parts.push(t("transfers.left", { time: duration(transfer.secondsLeft) }));
  return parts.join(" · ");
}

/** The state in words, and who or what holds it. `name` is that of the other side, as part of a sentence. */
export function stateText(transfer: Transfer, name: string, other: Contact | undefined): string {
  const { state, direction, pausedBy, members, membersDone } = transfer;
  if (waitsForOther(transfer, other)) return t("file.waits", { name });
  switch (state) {
    case "offered":
      if (transfer.heldBack !== undefined) return t(direction === "in" ? "file.held.in" : "file.held.out", { name, size: size(transfer.size), types: typesText(transfer.unlisted) });
      return t(direction === "in" ? "transfers.state.offeredIn" : "transfers.state.offeredOut");
    case "paused":
      return t(`transfers.state.paused.${pausedBy ?? "peer"}`);
    case "done":
      return members !== undefined && membersDone !== undefined && membersDone < members
        ? t("transfers.state.doneOf", { done: membersDone, count: members })
        : t(direction === "in" ? "transfers.state.doneIn" : "transfers.state.doneOut");
    case "cancelled":
      return transfer.cancelledBy === undefined ? t("transfers.state.cancelled") : t(`transfers.cancelledBy.${transfer.cancelledBy}`);
    case "failed":
      return transfer.changed === true ? t("transfers.state.changed") : t("transfers.state.failed");
    default:
      return t(`transfers.state.${state}`);
  }
}

/** The file's name on this disk, if it differs from the name under which it was sent; null if it doesn't, or if the file hasn't come. */
export function diskText({ state, savedAs, detail }: { state: TransferState; savedAs?: string; detail?: string | null }): string | null {
  if (state !== "done") return null;
  if (savedAs !== undefined) return t("file.savedAs", { name: isolatedName(savedAs) });
  return detail === undefined || detail === null ? null : t("file.namesChanged");
}

/** Why a transfer waits or has ended, if there is a reason to give. */
export const whyText = (transfer: Transfer): string | null =>
  transfer.reason === null || transfer.changed === true ? null : reasonText(transfer.reason, transfer.detail);
