import { strict as assert } from "node:assert";
import { test } from "node:test";
import { No, daemon, until } from "./standIn";
import type { Asked } from "./standIn";
import type { Conversation, Message } from "../../Web/src/contract/types";
import { make, resumeSending } from "../../Web/src/store/changes";
import { conversations, takeConversations } from "../../Web/src/store/conversations";
import { drafts, setDraft } from "../../Web/src/store/drafts";
import { histories, loadEnd } from "../../Web/src/store/messages";
import { newKey, outbox, post } from "../../Web/src/store/outbox";
import { overConversation, overMessage, pending } from "../../Web/src/store/pending";
import type { Change, Pending } from "../../Web/src/store/pending";
import { setLink } from "../../Web/src/wire/link";

const message = (id: string, values: Partial<Message> = {}): Message => ({
  id, conversation: "c", sender: "ben", kind: "text", text: `text of ${id}`, sentAt: 1, receivedAt: 1, position: id, state: "received", recipients: [],
  replyTo: null, editedAt: null, deleted: false, reactions: [], attachments: [], unread: true, arrival: 1, late: false, line: null, ...values,
});
const conversation = (values: Partial<Conversation> = {}): Conversation => ({
  id: "c", kind: "direct", title: "Ben", contact: "ben", unread: 3, firstUnread: "m1", lastMessage: null, pinned: false, archived: false, muted: false,
  updatedAt: 1, ...values,
});
const item = (change: Change, seen: readonly string[] | null = null): Pending => ({ ...change, key: "k", conversation: "c", by: "me", at: 5, seen });
const edit = (id: string, text: string): Change => ({ method: "message.edit", params: { id, text } });
const react = (id: string, emoji: string, remove = false): Change => ({ method: "message.react", params: { id, emoji, remove } });
const remove = (id: string, from: "me" | "all"): Change => ({ method: "message.delete", params: { id, for: from } });
const flags = (values: { pinned?: boolean; muted?: boolean; mutedUntil?: number; archived?: boolean }): Change => ({ method: "conversation.update", params: { id: "c", ...values } });
const read = (from: string, upTo: string): Change => ({ method: "conversation.markRead", params: { id: "c", from, upTo, arrival: 1 } });

const rows = (): string[] => (histories.get().get("c")?.rows ?? []).map(({ text, reactions }) => text + reactions.map(({ emoji }) => emoji).join(""));
const said = (): string[] => daemon.asked.map(({ method, params }) => `${method} ${String(params["text"] ?? params["emoji"] ?? params["id"])}`);

test("changes stand over what the daemon has told, the later over the earlier", () => {
  const one = message("m1");
  assert.equal(overMessage(one, [item(edit("m1", "a")), item(edit("m1", "b")), item(edit("m2", "c"))])?.text, "b");
  assert.equal(overMessage(one, [item(edit("m2", "c"))]), one);
  assert.deepEqual(overMessage(one, [item(react("m1", "👍")), item(react("m1", "👍"))])?.reactions, [{ account: "me", emoji: "👍" }]);
  assert.deepEqual(overMessage(one, [item(react("m1", "👍")), item(react("m1", "👍", true))])?.reactions, []);
  assert.equal(overMessage(one, [item(remove("m1", "me"))]), null);
  assert.equal(overMessage(one, [item(remove("m1", "all")), item(edit("m1", "late"))])?.text, "");
});

test("a read mark takes away what it covers, and only what the daemon still holds for unread", () => {
  const mark = item(read("m1", "m2"), ["m1", "m2"]);
  assert.equal(overMessage(message("m1"), [mark])?.unread, false);
  assert.equal(overMessage(message("m3"), [mark])?.unread, true);
  assert.equal(overConversation(conversation(), [mark], () => true)?.unread, 1);
  assert.equal(overConversation(conversation({ unread: 2 }), [mark], (id) => id === "m2")?.unread, 1);
  const all = item({ method: "conversation.markRead", params: { id: "c", upTo: "m3" } });
  assert.deepEqual([overConversation(conversation(), [all], () => true)?.unread, overConversation(conversation(), [all], () => true)?.firstUnread], [0, null]);
  assert.equal(overMessage(message("m3", { receivedAt: 6 }), [all])?.unread, true);
});

