import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "../../base/store";
import type { Contact, Conversation, Group, Message } from "../../contract/types";
import { IconButton } from "../../parts/button";
import { useDrop } from "../../parts/drop";
import { Icon } from "../../parts/icon";
import { later } from "../../parts/later";
import { Menu } from "../../parts/menu";
import type { MenuEntry } from "../../parts/menu";
import { Pane } from "../../parts/pane";
import { Empty, Spinner } from "../../parts/small";
import { self } from "../../store/account";
import { calls, joinable } from "../../store/calls";
import { make } from "../../store/changes";
import { contacts } from "../../store/contacts";
import { conversations, loadConversation } from "../../store/conversations";
import { openHistory } from "../../store/messages";
import { notify, refused } from "../../store/notices";
import { pendingIn, pending } from "../../store/pending";
import { titleOf, useContactOf, useGroupOf } from "../../store/people";
import { usePlace } from "../../store/router";
import type { PaneProps } from "../../store/router";
import { isHere, transfers } from "../../store/transfers";
import { keyNames } from "../../text/keys";
import { laterWords } from "../../text/language";
import { isolatedName, visible } from "../../text/safe";
import { t } from "../../text/t";
import { link } from "../../wire/link";
import { callIn } from "../../wire/rpc";
import { ring } from "../ring";
import FoundBar from "../search/foundBar";
import { searchHere } from "../search/here";
import { folder, reveal, save, showOfChat } from "../viewer/viewing";
import { Composer } from "./composer";
import type { ComposerHandle } from "./composer";
import { DayBar } from "./dayBar";
import { midnight } from "./days";
import { DeleteMessage } from "./deleting";
import { DoingContext } from "./doing";
import type { Doing, Point } from "./doing";
import { HeadMenu, HeadWords } from "./head";
import { History } from "./history";
import type { HistoryHandle } from "./history";
import { PIN, PinBar } from "./pinBar";
import { quickReactions } from "./reactions";
import { SelectionBar, canSelect, endSelecting, toggle, useSelecting } from "./selecting";

const CallBar = later(() => Promise.all([import("../sides/calls"), laterWords()]).then(([side]) => side.CallBar), { waiting: null });
const close = { close: ({ onClose }: { onClose: () => void }) => onClose() };
const EmojiPanel = later(() => import("../../parts/emojiPanel").then((part) => part.default), close);
const Forward = later(() => Promise.all([import("../sides/over"), laterWords()]).then(([side]) => side.Forward), close);
const MemberCard = later(() => Promise.all([import("../sides/people"), laterWords()]).then(([side]) => side.MemberCard), close);
const Story = later(() => Promise.all([import("../sides/over"), laterWords()]).then(([side]) => side.Story), close);

/** Where there are several recipients, the first question is who has read it. */
const storyTitle = (message: Message): string => t(message.recipients.length > 1 ? "message.readers" : "message.story");

/** Why nothing can be written here; null if it can. */
function closedBecause(contact: Contact | undefined, group: Group | undefined): string | null {
  if (contact !== undefined && contact.trust === "changed") return t("chat.closed.key");
  if (contact !== undefined && contact.relation === "blocked") return t("chat.closed.blocked");
  if (contact !== undefined && contact.relation !== "friend") return t("chat.closed.stranger");
  if (group !== undefined && group.state !== "member") return t(group.state === "arriving" ? "chat.closed.arriving" : "chat.closed.group");
  return null;
}

type About = { kind: "answer" | "edit"; message: Message };
type Over = { kind: "menu" | "emoji"; message: Message; at: Point } | { kind: "delete" | "story"; message: Message } | { kind: "forward"; messages: readonly Message[] };

/** The menu entries for the first file of a message that the viewer can show. A lone picture or sound has no row with buttons; the viewer has them for several. */
function lookEntry(message: Message, doing: Doing): MenuEntry[] {
  const own = message.sender === doing.own;
  const found = message.attachments.find((one) => (one.kind === "image" || one.kind === "video" || one.kind === "audio" || one.kind === "folder") && isHere(one, transfers.get().get(one.transfer), own));
  if (found === undefined) return [];
  if (found.kind === "folder") return [{ label: t("folder.open"), icon: "folder", run: () => folder.set({ transfer: found.transfer, name: found.name }) }];
  const look: MenuEntry[] = found.kind === "audio" ? [] : [{ label: t(found.kind === "video" ? "file.play" : "file.look"), icon: found.kind === "video" ? "play" : "eye", run: () => showOfChat(message.conversation, found.transfer, doing.own) }];
  if (message.attachments.length > 1) return look;
  return [
    ...look,
    { label: t("file.download"), icon: "download", run: () => save(found.transfer) },
    { label: t("file.reveal"), icon: "folder", run: () => reveal(found.transfer, notify) },
  ];
}

