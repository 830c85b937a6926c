import { Store } from "../base/store";
import type { Params } from "../contract/methods";
import type { Presence } from "../contract/codes";
import type { Contact, Group } from "../contract/types";
import { compareNames } from "../text/format";
import { seenNow } from "../wire/events";
import { call, callIn } from "../wire/rpc";
import { accountsNear, peers } from "./peers";
import type { Near } from "./peers";
import { Table } from "./table";

export const groups = new Store<Table<Group>>(Table.empty());

export const takeGroups = (list: readonly Group[], seq: number): void =>
  groups.update((table) => table.put(list.map((group) => [group.id, group]), seq));

type Member = Group["members"][number];

function changeMembers(fits: (member: Member) => boolean, presence: Presence): void {
  const changes = (member: Member) => member.presence !== presence && fits(member);
  if (![...groups.get().values()].some(({ members }) => members.some(changes))) return;
  groups.update((table) => table.each((group) => group.members.some(changes)
    ? { ...group, members: group.members.map((member) => (changes(member) ? { ...member, presence } : member)) } : group));
}

/** The daemon is away, so the page can't tell who is online. */
export const groupsGone = (): void => changeMembers(() => true, "offline");

const gone = new Set<string>();

/** An account has left the network, and no event tells its groups. Of many that leave at once the groups are gone through once. */
export function memberGone(account: string): void {
  gone.add(account);
  if (gone.size > 1) return;
  queueMicrotask(() => {
    const near = accountsNear(peers.get());
    changeMembers(({ id }) => gone.has(id) && !near.has(id), "offline");
    gone.clear();
  });
}

/** Whether a member is here. Friends say it themselves; the others are when a device of theirs is. */
export function presenceOf({ id, presence }: Member, known: Table<Contact>, near: Near): Presence {
  const contact = known.get(id);
  if (contact?.relation === "friend") return contact.presence;
  if (contact?.relation === "blocked") return "offline";
  return accountsNear(near).has(id) ? "online" : presence;
}

export const onlineIn = ({ members }: Group, known: Table<Contact>, near: Near): number =>
  members.filter((member) => presenceOf(member, known, near) !== "offline").length;

export async function loadGroups(): Promise<void> {
  const asked = seenNow();
  const { groups: list } = await call("group.list");
  groups.update((table) => table.put(list.map((group) => [group.id, group]), asked).keepOnly(new Set(list.map(({ id }) => id)), asked));
}

/** Reads a group that may not be here yet. */
export async function loadGroup(id: string): Promise<void> {
  const asked = seenNow();
  takeGroups([await call("group.get", { id })], asked);
}

type Change = "group.update" | "group.add" | "group.remove" | "group.setRole" | "group.leave";

/** Changes a group, after what else is under way in its conversation. */
export async function changeGroup<M extends Change>(group: Group, method: M, params: Params<M>): Promise<void> {
  const asked = seenNow();
  takeGroups([await callIn(group.conversation ?? group.id, method, params)], asked);
}

/** Groups in the order of their names, those that this account is in apart from those that it is out of. */
export function sortedGroups(table: Table<Group>): { current: Group[]; former: Group[] } {
  const all = [...table.values()].sort((a, b) => compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1));
  const isOut = ({ state }: Group) => state === "left" || state === "removed";
  return { current: all.filter((group) => !isOut(group)), former: all.filter(isOut) };
}
