// The list of past calls, of all conversations.
import { useEffect, useState } from "react";
import { useStore, useWhole } from "../../base/store";
import type { Message } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button, IconButton } from "../../parts/button";
import { Pane } from "../../parts/pane";
import { Rows } from "../../parts/rows";
import { Empty, Name, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { ownId } from "../../store/account";
import { calls } from "../../store/calls";
import { contacts } from "../../store/contacts";
import { conversations } from "../../store/conversations";
import { useGroupOf, usePersonName } from "../../store/people";
import { shortTime } from "../../text/format";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";
import { ring } from "../ring";
import { recordWords } from "./record";

function Row({ message }: { message: Message }) {
  const chat = useStore(conversations, ({ table }) => table.get(message.conversation));
  const group = useGroupOf(chat);
  const sender = usePersonName(message.sender, group);
  const picture = useStore(contacts, (table) => table.get(chat?.contact)?.picture);
  const inGroup = chat?.kind === "group";
  const own = message.sender === ownId();
  return (
    <>
      <Avatar id={chat?.contact ?? chat?.group ?? message.conversation} name={chat?.title ?? ""} picture={inGroup ? group?.picture : picture} group={inGroup} />
      <span className="row-body">
        <span className="row-line">
          <span className="row-title cut"><Name>{chat?.title ?? ""}</Name></span>
          <time className="small numbers" dateTime={new Date(message.sentAt).toISOString()}>{shortTime(message.sentAt)}</time>
        </span>
        <span className="row-line"><span className={message.unread ? "row-sub cut call-missed" : "row-sub cut"}>{inGroup ? recordWords(message, own, sender) : <>{t(own ? "call.out" : "call.in")} · {recordWords(message, own)}</>}</span></span>
      </span>
    </>
  );
}

export default function HistoryList() {
  const [list, setList] = useState<readonly Message[] | null>(null);
  const [next, setNext] = useState<string | undefined>();
  const task = useTask();
  const now = useWhole(calls).map(({ id, state }) => id + state).join();
  useEffect(() => {
    let isShown = true;
    call("call.history").then((page) => {
      if (!isShown) return;
      setList(page.messages);
      setNext(page.next);
    }, () => isShown && setList([]));
    return () => {
      isShown = false;
    };
  }, [now]);
  const more = () => task.run(async () => {
    const page = await call("call.history", next === undefined ? {} : { before: next });
    setList((before) => [...(before ?? []), ...page.messages]);
    setNext(page.next);
  });
  return (
    <Pane title={t("call.history")}>
      {list === null ? <Spinner /> : list.length === 0
        ? <Empty icon="call" title={t("call.history.none")}><p>{t("call.history.none.more")}</p></Empty>
        : (
          <Rows
            label={t("call.history")} items={list} idOf={({ id }) => id} hrefOf={({ conversation, id }) => `chats/${conversation}/message/${id}`}
            beside={(message) => <IconButton icon={message.call?.media === "video" ? "video" : "call"} label={t("call.back")} onClick={() => ring(message.conversation, message.call?.media ?? "audio")} />}
          >
            {(message) => <Row message={message} />}
          </Rows>
        )}
      {next !== undefined && <Button wide onClick={more}>{t("call.more")}</Button>}
    </Pane>
  );
}
