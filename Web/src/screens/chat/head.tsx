import { useState } from "react";
import { useStore, useWhole } from "../../base/store";
import type { Contact, Conversation, Group } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Icon } from "../../parts/icon";
import { MenuButton } from "../../parts/menu";
import type { MenuEntry } from "../../parts/menu";
import { followed } from "../../parts/rows";
import { Name } from "../../parts/small";
import { contacts } from "../../store/contacts";
import { onlineIn } from "../../store/groups";
import { peers } from "../../store/peers";
import { personName, titleOf } from "../../store/people";
import { go, hrefTo } from "../../store/router";
import { typing } from "../../store/typing";
import { listed, relativeTime } from "../../text/format";
import { isolatedName, visibleLine } from "../../text/safe";
import { t } from "../../text/t";
import { DeleteChat, chatEntries } from "../chats/actions";
import { ring } from "../ring";
import { searchHere } from "../search/here";

function statusOf(contact: Contact): string {
  if (contact.presence === "online") return contact.statusText === "" ? t("presence.online") : `${t("presence.online")} · ${visibleLine(contact.statusText)}`;
  if (contact.presence === "away") return t("presence.away");
  return contact.lastSeen === null ? t("presence.offline") : t("chat.lastSeen", { time: relativeTime(contact.lastSeen) });
}

/** Who this is, and their present state. Leads to the details. */
export function HeadWords({ conversation, contact, group }: { conversation: Conversation; contact: Contact | undefined; group: Group | undefined }) {
  const known = useStore(contacts, (table) => table);
  const near = useWhole(peers);
  const typists = useStore(typing, (all) => [...(all.get(conversation.id) ?? [])]);
  const sub = typists.length > 0
    ? conversation.kind === "direct" ? t("chat.typing") : t("chat.typing.name", { name: listed(typists.map((id) => isolatedName(personName(id, known, group)))) })
    : conversation.kind === "notes" ? t("notes.sub")
    : contact !== undefined ? statusOf(contact)
    : group !== undefined ? t("chat.online", { online: onlineIn(group, known, near), count: group.members.length }) : "";
  const path = `chats/${conversation.id}/details`;
  return (
    <a className="chat-head" href={hrefTo(path)} onClick={(event) => followed(event, path)} title={t("chat.details")}>
      <Avatar
        id={conversation.contact ?? conversation.group ?? conversation.id} name={titleOf(conversation)} group={conversation.kind === "group"} notes={conversation.kind === "notes"}
        presence={contact?.presence} isSaid={typists.length === 0} picture={contact?.picture ?? group?.picture}
      />
      <span className="chat-head-words">
        <span className="row">
          <span className="cut"><Name>{titleOf(conversation)}</Name></span>
          {contact?.trust === "verified" && <span className="tick tick-read" title={t("chat.verified")}><Icon name="shield" size={16} /><span className="hidden-words">{t("chat.verified")}</span></span>}
        </span>
        <span className={`chat-head-sub cut${typists.length > 0 ? " chat-typing" : ""}`}>{sub}</span>
      </span>
    </a>
  );
}

/** What can be done with the chat. If the name leaves no room for more buttons beside it, what those do is here. */
export function HeadMenu({ conversation, canCall, onDays }: { conversation: Conversation; canCall: boolean; onDays: () => void }) {
  const [deleting, setDeleting] = useState(false);
  const { id } = conversation;
  const entries: MenuEntry[] = [
    ...(canCall ? [{ label: t("chat.call.video"), icon: "video" as const, run: () => ring(id, "video") }] : []),
    { label: t("search.here"), icon: "search", run: () => searchHere(id) },
    { label: t("chat.details"), icon: "info", run: () => go(`chats/${id}/details`) },
    { label: t("chat.days"), icon: "calendar", run: onDays },
    ...chatEntries(conversation, () => setDeleting(true)),
  ];
  return (
    <>
      <MenuButton label={t("chat.menu")} entries={entries} />
      {deleting && <DeleteChat item={conversation} onClose={() => setDeleting(false)} />}
    </>
  );
}
