import { Store } from "../base/store";
import type { AddressBookEntry, Contact } from "../contract/types";
import { plain } from "../text/plain";
import { currentLanguage } from "../text/t";
import { seenNow } from "../wire/events";
import { call } from "../wire/rpc";
import { Table } from "./table";

/** Everybody we know: friends, requests of both directions, blocked. */
export const contacts = new Store<Table<Contact>>(Table.empty());

export const takeContacts = (list: readonly Contact[], seq: number): void =>
  contacts.update((table) => table.put(list.map((contact) => [contact.id, contact]), seq));

/** The daemon is away, so the page can't tell who is online: it shows everybody as offline. */
export const contactsGone = (): void => contacts.update((table) => table.each((contact) =>
  contact.presence === "offline" ? contact : { ...contact, presence: "offline", lastSeen: Date.now() }));

/** Contacts in a page: the most that the contract gives. */
const PAGE = 500;

/** Reads all contacts again, page by page, and shows each page at once. */
export async function loadContacts(): Promise<void> {
  const begun = seenNow();
  const here = new Set<string>();
  let after: string | undefined;
  do {
    const asked = seenNow();
    const { contacts: list, next } = await call("contact.list", { limit: PAGE, ...(after === undefined ? {} : { after }) });
    takeContacts(list, asked);
    for (const { id } of list) here.add(id);
    after = next;
  } while (after !== undefined);
  contacts.update((table) => table.keepOnly(here, begun));
}

/** What to call a contact: our alias, or their own name. */
export const nameOf = (contact: Contact): string => contact.alias !== "" ? contact.alias : contact.displayName;

/** The friends by what they are called, without accents and in small letters. */
export const friendsByName = (table: Table<Contact>): ReadonlyMap<string, Contact> =>
  new Map([...table.values()].filter(({ relation }) => relation === "friend").map((one) => [plain(nameOf(one)), one]));

/** The friend who has the name of an entry that fits no account: it may be them. */
export const namesakeOf = (entry: AddressBookEntry, friends: ReadonlyMap<string, Contact>): Contact | undefined =>
  entry.onKibo || entry.name === "" ? undefined : friends.get(plain(entry.name));

/** The order that was made last: of ten thousand contacts mostly none or one has another name than before. */
let order: { ids: readonly string[]; names: ReadonlyMap<string, string>; language: string } = { ids: [], names: new Map(), language: "" };
let orderOf: Table<Contact> | null = null;

/** The ids of a table by name, in the order of the page's language. */
function inOrder(table: Table<Contact>): readonly string[] {
  const language = currentLanguage();
  if (orderOf === table && order.language === language) return order.ids;
  const names = new Map<string, string>();
  const added: string[] = [];
  const old = order.language === language ? order : { ids: [], names: new Map<string, string>() };
  for (const contact of table.values()) {
    const name = nameOf(contact);
    names.set(contact.id, name);
    if (old.names.get(contact.id) !== name) added.push(contact.id);
  }
  let { ids } = old;
  if (added.length > 0 || names.size !== ids.length) {
    const collator = new Intl.Collator(language, { sensitivity: "base", numeric: true });
    // Two runs that are in order are merged in one pass.
    const stay = ids.filter((id) => names.get(id) !== undefined && names.get(id) === old.names.get(id));
    const compare = (a: string, b: string) => collator.compare(names.get(a) ?? "", names.get(b) ?? "");
    ids = [...stay, ...added.sort(compare)].sort(compare);
  }
  order = { ids, names, language };
  orderOf = table;
  return ids;
}

/** Contacts that are chosen, by name in the order of the page's language. */
export function sorted(table: Table<Contact>, choose: (contact: Contact) => boolean): Contact[] {
  const chosen: Contact[] = [];
  for (const id of inOrder(table)) {
    const contact = table.get(id);
    if (contact !== undefined && choose(contact)) chosen.push(contact);
  }
  return chosen;
}
