// One group: what it is, who is in it, what may be changed, and the way out.
import { useEffect, useState } from "react";
import { useStore, useWhole } from "../../base/store";
import type { Group } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/dialog";
import { Pane } from "../../parts/pane";
import { Select } from "../../parts/select";
import { Empty, Name, Note, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { Text } from "../../parts/text";
import { contacts } from "../../store/contacts";
import { takeConversations } from "../../store/conversations";
import { changeGroup, groups, loadGroup, onlineIn } from "../../store/groups";
import { peers } from "../../store/peers";
import { personName } from "../../store/people";
import { go } from "../../store/router";
import type { PaneProps } from "../../store/router";
import { fullTime, listed } from "../../text/format";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { seenNow } from "../../wire/events";
import { call } from "../../wire/rpc";
import { ChatActs } from "../details/chatActs";
import { EditGroup } from "./editGroup";
import { Members } from "./members";
import { histories, historyText } from "./values";

/** Whether this account may change the group. */
export const mayChange = (group: Group): boolean => group.state === "member" && (group.role === "owner" || group.role === "admin");

/** This account's relation to the group, unless it is simply a member. */
function Standing({ group }: { group: Group }) {
  const known = useStore(contacts, (table) => table);
  if (group.state !== "member") return <Note look={group.state === "arriving" ? "info" : "warn"}>{t(`group.state.${group.state}`)}</Note>;
  if (group.addedBy === null) return null;
  return <p className="small quiet">{t("group.addedBy", { name: isolatedName(personName(group.addedBy, known, group)) })}</p>;
}

/** Members whose device has contradicted itself, in plain words. */
function Forks({ group }: { group: Group }) {
  const known = useStore(contacts, (table) => table);
  const forked = group.members.filter((member) => member.forked).map(({ id }) => isolatedName(personName(id, known, group)));
  if (forked.length === 0) return null;
  return (
    <Note look="warn">
      <p>{t("group.forked", { names: listed(forked), count: forked.length })}</p>
      <p>{t("group.forked.more")}</p>
    </Note>
  );
}

function History({ group }: { group: Group }) {
  const task = useTask();
  if (!mayChange(group)) return <p className="small quiet">{t("group.history")}: {historyText(group.history)}</p>;
  return (
    <>
      <Select
        label={t("group.history")} hint={t("group.history.hint")} value={String(group.history)} disabled={task.busy}
        options={histories(group.history).map((count) => ({ value: String(count), label: historyText(count) }))}
        onChange={(count) => void task.run(() => changeGroup(group, "group.update", { id: group.id, history: Number(count) }))}
      />
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
    </>
  );
}

function LeaveDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const owners = group.members.filter(({ role }) => role === "owner").length;
  const inherits = group.role === "owner" && owners === 1 && group.members.length > 1;
  return (
    <Confirm
      title={t("group.leave.title", { name: isolatedName(group.name) })} action={t("group.leave")} onClose={onClose}
      onConfirm={() => changeGroup(group, "group.leave", { id: group.id })}
    >
      <p>{t("group.leave.more")}</p>
      {inherits && <p>{t("group.leave.owner")}</p>}
    </Confirm>
  );
}

function Card({ group, beside }: { group: Group; beside: boolean }) {
  const [dialog, setDialog] = useState<"edit" | "leave" | null>(null);
  const known = useWhole(contacts);
  const near = useWhole(peers);
  const task = useTask();
  const close = () => setDialog(null);
  const open = () => void task.run(async () => {
    const asked = seenNow();
    const conversation = await call("conversation.open", { group: group.id });
    takeConversations([conversation], asked);
    go(`chats/${conversation.id}`);
  });
  return (
    <div className="page column">
      <div className="profile-head">
        <Avatar id={group.id} name={group.name} size="xl" group picture={group.picture} />
        <p className="profile-name"><Name>{group.name}</Name></p>
        {group.description !== "" && <p><Text id={group.id}>{group.description}</Text></p>}
        {group.state === "member" && <p className="small quiet">{t("chat.online", { online: onlineIn(group, known, near), count: group.members.length })}</p>}
        <ChatActs conversation={group.conversation} />
        <div className="row wrapping center">
          {!beside && group.conversation !== null && <Button look="primary" icon="chat" busy={task.busy} onClick={open}>{t("details.openChat")}</Button>}
          {mayChange(group) && <Button icon="edit" onClick={() => setDialog("edit")}>{t("group.edit")}</Button>}
        </div>
        {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      </div>
      <Standing group={group} />
      <Forks group={group} />
      <Members group={group} />
      <section className="section" aria-labelledby="group-more">
        <h2 id="group-more">{t("group.about")}</h2>
        {group.state === "member" && <History group={group} />}
        <p className="small quiet">{t("group.created", { time: fullTime(group.createdAt) })}</p>
        {group.state === "member" && (
          <div className="row"><Button icon="leave" onClick={() => setDialog("leave")}>{t("group.leave")}</Button></div>
        )}
      </section>
      {dialog === "edit" && <EditGroup group={group} onClose={close} />}
      {dialog === "leave" && <LeaveDialog group={group} onClose={close} />}
    </div>
  );
}

export default function GroupDetails({ at }: PaneProps) {
  const id = at["id"] ?? "";
  const beside = at["beside"];
  const group = useStore(groups, (table) => table.get(id));
  const [isMissing, setMissing] = useState(false);
  const isKnown = group !== undefined;
  useEffect(() => {
    setMissing(false);
    if (!isKnown) loadGroup(id).catch(() => setMissing(true));
  }, [id, isKnown]);
  return (
    <Pane title={t("group.details")} backTo={beside === undefined ? "groups" : `chats/${beside}`}>
      {group !== undefined
        ? <Card key={id} group={group} beside={beside !== undefined} />
        : isMissing ? <Empty icon="group" title={t("group.missing")} /> : <Spinner />}
    </Pane>
  );
}
