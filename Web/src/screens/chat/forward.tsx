// Sends messages on to other chats: their texts, and their files where they are here.
import { useMemo, useState } from "react";
import { useStore, useWhole } from "../../base/store";
import type { Attachment, Contact, Conversation, Group, Message } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { previewIcon } from "../../parts/kindIcon";
import { Rows } from "../../parts/rows";
import { Name, Note, SearchField } from "../../parts/small";
import { useTask } from "../../parts/task";
import { ownId } from "../../store/account";
import { contacts, nameOf, sorted } from "../../store/contacts";
import { conversations, notesIn, ordered, takeConversations } from "../../store/conversations";
import { groups } from "../../store/groups";
import { notify } from "../../store/notices";
import { post } from "../../store/outbox";
import { titleOf } from "../../store/people";
import type { Table } from "../../store/table";
import { isHere, transfers } from "../../store/transfers";
import { size } from "../../text/format";
import { finder } from "../../text/plain";
import { preview } from "../../text/preview";
import { t } from "../../text/t";
import { seenNow } from "../../wire/events";
import { fetched } from "../../wire/fetched";
import { call } from "../../wire/rpc";

/** More is better sent from where it lies than fetched by the browser, in bytes: of all files together. */
const LARGEST = 1024 * 1024 * 1024;

/** So many of the messages are shown. */
const SHOWN = 3;

/** A chat that the message may go to, or a friend without a chat so far. */
interface Goal {
  id: string;
  name: string;
  face: string;
  picture: string | null | undefined;
  isGroup: boolean;
  isNotes: boolean;
  contact: string | null;
}

const canWriteTo = (chat: Conversation, people: Table<Contact>, known: Table<Group>): boolean => {
  if (chat.kind === "notes") return true;
  if (chat.kind === "group") return known.get(chat.group)?.state === "member";
  const friend = people.get(chat.contact);
  return friend !== undefined && friend.relation === "friend" && friend.trust !== "changed";
};

function useGoals(): Goal[] {
  const chats = useStore(conversations, ({ table }) => table);
  const people = useWhole(contacts);
  const known = useWhole(groups);
  return useMemo(() => [
    ...[...ordered(chats, false), ...ordered(chats, true)].filter((chat) => canWriteTo(chat, people, known)).map((chat): Goal => ({
      id: chat.id, name: titleOf(chat), face: chat.contact ?? chat.group ?? chat.id, isGroup: chat.kind === "group", isNotes: chat.kind === "notes", contact: null,
      picture: people.get(chat.contact)?.picture ?? known.get(chat.group)?.picture,
    })),
    ...(notesIn(chats) === undefined ? [{ id: ownId(), name: t("notes.to"), face: ownId(), isGroup: false, isNotes: true, contact: ownId(), picture: null }] : []),
    ...sorted(people, ({ relation, trust, conversation }) => relation === "friend" && trust !== "changed" && chats.get(conversation) === undefined).map((person): Goal => ({
      id: person.id, name: nameOf(person), face: person.id, isGroup: false, isNotes: false, contact: person.id, picture: person.picture,
    })),
  ], [chats, people, known]);
}

function Line({ message }: { message: Message }) {
  const icon = previewIcon(message);
  return <span className="quote-text cut">{icon !== null && <><Icon name={icon} size={14} /> </>}<bdi>{preview(message)}</bdi></span>;
}

/** Which files of messages can go along. */
function filesHere(messages: readonly Message[]): { message: Message; here: Attachment[] }[] {
  let room = LARGEST;
  return messages.map((message) => {
    const isOwn = message.sender === ownId();
    const here = message.attachments.filter((one) => {
      const fits = isHere(one, transfers.get().get(one.transfer), isOwn) && one.size <= room;
      if (fits) room -= one.size;
      return fits;
    });
    return { message, here };
  });
}

export default function Forward({ messages, onClose, onDone }: { messages: readonly Message[]; onClose: () => void; onDone: () => void }) {
  const goals = useGoals();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const task = useTask();
  const all = filesHere(messages);
  const missing = all.reduce((sum, { message, here }) => sum + message.attachments.length - here.length, 0);
  const fits = finder(query);
  const shown = goals.filter(({ name }) => fits(name));
  const toggle = (id: string) => setChosen((now) => now.includes(id) ? now.filter((one) => one !== id) : [...now, id]);
  const send = async () => {
    const done = await task.run(async () => {
      const parts = [];
      for (const { message, here } of all) {
        const parcels = [];
        for (const one of here) parcels.push(await fetched(one.transfer, one.name, one.kind === "folder"));
        if (message.text !== "" || parcels.length > 0) parts.push({ text: message.text, parcels });
      }
      for (const goal of goals.filter(({ id }) => chosen.includes(id))) {
        let conversation = goal.id;
        if (goal.contact !== null) {
          const asked = seenNow();
          const opened = await call("conversation.open", { contact: goal.contact });
          takeConversations([opened], asked);
          conversation = opened.id;
        }
        for (const { text, parcels } of parts) post(conversation, text, null, parcels);
      }
    });
    if (!done) return;
    notify(t("forward.done", { count: chosen.length }));
    onClose();
    onDone();
  };
  const isEmpty = all.every(({ message, here }) => message.text === "" && here.length === 0);
  return (
    <Dialog
      title={t("forward.title")} onClose={onClose} onSubmit={() => void send()}
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look="primary" icon="share" type="submit" busy={task.busy} disabled={chosen.length === 0 || isEmpty}>{chosen.length === 0 ? t("forward.do") : t("forward.count", { count: chosen.length })}</Button>
      </>}
    >
      {messages.slice(0, SHOWN).map((message) => <p key={message.id} className="quote"><Line message={message} /></p>)}
      {messages.length > SHOWN && <p className="small quiet">{t("forward.more", { count: messages.length - SHOWN })}</p>}
      {missing > 0 && <Note look="warn">{t(isEmpty ? "forward.nothing" : "forward.missing", { count: missing, size: size(LARGEST) })}</Note>}
      {!isEmpty && (
        <>
          <div className="forward-search"><SearchField value={query} onChange={setQuery} label="forward.search" /></div>
          <div className="forward-rows">
            <Rows label={t("forward.to")} items={shown} idOf={({ id }) => id} onOpen={({ id }) => toggle(id)} pressed={({ id }) => chosen.includes(id)}>
              {(goal) => (
                <>
                  <Avatar id={goal.face} name={goal.name} picture={goal.picture} group={goal.isGroup} notes={goal.isNotes} size="s" />
                  <span className="row-body"><span className="row-title cut"><Name>{goal.name}</Name></span></span>
                  <span className="box" aria-hidden="true">{chosen.includes(goal.id) && <Icon name="check" size={16} />}</span>
                </>
              )}
            </Rows>
            {shown.length === 0 && <p className="small quiet">{t("chats.notFound")}</p>}
          </div>
        </>
      )}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
    </Dialog>
  );
}
