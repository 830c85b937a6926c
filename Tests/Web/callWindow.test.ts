import { strict as assert } from "node:assert";
import { test } from "node:test";
import { hasSeat, isSmaller, peopleOf, rungAt, showsScreen, needsConnection } from "../../Web/src/call/people";
import type { Participant } from "../../Web/src/call/people";
import { MOST_PEOPLE, encodingFor, sizesFor } from "../../Web/src/call/sizes";
import type { Size } from "../../Web/src/call/sizes";
import { LISTEN, Speakers } from "../../Web/src/call/speaking";
import type { Call } from "../../Web/src/contract/types";

/** Pixels a second that are encoded between two: 1280 × 720, thirty times a second. */
const BETWEEN_TWO = 1280 * 720 * 30;

test("nobody encodes more than between two, however many take part and whatever they show", () => {
  const pixels = ({ width, height, rate }: Size): number => width * height * rate;
  for (let people = 2; people <= MOST_PEOPLE; people += 1) {
    const [plain, showing] = [sizesFor(people, false), sizesFor(people, true)];
    assert.ok(pixels(plain.camera) * (people - 1) <= BETWEEN_TWO, `${people} people`);
    assert.ok((pixels(showing.camera) + pixels(showing.screen)) * (people - 1) <= BETWEEN_TWO, `${people} people and a screen`);
    assert.ok(plain.camera.bits * (people - 1) <= 2_500_000, `bits of ${people} people`);
  }
  // A ninth, who is in it for a moment only, gets no more than an eighth.
  assert.deepEqual(sizesFor(9, false), sizesFor(8, false));
  assert.notDeepEqual(sizesFor(2, false).camera, sizesFor(3, false).camera);
  assert.notDeepEqual(sizesFor(4, false).camera, sizesFor(5, false).camera);
});

test("a picture of any shape is made as small as its size, and none is made larger", () => {
  const size = sizesFor(3, false).camera;
  for (const [width, height] of [[1280, 720], [720, 1280], [640, 480], [1920, 1200], [320, 180], [0, 0]] as const) {
    const { scaleResolutionDownBy: scale } = encodingFor(size, { width, height });
    assert.ok(scale >= 1 && width / scale <= size.width + 1e-9 && height / scale <= size.height + 1e-9, `${width} × ${height}`);
  }
  assert.equal(encodingFor(size, {}).scaleResolutionDownBy, 1);
  assert.equal(encodingFor(size, { width: 1280, height: 720 }).scaleResolutionDownBy, 2);
});

test("who speaks stays framed in the pause between two words, and not for long after the last", () => {
  const speakers = new Speakers();
  const heard = (level: number, now: number): boolean => speakers.take(new Map([["a", level], ["b", 0.001]]), now).has("a");
  assert.ok(!heard(0.005, 0), "breath");
  assert.ok(heard(0.2, 200));
  assert.ok(heard(0, 800), "a pause");
  assert.ok(heard(0.1, 1000));
  assert.ok(!heard(0, 2000), "silence");
  assert.ok(heard(0.3, 2200));
  assert.equal(speakers.take(new Map(), 2400).size, 0, "who has left speaks no more");
  const [first, second] = [speakers.take(new Map([["a", 0.5]]), 3000), speakers.take(new Map([["a", 0.4]]), 3200)];
  assert.equal(first, second, "the same set while nothing changes");
});

test("a short sound that comes back twice a second is heard, whenever the page began to listen", () => {
  // The loudness of the newest packet while the browser's own test tone is sent: 70 ms in each 500.
  const level = (now: number): number => (now % 500 < 70 ? 0.3 : 0);
  for (let begun = 0; begun < 500; begun += 5) {
    const speakers = new Speakers();
    const isHeard = Array.from({ length: Math.floor(10_000 / LISTEN) }, (_, look) => begun + look * LISTEN)
      .some((now) => speakers.take(new Map([["a", level(now)]]), now).has("a"));
    assert.ok(isHeard, `begun at ${begun} ms`);
  }
});

const one = (device: string, state: Participant["state"], values: Partial<Participant> = {}): Participant =>
  ({ account: `account-${device}`, device, state, silent: false, reachable: true, since: null, sends: [], verified: false, generation: 1, ...values });
const call = (group: boolean, participants: Participant[], values: Partial<Call> = {}): Call =>
  ({ group, participants, direction: "outgoing", ...values }) as unknown as Call;

test("people of a group's call stand in the order in which they came, and those of whom only others know are last", () => {
  const told = call(true, [one("q", null, { reachable: false }), one("p", "joined", { since: 30 }), one("z", "away", { since: 10 }), one("r", "joined", { since: 30 }), one("y", "ringing"), one("x", "waiting")]);
  assert.deepEqual(peopleOf(told).map(({ device }) => device), ["z", "p", "r", "q"]);
  assert.deepEqual(rungAt(told).map(({ device }) => device), ["y", "x"]);
  // A window connects to those who are in the call, and to nobody where it rings; what has come about stays while others say that somebody is there.
  assert.deepEqual(told.participants.filter((other) => hasSeat(told, other)).map(({ device }) => device), ["p", "r"]);
  assert.deepEqual(told.participants.filter((other) => needsConnection(told, other)).map(({ device }) => device), ["q", "p", "z", "r"]);
  assert.ok(needsConnection(call(false, []), one("p", null)), "between two the offer goes with the ring");
  assert.ok(hasSeat(call(false, []), one("p", "calling")) && !hasSeat(call(false, []), one("p", null, { generation: 0 })));
  assert.ok(!needsConnection(call(false, []), one("p", "ended")));
});

test("of two screens that are shown at once that of the smaller device is seen", () => {
  const [first, second] = [one("qq", "joined", { sends: ["screen"] }), one("qp", "joined", { sends: ["microphone", "screen"] })];
  assert.ok(isSmaller("qq", "qp") && !isSmaller("qp", "qq") && !isSmaller("qp", "qp"));
  assert.equal(showsScreen(call(true, [second, first]))?.device, "qq");
  assert.equal(showsScreen(call(true, [one("p", "ringing", { sends: ["screen"] })])), undefined);
});
