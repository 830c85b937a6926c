// What one request tells the daemon or asks it, and what becomes of it where that fails for a moment.
import { strict as assert } from "node:assert";
import { test } from "node:test";
import { No, daemon, until } from "./standIn";
import { quotes, wantQuote } from "../../Web/src/store/quotes";
import { link } from "../../Web/src/wire/link";

const session = new Map([["kibo.untold", "a"]]);
Object.assign(globalThis, {
  sessionStorage: { getItem: (name: string) => session.get(name) ?? null, setItem: (name: string, value: string) => void session.set(name, value) },
});

const moment = (): Promise<void> => new Promise((done) => setTimeout(done, 20));

test("a call that ended here while the daemon was away is told until the daemon takes it or doesn't know it", async () => {
  link.set("open");
  daemon.answer = () => {
    throw new No("busy");
  };
  const { isUntold, tellLater } = await import("../../Web/src/call/untold");
  tellLater("b");
  await until("a request", () => daemon.asked.length > 0);
  await moment();
  assert.deepEqual([isUntold("a"), session.get("kibo.untold")], [true, "a b"]);
  link.set("web");
  daemon.answer = () => {
    throw new No("not_found");
  };
  link.set("open");
  await until("the calls to be told", () => !isUntold("a") && !isUntold("b"));
  assert.equal(session.get("kibo.untold"), "");
});

test("a quoted message is gone only if the daemon says so, and is asked for again otherwise", async () => {
  for (const kind of ["busy", "not_found"]) {
    daemon.asked = [];
    daemon.answer = () => {
      throw new No(kind);
    };
    wantQuote("c");
    await until("a request", () => daemon.asked.length > 0);
    await moment();
    assert.equal(quotes.get().has("c"), kind === "not_found");
  }
});
