// A history that is scrolled, jumped in, read again and written to, with rows of all heights: the Keeper and the Drawing in a window made up.
import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { Message } from "../../Web/src/contract/types";
import { Drawing, bounds } from "../../Web/src/screens/chat/drawn";
import type { Edge, Place, Span, Stretch } from "../../Web/src/screens/chat/drawn";
import { Keeper } from "../../Web/src/screens/chat/keeper";
import { seeded } from "./seeded";

const observers: (() => void)[] = [];

Object.assign(globalThis, {
  getSelection: () => null,
  document: { activeElement: null, body: null },
  CSS: { escape: (text: string) => text },
  ResizeObserver: class {
    constructor(resized: () => void) { observers.push(resized); }
    observe(): void { /* Said by `resize`. */ }
    disconnect(): void { /* Nothing was observed. */ }
  },
});

const FULL = 32;
const AHEAD = 1200;

interface Row {
  dataset: { id: string };
  number: number;
  height: number;
  offsetHeight: number;
  contains(other: { row?: Row }): boolean;
  focus(): void;
  getBoundingClientRect(): { top: number; bottom: number; height: number };
}

/** A history of messages with the numbers from `first` to less than `last`, in a window of some height. */
class Window {
  stretch: Stretch | undefined;
  drawn: Row[] = [];
  /** Rows in which something plays. */
  playing: Row[] = [];
  focused: number | undefined;
  isOffline = false;
  reads = 0;
  readonly keeper: Keeper;
  readonly drawing: Drawing;
  readonly #rows = new Map<number, Row>();
  #span: Span | null = null;
  #next: Span[] = [];
  #shown: Span | null = null;
  #stretch: Stretch | undefined;
  #frames = 0;
  #isNew = false;
  #read: { edge: Edge; needed: () => number } | undefined;
  #top = 0;

