import { Suspense, lazy } from "react";
import { Avatar } from "../../parts/avatar";
import { Pane } from "../../parts/pane";
import { Rows } from "../../parts/rows";
import { Name, Spinner } from "../../parts/small";
import { Text } from "../../parts/text";
import { contacts } from "../../store/contacts";
import { conversations } from "../../store/conversations";
import { personName, useGroupOf } from "../../store/people";
import { useStore } from "../../store/store";
import { t } from "../../text/t";
import type { Group } from "../../contract/types";
import type { PaneProps } from "../registry";

const Person = lazy(() => import("../sides/people").then((side) => ({ default: side.Details })));

/** A group beside its chat: what it is for, and who is in it. */
function GroupCard({ group, conversation }: { group: Group; conversation: string }) {
  const known = useStore(contacts, (table) => table);
  return (
    <Pane title={t("chat.details")} backTo={`chats/${conversation}`}>
      <div className="page column">
        <div className="profile-head">
          <Avatar id={group.id} name={group.name} size="xl" group picture={group.picture} />
          <p className="profile-name"><Name>{group.name}</Name></p>
          {group.description !== "" && <p><Text>{group.description}</Text></p>}
          <p className="small quiet">{t("chat.online", { online: group.online, count: group.members.length })}</p>
        </div>
      </div>
      <h2 className="rows-head">{t("chats.members", { count: group.members.length })}</h2>
      <Rows label={t("chats.members", { count: group.members.length })} items={group.members} idOf={({ id }) => id} hrefOf={({ id }) => `friends/${id}`}>
        {(member) => (
          <>
            <Avatar id={member.id} name={member.displayName} presence={member.presence} picture={known.get(member.id)?.picture} />
            <span className="row-body">
              <span className="row-title cut"><Name>{personName(member.id, known, group)}</Name></span>
              <span className="row-sub cut">{t(`role.${member.role}`)}</span>
            </span>
          </>
        )}
      </Rows>
    </Pane>
  );
}

/** What is beside a chat: the friend, or the group. */
export default function ChatDetails({ at }: PaneProps) {
  const conversation = useStore(conversations, (value) => value.table.get(at["id"]));
  const group = useGroupOf(conversation);
  if (conversation?.contact !== undefined) {
    return <Suspense fallback={<Spinner />}><Person at={{ id: conversation.contact, beside: conversation.id }} /></Suspense>;
  }
  return group === undefined || conversation === undefined ? <Spinner /> : <GroupCard group={group} conversation={conversation.id} />;
}
