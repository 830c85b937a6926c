import { strict as assert } from "node:assert";
import { test } from "node:test";
import { No, daemon, until } from "./standIn";
import type { Asked } from "./standIn";
import { self } from "../../Web/src/store/account";
import { feed } from "../../Web/src/store/feed";
import { settings } from "../../Web/src/store/settings";
import { setLink } from "../../Web/src/wire/link";
import type { Account } from "../../Web/src/contract/types";
import type { StreamEvent } from "../../Web/src/wire/stream";

/** What an account without friends and chats has. */
const answers: Record<string, unknown> = {
  "account.get": { id: "me", displayName: "Anna", locked: false },
  "conversation.list": { conversations: [] }, "contact.list": { contacts: [] }, "group.list": { groups: [] }, "settings.list": { settings: [{ key: "messages.order", value: "sent" }] },
  "peer.list": { peers: [] }, "conversation.totals": { unread: 4, requests: 0 }, "system.status": { disk: { room: "enough" } },
};
const isAsked = (method: string): number => daemon.asked.filter((one) => one.method === method).length;
const pauseOf = (ms: number): Promise<unknown> => new Promise((done) => setTimeout(done, ms));

test("a start whose first read fails while the stream stands is tried again, one attempt at a time, until all is read", async () => {
  const failing = new Set(["account.get", "settings.list"]);
  const attempts: number[] = [];
  daemon.answer = ({ method }: Asked) => {
    if (method === "account.get") attempts.push(performance.now());
    if (failing.has(method)) throw new No("busy");
    return answers[method] ?? {};
  };
  setLink("open");
  // Three calls at once make one attempt and one after it, not three of them side by side; then there is a pause before each.
  feed.ready();
  feed.ready();
  feed.ready();
  await until("three attempts", () => attempts.length >= 3);
  assert.ok(attempts.every((at, index) => index < 2 || at - (attempts[index - 1] ?? 0) > 400), String(attempts));
  assert.equal(self.get().phase, "starting");

  // The account comes, a list still does not.
  failing.delete("account.get");
  await until("the account", () => self.get().phase === "ready");
  const before = isAsked("settings.list");
  await until("the next attempt", () => isAsked("settings.list") > before);
  failing.clear();
  await until("the list", () => settings.get().get("messages.order") !== undefined);

  // All is there: nothing more is asked for.
  const asked = daemon.asked.length;
  await pauseOf(2500);
  assert.equal(daemon.asked.length, asked);
});

test("an answer about the account that is older than an event doesn't take its place", async () => {
  daemon.answer = ({ method }: Asked) => answers[method] ?? {};
  setLink("open");
  daemon.asked.length = 0;
  feed.ready();
  const data = { id: "me", displayName: "Anna B.", locked: false } as Account;
  feed.events([{ type: "account.changed", change: "update", data, seq: 7, at: "" } as unknown as StreamEvent]);
  await until("the answer", () => isAsked("account.get") > 0 && isAsked("peer.list") > 0);
  await pauseOf(50);
  assert.equal(self.get().account?.displayName, "Anna B.");
});

test("nothing is asked for again while the link is not open", async () => {
  daemon.answer = () => {
    throw new No("busy");
  };
  setLink("open");
  daemon.asked.length = 0;
  feed.ready();
  await until("the attempt", () => isAsked("account.get") > 0);
  const before = isAsked("account.get");
  setLink("web");
  await pauseOf(1200);
  assert.equal(isAsked("account.get"), before);
});
