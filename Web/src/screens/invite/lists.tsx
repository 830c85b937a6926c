// The people who can be invited, in lists that fold.
import type { AddressBookEntry, Contact } from "../../contract/types";
import { Name } from "../../parts/small";
import { nameOf, namesakeOf } from "../../store/contacts";
import { shortTime } from "../../text/format";
import { isolatedName, visibleLine } from "../../text/safe";
import { t } from "../../text/t";

export type Way = "email" | "sms";

/** Where an invitation to this entry would go; null if there is no such address. */
export function addressOf(entry: AddressBookEntry, via: Way): string | null {
  if (via === "email") return entry.emails[0] ?? null;
  return entry.phones.find(({ e164 }) => e164 !== null)?.e164 ?? null;
}

export interface Lists {
  fresh: readonly AddressBookEntry[];
  invited: readonly AddressBookEntry[];
  without: readonly AddressBookEntry[];
}

export const listsOf = (entries: readonly AddressBookEntry[], via: Way): Lists => ({
  fresh: entries.filter((entry) => addressOf(entry, via) !== null && entry.invitedAt === null),
  invited: entries.filter((entry) => addressOf(entry, via) !== null && entry.invitedAt !== null),
  without: entries.filter((entry) => addressOf(entry, via) === null),
});

const called = (entry: AddressBookEntry): string => (entry.name === "" ? t("people.noName") : entry.name);

/** A list with a box for each person and one for all of them, but for those who have the name of a friend: these may be here already. */
export function Choice({ title, entries, via, friends, chosen, onChoose, isOpen }: {
  title: string; entries: readonly AddressBookEntry[]; via: Way; friends: ReadonlyMap<string, Contact>; chosen: ReadonlySet<string>; isOpen: boolean;
  onChoose: (ids: readonly string[], is: boolean) => void;
}) {
  const strangers = entries.filter((entry) => namesakeOf(entry, friends) === undefined);
  const all = strangers.length > 0 && strangers.every(({ id }) => chosen.has(id));
  return (
    <details className="fold" open={isOpen}>
      <summary>{title}</summary>
      <label className="check fold-all">
        <input type="checkbox" checked={all} disabled={strangers.length === 0} aria-label={`${title}: ${t("invite.all")}`} onChange={(event) => onChoose((event.target.checked ? strangers : entries).map(({ id }) => id), event.target.checked)} />
        <span className="grow">{t("invite.all")}</span>
      </label>
      <ul className="fold-rows" aria-label={title}>
        {entries.map((entry) => {
          const namesake = namesakeOf(entry, friends);
          return (
            <li key={entry.id}>
              <label className="check">
                <input type="checkbox" checked={chosen.has(entry.id)} onChange={(event) => onChoose([entry.id], event.target.checked)} />
                <span className="grow wrap">
                  <Name>{called(entry)}</Name>
                  <span className="small quiet block"><bdi>{visibleLine(addressOf(entry, via) ?? "")}</bdi>{entry.invitedAt !== null && ` · ${t("book.invited", { time: shortTime(entry.invitedAt) })}`}</span>
                  {namesake !== undefined && <span className="small quiet block">{t("book.sameName", { name: isolatedName(nameOf(namesake)) })}</span>}
                </span>
              </label>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

/** The people who have no address of this kind. */
export const Without = ({ title, entries }: { title: string; entries: readonly AddressBookEntry[] }) => (
  <details className="fold">
    <summary>{title}</summary>
    <ul className="fold-rows" aria-label={title}>{entries.map((entry) => <li key={entry.id}><Name>{called(entry)}</Name></li>)}</ul>
  </details>
);
