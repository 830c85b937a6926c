import type { Conversation } from "../../contract/types";
import { Confirm } from "../../parts/dialog";
import type { MenuEntry } from "../../parts/menu";
import { notify, refused } from "../../parts/notice";
import { Name } from "../../parts/small";
import { change } from "../../store/conversations";
import { rich, t } from "../../text/t";
import { callIn } from "../../wire/rpc";
import { go, place } from "../router";

function markRead(item: Conversation): void {
  if (item.lastMessage !== null) callIn(item.id, "conversation.markRead", { id: item.id, upTo: item.lastMessage.id }).catch(refused);
}

function archive(item: Conversation): void {
  change(item.id, { archived: !item.archived }).then(() => {
    notify(t(item.archived ? "chats.isBack" : "chats.isArchived"), { label: t("common.undo"), run: () => void change(item.id, { archived: item.archived }).catch(refused) });
    if (!item.archived && place.get() === `chats/${item.id}`) go("chats", true);
  }, refused);
}

/** What can be done with a conversation, in its row and in the head of its chat. */
export function chatEntries(item: Conversation, remove: (item: Conversation) => void): MenuEntry[] {
  return [
    ...(item.unread > 0 ? [{ label: t("chats.markRead"), icon: "checks" as const, run: () => markRead(item) }] : []),
    { label: t(item.pinned ? "chats.unpin" : "chats.pin"), icon: item.pinned ? "pinOff" : "pin", run: () => void change(item.id, { pinned: !item.pinned }).catch(refused) },
    { label: t(item.muted ? "chats.unmute" : "chats.mute"), icon: item.muted ? "bell" : "bellOff", run: () => void change(item.id, { muted: !item.muted }).catch(refused) },
    { label: t(item.archived ? "chats.unarchive" : "chats.archive"), icon: "archive", run: () => archive(item) },
    { label: t("chats.export"), icon: "download", run: () => location.assign(`/export/${item.id}`) },
    "line",
    { label: t("chats.delete"), icon: "delete", danger: true, run: () => remove(item) },
  ];
}

export function DeleteChat({ item, onClose }: { item: Conversation; onClose: () => void }) {
  return (
    <Confirm
      title={t("chats.delete")} action={t("common.delete")} onClose={onClose}
      onConfirm={async () => {
        await callIn(item.id, "conversation.delete", { id: item.id });
        if (place.get().startsWith(`chats/${item.id}`)) go("chats", true);
      }}
    >
      <p>{rich("chats.delete.more", { name: <Name>{item.title}</Name> })}</p>
    </Confirm>
  );
}
