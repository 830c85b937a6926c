import { strict as assert } from "node:assert";
import { afterEach, test } from "node:test";
import { No, daemon, until } from "./standIn";
import type { Asked } from "./standIn";
import type { GuestDevice, GuestOffer } from "../../Web/src/contract/types";
import { dismissGift, gifts, giftFor, giveAgain, giveFiles, giveText } from "../../Web/src/store/giving";
import { guests, guestsChanged } from "../../Web/src/store/guests";
import { notices } from "../../Web/src/store/notices";
import { MOST_FILES } from "../../Web/src/store/outbox";
import { uploads } from "../../Web/src/store/uploads";
import { asRefused } from "../../Web/src/wire/refusal";

const phone: GuestDevice = { id: "0011223344556677", name: "Nice Orange", model: null, kind: "mobile", address: "192.168.1.7:53317", encrypted: true, known: false, namesake: false };
let given: GuestOffer[] = [];
let devices = [phone];
let number = 0;
/** The last question for the list, and what was shown then. */
let question = { number: 0, shown: guests.get() };
/** What the daemon refuses, by method. */
let refusals: Record<string, string> = {};

/** What happens while the daemon offers something. */
let meanwhile = (): void => undefined;

/** The daemon offers what it is told to, and has an upload for each file. */
daemon.answer = ({ method, params }: Asked) => {
  const kind = refusals[method];
  if (kind !== undefined) throw new No(kind);
  if (method === "guest.list") {
    question = { number: question.number + 1, shown: guests.get() };
    return { on: true, name: "Anna", port: 53317, problem: null, devices, offers: [], given };
  }
  if (method === "upload.put") return { ids: (params["paths"] as string[]).map((path) => `id of ${path} ${number += 1}`), leftOut: [] };
  if (method === "upload.begin") return { id: `id of ${String(params["name"])} ${number += 1}` };
  if (method !== "guest.give") return {};
  meanwhile();
  const made: GuestOffer = {
    id: `offer ${number += 1}`, state: "waiting", device: phone, text: (params["text"] as string | undefined) ?? null, items: [], files: 0, size: 0, cameAt: 0,
    until: null, filesDone: 0, bytesDone: 0, problem: null, detail: null,
  };
  given = [...given, made];
  return made;
};

const asked = (method: string): Asked["params"][] => daemon.asked.filter((one) => one.method === method).map(({ params }) => params);
const small = (...names: string[]): File[] => names.map((name) => new File([name], name));
const outgoing = (): string => guests.get().given.map(({ id, state }) => `${id} ${state}`).join(", ");

/** Waits for the answer to a question that comes after this. */
async function list(): Promise<void> {
  const before = question.number;
  guestsChanged();
  await until("the list", () => question.number > before && guests.get() !== question.shown);
}

/** What was offered last ends so. */
async function end(state: GuestOffer["state"], problem: GuestOffer["problem"] = null): Promise<GuestOffer> {
  const last = given.at(-1);
  assert.ok(last !== undefined);
  const over = { ...last, state, problem };
  given = [...given.slice(0, -1), over];
  await list();
  return over;
}

afterEach(async () => {
  meanwhile = () => undefined;
  refusals = {};
  devices = [phone];
  for (const { key } of gifts.get()) dismissGift(key);
  given = [];
  await list();
  daemon.asked.length = 0;
});

test("files are copied and then offered together; the card goes with the end of it", async () => {
  giveFiles(phone, small("a.txt", "b.txt"));
  assert.equal(gifts.get()[0]?.uploads.length, 2);
  await until("the offer", () => gifts.get()[0]?.offer != null);
  const [params] = asked("guest.give");
  assert.equal(params?.["device"], phone.id);
  assert.deepEqual((params?.["files"] as string[]).map((file) => file.replace(/ \d+$/, "")), ["upload:id of a.txt", "upload:id of b.txt"]);
  assert.equal(params !== undefined && ("pin" in params || "anyType" in params || "text" in params), false);
  assert.equal(uploads.get().size, 0);
  assert.match(outgoing(), /^offer \d+ waiting$/);
  await end("taken");
  assert.match(outgoing(), /taken$/);
  dismissGift(gifts.get()[0]?.key ?? "");
  assert.equal(outgoing(), "");
  assert.equal(gifts.get().length, 0);
  // They may stand in the notes by now.
  assert.deepEqual(asked("upload.cancel"), []);
});

test("too many files at once are refused with a word, and none of them is copied", () => {
  giveFiles(phone, small(...Array.from({ length: MOST_FILES + 1 }, (_, index) => `${index}.txt`)));
  assert.equal(gifts.get().length, 0);
  assert.equal(notices.get().length, 1);
  giveFiles(phone, []);
  assert.equal(gifts.get().length, 0);
});

test("a device that asks for a PIN gets the same uploads with it, and the new offer takes the place of the old one", async () => {
  giveFiles(phone, small("a.txt", "b.txt"));
  await until("the offer", () => gifts.get()[0]?.offer != null);
  const over = await end("failed", "wrong_passphrase");
  const gift = giftFor(over);
  assert.ok(gift !== undefined);
  await giveAgain(gift, { pin: "4711" });
  const [first, second] = asked("guest.give");
  assert.deepEqual(second, { ...first, pin: "4711" });
  assert.equal(asked("upload.put").length, 1);
  assert.match(outgoing(), /^offer \d+ waiting$/);
  assert.deepEqual(gifts.get().map(({ key, pin }) => [key, pin]), [[gift.key, "4711"]]);
});

