// What is shown over the page: pictures, videos and sounds one after another, or the files of a folder.
import { Store } from "../../base/store";
import type { Attachment, Message } from "../../contract/types";
import { histories } from "../../store/messages";
import { isHere, transfers } from "../../store/transfers";
import { wording } from "../../text/errors";
import { t } from "../../text/t";
import { asRefused } from "../../wire/refusal";
import { call } from "../../wire/rpc";

/** A file that the viewer can show: of a transfer, or within a transferred folder. */
export interface Shown {
  transfer: string;
  /** The index of a folder's file. */
  entry: number | null;
  name: string;
  size: number;
  kind: "image" | "video" | "audio";
  /** With which message it came. */
  message: Message | null;
}

export interface Viewing {
  items: readonly Shown[];
  at: number;
}

export const viewing = new Store<Viewing | null>(null);

/** The folder whose files are listed. */
export const folder = new Store<{ transfer: string; name: string } | null>(null);

const part = (entry: number | null): string => (entry === null ? "" : `/${entry}`);
export const fileAddress = (transfer: string, entry: number | null = null): string => `/file/${transfer}${part(entry)}`;
export const thumbAddress = (transfer: string, entry: number | null, side: 320 | 1280): string => `/thumb/${transfer}${part(entry)}/${side}`;

/** Has the browser save a file. */
export const save = (transfer: string, entry: number | null = null): void => location.assign(`${fileAddress(transfer, entry)}?save=1`);

/** Shows a file or folder in the file manager. `tell` gets the reason if that can't be done. */
export function reveal(transfer: string, tell: (problem: string) => void): void {
  call("transfer.reveal", { id: transfer }).catch((error: unknown) => {
    const problem = asRefused(error);
    tell(problem.kind === "unsupported" ? t("file.noManager") : wording(problem));
  });
}

/** Whether the viewer shows files of this kind. */
export const canShow = (kind: Attachment["kind"]): kind is Shown["kind"] => kind === "image" || kind === "video" || kind === "audio";

/** Shows a picture or video of a chat. The others of that chat that are loaded come before and after it. */
export function showOfChat(conversation: string, transfer: string, own: string): void {
  const rows = histories.get().get(conversation)?.rows ?? [];
  const items = rows.filter(({ deleted }) => !deleted).flatMap((message) => message.attachments.flatMap((attachment): Shown[] => {
    const { kind } = attachment;
    if (kind !== "image" && kind !== "video" && attachment.transfer !== transfer) return [];
    if (!canShow(kind) || !isHere(attachment, transfers.get().get(attachment.transfer), message.sender === own)) return [];
    return [{ transfer: attachment.transfer, entry: null, name: attachment.name, size: attachment.size, kind, message }];
  }));
  const at = items.findIndex((item) => item.transfer === transfer);
  if (at >= 0) viewing.set({ items, at });
}
