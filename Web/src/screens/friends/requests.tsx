// Requests: those that wait for an answer here, and our own with what became of them.
import { useEffect, useMemo, useState } from "react";
import { useWhole } from "../../base/store";
import type { Contact } from "../../contract/types";
import { AskDialog } from "../../parts/askDialog";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/dialog";
import { MenuButton } from "../../parts/menu";
import { Pane } from "../../parts/pane";
import { Person, calledOr, shortId } from "../../parts/person";
import { Empty, Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import type { Task } from "../../parts/task";
import { contacts, nameOf, sorted, takeContacts } from "../../store/contacts";
import { notify } from "../../store/notices";
import { go } from "../../store/router";
import { reasonText } from "../../text/errors";
import { isolatedName, visible } from "../../text/safe";
import { t } from "../../text/t";
import { seenNow } from "../../wire/events";
import { call } from "../../wire/rpc";

type Answer = "contact.accept" | "contact.decline" | "contact.block" | "contact.unblock";

const answer = (task: Task, method: Answer, id: string, done?: () => void) => void task.run(async () => {
  const asked = seenNow();
  takeContacts([await call(method, { id })], asked);
  done?.();
});

/** Blocks at once, since a person can be unblocked. */
const block = (task: Task, id: string, name: string) => answer(task, "contact.block", id, () => notify(t("requests.blocked", { name }), {
  label: t("blocked.unblock"), run: () => answer(task, "contact.unblock", id),
}));

/** Requests of ours that were refused are no relation any more: they are read by themselves. */
function useRefused(): void {
  useEffect(() => {
    const asked = seenNow();
    call("contact.list", { relation: "none" }).then(
      (found) => takeContacts(found.contacts.filter(({ reason }) => reason !== undefined), asked), () => undefined);
  }, []);
}

/** Refuses many requests at once. An event reports each contact. */
const declineAll = async (like?: string): Promise<void> => {
  const { declined } = await call("contact.declineAll", like === undefined ? {} : { like });
  notify(t("requests.declinedAll", { count: declined }));
};

/** `same`: how many requests came from where this one came from. */
function Incoming({ contact, same }: { contact: Contact; same: number }) {
  const task = useTask();
  const [isAsking, setAsking] = useState(false);
  const name = isolatedName(calledOr(nameOf(contact)));
  return (
    <li className="card">
      <div className="person">
        <div className="person-link">
          <Person
            id={contact.id} name={nameOf(contact)} picture={contact.picture}
            line={contact.entry === null ? shortId(contact.id) : t("nearby.entry", { name: isolatedName(contact.entry.name) })}
          />
        </div>
        <MenuButton
          label={t("requests.more", { name })}
          entries={[
            { label: t("details.title"), icon: "details", run: () => go(`friends/${contact.id}`) },
            ...(same > 1 ? [{ label: t("requests.declineLike", { count: same }), run: () => setAsking(true) }] : []),
            { label: t("details.block"), icon: "block", danger: true, run: () => block(task, contact.id, name) },
          ]}
        />
      </div>
      {contact.knowsUs && <p className="small quiet">{t("requests.knowsUs")}</p>}
      {contact.note !== "" && <blockquote className="noted wrap" dir="auto">{visible(contact.note)}</blockquote>}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      <div className="row">
        <Button look="primary" icon="check" busy={task.busy} aria-label={t("requests.accept.name", { name })} onClick={() => answer(task, "contact.accept", contact.id)}>
          {t("requests.accept")}
        </Button>
        <Button busy={task.busy} aria-label={t("requests.decline.name", { name })} onClick={() => answer(task, "contact.decline", contact.id, () => notify(t("requests.declined", { name })))}>
          {t("requests.decline")}
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title={t("requests.declineLike.title", { count: same })} action={t("requests.decline")}
          onConfirm={() => declineAll(contact.id)} onClose={() => setAsking(false)}
        >
          <p>{t("requests.declineLike.more", { source: visible(contact.requestSource ?? "") })}</p>
        </Confirm>
      )}
    </li>
  );
}

function Own({ contact }: { contact: Contact }) {
  const task = useTask();
  const [isAsking, setAsking] = useState(false);
  const name = isolatedName(calledOr(nameOf(contact)));
  const isRefused = contact.relation === "none";
  return (
    <li className="card">
      <div className="person">
        <div className="person-link">
          <Person id={contact.id} name={nameOf(contact)} picture={contact.picture} pale={!isRefused} line={isRefused ? t("requests.refused") : t("requests.waits")} />
        </div>
        {isRefused && <Button icon="retry" onClick={() => setAsking(true)}>{t("requests.again")}</Button>}
        <Button
          look="quiet" busy={task.busy} aria-label={t(isRefused ? "requests.putAway.name" : "requests.withdraw.name", { name })}
          onClick={() => answer(task, "contact.decline", contact.id)}
        >
          {t(isRefused ? "requests.putAway" : "requests.withdraw")}
        </Button>
      </div>
      {contact.reason !== undefined && <Note look="warn">{reasonText(contact.reason, contact.detail)}</Note>}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      {isAsking && <AskDialog whom={{ id: contact.id }} id={contact.id} name={nameOf(contact)} onClose={() => setAsking(false)} />}
    </li>
  );
}

export default function Requests() {
  const table = useWhole(contacts);
  const [isAsking, setAsking] = useState(false);
  useRefused();
  const incoming = useMemo(() => sorted(table, ({ relation }) => relation === "incoming"), [table]);
  const sources = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { requestSource: source } of incoming) if (source !== undefined) counts.set(source, (counts.get(source) ?? 0) + 1);
    return counts;
  }, [incoming]);
  const own = useMemo(
    () => sorted(table, ({ relation, reason }) => relation === "requested" || (relation === "none" && reason !== undefined)), [table]);
  return (
    <Pane title={t("friends.requests")} backTo="friends">
      <div className="page column">
        {incoming.length === 0 && own.length === 0 && (
          <Empty icon="mail" title={t("requests.none")}>
            <p>{t("requests.none.more")}</p>
            <Button icon="nearby" onClick={() => go("friends/nearby")}>{t("friends.nearby")}</Button>
          </Empty>
        )}
        {incoming.length > 0 && (
          <section className="section" aria-labelledby="requests-in">
            <h2 id="requests-in">{t("requests.incoming")}</h2>
            {incoming.length > 1 && (
              <div className="row">
                <Button look="quiet" onClick={() => setAsking(true)}>{t("requests.declineAll")}</Button>
              </div>
            )}
            <ul className="column">
              {incoming.map((contact) => (
                <Incoming key={contact.id} contact={contact} same={contact.requestSource === undefined ? 1 : sources.get(contact.requestSource) ?? 1} />
              ))}
            </ul>
            {isAsking && (
              <Confirm
                title={t("requests.declineAll.title", { count: incoming.length })} action={t("requests.decline")}
                onConfirm={() => declineAll()} onClose={() => setAsking(false)}
              >
                <p>{t("requests.declineAll.more")}</p>
              </Confirm>
            )}
          </section>
        )}
        {own.length > 0 && (
          <section className="section" aria-labelledby="requests-own">
            <h2 id="requests-own">{t("requests.own")}</h2>
            <ul className="column">{own.map((contact) => <Own key={contact.id} contact={contact} />)}</ul>
          </section>
        )}
      </div>
    </Pane>
  );
}
