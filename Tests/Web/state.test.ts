import { strict as assert } from "node:assert";
import { test } from "node:test";
import "./standIn";
import type { Contact } from "../../Web/src/contract/types";
import { sorted } from "../../Web/src/store/contacts";
import { Pace } from "../../Web/src/store/pace";
import { Table } from "../../Web/src/store/table";
import { BlockReader } from "../../Web/src/wire/sse";
import type { Block } from "../../Web/src/wire/sse";
import { EventStream } from "../../Web/src/wire/stream";
import type { StreamEvent } from "../../Web/src/wire/stream";
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

test("an event without a number is as new as what came before it, not as what came behind it", async () => {
  const block = (type: string, seq: number | null, state: string): string => `event: message\ndata: ${JSON.stringify({ type, change: "update", seq, data: { id: "t", state } })}\n\n`;
  const text = "event: ready\ndata: {\"next\": 7, \"epoch\": \"e\"}\n\n" + block("transfer.progress", null, "queued") + block("transfer.changed", 7, "paused") + block("message.changed", 8, "sent");
  const before = globalThis.fetch;
  const came: StreamEvent[] = [];
  let opened = 0;
  globalThis.fetch = (async () => (opened++ === 0 ? new Response(text) : new Response("", { status: 401 }))) as typeof fetch;
  const events = new EventStream((news) => {
    if (news.news === "events") came.push(...news.events);
    if (news.news === "web") events.retry();
  });
  await events.run().finally(() => (globalThis.fetch = before));
  assert.deepEqual(came.map(({ seq }) => seq), [6, 7, 8]);
  // All three are taken at once, as after a pause.
  let table = Table.empty<string>();
  for (const { seq, data } of came.slice(0, 2)) table = table.put([["t", (data as { state: string }).state]], seq);
  assert.equal(table.get("t"), "paused");
});

test("events that come alone begin at once, a flood of them has its share of the time", () => {
  const pace = new Pace();
  for (let now = 1000; now < 10_000; now += 300) {
    for (let event = 0; event < 3; event += 1) {
      assert.equal(pace.wait(now), 0);
      pace.worked(10);
    }
  }
  let used = 0;
  let now = 20_000;
  while (now < 30_000) {
    now += pace.wait(now);
    pace.worked(10);
    used += 10;
    now += 10;
  }
  assert.ok(used > 1000 && used < 1500, `${used} ms of 10 s`);
  pace.worked(200);
  assert.ok(pace.wait(now) > 500, "what took long is waited for");
});
