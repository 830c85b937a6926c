// The answers of a search, in sections.
import { useState } from "react";
import type { ReactNode } from "react";
import { useStore, useWhole } from "../../base/store";
import type { Found } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { previewIcon } from "../../parts/kindIcon";
import { Rows } from "../../parts/rows";
import { Empty, Name, Spinner } from "../../parts/small";
import { contacts } from "../../store/contacts";
import { conversations } from "../../store/conversations";
import { groups } from "../../store/groups";
import { refused } from "../../store/notices";
import { openChat } from "../../store/openChat";
import { personName, titleOf } from "../../store/people";
import { askMore, isFile, search } from "../../store/search";
import type { FoundChat } from "../../store/search";
import { listed, shortTime } from "../../text/format";
import { marksOf } from "../../text/formatted";
import { preview } from "../../text/preview";
import { visibleParts, visibleName } from "../../text/safe";
import { t } from "../../text/t";

/** The part of a text in which something was found, with what was found marked; what it says is bold or code by is left out. */
function Snippet({ found }: { found: Found }) {
  // What was found is counted in Unicode scalars, and what is left out in UTF-16 units.
  const left = new Set(marksOf(found.snippet).flatMap(([from, to]) => Array.from({ length: to - from }, (_, index) => from + index)));
  let unit = 0;
  const letters = [...found.snippet].map((letter) => {
    const shown = left.has(unit) ? "" : letter;
    unit += letter.length;
    return shown;
  });
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
        <span className="row-sub search-snippet">{message.kind === "system" ? <bdi>{preview(message)}</bdi> : <><span className="chat-sender"><Name>{name}</Name>: </span><Snippet found={found} /></>}</span>
        {icon !== null && <span className="row-sub found-files"><Icon name={icon} size={14} /><span className="cut"><bdi>{listed(message.attachments.map((one) => visibleName(one.name)))}</bdi></span></span>}
      </span>
    </>
  );
}

function ChatResult({ chat }: { chat: FoundChat }) {
  const contact = useStore(contacts, (table) => table.get(chat.id));
  const group = useStore(groups, (table) => table.get(chat.id));
  return (
    <>
      <Avatar id={chat.id} name={chat.name} group={chat.kind === "group"} notes={chat.kind === "notes"} presence={contact?.presence} picture={contact?.picture ?? group?.picture} />
      <span className="row-body">
        <span className="row-title cut"><Name>{chat.name}</Name></span>
        {group !== undefined && <span className="row-sub cut">{t("chats.members", { count: group.members.length })}</span>}
        {contact !== undefined && contact.alias !== "" && <span className="row-sub cut"><Name>{contact.displayName}</Name></span>}
      </span>
    </>
  );
}

/** So many people, and so many groups, are shown until all are asked for. */
const SHOWN = 5;

function Section({ title, count, children }: { title: string; count: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="rows-head found-head">{title}<span className="quiet numbers">{count}</span></h2>
      {children}
    </section>
  );
}

function Chats({ title, chats }: { title: string; chats: readonly FoundChat[] }) {
  const [all, setAll] = useState(false);
  if (chats.length === 0) return null;
  const shown = all || chats.length === SHOWN + 1 ? chats : chats.slice(0, SHOWN);
  return (
    <Section title={title} count={chats.length.toLocaleString()}>
      <Rows
        label={title} items={shown} idOf={({ id }) => id}
        hrefOf={({ conversation }) => (conversation === null ? undefined : `chats/${conversation}`)} onOpen={({ id }) => void openChat(id).catch(refused)}
      >
        {(chat) => <ChatResult chat={chat} />}
      </Rows>
      {shown.length < chats.length && <div className="found-more"><Button wide onClick={() => setAll(true)}>{t("search.showAll", { count: chats.length })}</Button></div>}
    </Section>
  );
}

function Messages({ title, found, current }: { title: string; found: readonly Found[]; current: string | undefined }) {
  const { next } = useWhole(search);
  if (found.length === 0) return null;
  return (
    <Section title={title} count={`${found.length.toLocaleString()}${next === null ? "" : "+"}`}>
      <Rows label={title} items={found} idOf={({ message }) => message.id} current={current} hrefOf={({ message }) => `search/${message.conversation}/${message.id}`}>
        {(one) => <Result found={one} />}
      </Rows>
    </Section>
  );
}

/** What was found: people, groups, messages and files. `current` is the message to which it has led. */
export default function Results({ current }: { current?: string | undefined }) {
  const { query, chats, found, next, state } = useWhole(search);
  const count = chats.length + found.length;
  return (
    <>
      <div role="status" className="hidden-words">{state === "done" ? t(next === null ? "search.count" : "search.countMore", { count }) : ""}</div>
      {state === "none"
        ? <Empty icon="search" title={t("search.empty")}><p>{t("search.empty.more")}</p></Empty>
        : count === 0
          ? state === "busy" ? <Spinner /> : <Empty icon="search" title={t("search.nothing")} />
          : (
            <>
              <Chats key={`people ${query}`} title={t("search.people")} chats={chats.filter(({ kind }) => kind !== "group")} />
              <Chats key={`groups ${query}`} title={t("search.groups")} chats={chats.filter(({ kind }) => kind === "group")} />
              <Messages title={t("search.messages")} found={found.filter((one) => !isFile(one))} current={current} />
              <Messages title={t("search.files")} found={found.filter(isFile)} current={current} />
              {next !== null && <div className="found-more"><Button wide busy={state === "busy"} onClick={() => void askMore().catch(refused)}>{t("common.showMore")}</Button></div>}
            </>
          )}
    </>
  );
}
