// Which rows of a history are drawn, and how they are put into pieces.
import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { Message } from "../../Web/src/contract/types";
import { days } from "../../Web/src/screens/chat/days";
import type { Row } from "../../Web/src/screens/chat/days";
import { around, beyond, bounds, ending, grown, within } from "../../Web/src/screens/chat/drawn";
import type { Span, Stretch } from "../../Web/src/screens/chat/drawn";
import { Pieces, SIZE } from "../../Web/src/screens/chat/pieces";
import { seeded } from "./seeded";

const position = (number: number): string => String(number).padStart(6, "0");
const message = (number: number, day = 7): Message =>
  ({ id: `m${number}`, position: position(number), sender: "kibo1a", kind: "text", sentAt: new Date(2026, 4, day, 12).getTime() }) as Message;
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
const stretch = (from: number, to: number, before = true, after = true): Stretch => ({ rows: numbers(from, to).map((one) => message(one)), before, after });

test("a span is found again when rows come at both ends, and when its own first and last row go", () => {
  const here = stretch(100, 200);
  const span: Span = { from: position(120), to: position(140) };
  assert.deepEqual(bounds(here, span), [20, 41]);
  assert.deepEqual(bounds(stretch(50, 300), span), [70, 91]);
  assert.deepEqual(bounds({ ...here, rows: here.rows.filter(({ id }) => id !== "m120" && id !== "m140") }, span), [20, 39]);
  assert.equal(bounds(stretch(300, 400), span), undefined);
  assert.equal(bounds({ ...here, rows: [] }, span), undefined);
});

test("at the end of a history the span is open: what comes in is drawn", () => {
  const span = ending(stretch(0, 100, true, false), 30);
  assert.deepEqual(span, { from: position(70), to: null });
  assert.deepEqual(bounds(stretch(0, 103, true, false), span), [70, 103]);
  // Where the daemon has more, the next rows wait for their turn.
  assert.equal(ending(stretch(0, 100), 30).to, position(99));
  assert.deepEqual(ending(stretch(0, 10, false, false), 30), { from: null, to: null });
  assert.deepEqual(ending(stretch(0, 10, true, false), 30), { from: position(0), to: null });
});

test("a row that is jumped to is drawn with enough around it to fill a window, at the ends of the stretch, too", () => {
  const here = stretch(0, 200);
  for (const index of [0, 3, 100, 190, 199]) {
    for (const place of ["middle", "top"] as const) {
      const [first, end] = bounds(here, around(here, index, place, 32)) ?? [0, 0];
      assert.ok(first <= index && index < end);
      const below = end - index;
      const above = index - first;
      assert.ok(below >= (place === "top" ? 32 : 16) || end === 200);
      assert.ok(above >= (place === "top" ? 8 : 16) || first === 0);
      // Where there are too few on one side, there are more on the other one.
      assert.ok(end - first >= 32);
    }
  }
});

test("what is in use is drawn along with a row that is jumped to, unless it is far", () => {
  const here = stretch(0, 900);
  assert.deepEqual(bounds(here, around(here, 500, "middle", 32, ["m420"])), [420, 524]);
  assert.deepEqual(bounds(here, around(here, 500, "middle", 32, ["m640", "m20", "gone"])), [484, 641]);
  assert.deepEqual(bounds(here, around(here, 899, "end", 32)), [860, 900]);
});

test("a step adds rows at its edge, and keeps of the others those that are needed", () => {
  const here = stretch(0, 400);
  const drawn = (span: Span) => bounds(here, span);
  assert.deepEqual(drawn(grown(here, [240, 260], "before", false, 30)), [232, 260]);
  assert.deepEqual(drawn(grown(here, [240, 260], "before", true, 30)), [216, 260]);
  assert.deepEqual(drawn(grown(here, [240, 300], "before", false, 30)), [232, 270]);
  assert.deepEqual(drawn(grown(here, [240, 300], "after", false, 30)), [270, 308]);
  assert.deepEqual(drawn(grown(here, [4, 60], "before", false, 100)), [0, 60]);
  assert.equal(grown(stretch(0, 100, false), [4, 60], "before", false, 30).from, null);
  assert.equal(beyond(here, [4, 60], "before"), 4);
  assert.equal(beyond(here, [4, 60], "after"), 340);
});

test("days are cut at the bounds, and those without a row are left out", () => {
  const all = days([message(1, 5), message(2, 6), message(3, 6), message(4, 6), message(5, 7)], null);
  const ids = (bounds: [number, number]) => within(all, bounds).map(({ rows }) => rows.map((row) => row.message.id));
  assert.deepEqual(ids([0, 5]), [["m1"], ["m2", "m3", "m4"], ["m5"]]);
  assert.deepEqual(ids([2, 4]), [["m3", "m4"]]);
  assert.deepEqual(ids([3, 5]), [["m4"], ["m5"]]);
  // Whether a row is the first of its sender's is known of the whole stretch: it doesn't change when the one before it is drawn.
  assert.equal(within(all, [2, 4])[0]?.rows[0]?.first, false);
});

test("a row stays in its piece whatever comes and goes, and no two pieces have the same key", () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = seeded(seed);
    const pieces = new Pieces();
    let here = numbers(1000, 1000 + random(30));
    let keys = new Map<string, number>();
    for (let step = 0; step < 60; step += 1) {
      const first = here[0] ?? 1000;
      const last = here.at(-1) ?? 1000;
      const changes = [
        () => { here = [...numbers(first - 10, first - 10 + 1 + random(9)), ...here]; },
        () => { here = [...here, ...numbers(last + 1, last + 2 + random(9))]; },
        () => { here = here.slice(random(9)); },
        () => { here = here.slice(0, here.length - random(9)); },
        // One that comes late, and one that is deleted.
        () => { here = [...here, first + random(Math.max(1, here.length)) + 0.5].sort((a, b) => a - b).filter((one, index, all) => one !== all[index - 1]); },
        () => { here = here.filter((_, index) => index !== random(here.length + 1)); },
      ];
      changes[random(changes.length)]?.();
      const rows: Row[] = here.map((number) => ({ message: { ...message(0), id: `m${number}` }, first: true, last: true }));
      const made = pieces.of(rows);
      assert.deepEqual(made.flatMap((piece) => piece.rows), rows);
      assert.equal(new Set(made.map(({ key }) => key)).size, made.length);
      assert.ok(made.every((piece) => piece.rows.length <= SIZE || piece.rows.some(({ message: { id } }) => keys.has(id))));
      const now = new Map(made.flatMap((piece) => piece.rows.map((row) => [row.message.id, piece.key] as const)));
      for (const [id, key] of now) assert.equal(keys.get(id) ?? key, key);
      pieces.keepOnly(new Set(now.keys()));
      keys = now;
    }
  }
});

test("rows that come at the top make full pieces, counted from below", () => {
  const pieces = new Pieces();
  const rows = (from: number, to: number): Row[] => numbers(from, to).map((number) => ({ message: message(number), first: true, last: true }));
  pieces.of(rows(100, 104));
  assert.deepEqual(pieces.of(rows(80, 104)).map((piece) => piece.rows.length), [4, 8, 8, 4]);
});

test("in another order of the rows, what is torn apart gets keys of its own", () => {
  const pieces = new Pieces();
  const row = (number: number): Row => ({ message: message(number), first: true, last: true });
  pieces.of(numbers(0, 16).map(row));
  const made = pieces.of([0, 8, 1, 9, 2, 10].map(row));
  assert.equal(new Set(made.map(({ key }) => key)).size, made.length);
});
