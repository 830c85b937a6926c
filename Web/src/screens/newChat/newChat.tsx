import { useMemo, useState } from "react";
import { useWhole } from "../../base/store";
import type { Contact } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Field, TextField } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { Pane } from "../../parts/pane";
import { PictureChoice } from "../../parts/pictureChoice";
import { Rows } from "../../parts/rows";
import { Select } from "../../parts/select";
import { Empty, Name, Note, SearchField } from "../../parts/small";
import { ownId } from "../../store/account";
import { contacts, nameOf, sorted } from "../../store/contacts";
import { takeGroups } from "../../store/groups";
import { openChat } from "../../store/openChat";
import { go, usePlace } from "../../store/router";
import { wording } from "../../text/errors";
import { finder } from "../../text/plain";
import { visibleLine } from "../../text/safe";
import { t } from "../../text/t";
import { seenNow } from "../../wire/events";
import { asRefused } from "../../wire/refusal";
import { call } from "../../wire/rpc";
import { uploadPicture } from "../../wire/upload";
import { LONGEST_DESCRIPTION, LONGEST_NAME, histories, historyText } from "../groups/values";

/** Picture, name, description and history of a new group. */
function GroupForm({ members, onBack }: { members: readonly Contact[]; onBack: () => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [history, setHistory] = useState(0);
  const [picture, setPicture] = useState<File | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const create = async () => {
    if (name.trim() === "" || busy) return;
    setBusy(true);
    try {
      const asked = seenNow();
      const group = await call("group.create", {
        name: name.trim(), members: members.map(({ id }) => id), history,
        ...(picture === null ? {} : { avatarPath: await uploadPicture(picture) }),
        ...(description.trim() === "" ? {} : { description: description.trim() }),
      });
      takeGroups([group], asked);
      const conversation = group.conversation ?? (await call("conversation.open", { group: group.id })).id;
      go(`chats/${conversation}`, true);
    } catch (error) {
      setBusy(false);
      setProblem(wording(asRefused(error)));
    }
  };
  return (
    <form
      className="page column" noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <PictureChoice picture={picture} onChange={setPicture}><Avatar id={name} name={name} size="xl" group /></PictureChoice>
      <Field label={t("newChat.name")} value={name} onChange={(event) => setName(event.target.value)} maxLength={LONGEST_NAME} required autoFocus autoComplete="off" />
      <TextField label={t("newChat.description")} value={description} onChange={(event) => setDescription(event.target.value)} maxLength={LONGEST_DESCRIPTION} rows={3} />
      <Select
        label={t("group.history")} hint={t("group.history.hint")} value={String(history)} onChange={(count) => setHistory(Number(count))}
        options={histories(history).map((count) => ({ value: String(count), label: historyText(count) }))}
      />
      <div>
        <h2>{t("newChat.members", { count: members.length + 1 })}</h2>
        <ul className="chips">
          {members.map((member) => <li key={member.id} className="chip"><Avatar id={member.id} name={nameOf(member)} size="s" picture={member.picture} /><span className="cut"><Name>{nameOf(member)}</Name></span></li>)}
        </ul>
      </div>
      {problem !== null && <Note look="danger" alert>{problem}</Note>}
      <div className="row">
        <Button onClick={onBack}>{t("common.back")}</Button>
        <span className="grow" />
        <Button look="primary" type="submit" busy={busy} disabled={name.trim() === ""}>{t("newChat.create")}</Button>
      </div>
    </form>
  );
}

/** Where else a new chat may lead, before the friends. */
function OtherWays({ fits, onNotes }: { fits: (text: string) => boolean; onNotes: () => void }) {
  const ways = [
    { id: "notes", title: t("notes.to"), line: t("notes.sub"), also: t("notes.title"), run: onNotes },
    { id: "group", title: t("newChat.group"), line: t("newChat.group.more"), also: "", run: () => go("chats/group") },
  ].filter(({ title, also }) => fits(`${title} ${also}`));
  if (ways.length === 0) return null;
  return (
    <Rows label={t("newChat.title")} items={ways} idOf={({ id }) => id} onOpen={({ run }) => run()}>
      {({ id, title, line }) => (
        <>
          <Avatar id={ownId()} name="" notes={id === "notes"} group={id === "group"} />
          <span className="row-body">
            <span className="row-title cut">{title}</span>
            <span className="row-sub cut">{line}</span>
          </span>
        </>
      )}
    </Rows>
  );
}

/** Friends: a click on one opens the chat. For a group, at chats/group, they have boxes. */
export default function NewChat() {
  const table = useWhole(contacts);
  const isGroup = usePlace() === "chats/group";
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isNamed, setNamed] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const friends = useMemo(() => sorted(table, ({ relation }) => relation === "friend"), [table]);
  const fits = finder(query);
  const shown = friends.filter((friend) => fits(`${friend.alias} ${friend.displayName} ${friend.email ?? ""}`));
  const members = friends.filter(({ id }) => chosen.includes(id));

  const toggle = (id: string) => setChosen((now) => now.includes(id) ? now.filter((one) => one !== id) : [...now, id]);
  const open = (id: string) => void openChat(id, true).catch((error: unknown) => setProblem(wording(asRefused(error))));

  if (isGroup && isNamed) {
    return <Pane title={t("newChat.group")} backTo="chats" backAlways><GroupForm members={members} onBack={() => setNamed(false)} /></Pane>;
  }
  return (
    <Pane
      title={t(isGroup ? "newChat.group" : "newChat.title")} backTo="chats" backAlways
      top={friends.length > 0 && <SearchField value={query} onChange={setQuery} label="newChat.search" />}
      foot={isGroup && members.length > 0 && (
        <div className="pane-foot">
          <Button look="primary" wide icon="group" onClick={() => setNamed(true)}>{t("newChat.next", { count: members.length })}</Button>
        </div>
      )}
    >
      {problem !== null && <div className="page"><Note look="danger" alert>{problem}</Note></div>}
      {!isGroup && <OtherWays fits={fits} onNotes={() => open(ownId())} />}
      {friends.length === 0
        ? <Empty icon="friends" title={t("newChat.none")}><p>{t("newChat.none.more")}</p></Empty>
        : (
          <Rows
            label={t("nav.friends")} items={shown} idOf={({ id }) => id} onOpen={({ id }) => (isGroup ? toggle : open)(id)}
            {...(isGroup ? { pressed: ({ id }: Contact) => chosen.includes(id) } : {})}
          >
            {(friend) => (
              <>
                <Avatar id={friend.id} name={nameOf(friend)} presence={friend.presence} picture={friend.picture} />
                <span className="row-body">
                  <span className="row-title cut"><Name>{nameOf(friend)}</Name></span>
                  <span className="row-sub cut">{friend.statusText === "" ? t(`presence.${friend.presence}`) : <bdi>{visibleLine(friend.statusText)}</bdi>}</span>
                </span>
                {isGroup && <span className="box" aria-hidden="true">{chosen.includes(friend.id) && <Icon name="check" size={16} />}</span>}
              </>
            )}
          </Rows>
        )}
    </Pane>
  );
}
