import type { Params } from "../../contract/methods";
import type { Conversation } from "../../contract/types";
import { Confirm } from "../../parts/dialog";
import { twice } from "../../parts/later";
import type { Act, Choices, MenuEntry } from "../../parts/menu";
import { Name } from "../../parts/small";
import { make } from "../../store/changes";
import { conversations } from "../../store/conversations";
import { notify } from "../../store/notices";
import { go, place } from "../../store/router";
import { tomorrow, untilTime } from "../../text/format";
import { laterWords } from "../../text/language";
import { rich, t } from "../../text/t";

const HOUR = 3_600_000;

export function markRead(item: Conversation): void {
  if (item.lastMessage !== null) make(item.id, { method: "conversation.markRead", params: { id: item.id, upTo: item.lastMessage.id } });
}

function markUnread(item: Conversation): void {
  make(item.id, { method: "conversation.markUnread", params: { id: item.id } });
  // It would be read again at once.
  if (place.get().startsWith(`chats/${item.id}`)) go("chats", true);
}

const change = (item: Conversation, flags: Omit<Params<"conversation.update">, "id">): void =>
  make(item.id, { method: "conversation.update", params: { id: item.id, ...flags } });

function archive(item: Conversation): void {
  change(item, { archived: !item.archived });
  notify(t(item.archived ? "chats.isBack" : "chats.isArchived"), {
    label: t("common.undo"), run: () => change(item, { archived: item.archived }),
    watch: (over) => conversations.subscribe(() => conversations.get().table.get(item.id)?.archived === item.archived && over()),
  });
  if (!item.archived && place.get() === `chats/${item.id}`) go("chats", true);
}

function save(item: Conversation): void {
  twice(() => Promise.all([import("./saving"), laterWords()])).then(([saving]) => saving.saveChat(item), () => notify(t("app.missing")));
}

/** Ends the mute, or asks for how long the chat is to be muted. */
export const muteEntry = (item: Conversation): Act | Choices => item.muted
  ? { label: t("chats.unmute"), icon: "bell", run: () => change(item, { muted: false }) }
  : {
    label: t("chats.mute"), icon: "bellOff", entries: [
      { label: t("chats.mute.hour"), run: () => change(item, { muted: true, mutedUntil: Date.now() + HOUR }) },
      { label: t("chats.mute.tomorrow"), run: () => change(item, { muted: true, mutedUntil: tomorrow(Date.now()) }) },
      { label: t("chats.mute.always"), run: () => change(item, { muted: true }) },
    ],
  };

/** Whether a chat is muted, and until when; empty: it isn't. */
export const mutedWords = ({ muted, mutedUntil }: Conversation): string =>
  !muted ? "" : mutedUntil === undefined ? t("chats.muted") : t("chats.mutedUntil", { time: untilTime(mutedUntil) });

/** What can be done with a conversation, in its row and in the head of its chat. */
export function chatEntries(item: Conversation, remove: (item: Conversation) => void): MenuEntry[] {
  return [
    ...(item.unread > 0 ? [{ label: t("chats.markRead"), icon: "checks" as const, run: () => markRead(item) }]
      : item.kind !== "notes" && item.lastMessage !== null ? [{ label: t("chats.markUnread"), icon: "chat" as const, run: () => markUnread(item) }] : []),
    { label: t(item.pinned ? "chats.unpin" : "chats.pin"), icon: item.pinned ? "pinOff" : "pin", run: () => change(item, { pinned: !item.pinned }) },
    muteEntry(item),
    ...(item.muted && item.kind === "group" ? [{ label: t(item.mentionsMuted ? "chats.mentions.unmute" : "chats.mentions.mute"), icon: "bell" as const, run: () => change(item, { mentionsMuted: !item.mentionsMuted }) }] : []),
    { label: t(item.archived ? "chats.unarchive" : "chats.archive"), icon: "archive", run: () => archive(item) },
    { label: t("chats.export"), icon: "download", run: () => save(item) },
    "line",
    { label: t("chats.delete"), icon: "delete", danger: true, run: () => remove(item) },
  ];
}

export function DeleteChat({ item, onClose }: { item: Conversation; onClose: () => void }) {
  return (
    <Confirm
      title={t("chats.delete")} action={t("common.delete")} onClose={onClose}
      onConfirm={async () => {
        // What comes while the deletion waits is not deleted unseen.
        make(item.id, { method: "conversation.delete", params: { id: item.id, unread: item.unread } });
        if (place.get().startsWith(`chats/${item.id}`)) go("chats", true);
      }}
    >
      <p>{item.kind === "notes" ? t("notes.deleteAll") : rich("chats.delete.more", { name: <Name>{item.title}</Name> })}</p>
    </Confirm>
  );
}
