import { strict as assert } from "node:assert";
import { test } from "node:test";
import { No, daemon, until } from "./standIn";
import type { GuestOffer } from "../../Web/src/contract/types";
import { dismissOffer, give, guestProgress, guests, guestsChanged, lookForGuests, summed, takeGuestProgress } from "../../Web/src/store/guests";

const offer = (id: string, state: GuestOffer["state"]): GuestOffer => ({
  id, state, device: { id: "0011223344556677", name: "Nice Orange", model: null, kind: "mobile", address: "192.168.1.7:53317", encrypted: true, known: false, namesake: false },
  text: null, items: [], files: 1, size: 3, cameAt: 0, until: null, filesDone: 0, bytesDone: 0, problem: null, detail: null,
});
let offers: GuestOffer[] = [];
let given: GuestOffer[] = [];
const shown = (): string => guests.get().offers.map(({ id, state }) => `${id} ${state}`).join(", ");
const pauseOf = (ms: number): Promise<unknown> => new Promise((done) => setTimeout(done, ms));
/** The last question for the list, and what was shown then. */
let question = { number: 0, shown: guests.get() };
daemon.answer = () => {
  question = { number: question.number + 1, shown: guests.get() };
  return { on: true, name: "Anna", port: 53317, problem: null, devices: [], offers, given };
};

/** Lists them, and waits until a question that comes after this is answered. */
async function list(told: GuestOffer[]): Promise<void> {
  offers = told;
  const before = question.number;
  guestsChanged();
  await until("the list", () => question.number > before && guests.get() !== question.shown);
}

test("a folder counts once, where its first file stands, with all that is in it", () => {
  const item = (number: number, folder: string | null, size = 1): GuestOffer["items"][number] => ({ number, name: "a.jpg", folder, size, refusal: null });
  const told = summed([item(0, null), item(1, "Holiday/Day 1", 2), item(2, "Work"), item(3, "Holiday", 5), item(4, "Holiday/Day 1"), item(5, null)]);
  assert.deepEqual(told.map(({ item: { number }, root, count, size }) => [number, root, count, size]), [
    [0, null, 1, 1], [1, "Holiday", 3, 8], [2, "Work", 1, 1], [5, null, 1, 1],
  ]);
  assert.deepEqual(summed([]), []);
});

test("many events make two questions a second, and the last one is answered by a question that came after it", async () => {
  const begun = performance.now();
  for (let step = 0; step < 50; step += 1) {
    guestsChanged();
    await pauseOf(10);
  }
  lookForGuests();
  await pauseOf(1200);
  const most = 1 + Math.floor((performance.now() - begun) / 500);
  assert.ok(daemon.asked.length >= 2 && daemon.asked.length <= most, `${daemon.asked.length} questions, at most ${most}`);
  assert.deepEqual(daemon.asked.at(-1), { method: "guest.list", params: { look: true } });
});

test("offers that were over before are not shown, and those that end are shown until they are dismissed", async () => {
  await list([offer("a", "taken"), offer("b", "waiting"), offer("c", "receiving")]);
  assert.equal(shown(), "b waiting, c receiving");
  takeGuestProgress({ offer: "c", filesDone: 0, bytesDone: 2, rate: 1 });
  assert.equal(guestProgress.get().get("c")?.bytesDone, 2);
  await list([offer("a", "taken"), offer("b", "withdrawn"), offer("c", "taken")]);
  assert.equal(shown(), "b withdrawn, c taken");
  assert.equal(guestProgress.get().size, 0);
  dismissOffer("b");
  assert.equal(shown(), "c taken");
  await list([offer("b", "withdrawn"), offer("c", "taken")]);
  assert.equal(shown(), "c taken");
});

test("a list that can't be read leaves what is known, and the next event reads it", async () => {
  const answer = daemon.answer;
  daemon.answer = () => {
    throw new No("busy");
  };
  const before = daemon.asked.length;
  guestsChanged();
  await until("the question", () => daemon.asked.length > before);
  await pauseOf(50);
  assert.equal(shown(), "c taken");
  daemon.answer = answer;
  await list([]);
  assert.equal(shown(), "");
});

test("what goes out is shown as what comes in is, and is listed with the answer", async () => {
  const out = (): string => guests.get().given.map(({ id, state }) => `${id} ${state}`).join(", ");
  given = [offer("x", "taken"), offer("y", "sending")];
  await list([]);
  assert.equal(out(), "y sending");
  takeGuestProgress({ offer: "y", filesDone: 0, bytesDone: 2, rate: 1 });
  const answer = daemon.answer;
  daemon.answer = (asked) => (asked.method === "guest.give" ? offer("z", "failed") : answer(asked));
  await give({ device: "0011223344556677", text: "hello" });
  assert.equal(out(), "y sending, z failed");
  given = [offer("y", "taken"), offer("z", "failed")];
  await list([]);
  assert.equal(out(), "y taken, z failed");
  assert.equal(guestProgress.get().size, 0);
  dismissOffer("y");
  await list([]);
  assert.equal(out(), "z failed");
  daemon.answer = answer;
});