  constructor(public first: number, public last: number, readonly height: number, readonly heightOf: (number: number) => number) {
    const own = this;
    const scroller = {
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
      children: [],
      get clientHeight() { return height; },
      get scrollHeight() { return Math.max(height, own.drawn.reduce((sum, row) => sum + row.height, 0)); },
      get scrollTop() { return own.#top = Math.max(0, Math.min(own.#top, this.scrollHeight - height)); },
      set scrollTop(value: number) { own.#top = Math.max(0, Math.min(value, this.scrollHeight - height)); },
      getBoundingClientRect: () => ({ top: 0, bottom: height, height }),
      querySelector: (query: string) => own.drawn.find((row) => query.includes(`"${row.dataset.id}"`)) ?? null,
      querySelectorAll: (query: string) => query === "[data-id]" ? own.drawn
        : query.startsWith("audio") ? own.playing.filter((row) => own.drawn.includes(row)).map((row) => ({ paused: false, row })) : [],
    };
    this.scroller = scroller;
    this.drawing = new Drawing({
      stretch: () => this.stretch,
      read: (edge, needed) => { if (!this.isOffline) this.#read ??= { edge, needed }; },
      draw: (span) => this.#next.push(span),
      full: () => FULL,
    });
    this.keeper = new Keeper({ atEnd: () => undefined, moved: () => undefined, near: this.drawing.near, goesOn: this.drawing.goesOn });
    this.drawing.keeper = this.keeper;
    this.keeper.attach(scroller as unknown as HTMLElement);
  }

  readonly scroller: { scrollTop: number; readonly scrollHeight: number };

  /** What is here of the history from now on. */
  have(from: number, to: number): void {
    const rows = Array.from({ length: to - from }, (_, index) => ({ id: `m${from + index}`, position: String(from + index).padStart(6, "0") }) as Message);
    this.stretch = { rows, before: from > this.first, after: to < this.last };
  }

  row(number: number): Row {
    const known = this.#rows.get(number);
    if (known !== undefined) return known;
    const own = this;
    const height = this.heightOf(number);
    const row: Row = {
      dataset: { id: `m${number}` }, number, height, offsetHeight: height,
      contains: (other) => other.row === row,
      focus: () => { own.focused = number; },
      getBoundingClientRect() {
        let top = 0 - own.scroller.scrollTop;
        for (const one of own.drawn) {
          if (one === row) break;
          top += one.height;
        }
        return { top, bottom: top + row.height, height: row.height };
      },
    };
    this.#rows.set(number, row);
    return row;
  }

  /** Draws until nothing is left to draw, as the history does. */
  draw(): void {
    for (let renders = 0; ; renders += 1) {
      assert.ok(renders < 40, "drawing comes to no end");
      const span = this.#next.at(-1);
      this.#next = [];
      if (span !== undefined) {
        this.#span = span;
        this.#isNew = true;
      }
      const shown = this.stretch === undefined ? null : this.drawing.spanFor(this.stretch, this.#span);
      const here = this.stretch === undefined || shown === null ? undefined : bounds(this.stretch, shown);
      this.drawn = this.stretch === undefined || here === undefined ? [] : this.stretch.rows.slice(...here).map(({ id }) => this.row(Number(id.slice(1))));
      if (this.#stretch !== this.stretch || this.#shown !== shown) {
        this.#stretch = this.stretch;
        this.#shown = shown;
        if (shown !== null && shown !== this.#span) this.#next.push(shown);
        this.drawing.drawn(shown);
      }
      if (this.#next.length === 0) return;
    }
  }

  /** A frame, with what the daemon has answered since the last one. */
  frame(): void {
    this.draw();
    if (this.#isNew) {
      this.#frames = 2;
      this.#isNew = false;
    } else if (this.#frames > 0 && (this.#frames -= 1) === 0) {
      this.drawing.framed();
      this.draw();
    }
    const read = this.#read;
    this.#read = undefined;
    if (read === undefined || this.stretch === undefined) return;
    this.reads += 1;
    const numbers = this.stretch.rows.map(({ id }) => Number(id.slice(1)));
    const from = numbers[0] ?? 0;
    const to = (numbers.at(-1) ?? 0) + 1;
    const most = Math.max(160, read.needed() + 64);
    if (read.edge === "before") {
      const begin = Math.max(this.first, from - 64);
      this.have(begin, Math.min(to, begin + most));
    } else {
      const end = Math.min(this.last, to + 64);
      this.have(Math.max(from, end - most), end);
    }
    this.draw();
  }

  /** Frames until nothing changes any more. */
  settle(): void {
    let quiet = 0;
    for (let frames = 0; quiet < 6; frames += 1) {
      assert.ok(frames < 500, "the window comes to no rest");
      const before = `${this.drawn[0]?.number} ${this.drawn.length} ${this.scroller.scrollTop} ${this.stretch?.rows.length}`;
      this.frame();
      quiet = before === `${this.drawn[0]?.number} ${this.drawn.length} ${this.scroller.scrollTop} ${this.stretch?.rows.length}` ? quiet + 1 : 0;
    }
  }

  /** What a browser says when something has got another size. */
  resize(): void {
    observers.at(-1)?.();
    this.draw();
  }

  scroll(by: number): void {
    this.drawing.scrolled();
    this.scroller.scrollTop += by;
    this.keeper.keep();
    this.frame();
  }

  go(number: number, place: Place, isFocused = false): void {
    this.drawing.go(`m${number}`, place, isFocused);
    this.settle();
  }

  toEnd(): void {
    this.go(Number(this.stretch?.rows.at(-1)?.id.slice(1)), "end");
  }

  /** The first row in view, and how far below the upper edge it stands. */
  get top(): { number: number; offset: number } {
    const row = this.drawn.find((one) => one.getBoundingClientRect().bottom > 0);
    return { number: row?.number ?? -1, offset: row?.getBoundingClientRect().top ?? 0 };
  }

  get below(): number {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.height;
  }
}

/** A window at the end of what is here. */
function opened(from: number, to: number, last: number, rowHeight: (number: number) => number = () => 50, height = 700): Window {
  const window = new Window(0, last, height, rowHeight);
  window.have(from, to);
  window.settle();
  return window;
}

test("the newest message is reached in one go, from wherever it is in the stretch", () => {
  for (const far of [200, 1400, 3000, 6000]) {
    const window = opened(200, 400, 400);
    assert.ok(window.keeper.isAtEnd);
    for (let gone = 0; gone < far; gone += 200) window.scroll(-200);
    window.settle();
    assert.ok(!window.keeper.isAtEnd);
    window.toEnd();
    assert.ok(window.keeper.isAtEnd);
    assert.equal(window.drawn.at(-1)?.number, 399);
    assert.equal(window.below, 0);
  }
});

test("a row at the edge of the stretch comes to its place when what is around it has been read", () => {
  for (const [from, place] of [[2, "middle"], [0, "top"], [-3, "top"], [-1, "middle"]] as const) {
    const window = opened(300, 400, 900);
    const number = Number(window.stretch?.rows.at(from)?.id.slice(1));
    window.go(number, place);
    const box = window.row(number).getBoundingClientRect();
    assert.ok(Math.abs(box.top - (place === "top" ? 112 : 325)) <= 1, `${number} stands at ${box.top}`);
    assert.ok(!window.keeper.isAtEnd);
  }
});

test("what is read at one edge doesn't take from the other one what is read ahead there", () => {
  for (const height of [700, 1000, 3800]) {
    const window = new Window(0, 2000, height, () => 38);
    window.have(975, 1025);
    window.go(1000, "middle");
    window.settle();
    assert.ok(window.reads <= 8, `${window.reads} reads`);
  }
});

test("where nothing more can be read, a row stands as near to its place as it can, and scrolling goes on", () => {
  const window = new Window(0, 900, 700, () => 80);
  window.isOffline = true;
  window.have(350, 400);
  window.drawing.begin("m350");
  window.settle();
  assert.deepEqual(window.top, { number: 350, offset: 0 });
  for (let step = 0; step < 60; step += 1) window.scroll(100);
  window.settle();
  assert.equal(window.drawn.at(-1)?.number, 399);
  assert.ok(window.row(399).getBoundingClientRect().bottom <= 701);
});

test("the edge of what is drawn isn't the end: a window that is torn there stays there", () => {
  const window = opened(100, 300, 900);
  window.go(200, "middle");
  window.scroll(1_000_000);
  const { number } = window.top;
  window.settle();
  assert.ok(!window.keeper.isAtEnd);
  assert.equal(window.top.number, number);
});

test("what plays stays while the user scrolls away, and nothing moves when it ends or has become too far", () => {
  const window = opened(0, 800, 800);
  window.go(100, "middle");
  window.playing = [window.row(100)];
  const scroll = (times: number) => {
    for (let step = 0; step < times; step += 1) {
      const { number, offset } = window.top;
      window.scroll(150);
      for (let frame = 0; frame < 3; frame += 1) window.frame();
      assert.equal(window.row(number).getBoundingClientRect().top, offset - 150);
    }
  };
  scroll(50);
  assert.ok(window.drawn.includes(window.row(100)));
  window.playing = [];
  scroll(4);
  assert.ok(!window.drawn.includes(window.row(100)));
  window.playing = [window.row(260)];
  scroll(145);
  assert.ok(!window.drawn.includes(window.row(260)));
});

test("what plays goes on when the newest message is gone to, and while many come in at the end", () => {
  const window = opened(200, 400, 400);
  for (let step = 0; step < 15; step += 1) window.scroll(-200);
  window.settle();
  const playing = window.row(window.top.number);
  window.playing = [playing];
  window.toEnd();
  assert.ok(window.drawn.includes(playing));
  for (; window.last < 560; window.last += 1) {
    window.have(200, window.last + 1);
    window.frame();
    assert.ok(window.keeper.isAtEnd && window.below === 0);
    assert.ok(window.drawn.includes(playing));
  }
});

test("at the end old rows are left out, and what comes in is followed", () => {
  const window = opened(200, 300, 300);
  for (; window.last < 1000; window.last += 1) {
    window.have(200, window.last + 1);
    window.frame();
    assert.ok(window.keeper.isAtEnd && window.below === 0);
  }
  window.settle();
  assert.ok(window.drawn.length < 240);
  while (window.drawn.length < 239) {
    window.have(200, window.last += 1);
    window.frame();
  }
  const playing = window.drawn.at(-80);
  window.playing = playing === undefined ? [] : [playing];
  for (let more = 0; more < 10; more += 1) {
    window.have(200, window.last += 1);
    window.frame();
  }
  assert.ok(window.drawn.length < 200 && playing !== undefined && window.drawn.includes(playing));
  assert.equal(window.drawn.at(-1)?.number, window.last - 1);
});

test("where the history turns out to end, the next message is followed", () => {
  const window = new Window(0, 800, 700, (number) => number < 160 ? 50 : 120);
  window.isOffline = true;
  window.have(100, 160);
  for (let step = 0; step < 20; step += 1) window.scroll(500);
  window.settle();
  window.last = 160;
  window.have(100, 160);
  window.settle();
  window.scroll(2000);
  window.settle();
  assert.ok(window.keeper.isAtEnd);
  window.last = 161;
  window.have(100, 161);
  window.settle();
  assert.ok(window.row(160).getBoundingClientRect().bottom <= 701);
});

test("a history that is read again shows what was being read where it was", () => {
  for (const deleted of [false, true]) {
    const window = opened(100, 300, 800);
    window.go(200, "middle");
    window.scroll(130);
    window.settle();
    const { number, offset } = window.top;
    const { stretch } = window;
    window.stretch = undefined;
    window.draw();
    window.keeper.keep();
    window.frame();
    window.stretch = stretch === undefined ? undefined : { ...stretch, rows: stretch.rows.filter(({ id }) => !deleted || id !== `m${number}`) };
    window.settle();
    if (deleted) assert.ok(Math.abs(window.top.number - number) < 30);
    else assert.deepEqual(window.top, { number, offset });
  }
});

test("of a step and the next one, two frames are free", () => {
  const window = opened(0, 800, 800);
  for (let frame = 0; frame < 60; frame += 1) {
    const before = window.drawn[0]?.number;
    window.scroll(-300);
    const steps = [before, window.drawn[0]?.number];
    for (let free = 0; free < 2 && steps[0] !== steps[1]; free += 1) {
      window.scroller.scrollTop -= 300;
      window.keeper.keep();
      window.draw();
      assert.equal(window.drawn[0]?.number, steps[1]);
      window.frame();
    }
  }
});

test("what is being read stays when the stretch is another one, and when the span isn't in it any more", () => {
  const window = opened(100, 300, 300);
  window.go(200, "middle");
  const { number, offset } = window.top;
  window.have(number - 3, number + 60);
  window.draw();
  assert.deepEqual(window.top, { number, offset });
  // Another order gives all rows other positions.
  const { stretch } = window;
  window.stretch = stretch === undefined ? undefined : { ...stretch, rows: stretch.rows.map((row) => ({ ...row, position: `9${row.position}` })) };
  window.settle();
  assert.deepEqual(window.top, { number, offset });
});

test("scrolling cancels no jump whose message isn't drawn yet", () => {
  const window = opened(700, 800, 800);
  window.drawing.go("m300", "middle");
  window.scroll(-100);
  window.have(275, 325);
  window.settle();
  assert.ok(Math.abs(window.row(300).getBoundingClientRect().top - 325) <= 1);
});

test("a row that gets another size moves nothing in view", () => {
  const window = opened(100, 300, 800);
  window.go(200, "middle");
  const { number, offset } = window.top;
  const above = window.row(number - 4);
  above.height = above.offsetHeight = 400;
  window.resize();
  assert.deepEqual(window.top, { number, offset });
});

test("the focus goes along to a row that isn't drawn yet", () => {
  const window = opened(0, 150, 150);
  window.go(10, "top", true);
  assert.equal(window.focused, 10);
  window.go(149, "end", true);
  assert.equal(window.focused, 149);
});

test("whatever is scrolled and jumped to, in windows and with rows of all heights, what is in view stays where it is, with enough around it", () => {
  for (let seed = 1; seed <= 80; seed += 1) {
    const random = seeded(seed);
    const isSmall = random(2) === 0;
    const window = opened(300, 400, 900, () => isSmall ? 37 + random(30) : 40 + random(400), 300 + random(1800));
    window.go(320 + random(60), random(2) === 0 ? "top" : "middle");
    for (let step = 0; step < 40; step += 1) {
      if (random(12) === 0) {
        const numbers = window.stretch?.rows.map(({ id }) => Number(id.slice(1))) ?? [];
        window.go((numbers[0] ?? 0) + random(numbers.length), random(2) === 0 ? "top" : "middle");
        continue;
      }
      const by = (random(3) === 0 ? 1 : -1) * random(900) * (seed % 2 === 0 ? 1 : -1);
      const before = new Map(window.drawn.map((row) => [row, row.getBoundingClientRect().top]));
      const from = window.scroller.scrollTop;
      const moved = Math.max(0, Math.min(window.scroller.scrollHeight - window.height, from + by)) - from;
      const seen = window.drawn.filter((row) => row.getBoundingClientRect().bottom > moved && row.getBoundingClientRect().top < moved + window.height);
      window.scroll(by);
      window.settle();
      const row = seen[0];
      assert.ok(row !== undefined && window.drawn.includes(row), `seed ${seed}, step ${step}: what was in view is gone`);
      const shift = row.getBoundingClientRect().top - ((before.get(row) ?? 0) - moved);
      assert.ok(Math.abs(shift) <= 2 || window.keeper.isAtEnd, `seed ${seed}, step ${step}: moved by ${shift}`);
      assert.ok(window.scroller.scrollTop >= AHEAD || !window.drawing.goesOn("before"), `seed ${seed}, step ${step}: too little above`);
      assert.ok(window.below >= AHEAD || !window.drawing.goesOn("after"), `seed ${seed}, step ${step}: too little below`);
    }
  }
});
