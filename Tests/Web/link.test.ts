import { strict as assert } from "node:assert";
import { test } from "node:test";
import { until } from "./standIn";
import { listen } from "../../Web/src/wire/events";
import { link } from "../../Web/src/wire/link";
import { call } from "../../Web/src/wire/rpc";

test("a request that fails while the stream stands closes the way for a moment only", async () => {
  const before = globalThis.fetch;
  let broken = 0;
  let opened = 0;
  let end: () => void = () => undefined;
  globalThis.fetch = (async (path: string, init: RequestInit) => {
    if (!path.startsWith("/events")) {
      if (broken-- > 0) throw new TypeError("Failed to fetch");
      return (before as (path: string, init: RequestInit) => Promise<Response>)(path, init);
    }
    opened += 1;
    return new Response(new ReadableStream<Uint8Array>({
      start(control) {
        const say = (text: string) => control.enqueue(new TextEncoder().encode(text));
        say("event: ready\ndata: {\"next\": 7, \"epoch\": \"e\"}\n\n");
        end = () => {
          say("event: ended\ndata: {}\n\n");
          control.close();
        };
      },
    }));
  }) as typeof fetch;
  let ready = 0;
  listen("", { ready: () => void (ready += 1), events: () => undefined, gap: () => undefined });
  await until("the stream", () => link.get() === "open");
  broken = 1;
  await assert.rejects(call("account.get"), { kind: "offline_page" });
  assert.equal(link.get(), "web");
  await until("the way to be open", () => link.get() === "open");
  assert.deepEqual([opened, ready], [1, 2]);

  // A request that fails each time asks once each time, not more.
  broken = 1;
  await assert.rejects(call("account.get"), { kind: "offline_page" });
  broken = 1;
  await assert.rejects(call("account.get"), { kind: "offline_page" });
  await until("the way to be open again", () => link.get() === "open");
  await new Promise((done) => setTimeout(done, 2500));
  assert.deepEqual([opened, ready], [1, 3]);
  end();
  await until("the end", () => link.get() === "out");
  globalThis.fetch = before;
});
