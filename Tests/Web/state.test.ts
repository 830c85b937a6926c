import { strict as assert } from "node:assert";
import { test } from "node:test";
import "./standIn";
import type { Contact } from "../../Web/src/contract/types";
import { sorted } from "../../Web/src/store/contacts";
import { Table } from "../../Web/src/store/table";
import { BlockReader } from "../../Web/src/wire/sse";
import type { Block } from "../../Web/src/wire/sse";
import { searchEmoji, toned } from "../../Web/src/text/emoji";

const stream = ":\n\nevent: ready\ndata: {\"next\": 1}\n\nid: 5.e\r\ndata: {\"a\":\ndata: 1}\n\ndata: é\n\n";
const blocks: Block[] = [
  { event: "ready", id: "", data: "{\"next\": 1}" }, { event: "message", id: "5.e", data: "{\"a\":\n1}" }, { event: "message", id: "", data: "é" },
];

test("the stream is read whole, in pieces and letter by letter", () => {
  for (const length of [stream.length, 7, 3, 1]) {
    const reader = new BlockReader();
    const found: Block[] = [];
    for (let at = 0; at < stream.length; at += length) reader.take(stream.slice(at, at + length), (block) => found.push(block));
    assert.deepEqual(found, blocks, `in pieces of ${length}`);
  }
});

test("the newer object stays, whatever comes later", () => {
  const table = Table.empty<string>().put([["a", "new"]], 7).put([["a", "old"]], 5);
  assert.equal(table.get("a"), "new");
  assert.equal(table.put([["a", "newer"]], 8).get("a"), "newer");
});

test("what was removed stays so for answers that are older", () => {
  const table = Table.empty<string>().put([["a", "x"]], 3).remove("a", 6);
  assert.equal(table.put([["a", "late"]], 5).get("a"), undefined);
  assert.equal(table.put([["a", "again"]], 9).get("a"), "again");
});

test("a whole list takes away what it lacks, but nothing newer", () => {
  const table = Table.empty<string>().put([["a", "x"]], 3).put([["b", "y"]], 9).keepOnly(new Set(["c"]), 5);
  assert.deepEqual([...table.values()], ["y"]);
});

test("emoji are found by the beginnings of words, and take a tone behind their first character", () => {
  const groups = [{ name: "people", emoji: [{ text: "👍", name: "thumbs up", hasTones: true }, { text: "☝️", name: "index pointing up", hasTones: true }, { text: "🎉", name: "party popper", hasTones: false }] }];
  assert.deepEqual(searchEmoji(groups, "up thu").map(({ text }) => text), ["👍"]);
  assert.deepEqual(searchEmoji(groups, "  "), []);
  const [thumb, finger, party] = groups[0]?.emoji ?? [];
  assert.equal(thumb && toned(thumb, "\u{1f3fd}"), "👍🏽");
  assert.equal(finger && toned(finger, "\u{1f3fd}"), "☝🏽");
  assert.equal(party && toned(party, "\u{1f3fd}"), "🎉");
});

test("contacts stand by their names, also after one has another name, has come or is gone", () => {
  const person = (id: string, displayName: string, values = {}) => [id, { id, displayName, alias: "", relation: "friend", ...values } as unknown as Contact] as const;
  const names = (table: Table<Contact>) => sorted(table, ({ relation }) => relation === "friend").map(({ alias, displayName }) => alias || displayName);
  let table = Table.empty<Contact>().put([person("1", "Émile"), person("2", "anna"), person("3", "Zoë"), person("4", "Bob 10"), person("5", "Bob 9")], 1);
  assert.deepEqual(names(table), ["anna", "Bob 9", "Bob 10", "Émile", "Zoë"]);
  table = table.put([person("3", "Zoë", { alias: "Carla" }), person("6", "Dora"), person("2", "anna", { relation: "blocked" })], 2).remove("5", 2);
  assert.deepEqual(names(table), ["Bob 10", "Carla", "Dora", "Émile"]);
  assert.deepEqual(names(Table.empty<Contact>().put([person("9", "Alone")], 1)), ["Alone"]);
});