test("uploads that the daemon has let go of are copied again, while the device is there", async () => {
  giveFiles(phone, small("a.txt", "b.txt"));
  await until("the offer", () => gifts.get()[0]?.offer != null);
  const gift = giftFor(await end("expired"));
  assert.ok(gift !== undefined);
  refusals = { "guest.give": "not_found" };
  devices = [];
  await list();
  await assert.rejects(giveAgain(gift), (error) => asRefused(error).kind === "not_found");
  assert.match(outgoing(), /expired$/);
  devices = [phone];
  await list();
  await giveAgain(gift);
  refusals = {};
  await until("the new offer", () => gifts.get()[0]?.offer != null && gifts.get()[0]?.offer !== gift.offer);
  assert.equal(asked("upload.put").length, 2);
  assert.match(outgoing(), /^offer \d+ waiting$/);
});

test("what can't be copied or offered says why, and is tried again", async () => {
  refusals = { "upload.put": "type_not_allowed", "upload.begin": "type_not_allowed" };
  giveFiles(phone, small("a.exe", "b.txt"));
  await until("the refusal", () => gifts.get()[0]?.problem != null);
  assert.equal(gifts.get()[0]?.problem?.kind, "type_not_allowed");
  refusals = { "guest.give": "busy" };
  const [refused] = gifts.get();
  assert.ok(refused !== undefined);
  await giveAgain(refused, { types: { anyType: true } });
  await until("the other refusal", () => gifts.get()[0]?.problem?.kind === "busy");
  assert.equal(asked("guest.give").at(-1)?.["anyType"], true);
  const copied = asked("upload.put").length;
  refusals = {};
  const [again] = gifts.get();
  assert.ok(again !== undefined);
  await giveAgain(again);
  assert.equal(asked("upload.put").length, copied);
  assert.notEqual(gifts.get()[0]?.offer, null);
  assert.equal(gifts.get()[0]?.problem, null);
});

test("what is given up before there is an offer leaves nothing in the daemon", async () => {
  refusals = { "guest.give": "busy" };
  giveFiles(phone, small("a.txt", "b.txt"));
  await until("the refusal", () => gifts.get()[0]?.problem != null);
  dismissGift(gifts.get()[0]?.key ?? "");
  await until("the end of the uploads", () => asked("upload.cancel").length === 2);
  giveFiles(phone, small("c.txt", "d.txt"));
  dismissGift(gifts.get()[0]?.key ?? "");
  giveFiles(phone, small("e.txt", "f.txt"));
  await until("the copies of the last ones", () => gifts.get()[0]?.problem != null);
  const copied = asked("upload.put").flatMap(({ paths }) => paths as string[]);
  assert.deepEqual(copied, ["a.txt", "b.txt", "e.txt", "f.txt"]);
  assert.equal(asked("guest.give").length, 2);
  assert.equal(gifts.get().length, 1);
});

test("what is given up while it is being offered is taken back, and doesn't come again", async () => {
  meanwhile = () => dismissGift(gifts.get()[0]?.key ?? "");
  giveFiles(phone, small("a.txt", "b.txt"));
  await until("the end of the uploads", () => asked("upload.cancel").length >= 2);
  await until("the word to the daemon", () => asked("guest.decline").length === 1);
  assert.deepEqual(asked("guest.decline"), [{ offer: given.at(-1)?.id }]);
  assert.equal(gifts.get().length, 0);
});

test("the copies of what was declined go when its card goes", async () => {
  giveFiles(phone, small("a.txt", "b.txt"));
  await until("the offer", () => gifts.get()[0]?.offer != null);
  await end("declined");
  assert.equal(asked("upload.cancel").length, 0);
  dismissGift(gifts.get()[0]?.key ?? "");
  await until("the end of the uploads", () => asked("upload.cancel").length === 2);
});

test("a text is refused where it is written, and can be offered again also by a page that doesn't know it", async () => {
  refusals = { "guest.give": "too_large" };
  await assert.rejects(giveText(phone, "hello"), (error) => asRefused(error).kind === "too_large");
  assert.equal(gifts.get().length, 0);
  refusals = {};
  await giveText(phone, "hello");
  const over = await end("failed", "offline");
  const [own] = gifts.get();
  assert.equal(giftFor(over), own);
  gifts.set([]);
  const other = giftFor(over);
  assert.ok(other !== undefined);
  await giveAgain(other);
  assert.deepEqual(asked("guest.give").at(-1), { device: phone.id, text: "hello" });
  assert.match(outgoing(), /^offer \d+ waiting$/);
  assert.equal(giftFor({ ...over, id: "unknown", text: null }), undefined);
});

test("what was under way when the daemon began anew is over; what was over is forgotten with its offer", async () => {
  await giveText(phone, "under way");
  await list();
  given = [];
  await list();
  assert.deepEqual(gifts.get().map(({ offer, problem }) => [offer, problem?.kind]), [[null, "cancelled"]]);
  dismissGift(gifts.get()[0]?.key ?? "");
  await giveText(phone, "over");
  await end("declined");
  given = [];
  await list();
  assert.equal(gifts.get().length, 0);
});
