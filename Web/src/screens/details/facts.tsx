// What is known about a contact, and what may be changed here.
import { useEffect, useState } from "react";
import type { FormEvent, ReactNode } from "react";
import type { AutoDownload } from "../../contract/codes";
import type { Params } from "../../contract/methods";
import type { Contact } from "../../contract/types";
import { Button } from "../../parts/button";
import { Field } from "../../parts/field";
import { CopyButton } from "../../parts/ownLink";
import { Select } from "../../parts/select";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { takeContacts } from "../../store/contacts";
import { go } from "../../store/router";
import { mailLink, phoneLink } from "../../text/addresses";
import { visibleLine, visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { seenNow } from "../../wire/events";
import { call } from "../../wire/rpc";

const choices: readonly AutoDownload[] = ["default", "always", "never"];
/** Longest name that the user gives a contact, in characters; the contract has the same limit. */
const LONGEST = 128;

async function update(change: Params<"contact.update">): Promise<void> {
  const asked = seenNow();
  takeContacts([await call("contact.update", change)], asked);
}

export function Alias({ contact }: { contact: Contact }) {
  const [alias, setAlias] = useState(contact.alias);
  const task = useTask();
  useEffect(() => setAlias(contact.alias), [contact.alias]);
  const save = (event: FormEvent) => {
    event.preventDefault();
    void task.run(() => update({ id: contact.id, alias: alias.trim() }));
  };
  return (
    <form className="column" onSubmit={save} noValidate>
      <Field
        label={t("details.alias")} hint={t("details.alias.hint")} error={task.error ?? undefined} value={alias} placeholder={visibleName(contact.displayName)}
        maxLength={LONGEST} onChange={(event) => setAlias(event.target.value)}
      />
      {alias.trim() !== contact.alias && (
        <div className="row">
          <Button look="primary" type="submit" busy={task.busy}>{t("common.save")}</Button>
          <Button onClick={() => setAlias(contact.alias)}>{t("common.cancel")}</Button>
        </div>
      )}
    </form>
  );
}

function Downloads({ contact }: { contact: Contact }) {
  const task = useTask();
  return (
    <>
      <Select
        label={t("details.downloads")} hint={t("details.downloads.hint")} value={contact.autoDownload} disabled={task.busy}
        options={choices.map((value) => ({ value, label: t(`details.downloads.${value}`) }))}
        onChange={(autoDownload) => void task.run(() => update({ id: contact.id, autoDownload }))}
      />
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return <div className="fact"><dt>{name}</dt><dd>{children}</dd></div>;
}

export function Facts({ contact }: { contact: Contact }) {
  const { email, phone, entry } = contact;
  // The daemon lets no other through.
  const [mail, ring] = [email === null ? null : mailLink(email), phone === null ? null : phoneLink(phone)];
  return (
    <>
      {(email !== null || phone !== null || entry !== null) && (
        <section className="section" aria-labelledby="details-about">
          <h2 id="details-about">{t("details.about")}</h2>
          <dl className="facts">
            {email !== null && mail !== null && <Fact name={t("profile.email")}><a className="wrap" href={mail}>{visibleLine(email)}</a></Fact>}
            {phone !== null && ring !== null && <Fact name={t("profile.phone")}><a dir="ltr" href={ring}>{visibleLine(phone)}</a></Fact>}
            {entry !== null && <Fact name={t("details.entry")}><bdi>{visibleName(entry.name)}</bdi></Fact>}
          </dl>
        </section>
      )}
      {contact.relation === "friend" && (
        <section className="section" aria-labelledby="details-here">
          <h2 id="details-here">{t("details.here")}</h2>
          <Alias contact={contact} />
          <Downloads contact={contact} />
        </section>
      )}
    </>
  );
}

/** How sure it is who this is, and the id of the account. */
export function KeyFacts({ contact: { id, relation, trust } }: { contact: Contact }) {
  return (
    <section className="section" aria-labelledby="details-ids">
      <h2 id="details-ids">{t("details.key")}</h2>
      <dl className="facts">
        <Fact name={t("details.trust")}>{t(`trust.${trust}`)}</Fact>
        <Fact name={t("details.id")}><code className="wrap" dir="ltr">{id}</code></Fact>
      </dl>
      <div className="row wrapping">
        {relation === "friend" && trust !== "changed" && <Button icon="shield" onClick={() => go(`friends/${id}/verify`)}>{t("verify.title")}</Button>}
        <CopyButton text={id} label={t("details.id.copy")} />
      </div>
    </section>
  );
}
