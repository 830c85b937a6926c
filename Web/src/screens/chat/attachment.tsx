import { useEffect, useState } from "react";
import { useStore } from "../../base/store";
import { useUnfolded } from "../../base/unfolded";
import type { Attachment, Contact, Message, Transfer } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { kindIcon } from "../../parts/kindIcon";
import { Progress } from "../../parts/small";
import { TakeAnyway } from "../../parts/takeAnyway";
import { contacts } from "../../store/contacts";
import { conversations } from "../../store/conversations";
import { notify, refused } from "../../store/notices";
import { hasEndedBadly, isHere, isUnderWay, transfers, wantTransfer } from "../../store/transfers";
import { reasonText, typesText } from "../../text/errors";
import { duration, percent, size } from "../../text/format";
import { isolatedName, visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { diskText, waitsForOther } from "../../text/transfers";
import { call } from "../../wire/rpc";
import { folder, reveal, save, showOfChat } from "../viewer/viewing";
import { useDoing } from "./doing";
import { FolderButton, Picture, Sound } from "./media";

/** How a transfer stands, in words. `other` is the name of the chat. */
function stateLine(attachment: Attachment, transfer: Transfer | undefined, own: boolean, other: string, contact: Contact | undefined): string {
  const state = transfer?.state ?? attachment.state;
  const done = transfer?.bytesDone ?? 0;
  const all = size(attachment.size);
  if (attachment.removed) return t("file.removed", { size: all });
  if (hasEndedBadly(state)) {
    const why = transfer?.reason ?? attachment.reason;
    const canceller = transfer?.cancelledBy ?? attachment.cancelledBy;
    if (canceller !== undefined) return `${all} · ${t(`file.cancelledBy.${canceller}`)}`;
    return why === null || state !== "failed" ? `${all} · ${t(`file.state.${state}`)}` : `${t("file.state.failed")}: ${reasonText(why, transfer?.detail ?? attachment.detail)}`;
  }
  if (state === "active" && transfer !== undefined) {
    const parts = [t("file.of", { done: size(done), size: all, percent: percent(done / Math.max(1, attachment.size)) })];
    if (transfer.rate > 0) parts.push(t("file.rate", { rate: size(transfer.rate) }));
    if (transfer.secondsLeft !== null) parts.push(t("file.left", { time: duration(transfer.secondsLeft) }));
    return parts.join(" · ");
  }
  const waits = transfer !== undefined && waitsForOther(transfer, contact);
  if (transfer !== undefined && (waits || state === "paused")) {
    const { pausedBy, reason, detail } = transfer;
    const words = waits ? t("file.waits", { name: isolatedName(other) }) : pausedBy === "peer" ? t("file.pausedBy", { name: isolatedName(other) }) : t("file.state.paused");
    return [t("file.of", { done: size(done), size: all, percent: percent(done / Math.max(1, attachment.size)) }), words, ...(reason === null ? [] : [reasonText(reason, detail)])].join(" · ");
  }
  const held = transfer ?? attachment;
  if (state === "offered" && held.heldBack !== undefined) return t(own ? "file.held.out" : "file.held.in", { name: isolatedName(other), size: all, types: typesText(held.unlisted) });
  if (state === "offered") return `${all} · ${t(own ? "file.state.offeredOut" : "file.state.offered")}`;
  if (state === "done") {
    const parts = [all];
    if (attachment.duration !== null) parts.unshift(duration(attachment.duration / 1000));
    if (attachment.skipped > 0) parts.push(t("file.leftOut", { count: attachment.skipped }));
    const onDisk = own ? null : diskText(attachment);
    if (onDisk !== null) parts.push(onDisk);
    return parts.join(" · ");
  }
  return `${all} · ${t(`file.state.${state}`)}`;
}

function Buttons({ attachment, transfer, own }: { attachment: Attachment; transfer: Transfer | undefined; own: boolean }) {
  const state = transfer?.state ?? attachment.state;
  const id = attachment.transfer;
  const act = (method: "transfer.accept" | "transfer.decline" | "transfer.pause" | "transfer.resume" | "transfer.cancel") => () => void call(method, { id }).catch(refused);
  if (state === "offered" && !own) {
    return (
      <div className="file-buttons">
        {(transfer ?? attachment).heldBack === undefined
          ? <Button look="primary" icon="download" onClick={act("transfer.accept")}>{t("file.take")}</Button>
          : <TakeAnyway id={id} name={attachment.name} types={(transfer ?? attachment).unlisted} />}
        <Button onClick={act("transfer.decline")}>{t("file.decline")}</Button>
      </div>
    );
  }
  if (state === "failed" || (state === "paused" && transfer?.pausedBy !== "peer")) {
    return (
      <div className="file-buttons">
        <Button icon="retry" onClick={act("transfer.resume")}>{t(state === "failed" ? "common.retry" : "file.resume")}</Button>
        {state === "paused" && <Button onClick={act("transfer.cancel")}>{t("common.cancel")}</Button>}
      </div>
    );
  }
  if (isUnderWay(state) || state === "offered") {
    return (
      <div className="file-buttons">
        {state === "active" && <Button icon="pause" onClick={act("transfer.pause")}>{t("file.pause")}</Button>}
        <Button onClick={act("transfer.cancel")}>{t("common.cancel")}</Button>
      </div>
    );
  }
  return null;
}

/** Whether all of a file is here, under its own name. A picture, video or lone sound then needs no row: the viewer and the menu have the rest. */
const isPlain = (attachment: Attachment, transfer: Transfer | undefined, own: boolean): boolean =>
  !attachment.removed && (transfer?.state ?? attachment.state) === "done" && (own || diskText(attachment) === null);
const isLooked = ({ kind }: Attachment): boolean => kind === "image" || kind === "video";

interface OneProps {
  attachment: Attachment;
  own: boolean;
  /** Whether its message has no other file. */
  lone: boolean;
  /** Whether its picture could not be drawn. */
  broken: boolean;
  onBroken: () => void;
}

function One({ attachment, own, lone, broken, onBroken }: OneProps) {
  const doing = useDoing();
  const transfer = useStore(transfers, (table) => table.get(attachment.transfer));
  const chat = useStore(conversations, ({ table }) => table.get(doing.conversation));
  const contact = useStore(contacts, (table) => table.get(transfer?.peer));
  const state = transfer?.state ?? attachment.state;
  useEffect(() => {
    if (isUnderWay(attachment.state)) wantTransfer(attachment.transfer);
  }, [attachment.state, attachment.transfer]);
  const here = isHere(attachment, transfer, own);
  const name = visibleName(attachment.name);
  const failed = state === "failed";
  // The icon and the name do what the buttons beside them do, for those who press there first.
  const { kind } = attachment;
  const looked = isLooked(attachment);
  const open = here && kind !== "audio" && (looked || kind === "folder" || !own) ? () => {
    if (kind === "folder") folder.set({ transfer: attachment.transfer, name: attachment.name });
    else if (looked) showOfChat(doing.conversation, attachment.transfer, doing.own);
    else save(attachment.transfer);
  } : undefined;
  if (isPlain(attachment, transfer, own)) {
    if (looked && !broken) return <Picture key="true" attachment={attachment} here onBroken={onBroken} />;
    if (kind === "audio" && lone) return <div><span className="file-line wrap"><bdi>{name}</bdi></span><Sound attachment={attachment} /></div>;
  }
  return (
    <div>
      {(here || (state === "offered" && (transfer ?? attachment).heldBack === undefined)) && looked && !attachment.removed && (
        <Picture key={String(here)} attachment={attachment} here={here} onBroken={onBroken} />
      )}
      <div className={`file${open === undefined ? "" : " file-opens"}`}>
        <span className="file-icon" onClick={open}><Icon name={kindIcon(attachment.kind)} /></span>
        <div className="file-body">
          <span className="file-name wrap" onClick={open}><bdi>{name}</bdi></span>
          {isUnderWay(state) && (
            <Progress max={attachment.size} {...(transfer === undefined ? {} : { value: transfer.bytesDone })} label={t("file.progress", { name })} />
          )}
          <span className={`file-line numbers wrap${failed ? " file-problem" : ""}`}>{stateLine(attachment, transfer, own, chat?.title ?? "", contact)}</span>
        </div>
        {state === "done" && !attachment.removed && !own && (
          <span className="file-acts">
            <IconButton icon="folder" label={t("file.show", { name })} onClick={() => reveal(attachment.transfer, notify)} />
            {kind !== "folder" && <IconButton icon="download" label={t("file.save", { name })} onClick={() => save(attachment.transfer)} />}
          </span>
        )}
      </div>
      {here && attachment.kind === "audio" && <Sound attachment={attachment} />}
      {here && attachment.kind === "folder" && <FolderButton attachment={attachment} />}
      <Buttons attachment={attachment} transfer={transfer} own={own} />
    </div>
  );
}

/** So many files of a message are shown until the user asks for all of them. */
const SHOWN = 10;

/** Pictures of one message side by side: rows of three, after one or two rows of two where the number needs them. */
function Album({ pictures, onBroken }: { pictures: readonly Attachment[]; onBroken: (transfer: string) => void }) {
  return (
    <div className={`album album-${pictures.length === 3 ? "three" : pictures.length % 3}`}>
      {pictures.map((one) => <Picture key={one.transfer} attachment={one} here onBroken={() => onBroken(one.transfer)} />)}
    </div>
  );
}

export function Attachments({ message: { id, attachments }, own }: { message: Message; own: boolean }) {
  const [all, showAll] = useUnfolded(`${id} files`);
  const [broken, setBroken] = useState<readonly string[]>([]);
  const hidden = all || attachments.length <= SHOWN + 1 ? 0 : attachments.length - SHOWN;
  const shown = attachments.slice(0, attachments.length - hidden);
  const ready = useStore(transfers, (table) => shown.filter((one) => !broken.includes(one.transfer) && isLooked(one) && isPlain(one, table.get(one.transfer), own)));
  const album = ready.length > 1 ? ready : [];
  const breaks = (transfer: string) => setBroken((before) => [...before, transfer]);
  return (
    <>
      {album.length > 0 && <Album pictures={album} onBroken={breaks} />}
      {shown.filter((one) => !album.includes(one)).map((one) => (
        <One key={one.transfer} attachment={one} own={own} lone={attachments.length === 1} broken={broken.includes(one.transfer)} onBroken={() => breaks(one.transfer)} />
      ))}
      {hidden > 0 && <div className="file-buttons"><Button icon="down" onClick={showAll}>{t("file.showMore", { count: hidden })}</Button></div>}
    </>
  );
}
