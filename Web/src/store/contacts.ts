import type { Contact } from "../contract/types";
import { currentLanguage } from "../text/t";
import { call } from "../wire/rpc";
import { seenNow } from "../wire/events";
import { Store } from "./store";
import { Table } from "./table";

/** Everybody we know: friends, requests of both directions, blocked. */
export const contacts = new Store<Table<Contact>>(Table.empty());

export const takeContacts = (list: readonly Contact[], seq: number): void =>
  contacts.update((table) => table.put(list.map((contact) => [contact.id, contact]), seq));

/** Reads all contacts anew. */
export async function loadContacts(): Promise<void> {
  const asked = seenNow();
  const { contacts: list } = await call("contact.list");
  contacts.update((table) => table.put(list.map((contact) => [contact.id, contact]), asked).keepOnly(new Set(list.map(({ id }) => id)), asked));
}

/** What to call a contact: our alias, or their own name. */
export const nameOf = (contact: Contact): string => contact.alias !== "" ? contact.alias : contact.displayName;

/** Contacts that are chosen, by name in the order of the page's language. */
export function sorted(table: Table<Contact>, choose: (contact: Contact) => boolean): Contact[] {
  const order = new Intl.Collator(currentLanguage(), { sensitivity: "base", numeric: true });
  return [...table.values()].filter(choose).sort((a, b) => order.compare(nameOf(a), nameOf(b)));
}
