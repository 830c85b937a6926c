import { useEffect, useState } from "react";
import type { Attachment, Message, Transfer } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { refused } from "../../parts/notice";
import { Progress } from "../../parts/small";
import { useStore } from "../../store/store";
import { transfers, wantTransfer } from "../../store/transfers";
import { reasonText } from "../../text/errors";
import { duration, percent, size } from "../../text/format";
import { kindIcon } from "../../text/preview";
import { visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";

type State = Transfer["state"];

const moving = (state: State): boolean => state === "active" || state === "queued" || state === "paused";
const ended = (state: State): boolean => state === "declined" || state === "cancelled" || state === "failed";

/** How a transfer stands, in words. */
function stateLine(attachment: Attachment, transfer: Transfer | undefined, own: boolean): string {
  const state = transfer?.state ?? attachment.state;
  const done = transfer?.bytesDone ?? 0;
  const all = size(attachment.size);
  if (attachment.removed) return t("file.removed", { size: all });
  if (ended(state)) {
    const why = transfer?.reason ?? attachment.reason;
    return why === null || state !== "failed" ? `${all} · ${t(`file.state.${state}`)}` : `${t("file.state.failed")}: ${reasonText(why, transfer?.detail ?? attachment.detail)}`;
  }
  if (state === "active" && transfer !== undefined) {
    const parts = [t("file.of", { done: size(done), size: all, percent: percent(done / Math.max(1, attachment.size)) })];
    if (transfer.rate > 0) parts.push(t("file.rate", { rate: size(transfer.rate) }));
    if (transfer.secondsLeft !== null) parts.push(t("file.left", { time: duration(transfer.secondsLeft) }));
    return parts.join(" · ");
  }
  if (state === "offered") return `${all} · ${t(own ? "file.state.offeredOut" : "file.state.offered")}`;
  if (state === "done") {
    const parts = [all];
    if (attachment.duration !== null) parts.unshift(duration(attachment.duration / 1000));
    if (attachment.skipped > 0) parts.push(t("file.leftOut", { count: attachment.skipped }));
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
        <Button look="primary" icon="download" onClick={act("transfer.accept")}>{t("file.take")}</Button>
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
  if (moving(state) || state === "offered") {
    return (
      <div className="file-buttons">
        {state === "active" && <Button icon="pause" onClick={act("transfer.pause")}>{t("file.pause")}</Button>}
        <Button onClick={act("transfer.cancel")}>{t("common.cancel")}</Button>
      </div>
    );
  }
  return null;
}

/** A picture that is here: its thumbnail, and the whole of it in a new tab. */
function Picture({ attachment }: { attachment: Attachment }) {
  const [broken, setBroken] = useState(false);
  const name = visibleName(attachment.name);
  if (broken) return null;
  return (
    <a className="picture-frame" href={`/file/${attachment.transfer}`} target="_blank" rel="noreferrer" tabIndex={-1}>
      <img src={`/thumb/${attachment.transfer}/320`} alt={name} loading="lazy" decoding="async" onError={() => setBroken(true)} />
    </a>
  );
}

function Media({ attachment }: { attachment: Attachment }) {
  const [open, setOpen] = useState(false);
  const source = `/file/${attachment.transfer}`;
  const name = visibleName(attachment.name);
  if (attachment.kind === "audio") return <audio className="file-media" controls preload="none" src={source} aria-label={name} />;
  if (open) return <video className="file-media" controls autoPlay src={source} aria-label={name} />;
  return <div className="file-buttons"><Button icon="play" onClick={() => setOpen(true)}>{t("file.play")}</Button></div>;
}

function One({ attachment, own }: { attachment: Attachment; own: boolean }) {
  const transfer = useStore(transfers, (table) => table.get(attachment.transfer));
  const state = transfer?.state ?? attachment.state;
  useEffect(() => {
    if (moving(attachment.state) || attachment.state === "offered") wantTransfer(attachment.transfer);
  }, [attachment.state, attachment.transfer]);
  const here = state === "done" && !attachment.removed || own && !attachment.removed && !ended(state);
  const name = visibleName(attachment.name);
  const failed = state === "failed";
  return (
    <div>
      {here && attachment.kind === "image" && <Picture attachment={attachment} />}
      <div className="file">
        <span className="file-icon"><Icon name={kindIcon(attachment.kind)} /></span>
        <div className="file-body">
          <span className="file-name cut" title={name}><bdi>{name}</bdi></span>
          {moving(state) && (
            <Progress max={attachment.size} {...(transfer === undefined ? {} : { value: transfer.bytesDone })} label={t("file.progress", { name })} />
          )}
          <span className={`file-line numbers wrap${failed ? " file-problem" : ""}`}>{stateLine(attachment, transfer, own)}</span>
        </div>
        {state === "done" && !attachment.removed && !own && (
          <IconButton icon="folder" label={t("file.show", { name })} onClick={() => void call("transfer.reveal", { id: attachment.transfer }).catch(refused)} />
        )}
        {state === "done" && !attachment.removed && attachment.kind !== "folder" && !own && (
          <IconButton icon="download" label={t("file.save", { name })} onClick={() => location.assign(`/file/${attachment.transfer}?save=1`)} />
        )}
      </div>
      {here && state === "done" && (attachment.kind === "audio" || attachment.kind === "video") && <Media attachment={attachment} />}
      <Buttons attachment={attachment} transfer={transfer} own={own} />
    </div>
  );
}

export const Attachments = ({ message, own }: { message: Message; own: boolean }) => (
  <>{message.attachments.map((attachment) => <One key={attachment.transfer} attachment={attachment} own={own} />)}</>
);