/** Only who has pinned a message can unpin it: the pin is their reaction. */
function pinEntry(message: Message, doing: Doing): MenuEntry[] {
  if (!doing.canWrite || message.kind === "system") return [];
  const pinned = message.reactions.filter(({ emoji }) => emoji === PIN);
  const isOwn = pinned.some(({ account }) => account === doing.own);
  if (pinned.length > 0 && !isOwn) return [];
  return [{ label: t(isOwn ? "chats.unpin" : "chats.pin"), icon: isOwn ? "pinOff" : "pin", run: () => doing.react(message, PIN, isOwn) }];
}

function messageEntries(message: Message, doing: Doing): MenuEntry[] {
  const own = message.sender === doing.own;
  if (message.deleted) return [{ label: t("message.delete"), icon: "delete", danger: true, run: () => doing.remove(message) }];
  return [
    ...lookEntry(message, doing),
    ...(doing.canWrite ? [{ label: t("message.answer"), icon: "reply" as const, keys: "R", run: () => doing.answer(message) }] : []),
    ...(message.kind === "system" || message.kind === "call" ? [] : [{ label: t("forward.title"), icon: "share" as const, run: () => doing.forward(message) }]),
    ...(message.text === "" ? [] : [{
      label: t("message.copy"), icon: "copy" as const,
      run: () => void navigator.clipboard.writeText(message.text).then(() => notify(t("message.copied")), refused),
    }]),
    ...(own && doing.canWrite && message.kind === "text" ? [{ label: t("message.edit"), icon: "edit" as const, keys: "E", run: () => doing.edit(message) }] : []),
    ...pinEntry(message, doing),
    ...(!own && doing.kind === "group" ? [{ label: t("message.who"), icon: "person" as const, run: () => doing.who(message.sender) }] : []),
    ...(canSelect(message) ? [{ label: t("select.start"), icon: "check" as const, keys: keyNames("Space"), run: () => toggle(message) }] : []),
    { label: storyTitle(message), icon: "info", run: () => doing.story(message) },
    ...(own && message.state === "failed" ? [{
      label: t("common.retry"), icon: "retry" as const, run: () => void callIn(message.conversation, "message.retry", { id: message.id }).catch(refused),
    }] : []),
    "line",
    { label: t("message.delete"), icon: "delete", keys: keyNames("Del"), danger: true, run: () => doing.remove(message) },
  ];
}

