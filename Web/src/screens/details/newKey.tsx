// Another account answers by a friend's name: which it is, and what the user says about it.
import { useState } from "react";
import type { Contact } from "../../contract/types";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/dialog";
import { calledOr, shortId } from "../../parts/person";
import { Note } from "../../parts/small";
import { nameOf, takeContacts } from "../../store/contacts";
import { go } from "../../store/router";
import { fullTime } from "../../text/format";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { seenNow } from "../../wire/events";
import { call } from "../../wire/rpc";

export function NewKey({ contact }: { contact: Contact }) {
  const [dialog, setDialog] = useState<"trust" | "block" | null>(null);
  const name = isolatedName(calledOr(nameOf(contact)));
  const other = contact.changedTo;
  const close = () => setDialog(null);
  const trust = async () => {
    const asked = seenNow();
    const friend = await call("contact.trustNewKey", { id: contact.id });
    takeContacts([friend], asked);
    go(`friends/${friend.id}`, true);
  };
  const block = async () => {
    if (other === undefined) return;
    const asked = seenNow();
    takeContacts([await call("contact.block", { id: other })], asked);
  };
  return (
    <section className="section" aria-labelledby="details-key">
      <h2 id="details-key">{t("key.title")}</h2>
      <Note look="danger">
        <p>{t("key.more", { name })}</p>
        {other !== undefined && <p><code dir="ltr">{shortId(other)}…</code></p>}
        {contact.changedAt !== undefined && <p>{t("key.since", { time: fullTime(contact.changedAt) })}</p>}
      </Note>
      <div className="row wrapping">
        <Button onClick={() => setDialog("trust")}>{t("key.same")}</Button>
        {other !== undefined && <Button look="danger" icon="block" onClick={() => setDialog("block")}>{t("key.other")}</Button>}
      </div>
      {dialog === "trust" && <Confirm title={t("key.same.title", { name })} action={t("key.same")} onConfirm={trust} onClose={close}><p>{t("key.same.more")}</p></Confirm>}
      {dialog === "block" && <Confirm title={t("key.other.title")} action={t("details.block")} onConfirm={block} onClose={close}><p>{t("key.other.more", { name })}</p></Confirm>}
    </section>
  );
}
