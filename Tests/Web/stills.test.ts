// Stills of videos: one that took too long is tried again, one that can't be played isn't.
import { strict as assert } from "node:assert";
import { test } from "node:test";
import "./standIn";
import "../../Web/src/store/feed";
import { wantStill } from "../../Web/src/screens/viewer/stills";

/** What each video that is made does with its address. */
let behave: (film: Film) => void = () => undefined;
let made = 0;

class Film {
  onerror: (() => void) | null = null;
  onseeked: (() => void) | null = null;
  onloadedmetadata: (() => void) | null = null;
  duration = 4;
  videoWidth = 640;
  videoHeight = 360;
  muted = false;
  preload = "";
  constructor() {
    made += 1;
  }
  set src(_: string) {
    queueMicrotask(() => behave(this));
  }
  set currentTime(_: number) {
    queueMicrotask(() => this.onseeked?.());
  }
  removeAttribute(): void {}
  load(): void {}
}

const canvas = () => ({ width: 0, height: 0, getContext: () => ({ drawImage: () => undefined }) });
Object.assign(globalThis, { document: { createElement: (name: string) => (name === "video" ? new Film() : canvas()) } });

const still = (transfer: string): Promise<HTMLCanvasElement | null> => new Promise((done) => void wantStill(transfer, done));

test("a video of which nothing is heard in time is opened again", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  made = 0;
  behave = (film) => {
    if (made < 3) context.mock.timers.tick(10_000);
    else film.onloadedmetadata?.();
  };
  const drawn = await still("a");
  assert.deepEqual([drawn?.width, drawn?.height, made], [320, 180, 3]);
});

test("a video of which nothing is ever heard has no still in the end", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  made = 0;
  behave = () => context.mock.timers.tick(10_000);
  assert.equal(await still("b"), null);
  assert.equal(made, 3);
});

test("a video that can't be played is opened once", async () => {
  made = 0;
  behave = (film) => film.onerror?.();
  assert.equal(await still("c"), null);
  assert.equal(made, 1);
});
