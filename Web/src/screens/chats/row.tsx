import { memo } from "react";
import { useStore } from "../../base/store";
import type { Call, Conversation } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Icon } from "../../parts/icon";
import { previewIcon } from "../../parts/kindIcon";
import { Badge, Name } from "../../parts/small";
import { StateTick, holderOf } from "../../parts/state";
import { ownId } from "../../store/account";
import { calls, joinable } from "../../store/calls";
import { contacts } from "../../store/contacts";
import { loudMentions } from "../../store/conversations";
import { drafts, voiceDrafts } from "../../store/drafts";
import { personName, titleOf, useContactOf, useGroupOf } from "../../store/people";
import { typing } from "../../store/typing";
import { listed, shortTime } from "../../text/format";
import { preview } from "../../text/preview";
import { isolatedName, visibleLine } from "../../text/safe";
import { rich, t } from "../../text/t";
import { mutedWords } from "./actions";

/** The people in a group's call, in the order in which they came: everyone it lists except those it is still ringing for. */
const joined = (call: Call | undefined): string[] =>
  (call?.participants ?? []).filter(({ state }) => state !== "ringing" && state !== "waiting")
    .sort((a, b) => (a.since ?? Infinity) - (b.since ?? Infinity)).map(({ account }) => account);

/** The second line: a call that goes on, typing, a draft, or the last message. */
function LastLine({ item }: { item: Conversation }) {
  const group = useGroupOf(item);
  const known = useStore(contacts, (table) => table);
  const typists = useStore(typing, (all) => [...(all.get(item.id) ?? [])]);
  const draft = useStore(drafts, (all) => all.get(item.id));
  const isVoice = useStore(voiceDrafts, (all) => all.has(item.id));
  const message = item.lastMessage;
  const inCall = useStore(calls, (all) => joined(joinable(all, item.id)));
  if (inCall.length > 0) {
    const names = inCall.map((id) => isolatedName(personName(id, known, group)));
    return <span className="row-sub cut chat-typing"><Icon name="call" size={14} /> {t("chats.call", { names: listed(names) })}</span>;
  }
  if (typists[0] !== undefined) {
    const name = personName(typists[0], known, group);
    return <span className="row-sub cut chat-typing">{item.kind === "direct" ? t("chat.typing") : rich("chat.typing.name", { name: <Name>{name}</Name> })}</span>;
  }
  if (draft !== undefined || isVoice) {
    return <span className="row-sub cut chat-last"><span className="chat-draft">{t("chats.draft")}</span> <bdi>{draft === undefined ? t("voice.title") : visibleLine(draft)}</bdi></span>;
  }
  if (message === null) return <span className="row-sub cut">{t("chats.empty")}</span>;
  const own = message.sender === ownId();
  const icon = previewIcon(message);
  const sender = message.kind === "system" || message.deleted || item.kind === "notes" ? null : own ? t("common.you") : item.kind === "group" ? personName(message.sender, known, group) : null;
  return (
    <span className="row-sub cut chat-last">
      {sender !== null && <span className="chat-sender cut"><Name>{sender}</Name>: </span>}
      {icon !== null && <Icon name={icon} size={14} />}
      <bdi>{preview(message)}</bdi>
    </span>
  );
}

export const ChatRow = memo(function ChatRow({ item }: { item: Conversation }) {
  const contact = useContactOf(item);
  const group = useGroupOf(item);
  const message = item.lastMessage;
  return (
    <>
      <Avatar
        id={item.contact ?? item.group ?? item.id} name={titleOf(item)} group={item.kind === "group"} notes={item.kind === "notes"}
        presence={contact?.presence} picture={contact?.picture ?? group?.picture}
      />
      <span className="row-body">
        <span className="row-line">
          <span className="row-title cut"><Name>{titleOf(item)}</Name></span>
          {item.kind === "group" && group !== undefined && (
            <span className="chat-members" title={t("chats.members", { count: group.members.length })}>
              <Icon name="group" size={14} /><span aria-hidden="true">{group.members.length}</span>
              <span className="hidden-words">{t("chats.members", { count: group.members.length })}</span>
            </span>
          )}
          {message !== null && message.sender === ownId() && message.kind !== "system" && item.kind !== "notes" && <StateTick state={message.state} heldBy={holderOf(message)} />}
          {message !== null && <time className="row-time numbers" dateTime={new Date(message.sentAt).toISOString()}>{shortTime(message.sentAt)}</time>}
        </span>
        <span className="row-line">
          <LastLine item={item} />
          {item.muted && <span className="chat-mark" title={mutedWords(item)}><Icon name="bellOff" size={14} /><span className="hidden-words">{mutedWords(item)}</span></span>}
          {item.pinned && <span className="chat-mark" title={t("chats.pinned")}><Icon name="pin" size={14} /><span className="hidden-words">{t("chats.pinned")}</span></span>}
          {item.missedCalls > 0 && <span className="chat-mark call-missed" title={t("nav.missed", { count: item.missedCalls })}><Icon name="call" size={14} /><span className="hidden-words">{t("nav.missed", { count: item.missedCalls })}</span></span>}
          {loudMentions(item) > 0 && <span className="badge badge-unread">@<span className="hidden-words">{t("chats.mentioned")}</span></span>}
          <Badge count={item.unread} look={item.muted ? "muted" : "unread"} label={t("nav.unread", { count: item.unread })} />
        </span>
      </span>
    </>
  );
});
