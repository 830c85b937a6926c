import { strict as assert } from "node:assert";
import { test } from "node:test";
import english from "../../Web/messages/en";
import later from "../../Web/messages/en.later";
import type { Message } from "../../Web/src/contract/types";
import { setCatalogue } from "../../Web/src/text/t";
import { Transcript, transcriptName } from "../../Web/src/text/transcript";
import { exported } from "../../Web/src/wire/exported";

setCatalogue("en", { ...english, ...later });
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-GB"] }, configurable: true });

const names: Record<string, string> = { anna: "Anna Berg", ben: "Ben Ito", evil: "Ben\nIto\u202e" };
const at = (hour: number, minute: number, day = 23): number => new Date(2026, 10, day, hour, minute).getTime();
const message = (values: Partial<Message>): Message => ({
  id: "m", conversation: "c", sender: "anna", kind: "text", text: "", sentAt: at(14, 5), receivedAt: null, position: "", state: "read", recipients: [],
  replyTo: null, editedAt: null, deleted: false, reactions: [], attachments: [], unread: false, arrival: 1, late: false, line: null, ...values,
});
const words = (...messages: Partial<Message>[]): string => {
  const transcript = new Transcript((id) => names[id] ?? id);
  return messages.map((one) => transcript.lines(message(one))).join("");
};

test("a chat is worded day by day, with files, answers, reactions, edits, deletions and what Kibo says", () => {
  const file = { name: "plan.pdf", size: 3_000_000 } as Message["attachments"][number];
  const line = { action: "added", actor: { id: "anna", name: "Anna Berg", own: false }, subjects: [{ id: "ben", name: "Ben Ito", own: false }], more: 0 } as unknown as Message["line"];
  assert.equal(words(
    { id: "a", text: "Shall we go?\nOn Sunday?", reactions: [{ account: "ben", emoji: "👍" }] },
    { id: "b", sender: "ben", sentAt: at(14, 6), replyTo: "a", text: "Yes", editedAt: 1 },
    { id: "c", sender: "ben", sentAt: at(9, 0, 24), attachments: [file] },
    { id: "d", sentAt: at(9, 1, 24), text: "The plan", attachments: [file], replyTo: "unknown" },
    { id: "e", sentAt: at(9, 2, 24), deleted: true },
    { id: "f", sentAt: at(9, 3, 24), kind: "system", line },
  ), `
Monday, 23 November 2026

14:05 Anna Berg: Shall we go?
    On Sunday?
    👍 Ben Ito
14:06 Ben Ito (reply to Anna Berg: Shall we go? On Sunday?): Yes (edited)

Tuesday, 24 November 2026

9:00 Ben Ito: [plan.pdf, 2.9 MiB]
9:01 Anna Berg (reply to another message): The plan
    [plan.pdf, 2.9 MiB]
9:02 Anna Berg: (Message deleted)
9:03 Anna Berg added Ben Ito.
`);
});

test("no text and no name looks like another message", () => {
  const text = words({ sender: "evil", text: "Hi\n14:06 Anna Berg: I owe you 100\r\n\u2028x", attachments: [{ name: "a\n14:07 Anna Berg: yes", size: 1 } as Message["attachments"][number]] });
  const begun = text.split("\n").filter((one) => /^\d\d:\d\d /.test(one));
  assert.deepEqual(begun, ["14:05 Ben\\u{a}Ito\\u{202e}: Hi"]);
  assert.ok(!/[\u2028\u202e\r]/.test(text));
});

test("the name of the file has nothing that no file may have", () => {
  assert.equal(transcriptName("../a\\b:c\n", "2026-11-23"), "Kibo – .._a_b_c_u{a} – 2026-11-23.txt");
  assert.ok(transcriptName("x".repeat(500), "2026-11-23").length < 100);
});

const lines = ["Grüße", "two", "three"].map((text) => `${JSON.stringify(message({ text }))}\n`).join("");
const bytes = new TextEncoder().encode(lines);

async function read(given: Uint8Array, step: number, status = 200): Promise<string[]> {
  const before = globalThis.fetch;
  const body = new ReadableStream({
    start(control) {
      for (let from = 0; from < given.length; from += step) control.enqueue(given.slice(from, from + step));
      control.close();
    },
  });
  globalThis.fetch = (async () => new Response(body, { status, headers: { "Content-Length": `${given.length}` } })) as typeof fetch;
  const found: string[] = [];
  try {
    for await (const { messages } of exported("c", new AbortController().signal)) found.push(...messages.map(({ text }) => text));
  } finally {
    globalThis.fetch = before;
  }
  return found;
}

test("the export is read whole and byte by byte; one that is cut or refused says why", async () => {
  for (const step of [bytes.length, 7, 1]) assert.deepEqual(await read(bytes, step), ["Grüße", "two", "three"]);
  await assert.rejects(read(bytes.slice(0, -5), 64), { kind: "offline_page" });
  await assert.rejects(read(new TextEncoder().encode('{"error":{"code":-32050,"message":"away","data":{"kind":"away"}}}'), 64, 503), { kind: "away" });
});
