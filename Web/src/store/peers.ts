import { Store } from "../base/store";
import type { Peer } from "../contract/types";
import { call } from "../wire/rpc";

export type Near = ReadonlyMap<string, Peer>;

/** Who is on the network now, by account and device. These events have no number: the last word counts. */
export const peers = new Store<Near>(new Map());

/** What events have said since a list was asked for: it may come after them and know less. */
const meanwhile = new Map<string, Peer | null>();
let asking = 0;

const keyOf = (peer: Peer): string => `${peer.account} ${peer.device}`;

function take(now: ReadonlyMap<string, Peer>, changes: Iterable<readonly [string, Peer | null]>): ReadonlyMap<string, Peer> {
  const next = new Map(now);
  for (const [key, peer] of changes) {
    if (peer === null) next.delete(key);
    else next.set(key, peer);
  }
  return next;
}

function heard(key: string, peer: Peer | null): void {
  if (asking > 0) meanwhile.set(key, peer);
  peers.update((now) => take(now, [[key, peer]]));
}

export const peerAppeared = (peer: Peer): void => heard(keyOf(peer), peer);
export const peerVanished = (peer: Peer): void => heard(keyOf(peer), null);

let accounts: { of: Near; are: ReadonlySet<string> } = { of: new Map(), are: new Set() };

/** The accounts that have a device on the network. */
export function accountsNear(near: Near): ReadonlySet<string> {
  if (accounts.of !== near) accounts = { of: near, are: new Set([...near.values()].map(({ account }) => account)) };
  return accounts.are;
}

/** Peers in a page: the most that the contract gives. */
const PAGE = 500;

export async function loadPeers(): Promise<void> {
  asking += 1;
  try {
    const found: Peer[] = [];
    let after: string | undefined;
    do {
      const page = await call("peer.list", { limit: PAGE, ...(after === undefined ? {} : { after }) });
      found.push(...page.peers);
      after = page.next;
    } while (after !== undefined);
    peers.set(take(new Map(found.map((peer) => [keyOf(peer), peer])), meanwhile));
  } finally {
    asking -= 1;
    if (asking === 0) meanwhile.clear();
  }
}
