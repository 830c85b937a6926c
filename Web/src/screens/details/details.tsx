// One person: what they show, what is kept here about them, and what ends it.
import { useEffect, useState } from "react";
import { useStore } from "../../base/store";
import type { Contact, MessageCall } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Pane } from "../../parts/pane";
import { TrustMark, calledOr, presenceText } from "../../parts/person";
import { Empty, Name, Note, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { contacts, nameOf, takeContacts } from "../../store/contacts";
import { chatWith, openChat } from "../../store/openChat";
import { peers } from "../../store/peers";
import { go } from "../../store/router";
import type { PaneProps } from "../../store/router";
import { visible } from "../../text/safe";
import { t } from "../../text/t";
import { seenNow } from "../../wire/events";
import { call } from "../../wire/rpc";
import { ring } from "../ring";
import { ChatActs } from "./chatActs";
import { Facts, KeyFacts } from "./facts";
import { NewKey } from "./newKey";
import { Standing, Stranger } from "./standing";

function Person({ contact, beside }: { contact: Contact; beside: boolean }) {
  const task = useTask();
  const name = nameOf(contact);
  const isFriend = contact.relation === "friend";
  const write = () => void task.run(async () => {
    if (!isFriend && contact.conversation !== null) return go(`chats/${contact.conversation}`);
    await openChat(contact.id);
  });
  const callBy = (media: MessageCall["media"]) => () => void task.run(async () => ring(await chatWith(contact.id), media));
  // Under this name another account may answer: it isn't called before the user has said who it is.
  const isSure = isFriend && contact.trust !== "changed";
  return (
    <div className="page column">
      <div className="profile-head">
        <Avatar id={contact.id} name={name} size="xl" picture={contact.picture} presence={isFriend ? contact.presence : undefined} isSaid />
        <p className="profile-name"><Name>{calledOr(name)}</Name><TrustMark trust={contact.trust} /></p>
        {contact.alias !== "" && contact.alias !== contact.displayName && (
          <p className="small quiet">{t("details.calls")} <Name>{contact.displayName}</Name></p>
        )}
        {contact.statusText !== "" && <p className="wrap" dir="auto">{visible(contact.statusText)}</p>}
        {isFriend && <p className="small quiet">{presenceText(contact)}</p>}
        {!beside && (isFriend || contact.conversation !== null) && (
          <div className="row wrapping center">
            <Button look="primary" icon="chat" busy={task.busy} onClick={write}>{t(isFriend ? "details.write" : "details.openChat")}</Button>
            {isSure && <Button icon="call" onClick={callBy("audio")}>{t("details.call")}</Button>}
            {isSure && <Button icon="video" onClick={callBy("video")}>{t("details.call.video")}</Button>}
          </div>
        )}
        <ChatActs conversation={contact.conversation} />
        {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      </div>
      {contact.trust === "changed" && <NewKey contact={contact} />}
      {!isFriend && <Standing contact={contact} />}
      <Facts contact={contact} />
      {isFriend && <Standing contact={contact} />}
      <KeyFacts contact={contact} />
    </div>
  );
}

export default function Details({ at }: PaneProps) {
  const id = at["id"] ?? "";
  const contact = useStore(contacts, (table) => table.get(id));
  const peer = useStore(peers, (all) => [...all.values()].find(({ account }) => account === id));
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    setAsked(false);
    const asked = seenNow();
    call("contact.get", { id }).then((found) => takeContacts([found], asked), () => undefined).finally(() => setAsked(true));
  }, [id]);
  return (
    <Pane title={t("details.title")} backTo={at["beside"] === undefined ? "friends" : `chats/${at["beside"]}`}>
      {contact !== undefined
        ? <Person contact={contact} beside={at["beside"] !== undefined} key={id} />
        : peer !== undefined
          ? <Stranger peer={peer} />
          : isAsked ? <Empty icon="person" title={t("details.unknown")} /> : <Spinner />}
    </Pane>
  );
}
