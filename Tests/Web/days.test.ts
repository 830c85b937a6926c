// Days of a chat: each has a key of its own, which stays while older messages come.
import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { Message } from "../../Web/src/contract/types";
import { days } from "../../Web/src/screens/chat/days";

const noon = (day: number): number => new Date(2026, 4, day, 12).getTime();
const message = (id: string, day: number): Message => ({ id, sender: "kibo1a", kind: "text", sentAt: noon(day) }) as Message;

test("a day that comes twice, as in the order of arrival, has two keys", () => {
  const all = days([message("a", 7), message("late", 6), message("b", 7)], null);
  assert.deepEqual(all.map(({ rows }) => rows.map((row) => row.message.id)), [["a"], ["late"], ["b"]]);
  assert.equal(new Set(all.map(({ key }) => key)).size, 3);
});

test("the key of a day stays when older messages come, of that day too", () => {
  const here = [message("a", 7), message("late", 6), message("b", 7)];
  const keys = (all: readonly Message[]) => new Map(days(all, null).flatMap((day) => day.rows.map((row) => [row.message.id, day.key])));
  const before = keys(here);
  for (const older of [message("o", 5), message("o", 6), message("o", 7)]) {
    const after = keys([older, ...here]);
    for (const one of here) assert.equal(after.get(one.id), before.get(one.id));
  }
});
