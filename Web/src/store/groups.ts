import type { Group } from "../contract/types";
import { call } from "../wire/rpc";
import { seenNow } from "../wire/events";
import { Store } from "./store";
import { Table } from "./table";

export const groups = new Store<Table<Group>>(Table.empty());

export const takeGroups = (list: readonly Group[], seq: number): void =>
  groups.update((table) => table.put(list.map((group) => [group.id, group]), seq));

export async function loadGroups(): Promise<void> {
  const asked = seenNow();
  const { groups: list } = await call("group.list");
  groups.update((table) => table.put(list.map((group) => [group.id, group]), asked).keepOnly(new Set(list.map(({ id }) => id)), asked));
}