function OpenChat({ conversation, message: found, isSearch }: { conversation: Conversation; message: string | undefined; isSearch: boolean }) {
  const { id, kind } = conversation;
  const contact = useContactOf(conversation);
  const group = useGroupOf(conversation);
  const own = useStore(self, (value) => value.account?.id ?? "");
  const history = useRef<HistoryHandle>(null);
  const composer = useRef<ComposerHandle>(null);
  const [about, setAbout] = useState<About | null>(null);
  const [over, setOver] = useState<Over | null>(null);
  const [who, setWho] = useState<string | null>(null);
  /** The day in view while the slider of days is there. */
  const [day, setDay] = useState<number | null>(null);
  const newest = midnight(conversation.lastMessage?.sentAt ?? conversation.updatedAt);
  const goesOn = useStore(calls, (all) => joinable(all, id));
  const isSelecting = useSelecting();
  const closed = closedBecause(contact, group);
  const canWrite = closed === null;
  const isOpen = useStore(link, (way) => way === "open");

  useEffect(() => {
    if (!isOpen) return;
    const now = conversations.get().table.get(id);
    if (found === undefined) openHistory(id, now?.unread ?? 0, now?.firstUnread ?? null).catch(refused);
    else history.current?.jump(found);
  }, [id, found, isOpen]);
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) composer.current?.focus();
  }, [canWrite]);

  useEffect(() => endSelecting, []);
  // What had the focus in the bar is gone with it.
  useEffect(() => {
    if (!isSelecting && document.activeElement === document.body && matchMedia("(pointer: fine)").matches) composer.current?.focus();
  }, [isSelecting]);

  const doing = useMemo<Doing>(() => ({
    conversation: id, kind, group, own, canWrite,
    // The others know a member by the name that the member has chosen, not by our alias.
    people: group?.members.map((one) => ({ id: one.id, name: visible(contacts.get().get(one.id)?.displayName ?? one.displayName), isOwn: one.id === own })) ?? [],
    answer: (message) => setAbout({ kind: "answer", message }),
    edit: (message) => setAbout({ kind: "edit", message }),
    remove: (message) => setOver({ kind: "delete", message }),
    story: (message) => setOver({ kind: "story", message }),
    forward: (...messages) => setOver({ kind: "forward", messages }),
    pick: (message, at) => setOver({ kind: "emoji", message, at }),
    menu: (message, at) => setOver({ kind: "menu", message, at }),
    who: setWho,
    jump: (message) => history.current?.jump(message),
    react: (message, emoji, remove) => make(id, { method: "message.react", params: { id: message.id, emoji, remove } }),
  }), [kind, group, own, canWrite, id]);
  const close = useCallback(() => setOver(null), []);
  const closeWho = useCallback(() => setWho(null), []);
  const done = useCallback(() => setAbout(null), []);
  const inView = useCallback((start: number) => setDay((now) => (now === null ? null : start)), []);
  const closeDays = () => {
    setDay(null);
    composer.current?.focus();
  };
  const edit = useCallback((message: Message) => setAbout({ kind: "edit", message }), []);

  const { isOver, handlers } = useDrop(canWrite ? (parcels) => composer.current?.add(parcels) : undefined);

  return (
    <DoingContext.Provider value={doing}>
      <Pane name={kind === "notes" ? titleOf(conversation) : t("chat.with", { name: isolatedName(titleOf(conversation)) })} title={<HeadWords conversation={conversation} contact={contact} group={group} />} backTo="chats" ownScroll actions={<>
        {canWrite && kind !== "notes" && <>
          <IconButton icon="call" label={t("chat.call")} onClick={() => ring(id, "audio")} />
          <IconButton icon="video" label={t("chat.call.video")} only="not-narrow" onClick={() => ring(id, "video")} />
        </>}
        <IconButton icon="search" label={t("search.here")} only="not-narrow" onClick={() => searchHere(id)} />
        <IconButton icon="calendar" label={t("chat.days")} only="not-narrow" aria-expanded={day !== null} onClick={() => setDay((now) => now === null ? newest : null)} />
        <HeadMenu conversation={conversation} canCall={canWrite && kind !== "notes"} onDays={() => setDay(newest)} />
      </>}>
        <div className="chat" {...handlers}>
          {canWrite && goesOn !== undefined && <CallBar call={goesOn} />}
          {day !== null && <DayBar conversation={id} newest={newest} shown={day} onDay={(start) => history.current?.toTime(start)} onClose={closeDays} />}
          {conversation.pins > 0 && <PinBar conversation={conversation} onJump={doing.jump} />}
          {isSearch && found !== undefined && <FoundBar message={found} />}
          <History ref={history} unread={conversation.unread} onDay={day === null ? undefined : inView} />
          {/* What is written stays while messages are selected. */}
          <div hidden={isSelecting}>
            {closed === null
              ? <Composer ref={composer} about={about} onDone={done} onEditLast={edit} onAnswer={doing.answer} />
              : <p className="composer-note">{closed}</p>}
          </div>
          {isSelecting && <SelectionBar onForward={(messages) => doing.forward(...messages)} />}
          {isOver && <div className="drop-here"><Icon name="upload" size={40} />{t("chat.drop")}</div>}
        </div>
      </Pane>
      {over?.kind === "menu" && (
        <Menu
          label={t("message.actions")} entries={messageEntries(over.message, doing)} at={over.at} onClose={close}
          quick={canWrite && !over.message.deleted ? quickReactions(over.message, doing, over.at) : []}
        />
      )}
      {over?.kind === "emoji" && (
        <EmojiPanel at={over.at} label={t("message.react")} onClose={close} onPick={(emoji) => doing.react(over.message, emoji, false)} />
      )}
      {over?.kind === "delete" && <DeleteMessage message={over.message} own={over.message.sender === own} onClose={close} />}
      {over?.kind === "forward" && <Forward messages={over.messages} onClose={close} onDone={endSelecting} />}
      {who !== null && <MemberCard id={who} group={group} onClose={closeWho} />}
      {over?.kind === "story" && <Story title={storyTitle(over.message)} message={over.message} onClose={close} />}
    </DoingContext.Provider>
  );
}

export default function Chat({ at }: PaneProps) {
  const id = at["id"] ?? "";
  const conversation = useStore(conversations, (value) => value.table.get(id));
  const [missing, setMissing] = useState(false);
  const isOpen = useStore(link, (way) => way === "open");
  const known = conversation !== undefined;
  const isSearch = usePlace().startsWith("search/");
  const leaves = useStore(pending, () => pendingIn(id).some(({ method }) => method === "conversation.delete"));
  useEffect(() => {
    setMissing(false);
    if (!known && isOpen) loadConversation(id).catch(() => setMissing(true));
  }, [id, known, isOpen]);
  if (conversation !== undefined) return <OpenChat key={id} conversation={conversation} message={at["message"]} isSearch={isSearch} />;
  return missing || leaves ? <Empty icon="chat" title={t("chat.missing")} /> : <Spinner />;
}
