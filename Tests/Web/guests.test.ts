import { strict as assert } from "node:assert";
import { test } from "node:test";
import { No, daemon, until } from "./standIn";
import type { GuestOffer } from "../../Web/src/contract/types";
import { dismissOffer, guestProgress, guests, guestsChanged, lookForGuests, takeGuestProgress } from "../../Web/src/store/guests";

const offer = (id: string, state: GuestOffer["state"]): GuestOffer => ({
  id, state, device: { name: "Nice Orange", model: null, kind: "mobile", address: "192.168.1.7:53317", encrypted: true },
  text: null, items: [], files: 1, size: 3, cameAt: 0, until: null, filesDone: 0, bytesDone: 0, problem: null, detail: null,
});
let offers: GuestOffer[] = [];
const shown = (): string => guests.get().offers.map(({ id, state }) => `${id} ${state}`).join(", ");
const pauseOf = (ms: number): Promise<unknown> => new Promise((done) => setTimeout(done, ms));
daemon.answer = () => ({ on: true, name: "Anna", port: 53317, problem: null, devices: [], offers });

/** Lists them, and waits until that is done. */
async function list(told: GuestOffer[]): Promise<void> {
  offers = told;
  const before = guests.get();
  guestsChanged();
  await until("the list", () => guests.get() !== before);
}

test("many events make two questions a second, and the last one is answered by a question that came after it", async () => {
  for (let step = 0; step < 50; step += 1) {
    guestsChanged();
    await pauseOf(10);
  }
  lookForGuests();
  await pauseOf(1200);
  assert.ok(daemon.asked.length >= 2 && daemon.asked.length <= 4, `${daemon.asked.length} questions`);
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