test("a chat is muted as the last change says: for a time, without an end, or not at all", () => {
  const now = (...all: Change[]) => {
    const { muted, mutedUntil } = overConversation(conversation({ muted: true, mutedUntil: 7 }), all.map((one) => item(one)), () => true) ?? conversation();
    return [muted, mutedUntil];
  };
  assert.deepEqual(now(flags({ pinned: true })), [true, 7]);
  assert.deepEqual(now(flags({ muted: true })), [true, undefined]);
  assert.deepEqual(now(flags({ muted: true, mutedUntil: 9 }), flags({ archived: true })), [true, 9]);
  assert.deepEqual(now(flags({ muted: true, mutedUntil: 9 }), flags({ muted: false })), [false, undefined]);
});

const told = new Map<string, Message>();
let chat = conversation();
/** Why the daemon refuses to delete a chat. */
let refuse: string | null = null;
daemon.answer = ({ method, params }: Asked) => {
  const id = String(params["id"]);
  const one = told.get(id);
  switch (method) {
    case "message.list": return { messages: [...told.values()], hasMore: false };
    case "conversation.delete":
      if (refuse !== null) throw new No(refuse);
      return {};
    case "message.send": return message(String(params["key"]), { sender: "me", text: String(params["text"]), unread: false });
    case "conversation.update": case "conversation.markRead": return chat = { ...chat, ...(method === "conversation.update" ? params : { unread: 1 }) };
  }
  if (one === undefined) throw new No("not_found");
  if (params["text"] === "refuse me") throw new No("not_allowed");
  if (method === "message.edit") told.set(id, { ...one, text: String(params["text"]) });
  if (method === "message.react") told.set(id, { ...one, reactions: [{ account: "me", emoji: String(params["emoji"]) }] });
  if (method === "message.delete") told.delete(id);
  return told.get(id) ?? one;
};

test("what is changed while the daemon is away shows at once, waits, and leaves in its order with the texts", async () => {
  for (const id of ["m1", "m2", "m3"]) told.set(id, message(id));
  await loadEnd("c");
  takeConversations([conversation()], -1);
  daemon.asked.length = 0;
  setLink("daemon");
  make("c", edit("m1", "one"));
  post("c", "a text", null);
  make("c", react("m2", "👍"));
  make("c", edit("m1", "two"));
  make("c", remove("m3", "me"));
  make("c", flags({ pinned: true }));
  make("c", read("m1", "m2"), ["m1", "m2"]);
  assert.deepEqual(rows(), ["two", "text of m2👍"]);
  const shown = conversations.get().table.get("c");
  assert.deepEqual([shown?.pinned, shown?.unread], [true, 1]);
  await new Promise((done) => setTimeout(done, 30));
  assert.deepEqual(said(), []);
  assert.equal([...Array(localStorage.length).keys()].filter((index) => localStorage.key(index)?.startsWith("kibo.change.")).length, 6);
  setLink("open");
  await until("all to be sent", () => pending.get().length === 0 && outbox.get().length === 0);
  assert.deepEqual(said(), [
    "message.edit one", "message.send a text", "message.react 👍", "message.edit two", "message.delete m3", "conversation.update c", "conversation.markRead c",
  ]);
  assert.deepEqual(rows().slice(-2).concat(rows()).includes("two"), true);
  assert.deepEqual(conversations.get().table.get("c")?.unread, 1);
  assert.equal(localStorage.length, 0);
});

test("a mute that would have ended while the daemon was away isn't asked for", async () => {
  daemon.asked.length = 0;
  setLink("daemon");
  make("c", flags({ muted: true, mutedUntil: Date.now() + 300 }));
  make("c", flags({ archived: true }));
  assert.equal(conversations.get().table.get("c")?.muted, true);
  await new Promise((done) => setTimeout(done, 400));
  setLink("open");
  await until("what is left to be sent", () => pending.get().length === 0);
  assert.deepEqual(daemon.asked.map(({ params }) => params), [{ id: "c", archived: true }]);
  assert.equal(conversations.get().table.get("c")?.muted, false);
});

