import { strict as assert } from "node:assert";
import { test } from "node:test";
import { daemon } from "./standIn";
import type { Asked } from "./standIn";
import type { Message } from "../../Web/src/contract/types";
import "../../Web/src/store/outbox";
import { histories, loadAfter, loadBefore, loadEnd, reach } from "../../Web/src/store/messages";

const named = (number: number): string => `p${String(number).padStart(4, "0")}`;
const message = (number: number): Message => ({ id: `m${number}`, conversation: "c", position: named(number), text: String(number), attachments: [] }) as unknown as Message;
const all = Array.from({ length: 1000 }, (_, number) => message(number));

/** Answers as the daemon does, from messages 0 to 999. */
daemon.answer = ({ method, params }: Asked) => {
  if (method === "message.get") return all.find(({ id }) => id === params["id"]);
  const limit = Number(params["limit"]);
  const { before, after } = params as { before?: string; after?: string };
  if (after !== undefined) {
    const found = all.filter(({ position }) => position > after);
    return { messages: found.slice(0, limit), hasMore: found.length > limit };
  }
  const found = all.filter(({ position }) => before === undefined || position < before);
  return { messages: found.slice(-limit), hasMore: found.length > limit };
};

const stretch = (): number[] => histories.get().get("c")?.rows.map(({ text }) => Number(text)) ?? [];
const isWhole = (numbers: readonly number[]): boolean => numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1);

test("steps at both ends add to the stretch, and the far end goes, but for what is needed", async () => {
  await loadEnd("c");
  assert.deepEqual([stretch()[0], stretch().at(-1)], [950, 999]);
  for (let step = 0; step < 4; step += 1) await loadBefore("c", () => 0);
  assert.deepEqual([stretch()[0], stretch().length], [694, 160]);
  assert.equal(histories.get().get("c")?.after, true);
  await loadAfter("c", () => 200);
  assert.deepEqual([stretch()[0], stretch().at(-1)], [694, 917]);
  assert.ok(isWhole(stretch()));
});

for (const [edge, load] of [["before", loadBefore], ["after", loadAfter]] as const) {
  test(`a step ${edge} that was under way when another stretch came goes nowhere`, async () => {
    histories.set(new Map());
    await reach("c", "m500");
    const real = globalThis.fetch;
    let release: () => void = () => undefined;
    const gate = new Promise<void>((open) => { release = open; });
    globalThis.fetch = (async (path: string, init: { body: string }) => {
      const answer = await real(path, init);
      await gate;
      return answer;
    }) as typeof fetch;
    const step = load("c", () => 0);
    globalThis.fetch = real;
    await reach("c", "m100");
    assert.ok(stretch().includes(100));
    release();
    await step;
    assert.ok(isWhole(stretch()), String(stretch()));
    assert.ok(stretch().includes(100) && !stretch().includes(500));
  });
}
