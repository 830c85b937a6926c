// Our relation to a person, and what changes it. What can't be undone is asked once more.
import { useState } from "react";
import type { Contact, Peer } from "../../contract/types";
import { AskDialog } from "../../parts/askDialog";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/dialog";
import { calledOr, shortId } from "../../parts/person";
import { Name, Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { nameOf, takeContacts } from "../../store/contacts";
import { reasonText } from "../../text/errors";
import { isolatedName, visible } from "../../text/safe";
import { t } from "../../text/t";
import { seenNow } from "../../wire/events";
import { call } from "../../wire/rpc";

type Change = "contact.accept" | "contact.decline" | "contact.unblock" | "contact.remove" | "contact.block";

async function change(method: Change, id: string): Promise<void> {
  const asked = seenNow();
  takeContacts([await call(method, { id })], asked);
}

function BlockDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  return (
    <Confirm title={t("details.block.title", { name: isolatedName(name) })} action={t("details.block")} onConfirm={() => change("contact.block", id)} onClose={onClose}>
      <p>{t("details.block.more")}</p>
    </Confirm>
  );
}

/** A person on the network who has no relation to us yet. */
export function Stranger({ peer }: { peer: Peer }) {
  const [dialog, setDialog] = useState<"ask" | "block" | null>(null);
  const name = calledOr(peer.displayName);
  const close = () => setDialog(null);
  return (
    <div className="page column">
      <div className="profile-head">
        <Avatar id={peer.account} name={peer.displayName} size="xl" />
        <p className="profile-name"><Name>{name}</Name></p>
        <p className="small quiet"><code dir="ltr">{shortId(peer.account)}…</code></p>
        <p className="small quiet">{peer.entry === null ? t("details.stranger") : t("nearby.entry", { name: isolatedName(peer.entry.name) })}</p>
        <div className="row wrapping center">
          <Button look="primary" icon="add" onClick={() => setDialog("ask")}>{t("nearby.add")}</Button>
          <Button icon="block" onClick={() => setDialog("block")}>{t("details.block")}</Button>
        </div>
      </div>
      {dialog === "ask" && <AskDialog whom={{ id: peer.account }} id={peer.account} name={peer.displayName} onClose={close} />}
      {dialog === "block" && <BlockDialog id={peer.account} name={name} onClose={close} />}
    </div>
  );
}

export function Standing({ contact }: { contact: Contact }) {
  const [dialog, setDialog] = useState<"ask" | "remove" | "block" | null>(null);
  const task = useTask();
  const { id, relation, reason, note } = contact;
  const name = calledOr(nameOf(contact));
  const close = () => setDialog(null);
  const run = (method: Change) => () => void task.run(() => change(method, id));
  return (
    <section className="section" aria-labelledby="details-standing">
      <h2 id="details-standing">{t("details.standing")}</h2>
      <p>{t(`relation.${relation}`)}</p>
      {note !== "" && relation === "incoming" && <blockquote className="noted wrap" dir="auto">{visible(note)}</blockquote>}
      {reason !== undefined && <Note look="warn">{t("requests.refused")} {reasonText(reason, contact.detail)}</Note>}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      <div className="row wrapping">
        {relation === "none" && <Button look="primary" icon="add" onClick={() => setDialog("ask")}>{t(reason === undefined ? "nearby.add" : "requests.again")}</Button>}
        {relation === "incoming" && <Button look="primary" icon="check" busy={task.busy} onClick={run("contact.accept")}>{t("requests.accept")}</Button>}
        {relation === "incoming" && <Button busy={task.busy} onClick={run("contact.decline")}>{t("requests.decline")}</Button>}
        {relation === "requested" && <Button busy={task.busy} onClick={run("contact.decline")}>{t("requests.withdraw")}</Button>}
        {relation === "blocked" && <Button busy={task.busy} onClick={run("contact.unblock")}>{t("blocked.unblock")}</Button>}
        {relation === "friend" && <Button icon="delete" onClick={() => setDialog("remove")}>{t("details.remove")}</Button>}
        {relation !== "blocked" && <Button icon="block" onClick={() => setDialog("block")}>{t("details.block")}</Button>}
      </div>
      {dialog === "ask" && <AskDialog whom={{ id }} id={id} name={nameOf(contact)} onClose={close} />}
      {dialog === "remove" && (
        <Confirm title={t("details.remove.title", { name: isolatedName(name) })} action={t("details.remove")} onConfirm={() => change("contact.remove", id)} onClose={close}>
          <p>{t("details.remove.more")}</p>
        </Confirm>
      )}
      {dialog === "block" && <BlockDialog id={id} name={name} onClose={close} />}
    </section>
  );
}
