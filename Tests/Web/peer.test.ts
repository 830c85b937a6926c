import { strict as assert } from "node:assert";
import { test } from "node:test";
import { Peer } from "../../Web/src/call/peer";
import { sizesFor } from "../../Web/src/call/sizes";

/** A clock that goes only when it is told to: for timers and for Date.now. */
class Clock {
  now = 1_000_000;
  #timers = new Map<number, { at: number; run: () => void }>();
  #last = 0;

  install(): void {
    const set = (run: () => void, delay = 0): number => {
      this.#last += 1;
      this.#timers.set(this.#last, { at: this.now + delay, run });
      return this.#last;
    };
    Object.assign(globalThis, { setTimeout: set, clearTimeout: (timer: number) => void this.#timers.delete(timer) });
    Date.now = () => this.now;
  }

  /** Lets so many milliseconds pass, with all that is due in them. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    for (;;) {
      for (let turn = 0; turn < 30; turn += 1) await new Promise((done) => setImmediate(done));
      const [next] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next[0]);
      this.now = next[1].at;
      next[1].run();
    }
    this.now = end;
  }
}

const clock = new Clock();

/** How long a browser takes until a way that was agreed on stands, in ms. */
let slow = 0;

/** Whether media come by a way that stands, and whether the other side says that it sends none. */
let hasMedia = true;
let isQuiet = false;

/** What a peer uses of a browser's connection. A new offer gives up the way before. */
class Connection {
  static all: Connection[] = [];
  connectionState = "new";
  signalingState = "stable";
  onconnectionstatechange: (() => void) | null = null;
  onicecandidate: unknown = null;
  offers = 0;
  #way: ReturnType<typeof setTimeout> | undefined;
  #transceivers: object[] = [];

  constructor() {
    Connection.all.push(this);
  }

  addTransceiver(): void {
    this.#transceivers.push({ direction: "sendrecv", sender: { replaceTrack: async () => undefined, getParameters: () => ({ encodings: [] }), transport: { state: "new" } }, receiver: { track: {} } });
  }

  getTransceivers = (): object[] => this.#transceivers;
  getReceivers = (): object[] => [];
  getStats = async (): Promise<Map<string, object>> =>
    new Map(this.connectionState === "connected" && hasMedia ? [["sound", { type: "inbound-rtp", kind: "audio", packetsReceived: Math.floor(clock.now / 20) }]] : []);

  /** What a refused certificate does to a connection. */
  refuse(): void {
    for (const one of this.#transceivers as { sender: { transport: { state: string } } }[]) one.sender.transport.state = "failed";
    this.connectionState = "failed";
    this.onconnectionstatechange?.();
  }

  async createOffer(): Promise<{ sdp: string }> {
    this.offers += 1;
    clearTimeout(this.#way);
    return { sdp: `offer ${this.offers}` };
  }

  createAnswer = async (): Promise<{ sdp: string }> => ({ sdp: "answer" });

  async setLocalDescription({ sdp }: { sdp: string }): Promise<void> {
    if (sdp === "answer") this.#agree();
  }

  async setRemoteDescription({ type }: { type: string }): Promise<void> {
    if (type === "offer" && this.#transceivers.length === 0) for (let count = 0; count < 3; count += 1) this.addTransceiver();
    if (type === "answer") this.#agree();
  }

  close(): void {
    this.connectionState = this.signalingState = "closed";
  }

  #agree(): void {
    clearTimeout(this.#way);
    this.#way = setTimeout(() => {
      this.connectionState = "connected";
      this.onconnectionstatechange?.();
    }, slow);
  }
}

/** Two peers whose signals take so many milliseconds. */
function pair(delay: number): Peer[] {
  clock.install();
  Connection.all = [];
  Object.assign(globalThis, { RTCPeerConnection: Connection, MediaStream: class {} });
  const peers: Peer[] = [];
  for (const side of [0, 1]) {
    peers.push(new Peer(1, {} as RTCCertificate, side === 0, {}, sizesFor(2, false), Promise.resolve(), {
      say: async (signal) => void setTimeout(() => peers[1 - side]?.take({ candidates: [], ...signal }), delay),
      changed: () => undefined,
      isQuiet: () => isQuiet,
    }));
  }
  return peers;
}

test("browsers that need longer than the patience for a connection get it, after few offers", async () => {
  for (const [delay, time] of [[50, 100], [1000, 2500], [2000, 5000], [500, 9000]] as const) {
    slow = time;
    const peers = pair(delay);
    await clock.pass(60_000);
    assert.deepEqual(peers.map(({ state }) => state), ["connected", "connected"], `signals ${delay} ms, ways ${time} ms`);
    assert.ok((Connection.all[0]?.offers ?? 0) <= 8, `${Connection.all[0]?.offers} offers`);
    for (const peer of peers) peer.close();
  }
});

test("an offer that nobody answers is made anew, less and less often", async () => {
  slow = 100;
  const [first] = pair(120_000);
  await clock.pass(100_000);
  const { offers } = Connection.all[0] ?? { offers: 0 };
  assert.ok(offers >= 4 && offers <= 8, `${offers} offers`);
  first?.close();
});

test("where the addresses have changed a new way is offered at once, or as soon as the last offer has its answer", async () => {
  slow = 100;
  const [first] = pair(50);
  await clock.pass(5000);
  assert.equal(Connection.all[0]?.offers, 1);
  first?.move();
  await clock.pass(10);
  assert.equal(Connection.all[0]?.offers, 2);
  first?.move();
  await clock.pass(300);
  assert.equal(Connection.all[0]?.offers, 3);
  first?.close();
});

test("a connection counts once media come by it, or a while later where none are sent, and never if it is refused before", async () => {
  slow = 100;
  hasMedia = false;
  const states = (peers: Peer[]) => peers.map(({ state, audio }) => `${state} ${audio === null ? "silent" : "heard"}`);
  const both = pair(50);
  await clock.pass(10_000);
  assert.deepEqual(states(both), ["connecting silent", "connecting silent"]);
  hasMedia = true;
  await clock.pass(60);
  assert.deepEqual(states(both), ["connected heard", "connected heard"]);
  for (const peer of both) peer.close();

  [hasMedia, isQuiet] = [false, true];
  const quiet = pair(50);
  await clock.pass(1500);
  assert.deepEqual(states(quiet), ["connecting silent", "connecting silent"]);
  await clock.pass(2000);
  assert.deepEqual(states(quiet), ["connected heard", "connected heard"]);
  for (const peer of quiet) peer.close();

  const refused = pair(50);
  await clock.pass(300);
  const offers = Connection.all.map((one) => one.offers);
  for (const one of Connection.all) one.refuse();
  await clock.pass(30_000);
  assert.deepEqual(states(refused), ["failed silent", "failed silent"]);
  assert.deepEqual(refused.map((peer) => peer.isRefused), [true, true]);
  // A new way changes nothing: none is looked for.
  assert.deepEqual(Connection.all.map((one) => one.offers), offers);
  for (const peer of refused) peer.close();
  [hasMedia, isQuiet] = [true, false];
});
