// All friends by name, with those who were asked in grey among them.
import { useMemo, useState } from "react";
import { useWhole } from "../../base/store";
import type { Contact } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { MenuButton } from "../../parts/menu";
import { Pane } from "../../parts/pane";
import { ContactPerson } from "../../parts/person";
import { Rows, followed } from "../../parts/rows";
import { Badge, Empty, SearchField } from "../../parts/small";
import { contacts, sorted } from "../../store/contacts";
import { go, hrefTo, usePlace } from "../../store/router";
import type { PaneProps } from "../../store/router";
import { useRequestCount } from "../../store/totals";
import { plain } from "../../text/plain";
import { t } from "../../text/t";
import type { Key } from "../../text/t";

const digits = (text: string): string => text.replace(/\D/g, "");

/** The searchable text of a contact. It is made once, because there may be ten thousand contacts. */
const searched = new WeakMap<Contact, { words: string; number: string }>();

function searchedOf(contact: Contact): { words: string; number: string } {
  const known = searched.get(contact);
  if (known !== undefined) return known;
  const words = [contact.displayName, contact.alias, contact.email ?? "", contact.id].map(plain).join("\n");
  const made = { words, number: digits(contact.phone ?? "") };
  searched.set(contact, made);
  return made;
}

/** The contacts that contain a query. If it is a number, only the digits count. */
function fitting(all: readonly Contact[], query: string): readonly Contact[] {
  const wanted = plain(query.trim());
  if (wanted === "") return all;
  const number = digits(query);
  return all.filter((contact) => {
    const { words, number: own } = searchedOf(contact);
    return words.includes(wanted) || (number.length > 2 && own.includes(number));
  });
}

const pages: ReadonlyArray<{ path: string; label: Key }> = [
  { path: "friends/nearby", label: "friends.nearby" },
  { path: "friends/requests", label: "friends.requests" },
  { path: "friends/book", label: "book.title" },
];

export default function Friends({ at }: PaneProps) {
  const table = useWhole(contacts);
  const place = usePlace();
  const [query, setQuery] = useState("");
  const all = useMemo(() => sorted(table, ({ relation }) => relation === "friend" || relation === "requested"), [table]);
  const shown = useMemo(() => fitting(all, query), [all, query]);
  const waiting = useRequestCount();
  const friends = all.filter(({ relation }) => relation === "friend");
  const online = friends.filter(({ presence }) => presence === "online").length;

  return (
    <Pane
      title={t("nav.friends")}
      actions={<>
        <IconButton icon="add" label={t("friends.add")} onClick={() => go("friends/nearby")} />
        <MenuButton
          label={t("friends.more")}
          entries={[
            { label: t("friends.nearby"), icon: "nearby", run: () => go("friends/nearby") },
            { label: t("friends.byAddress"), icon: "open", run: () => go("friends/address") },
            { label: t("book.title"), icon: "group", run: () => go("friends/book") },
            { label: t("invite.title"), icon: "mail", run: () => go("friends/invite") },
            { label: t("friends.link"), icon: "copy", run: () => go("friends/address") },
            "line",
            { label: t("friends.blocked"), icon: "block", run: () => go("friends/blocked") },
          ]}
        />
      </>}
      top={<>
        <SearchField value={query} onChange={setQuery} label="friends.search" />
        <nav className="tabs" aria-label={t("friends.pages")}>
          {pages.map(({ path, label }) => (
            <a key={path} className="tab" href={hrefTo(path)} aria-current={place === path ? "page" : undefined} onClick={(event) => followed(event, path)}>
              {t(label)}
              {path === "friends/requests" && <Badge count={waiting} label={t("nav.requests", { count: waiting })} />}
            </a>
          ))}
        </nav>
      </>}
    >
      {all.length === 0
        ? (
          <Empty icon="friends" title={t("friends.none")}>
            <p>{t("friends.none.more")}</p>
            <Button look="primary" icon="nearby" onClick={() => go("friends/nearby")}>{t("friends.look")}</Button>
            <Button icon="mail" onClick={() => go("friends/invite")}>{t("invite.title")}</Button>
          </Empty>
        )
        : shown.length === 0
          ? <Empty icon="search" title={t("friends.notFound")} />
          : (
            <>
              {/* It stands above the first friend, too: a row that moved down under a pressed button would lose the click. */}
              {query === "" && <p className="rows-head">{t("friends.count", { count: friends.length, online })}</p>}
              <Rows label={t("nav.friends")} items={shown} idOf={(contact) => contact.id} hrefOf={(contact) => `friends/${contact.id}`} current={at["id"]}>
                {(contact) => <ContactPerson contact={contact} />}
              </Rows>
            </>
          )}
    </Pane>
  );
}

