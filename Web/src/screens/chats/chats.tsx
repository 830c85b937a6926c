import { useCallback, useEffect, useMemo, useState } from "react";
import type { Conversation } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Menu } from "../../parts/menu";
import { refused } from "../../parts/notice";
import { Pane } from "../../parts/pane";
import { Rows } from "../../parts/rows";
import { Empty, SearchField, Spinner } from "../../parts/small";
import { conversations, loadConversations, ordered } from "../../store/conversations";
import { titleOf } from "../../store/people";
import { useWhole } from "../../store/store";
import { finder } from "../../text/plain";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import type { PaneProps } from "../registry";
import { go, usePlace } from "../router";
import { searchAll } from "../search/here";
import { DeleteChat, chatEntries } from "./actions";
import { ChatRow } from "./row";

/** The list of conversations; at chats/archived those that were put away. */
export default function Chats({ at }: PaneProps) {
  const archived = usePlace() === "chats/archived";
  const { table, next, archived: nextArchived } = useWhole(conversations);
  const [query, setQuery] = useState("");
  const [menu, setMenu] = useState<{ item: Conversation; at: { x: number; y: number } } | null>(null);
  const [deleting, setDeleting] = useState<Conversation | null>(null);
  const cursor = archived ? nextArchived : next;

  useEffect(() => {
    if (archived && nextArchived === undefined) loadConversations(true).catch(refused);
  }, [archived, nextArchived]);

  const shown = useMemo(() => {
    const fits = finder(query);
    return ordered(table, archived).filter((chat) => fits(titleOf(chat)));
  }, [table, archived, query]);
  const closeMenu = useCallback(() => setMenu(null), []);

  return (
    <Pane
      title={archived ? t("chats.archived") : t("nav.chats")}
      {...(archived ? { backTo: "chats", backAlways: true } : {})}
      actions={!archived && <>
        <IconButton icon="search" label={t("search.title")} onClick={() => searchAll()} />
        <IconButton icon="group" label={t("groups.title")} onClick={() => go("groups")} />
        <IconButton icon="archive" label={t("chats.archived")} onClick={() => go("chats/archived")} />
        <IconButton icon="edit" label={t("newChat.title")} onClick={() => go("chats/new")} />
      </>}
      top={<SearchField value={query} onChange={setQuery} label="chats.search" />}
    >
      {cursor === undefined && shown.length === 0 ? <Spinner /> : shown.length === 0
        ? query !== ""
          ? (
            <Empty icon="search" title={t("chats.notFound")}>
              <Button icon="search" onClick={() => searchAll(query)}>{t("chats.searchMessages")}</Button>
            </Empty>
          )
          : (
            <Empty icon="chat" title={t(archived ? "chats.noneArchived" : "chats.none")}>
              {!archived && <p>{t("chats.none.more")}</p>}
              {!archived && <Button look="primary" icon="edit" onClick={() => go("chats/new")}>{t("newChat.title")}</Button>}
            </Empty>
          )
        : (
          <Rows
            label={t(archived ? "chats.archived" : "nav.chats")} items={shown} idOf={({ id }) => id} hrefOf={({ id }) => `chats/${id}`}
            current={at["id"]} onMenu={(item, point) => setMenu({ item, at: point })}
          >
            {(item) => <ChatRow item={item} />}
          </Rows>
        )}
      {typeof cursor === "string" && query === "" && (
        <div className="page"><Button wide onClick={() => void loadConversations(archived, true).catch(refused)}>{t("chats.more")}</Button></div>
      )}
      {menu !== null && <Menu label={isolatedName(titleOf(menu.item))} entries={chatEntries(menu.item, setDeleting)} at={menu.at} onClose={closeMenu} />}
      {deleting !== null && <DeleteChat item={deleting} onClose={() => setDeleting(null)} />}
    </Pane>
  );
}
