import type { Peer } from "../contract/types";
import { call } from "../wire/rpc";
import { Store } from "./store";

/** Who is on the network now, by account and device. These events have no number: the last word counts. */
export const peers = new Store<ReadonlyMap<string, Peer>>(new Map());

const keyOf = (peer: Peer): string => `${peer.account} ${peer.device}`;

export const peerAppeared = (peer: Peer): void => peers.update((now) => new Map(now).set(keyOf(peer), peer));

export const peerVanished = (peer: Peer): void => peers.update((now) => {
  const next = new Map(now);
  next.delete(keyOf(peer));
  return next;
});

export async function loadPeers(): Promise<void> {
  const { peers: list } = await call("peer.list");
  peers.set(new Map(list.map((peer) => [keyOf(peer), peer])));
}
