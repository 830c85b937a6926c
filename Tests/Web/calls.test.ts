import { strict as assert } from "node:assert";
import { test } from "node:test";
import { daemon } from "./standIn";
import type { Call } from "../../Web/src/contract/types";
import { calls, loadCalls, takeCall } from "../../Web/src/store/calls";

const call = (id: string, revision: number, state: Call["state"], reason: Call["reason"] = null): Call => ({
  id, revision, state, reason, conversation: null, direction: "outgoing", media: "audio", waiting: false, participants: [], sends: [],
  seat: null, generation: 1, signals: 0, moves: 0, startedAt: 0, connectedAt: null, duration: 0,
});
const states = (): string[] => calls.get().map(({ id, state }) => `${id} ${state}`).sort();

const dismiss = (id: string): void => calls.update((all) => all.filter((one) => one.id !== id));

test("an answer that is older than what was heard changes nothing", () => {
  takeCall(call("a", 2, "ringing"));
  takeCall(call("a", 1, "outgoing"));
  assert.deepEqual(states(), ["a ringing"]);
  takeCall(call("a", 3, "ended", "hangup"));
  takeCall(call("a", 2, "ringing"));
  assert.deepEqual(states(), ["a ended"]);
  dismiss("a");
  takeCall(call("a", 3, "ended", "hangup"));
  assert.deepEqual(states(), []);
});

test("a call that was over before its answer came is shown as it ended", () => {
  takeCall(call("b", 2, "ended", "nobody"));
  assert.deepEqual(states(), []);
  takeCall(call("b", 1, "outgoing"));
  assert.deepEqual(states(), ["b ended"]);
  dismiss("b");
});

test("a call that was over at once is shown to the window that began it, whether the event or the answer comes first", () => {
  for (const id of ["e", "f"]) {
    if (id === "e") takeCall(call(id, 1, "ended", "nobody"));
    takeCall(call(id, 1, "ended", "nobody"), true);
    assert.deepEqual(states(), [`${id} ended`]);
    takeCall(call(id, 1, "ended", "nobody"));
    assert.deepEqual(states(), [`${id} ended`]);
    dismiss(id);
  }
});

test("a call that the list of open ones lacks is shown as it ended, once that is told", async () => {
  takeCall(call("c", 1, "connecting"));
  daemon.answer = () => ({ calls: [] });
  await loadCalls();
  assert.deepEqual(states(), []);
  takeCall(call("c", 2, "ended", "failed"));
  assert.deepEqual(states(), ["c ended"]);
  dismiss("c");
});

test("a call that ended while nothing was heard is shown as one that was lost", async () => {
  takeCall(call("g", 1, "active"));
  daemon.answer = () => ({ calls: [] });
  await loadCalls(true);
  assert.deepEqual(states(), ["g ended"]);
  assert.equal(calls.get()[0]?.reason, null);
  dismiss("g");
  takeCall(call("g", 2, "ended", "lost"));
  assert.deepEqual(states(), []);
});

test("of a call that rang and ended elsewhere before this window heard of it nothing is shown", () => {
  takeCall(call("d", 1, "ended", "elsewhere"));
  assert.deepEqual(states(), []);
});