test("what is refused is taken back, and what comes after it goes on", async () => {
  daemon.asked.length = 0;
  make("c", edit("m1", "refuse me"));
  make("c", edit("m2", "three"));
  assert.ok(rows().includes("refuse me"));
  await until("both to be answered", () => pending.get().length === 0);
  assert.ok(rows().includes("two") && rows().some((text) => text.startsWith("three")) && !rows().includes("refuse me"), rows().join());
});

test("a deletion whose answer was lost is no refusal", async () => {
  told.delete("m2");
  make("c", remove("m2", "me"));
  await until("the answer", () => pending.get().length === 0);
  assert.ok(!rows().some((text) => text.startsWith("three")));
});

test("texts and changes of an earlier page go on in the order in which they were made", async () => {
  daemon.asked.length = 0;
  const keys = [newKey(), newKey(), newKey()];
  const [first, second, third] = keys as [string, string, string];
  localStorage.setItem(`kibo.change.${third}`, JSON.stringify({ ...item(edit("m1", "last")), key: third }));
  localStorage.setItem(`kibo.outbox.${second}`, JSON.stringify({ key: second, conversation: "c", text: "between", replyTo: null, at: 1, uploads: [], problem: null, claimed: null }));
  localStorage.setItem(`kibo.change.${first}`, JSON.stringify({ ...item(edit("m1", "first")), key: first }));
  resumeSending();
  resumeSending();
  await until("all to be sent", () => pending.get().length === 0 && outbox.get().length === 0);
  assert.deepEqual(said(), ["message.edit first", "message.send between", "message.edit last"]);
});

test("a chat that is deleted goes at once, leaves after its texts, and takes along what was begun in it; twice is once", async () => {
  const isHere = () => conversations.get().table.get("c") !== undefined;
  const isDeletion = ({ method }: Asked) => method === "conversation.delete";
  const remove: Change = { method: "conversation.delete", params: { id: "c", unread: 1 } };
  takeConversations([conversation()], 0);
  daemon.asked.length = 0;
  setLink("daemon");
  post("c", "the last word", null);
  setDraft("c", "never sent");
  make("c", remove);
  assert.equal(isHere(), false);
  takeConversations([conversation({ pinned: true })], 1);
  assert.equal(isHere(), false);
  setLink("open");
  await until("the answer", () => pending.get().length === 0);
  assert.deepEqual(daemon.asked.map(({ method }) => method), ["message.send", "conversation.delete"]);
  assert.deepEqual(daemon.asked.find(isDeletion)?.params, { id: "c", unread: 1 });
  assert.equal(drafts.get().get("c"), undefined);

  // What is refused brings the chat back; what was deleted by a lost request is gone.
  takeConversations([conversation()], 2);
  refuse = "invalid";
  make("c", remove);
  await until("the refusal", () => pending.get().length === 0);
  assert.equal(isHere(), true);
  refuse = "not_found";
  make("c", remove);
  await until("the answer", () => pending.get().length === 0);
  refuse = null;
});

test("a daemon that goes away in the middle is asked again", async () => {
  daemon.asked.length = 0;
  daemon.isAway = true;
  make("c", edit("m1", "again"));
  await new Promise((done) => setTimeout(done, 60));
  assert.ok(rows().includes("again"));
  daemon.isAway = false;
  await until("the answer", () => pending.get().length === 0);
  assert.deepEqual(said(), ["message.edit again"]);
});

test("a change that another tab has sent is not sent once more", async () => {
  daemon.asked.length = 0;
  setLink("daemon");
  make("c", edit("m1", "of two tabs"));
  const key = pending.get()[0]?.key ?? "";
  localStorage.removeItem(`kibo.change.${key}`);
  setLink("open");
  await until("it to be dropped", () => pending.get().length === 0);
  assert.deepEqual(said(), []);
});
