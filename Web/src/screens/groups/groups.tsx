// All groups, also those that this account has left or was removed from.
import { useMemo, useState } from "react";
import { useWhole } from "../../base/store";
import type { Contact, Group } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button, IconButton } from "../../parts/button";
import { Pane } from "../../parts/pane";
import { Rows } from "../../parts/rows";
import { Empty, Name, SearchField } from "../../parts/small";
import { contacts } from "../../store/contacts";
import { groups, onlineIn, sortedGroups } from "../../store/groups";
import { peers } from "../../store/peers";
import type { Near } from "../../store/peers";
import { go } from "../../store/router";
import type { Table } from "../../store/table";
import type { PaneProps } from "../../store/router";
import { finder } from "../../text/plain";
import { t } from "../../text/t";

const lineOf = (group: Group, known: Table<Contact>, near: Near): string =>
  group.state === "member" ? t("chat.online", { online: onlineIn(group, known, near), count: group.members.length }) : t(`group.is.${group.state}`);

function List({ label, list, current }: { label: string; list: readonly Group[]; current: string | undefined }) {
  const known = useWhole(contacts);
  const near = useWhole(peers);
  if (list.length === 0) return null;
  return (
    <>
      <h2 className="rows-head">{label}</h2>
      <Rows label={label} items={list} idOf={({ id }) => id} hrefOf={({ id }) => `groups/${id}`} current={current}>
        {(group) => (
          <>
            <Avatar id={group.id} name={group.name} group picture={group.picture} />
            <span className={`row-body${group.state === "member" ? "" : " pale"}`}>
              <span className="row-title cut"><Name>{group.name}</Name></span>
              <span className="row-sub cut">{lineOf(group, known, near)}</span>
            </span>
          </>
        )}
      </Rows>
    </>
  );
}

export default function Groups({ at }: PaneProps) {
  const table = useWhole(groups);
  const [query, setQuery] = useState("");
  const { current, former } = useMemo(() => sortedGroups(table), [table]);
  const found = finder(query);
  const fits = ({ name, description }: Group) => found(`${name} ${description}`);
  const shown = { current: current.filter(fits), former: former.filter(fits) };
  return (
    <Pane
      title={t("groups.title")} backTo="chats" backAlways
      actions={<IconButton icon="add" label={t("groups.new")} onClick={() => go("chats/group")} />}
      top={table.size > 0 && <SearchField value={query} onChange={setQuery} label="groups.search" />}
    >
      {table.size === 0 && (
        <Empty icon="group" title={t("groups.none")}>
          <p>{t("groups.none.more")}</p>
          <Button look="primary" icon="add" onClick={() => go("chats/group")}>{t("groups.new")}</Button>
        </Empty>
      )}
      {table.size > 0 && shown.current.length + shown.former.length === 0 && <Empty icon="search" title={t("groups.notFound")} />}
      <List label={t("groups.current")} list={shown.current} current={at["id"]} />
      <List label={t("groups.former")} list={shown.former} current={at["id"]} />
    </Pane>
  );
}
