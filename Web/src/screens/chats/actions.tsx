import type { Params } from "../../contract/methods";
import type { Conversation } from "../../contract/types";
import { Confirm } from "../../parts/dialog";
import { twice } from "../../parts/later";
import type { MenuEntry } from "../../parts/menu";
import { notify } from "../../parts/notice";
import { Name } from "../../parts/small";
import { make } from "../../store/changes";
import { conversations } from "../../store/conversations";
import { laterWords } from "../../text/language";
import { rich, t } from "../../text/t";
import { go, place } from "../router";

export function markRead(item: Conversation): void {
  if (item.lastMessage !== null) make(item.id, { method: "conversation.markRead", params: { id: item.id, upTo: item.lastMessage.id } });
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

export const muteEntry = (item: Conversation) => (
  { label: t(item.muted ? "chats.unmute" : "chats.mute"), icon: item.muted ? "bell" as const : "bellOff" as const, run: () => change(item, { muted: !item.muted }) }
);

/** What can be done with a conversation, in its row and in the head of its chat. */
export function chatEntries(item: Conversation, remove: (item: Conversation) => void): MenuEntry[] {
  return [
    ...(item.unread > 0 ? [{ label: t("chats.markRead"), icon: "checks" as const, run: () => markRead(item) }] : []),
    { label: t(item.pinned ? "chats.unpin" : "chats.pin"), icon: item.pinned ? "pinOff" : "pin", run: () => change(item, { pinned: !item.pinned }) },
    muteEntry(item),
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
