import { useCallback, useEffect, useMemo, useState } from "react";
import { useWhole } from "../../base/store";
import type { Conversation } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Edge } from "../../parts/edge";
import { later } from "../../parts/later";
import { Menu, MenuButton } from "../../parts/menu";
import { Pane } from "../../parts/pane";
import { Rows } from "../../parts/rows";
import { Empty, SearchField, Spinner } from "../../parts/small";
import { conversations, findConversations, loadConversations, ordered } from "../../store/conversations";
import { refused } from "../../store/notices";
import { titleOf } from "../../store/people";
import { go, usePlace } from "../../store/router";
import type { PaneProps } from "../../store/router";
import { ask } from "../../store/search";
import { finder } from "../../text/plain";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { DeleteChat, chatEntries } from "./actions";
import { ChatRow } from "./row";

const Results = later(() => import("../sides/search").then((side) => side.Results));

/** The list of conversations; at chats/archived those that were put away. */
export default function Chats({ at }: PaneProps) {
  const archived = usePlace() === "chats/archived";
  const { table, next, archived: nextArchived } = useWhole(conversations);
  const [query, setQuery] = useState("");
  const [onlyUnread, setOnlyUnread] = useState(false);
  const [menu, setMenu] = useState<{ item: Conversation; at: { x: number; y: number } } | null>(null);
  const [deleting, setDeleting] = useState<Conversation | null>(null);
  const open = at["id"];
  const cursor = archived ? nextArchived : next;

  useEffect(() => {
    if (archived && nextArchived === undefined) loadConversations(true).catch(refused);
  }, [archived, nextArchived]);

  const shown = useMemo(() => {
    const fits = finder(query);
    // The chat that is open stays, although it has been read.
    return ordered(table, archived).filter((chat) => fits(titleOf(chat)) && (!onlyUnread || chat.unread > 0 || chat.id === open));
  }, [table, archived, query, onlyUnread, open]);
  const search = (text: string) => {
    setQuery(text);
    if (!archived) ask({ query: text, conversation: null }, refused);
    // What was put away long ago may not have been read yet.
    else if (text.trim() !== "" && typeof nextArchived === "string") findConversations(text.trim()).catch(refused);
  };
  const isSearch = !archived && query.trim() !== "";
  const closeMenu = useCallback(() => setMenu(null), []);

  return (
    <Pane
      title={archived ? t("chats.archived") : t("nav.chats")}
      {...(archived ? { backTo: "chats", backAlways: true } : {})}
      actions={!archived && <>
        <IconButton icon="edit" label={t("newChat.title")} onClick={() => go("chats/new")} />
        <MenuButton
          label={t("chats.menu")}
          entries={[
            { label: t("groups.title"), icon: "group", run: () => go("groups") },
            { label: t("chats.archived"), icon: "archive", run: () => go("chats/archived") },
          ]}
        />
      </>}
      top={(
        <div className="row wrapping chats-top">
          <div className="grow"><SearchField value={query} onChange={search} label={archived ? "chats.search" : "search.field"} /></div>
          {!isSearch && <button type="button" className="tab" aria-pressed={onlyUnread} onClick={() => setOnlyUnread(!onlyUnread)}>{t("chats.unread")}</button>}
        </div>
      )}
    >
      {isSearch ? <Results /> : shown.length === 0 && cursor !== null ? <Spinner /> : shown.length === 0
        ? query !== "" ? <Empty icon="search" title={t("chats.notFound")} /> : onlyUnread ? <Empty icon="checks" title={t("chats.noneUnread")} /> : (
            <Empty icon="chat" title={t(archived ? "chats.noneArchived" : "chats.none")}>
              {!archived && <p>{t("chats.none.more")}</p>}
              {!archived && <Button look="primary" icon="edit" onClick={() => go("chats/new")}>{t("newChat.title")}</Button>}
            </Empty>
          )
        : (
          <Rows
            label={t(archived ? "chats.archived" : "nav.chats")} items={shown} idOf={({ id }) => id} hrefOf={({ id }) => `chats/${id}`}
            current={open} onMenu={(item, point) => setMenu({ item, at: point })}
          >
            {(item) => <ChatRow item={item} />}
          </Rows>
        )}
      {!isSearch && typeof cursor === "string" && <Edge key={cursor} onReach={() => void loadConversations(archived, true).catch(refused)} />}
      {menu !== null && <Menu label={isolatedName(titleOf(menu.item))} entries={chatEntries(menu.item, setDeleting)} at={menu.at} onClose={closeMenu} />}
      {deleting !== null && <DeleteChat item={deleting} onClose={() => setDeleting(null)} />}
    </Pane>
  );
}
