// Strangers who are on the network now, each with what can be done.
import { useEffect, useMemo, useState } from "react";
import { useWhole } from "../base/store";
import { contacts, takeContacts } from "../store/contacts";
import { nearby } from "../store/nearby";
import type { Nearby } from "../store/nearby";
import { openChat } from "../store/openChat";
import { peers } from "../store/peers";
import { go, hrefTo } from "../store/router";
import { isolatedName, visible } from "../text/safe";
import { t } from "../text/t";
import { seenNow } from "../wire/events";
import { link } from "../wire/link";
import { call } from "../wire/rpc";
import { AskDialog } from "./askDialog";
import { Button } from "./button";
import { Person, calledOr, shortId } from "./person";
import { followed } from "./rows";
import { Note } from "./small";
import { useTask } from "./task";

/** Everyone who is here, sorted, strangers first. */
export function useNearby(): { strangers: Nearby[]; friends: Nearby[] } {
  const here = useWhole(peers);
  const known = useWhole(contacts);
  return useMemo(() => {
    const all = nearby(here, known);
    return {
      strangers: all.filter(({ relation }) => relation !== "friend" && relation !== "blocked"),
      friends: all.filter(({ relation }) => relation === "friend"),
    };
  }, [here, known]);
}

/** Strangers that are shown at first, and how many more each time. */
const PAGE = 100;

function line(person: Nearby): string {
  if (person.relation === "friend") return t("relation.friend");
  if (person.relation === "incoming") return t("people.asks");
  if (person.relation === "requested") return t("people.requested");
  if (person.entry !== null) return t("nearby.entry", { name: isolatedName(person.entry) });
  return shortId(person.id);
}

/** People with a button each: ask, accept, see what has been asked already, or write. */
export function NearbyList({ people, label }: { people: readonly Nearby[]; label: string }) {
  const [asked, setAsked] = useState<Nearby | null>(null);
  const [most, setMost] = useState(PAGE);
  const task = useTask();
  const answer = (method: "contact.accept" | "contact.decline", id: string) => () => void task.run(async () => {
    const before = seenNow();
    takeContacts([await call(method, { id })], before);
  });
  return (
    <>
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      <ul className="people" aria-label={label}>
        {people.slice(0, most).map((person) => (
          <li key={person.id} className="person">
            <a className="person-link" href={hrefTo(`friends/${person.id}`)} onClick={(event) => followed(event, `friends/${person.id}`)}>
              <Person id={person.id} name={person.name} picture={person.contact?.picture} line={line(person)} />
            </a>
            {person.relation === "none" && (
              <Button icon="add" aria-label={t("nearby.add.name", { name: isolatedName(calledOr(person.name)) })} onClick={() => setAsked(person)}>{t("nearby.add")}</Button>
            )}
            {person.relation === "incoming" && person.contact !== undefined && person.contact.note !== "" && (
              <blockquote className="noted wrap" dir="auto">{visible(person.contact.note)}</blockquote>
            )}
            {person.relation === "incoming" && (
              <div className="row">
                <Button
                  look="primary" icon="check" busy={task.busy} aria-label={t("requests.accept.name", { name: isolatedName(calledOr(person.name)) })}
                  onClick={answer("contact.accept", person.id)}
                >
                  {t("requests.accept")}
                </Button>
                <Button busy={task.busy} aria-label={t("requests.decline.name", { name: isolatedName(calledOr(person.name)) })} onClick={answer("contact.decline", person.id)}>
                  {t("requests.decline")}
                </Button>
              </div>
            )}
            {person.relation === "friend" && (
              <Button icon="chat" aria-label={t("nearby.write.name", { name: isolatedName(calledOr(person.name)) })} busy={task.busy} onClick={() => void task.run(() => openChat(person.id))}>
                {t("details.write")}
              </Button>
            )}
            {person.relation === "requested" && <Button look="quiet" onClick={() => go("friends/requests")}>{t("nearby.asked")}</Button>}
          </li>
        ))}
      </ul>
      {people.length > most && <div className="row center"><Button onClick={() => setMost(most + PAGE)}>{t("common.showMore")}</Button></div>}
      {asked !== null && <AskDialog whom={{ id: asked.id }} id={asked.id} name={asked.name} onClose={() => setAsked(null)} />}
    </>
  );
}

/** How long nobody is found before it is said what may be the matter, in ms: by then two announcements have gone out. */
const ALONE = 10_000;

/** Shown while we look for others; if nobody is there for a while, with what may be the matter. */
export function Looking() {
  const isOpen = useWhole(link) === "open";
  const isEmpty = useWhole(peers).size === 0;
  const [isAlone, setAlone] = useState(false);
  useEffect(() => {
    if (!isEmpty || !isOpen) return;
    const timer = setTimeout(() => setAlone(true), ALONE);
    return () => {
      clearTimeout(timer);
      setAlone(false);
    };
  }, [isEmpty, isOpen]);
  if (!isOpen) return null;
  return (
    <>
      <div className="looking" role="status">
        <span className="looking-waves" aria-hidden="true"><span /><span /><span /></span>
        <span>{t(isAlone ? "nearby.alone" : "nearby.looking")}</span>
      </div>
      {isAlone && (
        <Note>
          <p>{t("nearby.alone.more")}</p>
          <div className="row"><Button icon="doctor" onClick={() => go("doctor")}>{t("nearby.alone.doctor")}</Button></div>
        </Note>
      )}
    </>
  );
}
