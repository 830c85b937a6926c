import { useEffect, useRef } from "react";
import type { Found } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { refused } from "../../parts/notice";
import { Pane } from "../../parts/pane";
import { Rows } from "../../parts/rows";
import { Empty, Name, SearchField, Spinner } from "../../parts/small";
import { contacts } from "../../store/contacts";
import { conversations } from "../../store/conversations";
import { groups } from "../../store/groups";
import { personName, titleOf } from "../../store/people";
import { ask, askMore, search } from "../../store/search";
import { useStore, useWhole } from "../../store/store";
import { listed, shortTime } from "../../text/format";
import { previewIcon } from "../../text/preview";
import { visibleParts, visibleName } from "../../text/safe";
import { t } from "../../text/t";
import type { PaneProps } from "../registry";

/** The part of a text in which something was found, with what was found marked. Marks count Unicode scalars. */
function Snippet({ found }: { found: Found }) {
  const letters = [...found.snippet];
  const parts: { text: string; marked: boolean }[] = [];
  let at = 0;
  for (const { start, length } of found.marks) {
    if (start > at) parts.push({ text: letters.slice(at, start).join(""), marked: false });
    parts.push({ text: letters.slice(start, start + length).join(""), marked: true });
    at = start + length;
  }
  parts.push({ text: letters.slice(at).join(""), marked: false });
  const shown = visibleParts(parts.map(({ text }) => text));
  return <bdi>{parts.map(({ marked }, index) => marked ? <mark key={index}>{shown[index]}</mark> : <span key={index}>{shown[index]}</span>)}</bdi>;
}

function Result({ found }: { found: Found }) {
  const { message } = found;
  const chat = useStore(conversations, ({ table }) => table.get(message.conversation));
  const group = useStore(groups, (table) => table.get(chat?.group));
  const known = useStore(contacts, (table) => table);
  const name = personName(message.sender, known, group);
  const icon = message.text === "" ? null : previewIcon(message);
  return (
    <>
      <Avatar id={chat?.contact ?? chat?.group ?? message.sender} name={chat === undefined ? name : titleOf(chat)} group={chat?.kind === "group"} notes={chat?.kind === "notes"} picture={known.get(chat?.contact)?.picture ?? group?.picture} />
      <span className="row-body">
        <span className="row-line">
          <span className="row-title cut"><Name>{chat === undefined ? name : titleOf(chat)}</Name></span>
          <time className="row-time numbers" dateTime={new Date(message.sentAt).toISOString()}>{shortTime(message.sentAt)}</time>
        </span>
        <span className="row-sub search-snippet"><span className="chat-sender"><Name>{name}</Name>: </span><Snippet found={found} /></span>
        {icon !== null && <span className="row-sub cut"><Icon name={icon} size={14} /> <bdi>{listed(message.attachments.map((one) => visibleName(one.name)))}</bdi></span>}
      </span>
    </>
  );
}

/** Messages with all words of a question, in all chats or in the one that is open. */
export default function SearchPane({ at }: PaneProps) {
  const { query, conversation, found, next, state } = useWhole(search);
  const open = at["id"];
  const chat = useStore(conversations, ({ table }) => table.get(conversation ?? open));
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const field = top.current?.querySelector("input");
    field?.focus();
    field?.select();
  }, []);
  return (
    <Pane
      title={t("search.title")} backTo={open === undefined ? "chats" : `chats/${open}`} backAlways
      top={(
        <div ref={top}>
          <SearchField value={query} onChange={(value) => ask({ query: value }, refused)} label="search.field" />
          {chat !== undefined && (
            <div className="tabs" role="group" aria-label={t("search.where")}>
              <button type="button" className="tab" aria-pressed={conversation === null} onClick={() => ask({ conversation: null }, refused)}>{t("search.all")}</button>
              <button type="button" className="tab cut" aria-pressed={conversation !== null} onClick={() => ask({ conversation: chat.id }, refused)}><Name>{titleOf(chat)}</Name></button>
            </div>
          )}
        </div>
      )}
    >
      <div role="status" className="hidden-words">{state === "done" ? t("search.count", { count: found.length }) : ""}</div>
      {state === "none"
        ? <Empty icon="search" title={t("search.empty")}><p>{t("search.empty.more")}</p></Empty>
        : found.length === 0
          ? state === "busy" ? <Spinner /> : <Empty icon="search" title={t("search.nothing")} />
          : (
            <>
              <Rows
                label={t("search.results")} items={found} idOf={({ message }) => message.id} current={at["message"]}
                hrefOf={({ message }) => `search/${message.conversation}/${message.id}`}
              >
                {(one) => <Result found={one} />}
              </Rows>
              {next !== null && <div className="page"><Button wide busy={state === "busy"} onClick={() => void askMore().catch(refused)}>{t("common.showMore")}</Button></div>}
            </>
          )}
    </Pane>
  );
}
