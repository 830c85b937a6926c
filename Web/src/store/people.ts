// The names to show for accounts and groups, wherever they appear.
import { useStore } from "../base/store";
import type { Contact, Conversation, Group } from "../contract/types";
import { t } from "../text/t";
import { self } from "./account";
import { contacts, nameOf } from "./contacts";
import { groups } from "./groups";
import type { Table } from "./table";

/** The name of an account: you, a contact's, that of a member, now or former; else the beginning of its id. */
export function personName(id: string, known: Table<Contact>, group?: Group): string {
  if (id === self.get().account?.id) return t("common.you");
  const contact = known.get(id);
  if (contact !== undefined) return nameOf(contact);
  const member = group?.members.find((one) => one.id === id) ?? group?.former.find((one) => one.id === id);
  return member?.displayName ?? id.slice(0, 13);
}

/** The title of a conversation. Notes to oneself have a word of the page's language. */
export const titleOf = (chat: Conversation): string => (chat.kind === "notes" ? t("notes.title") : chat.title);

export const usePersonName = (id: string, group?: Group): string => useStore(contacts, (known) => personName(id, known, group));

/** The friend of a direct conversation. */
export const useContactOf = (conversation: Conversation | undefined): Contact | undefined =>
  useStore(contacts, (known) => known.get(conversation?.contact));

/** The group of a conversation. */
export const useGroupOf = (conversation: Conversation | undefined): Group | undefined =>
  useStore(groups, (known) => known.get(conversation?.group));
