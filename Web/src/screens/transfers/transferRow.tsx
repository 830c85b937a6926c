import { useEffect, useState } from "react";
import { useStore } from "../../base/store";
import type { Transfer, TransferProblem } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Confirm, Dialog } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { LeftOut } from "../../parts/leftOut";
import { calledOr } from "../../parts/person";
import { followed } from "../../parts/rows";
import { Name, Note, Progress, Spinner } from "../../parts/small";
import { TakeAnyway } from "../../parts/takeAnyway";
import { useTask } from "../../parts/task";
import { contacts, nameOf } from "../../store/contacts";
import { conversations } from "../../store/conversations";
import { notify } from "../../store/notices";
import { titleOf } from "../../store/people";
import { hrefTo } from "../../store/router";
import { takeTransfers } from "../../store/transfers";
import { fullTime, shortTime } from "../../text/format";
import { isolatedName, visibleName } from "../../text/safe";
import { rich, t } from "../../text/t";
import { diskText, progressText, stateText, whyText } from "../../text/transfers";
import { seenNow } from "../../wire/events";
import { call } from "../../wire/rpc";
import { reveal, save } from "../viewer/viewing";

type Change = "transfer.accept" | "transfer.decline" | "transfer.cancel" | "transfer.pause" | "transfer.resume";

/** The files of a folder that were left out, each with the reason. */
function Problems({ id, onClose }: { id: string; onClose: () => void }) {
  const [problems, setProblems] = useState<TransferProblem[] | null>(null);
  const { run, error } = useTask();
  useEffect(() => void run(async () => setProblems((await call("transfer.get", { id })).problems ?? [])), [id, run]);
  return (
    <Dialog title={t("transfers.problems.title")} onClose={onClose} wide foot={<Button onClick={onClose}>{t("common.close")}</Button>}>
      {error !== null && <Note look="danger" alert>{error}</Note>}
      {problems === null && error === null && <Spinner />}
      {problems !== null && <LeftOut problems={problems} />}
    </Dialog>
  );
}

/** The person or group on the other side, as a link to the conversation. */
function OtherSide({ transfer }: { transfer: Transfer }) {
  const person = useStore(contacts, (table) => table.get(transfer.peer));
  const conversation = useStore(conversations, ({ table }) => table.get(transfer.conversation));
  const name = conversation?.kind === "group" || conversation?.kind === "notes" ? titleOf(conversation) : person === undefined ? "" : nameOf(person);
  const shown = <Name>{calledOr(name)}</Name>;
  const path = `chats/${transfer.conversation ?? ""}`;
  const whom = transfer.conversation === null ? shown : <a href={hrefTo(path)} onClick={(event) => followed(event, path)}>{shown}</a>;
  return <>{rich(transfer.direction === "in" ? "transfers.from" : "transfers.to", { name: whom })}</>;
}

/** The name of the file leads to the message with which it was offered. */
function FileName({ transfer: { conversation, message, name } }: { transfer: Transfer }) {
  if (conversation === null || message === null) return <Name>{name}</Name>;
  const path = `chats/${conversation}/message/${message}`;
  return <a className="plain-link" href={hrefTo(path)} onClick={(event) => followed(event, path)}><Name>{name}</Name></a>;
}

export function TransferRow({ transfer }: { transfer: Transfer }) {
  const [dialog, setDialog] = useState<"cancel" | "problems" | null>(null);
  const task = useTask();
  const person = useStore(contacts, (table) => table.get(transfer.peer));
  const { id, state, direction, pausedBy } = transfer;
  const name = visibleName(transfer.name);
  const change = async (method: Change) => {
    const asked = seenNow();
    takeTransfers([await call(method, { id })], asked);
  };
  const run = (method: Change) => () => void task.run(() => change(method));
  const isOpen = state === "queued" || state === "active" || state === "paused";
  const isHeldHere = state === "paused" && pausedBy !== "peer";
  const why = whyText(transfer);
  const other = direction === "in" ? diskText(transfer) : null;
  return (
    <li className="transfer">
      <span className={`transfer-icon transfer-icon-${state}`}><Icon name={transfer.files > 1 ? "folder" : "file"} size={20} /></span>
      <div className="transfer-body">
        <p className="row-line">
          <strong className="row-title wrap"><FileName transfer={transfer} /></strong>
          <time className="row-time" dateTime={new Date(transfer.createdAt).toISOString()} title={fullTime(transfer.createdAt)}>{shortTime(transfer.createdAt)}</time>
        </p>
        <p className="small quiet"><OtherSide transfer={transfer} /> · <span className="numbers">{progressText(transfer)}</span></p>
        {isOpen && <Progress value={transfer.bytesDone} max={transfer.size} label={t("transfers.progress", { name })} />}
        <p className={`small transfer-state-${state}`}>
          {stateText(transfer, isolatedName(calledOr(person === undefined ? "" : nameOf(person))), person)}{other !== null && ` · ${other}`}{why !== null && ` ${why}`}
          {transfer.skipped > 0 && <> <button type="button" className="text-button" onClick={() => setDialog("problems")}>{t("transfers.skipped", { count: transfer.skipped })}</button></>}
        </p>
        {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
        {state === "offered" && direction === "in" && (
          <div className="row wrapping">
            {transfer.heldBack === undefined
              ? <Button look="primary" icon="download" busy={task.busy} aria-label={t("transfers.accept.name", { name })} onClick={run("transfer.accept")}>{t("transfers.accept")}</Button>
              : <TakeAnyway id={id} name={transfer.name} types={transfer.unlisted} />}
            <Button busy={task.busy} aria-label={t("transfers.decline.name", { name })} onClick={run("transfer.decline")}>{t("transfers.decline")}</Button>
          </div>
        )}
      </div>
      <div className="row-actions">
        {state === "done" && direction === "in" && <IconButton icon="folder" label={t("file.show", { name })} onClick={() => reveal(id, notify)} />}
        {state === "done" && direction === "in" && transfer.files === 1 && <IconButton icon="download" label={t("file.save", { name })} onClick={() => save(id)} />}
        {(state === "active" || state === "queued" || (state === "paused" && pausedBy === "peer")) && (
          <IconButton icon="pause" label={t("transfers.pause", { name })} disabled={task.busy} onClick={run("transfer.pause")} />
        )}
        {(isHeldHere || state === "failed") && (
          <IconButton
            icon={state === "failed" ? "retry" : "play"} label={t(state === "failed" ? "transfers.again" : "transfers.resume", { name })} disabled={task.busy}
            onClick={run("transfer.resume")}
          />
        )}
        {(isOpen || (state === "offered" && direction === "out")) && (
          <IconButton icon="close" label={t("transfers.cancel", { name })} onClick={() => setDialog("cancel")} />
        )}
      </div>
      {dialog === "problems" && <Problems id={id} onClose={() => setDialog(null)} />}
      {dialog === "cancel" && (
        <Confirm title={t("transfers.cancel.title", { name })} action={t("transfers.cancel.do")} onConfirm={() => change("transfer.cancel")} onClose={() => setDialog(null)}>
          <p>{t("transfers.cancel.more")}</p>
        </Confirm>
      )}
    </li>
  );
}
