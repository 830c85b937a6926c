import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { Contact, Group, Peer, Setting } from "../../Web/src/contract/types";
import { settingsOf } from "../../Web/src/screens/settings/sections";
import { byteSize, byteUnitOf } from "../../Web/src/screens/settings/values";
import { groups, memberGone, onlineIn, presenceOf, sortedGroups, takeGroups } from "../../Web/src/store/groups";
import { peerAppeared, peerVanished, peers } from "../../Web/src/store/peers";
import { Table } from "../../Web/src/store/table";

test("bytes stand in the largest unit of which they have a round number", () => {
  const units = [0, 1, 1000, 1024, 16_777_216, 1_610_612_736, 4_294_967_296, 4_398_046_511_104].map(byteUnitOf);
  assert.deepEqual(units, ["mib", "byte", "byte", "kib", "mib", "gib", "gib", "tib"]);
  for (const bytes of [1, 1536, 16_777_216, 1_610_612_736]) assert.equal((bytes / byteSize(byteUnitOf(bytes))) * byteSize(byteUnitOf(bytes)), bytes);
});

test("a setting of a later version stands under other, and no setting stands twice", () => {
  const keys = ["files.keepDays", "privacy.showEmail", "contacts.policy", "messages.readReceipts", "notifications.show", "later.thing"];
  const table = keys.reduce((all, key) => all.put([[key, { key } as Setting]], 1), Table.empty<Setting>());
  const found = ["privacy", "notifications", "messages", "files", "other"].map((section) => settingsOf(table, section).map(({ key }) => key));
  assert.deepEqual(found, [["privacy.showEmail", "contacts.policy", "messages.readReceipts"], ["notifications.show"], [], ["files.keepDays"], ["later.thing"]]);
});

test("groups stand by name, those that one is out of apart", () => {
  const group = (id: string, name: string, state: Group["state"]): [string, Group] => [id, { id, name, state } as Group];
  const table = Table.empty<Group>().put([group("1", "zoo", "member"), group("2", "Anna", "left"), group("3", "älter", "arriving"), group("4", "Bee", "removed")], 1);
  const { current, former } = sortedGroups(table);
  assert.deepEqual([current.map(({ name }) => name), former.map(({ name }) => name)], [["älter", "zoo"], ["Anna", "Bee"]]);
});

test("of a group's members friends say themselves whether they are here, blocked ones never are, others are when a device of theirs is", async () => {
  const member = (id: string, presence: string) => ({ id, presence });
  const group = { id: "g", members: [member("own", "online"), member("friend", "offline"), member("blocked", "online"), member("near", "offline"), member("far", "online")] } as Group;
  const contact = (id: string, relation: string, presence: string): [string, Contact] => [id, { id, relation, presence } as Contact];
  const known = Table.empty<Contact>().put([contact("friend", "friend", "away"), contact("blocked", "blocked", "offline")], 1);
  const device = (account: string, device: string) => ({ account, device }) as Peer;
  takeGroups([group], 1);
  for (const peer of [device("near", "1"), device("near", "2"), device("far", "1"), device("blocked", "1")]) peerAppeared(peer);
  const here = () => groups.get().get("g")!.members.map((one) => presenceOf(one, known, peers.get()));
  assert.deepEqual(here(), ["online", "away", "offline", "online", "online"]);
  assert.equal(onlineIn(groups.get().get("g")!, known, peers.get()), 4);
  for (const peer of [device("near", "1"), device("far", "1")]) {
    peerVanished(peer);
    memberGone(peer.account);
  }
  await Promise.resolve();
  assert.deepEqual(here(), ["online", "away", "offline", "online", "offline"]);
  // An answer from before brings nobody back who is near, nor takes them away.
  takeGroups([group], 2);
  assert.equal(here()[3], "online");
});
