// Who is here, each account once whatever its devices, with what is known about it.
import type { Contact, Peer } from "../contract/types";
import { currentLanguage } from "../text/t";
import { nameOf } from "./contacts";
import type { Table } from "./table";

export interface Nearby {
  id: string;
  name: string;
  address: string;
  relation: Peer["relation"];
  /** Who in the address book it may be. */
  entry: string | null;
  contact: Contact | undefined;
}

export function nearby(peers: ReadonlyMap<string, Peer>, table: Table<Contact>): Nearby[] {
  const found = new Map<string, Nearby>();
  for (const peer of peers.values()) {
    const contact = table.get(peer.account);
    const name = contact === undefined ? peer.displayName : nameOf(contact);
    if (found.has(peer.account)) continue;
    const relation = contact?.relation ?? peer.relation;
    found.set(peer.account, { id: peer.account, name, address: peer.address, relation, entry: peer.entry?.name ?? null, contact });
  }
  const order = new Intl.Collator(currentLanguage(), { sensitivity: "base", numeric: true });
  return [...found.values()].sort((a, b) => order.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
}
