// Keeps what is on screen in its place while a history grows at both ends, and sticks to the end while a person is there.

import { MOST_USED } from "./drawn";
import type { Edge, Place } from "./drawn";

/** Nearer to the end than this counts as being there, in pixels. */
const NEAR = 48;
/** So much before an edge comes into sight more is drawn, in pixels. */
const AHEAD = 1200;
/** Nearer than this an edge comes into sight soon, in pixels. */
const SOON = 400;
/** A row that is shown near the top stands so far below the edge: the day and the line "new" have room above it. In pixels. */
const BELOW = 112;

/** What would be missed in a row that goes: a sound that plays or was paused, the focus of the keyboard, and the ends of a selected text. */
function inUse(scroller: HTMLElement): Node[] {
  const media = [...scroller.querySelectorAll<HTMLMediaElement>("audio, video")].filter((one) => !one.paused || (one.currentTime > 0 && !one.ended));
  const selection = getSelection();
  const ends = selection === null || selection.isCollapsed ? [] : [selection.anchorNode, selection.focusNode];
  return [...media, ...scroller.querySelectorAll(":focus-visible"), ...ends].filter((node): node is Node => node !== null);
}

const heightsOf = (scroller: HTMLElement): string => `${scroller.clientHeight} ${scroller.scrollHeight}`;

export interface Edges {
  /** The person came to the end, or left it. */
  atEnd(there: boolean): void;
  /** An edge of what is drawn comes near. */
  near(edge: Edge): void;
  /** Whether there is more beyond an edge of what is drawn: the lower edge is the end only where there isn't. */
  goesOn(edge: Edge): boolean;
  /** What is in view may be another. */
  moved(): void;
}

export class Keeper {
  #scroller: HTMLElement | null = null;
  #watch: ResizeObserver | null = null;
  /** The row that stays, and how far below the upper edge; null: the end stays. */
  #anchor: { id: string; offset: number } | null = null;
  #atEnd = true;
  /** Where the scroller stood when the anchor was noted, and how high it and all of it was. */
  #top = 0;
  #heights = "";

  constructor(private readonly edges: Edges) {}

  /** For React's `ref`. */
  attach = (scroller: HTMLElement | null): void => {
    this.#watch?.disconnect();
    this.#scroller?.removeEventListener("scroll", this.keep);
    this.#scroller = scroller;
    if (scroller === null) return;
    scroller.addEventListener("scroll", this.keep, { passive: true });
    this.#watch = new ResizeObserver(this.#resized);
    this.#watch.observe(scroller);
    for (const child of scroller.children) this.#watch.observe(child);
  };

  /** For React's `ref` of the rows: pictures that get their size later move what is below them. */
  watch = (rows: HTMLElement | null): void => {
    if (rows !== null) this.#watch?.observe(rows);
  };

  get isAtEnd(): boolean {
    return this.#atEnd;
  }

  /** The row that stays; undefined while the end does. */
  get anchor(): string | undefined {
    return this.#anchor?.id;
  }

  /** Whether an edge comes into sight soon. */
  isSoon(edge: Edge): boolean {
    const scroller = this.#scroller;
    if (scroller === null) return false;
    return (edge === "before" ? scroller.scrollTop : scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight) < SOON;
  }

  get scroller(): HTMLElement | null {
    return this.#scroller;
  }

  rows(): HTMLElement[] {
    return [...(this.#scroller?.querySelectorAll<HTMLElement>("[data-id]") ?? [])];
  }

  row(id: string): HTMLElement | null {
    return this.#scroller?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`) ?? null;
  }

  /** The rows that are mostly in view. */
  inView(): HTMLElement[] {
    const frame = this.#scroller?.getBoundingClientRect();
    if (frame === undefined) return [];
    const rows = this.rows();
    const from = this.#firstBelow(rows, frame.top);
    const seen: HTMLElement[] = [];
    for (let index = from; index < rows.length; index += 1) {
      const row = rows[index];
      if (row === undefined) break;
      const box = row.getBoundingClientRect();
      if (box.top >= frame.bottom) break;
      const visible = Math.min(box.bottom, frame.bottom) - Math.max(box.top, frame.top);
      if (visible >= Math.min(box.height, frame.height) / 2) seen.push(row);
    }
    return seen;
  }

  /** The row that is being read: at the end the last one, otherwise the first one at or below the place where `show` puts a row. */
  current(): HTMLElement | undefined {
    const seen = this.inView();
    const line = (this.#scroller?.getBoundingClientRect().top ?? 0) + BELOW - 2;
    return this.#atEnd ? seen[seen.length - 1] : seen.find((row) => row.getBoundingClientRect().top >= line) ?? seen[seen.length - 1];
  }

  /**
   * Restores the position after rows were drawn or sizes have changed. What the user has scrolled since the anchor was
   * noted is kept.
   */
  keep = (): void => {
    const scroller = this.#scroller;
    if (scroller === null) return;
    if (this.#anchor === null) {
      if (scroller.scrollTop >= this.#top - 1) scroller.scrollTop = scroller.scrollHeight;
    } else {
      const row = this.row(this.#anchor.id);
      if (row !== null) {
        const offset = row.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
        const scrolled = scroller.scrollTop - this.#top;
        // Where rows went and the browser had to move up for that, nobody has scrolled.
        const isCut = scrolled < 0 && scroller.scrollTop >= scroller.scrollHeight - scroller.clientHeight - 1;
        const wanted = this.#anchor.offset - (isCut ? 0 : scrolled);
        if (Math.abs(offset - wanted) >= 1) scroller.scrollTop += offset - wanted;
      }
    }
    this.#note();
  };

  /** The rows that are in use. */
  #used(): HTMLElement[] {
    const all = this.rows();
    return this.#scroller === null ? [] : inUse(this.#scroller).flatMap((node) => all.filter((row) => row.contains(node)));
  }

  /** Gives a row the focus, unless the user has gone elsewhere. False if it isn't drawn. */
  focus(id: string): boolean {
    const row = this.row(id);
    const { activeElement, body } = document;
    if (row !== null && (activeElement === null || activeElement === body || this.#scroller?.contains(activeElement) === true)) row.focus({ preventScroll: true });
    return row !== null;
  }

  /** The messages that are in use. */
  used(): string[] {
    return this.#used().map((row) => row.dataset["id"] ?? "");
  }

  /** How many rows have to stay when more are drawn at an edge: all from there to well behind what is in view, and to those in use that aren't far. */
  needed(edge: Edge): number {
    const scroller = this.#scroller;
    if (scroller === null) return 0;
    const frame = scroller.getBoundingClientRect();
    const rows = this.rows();
    const from = (index: number) => (edge === "before" ? index + 1 : rows.length - index);
    const last = edge === "before" ? this.#firstBelow(rows, frame.bottom + AHEAD) + 1 : this.#firstBelow(rows, frame.top - AHEAD) - 1;
    return Math.max(from(last), ...this.#used().map((row) => from(rows.indexOf(row))).filter((count) => count <= MOST_USED));
  }

  /** From now on the end stays in view. */
  toEnd(): void {
    this.#anchor = null;
    this.#top = 0;
    this.keep();
  }

  /** Brings a row into view: in the middle, its upper edge near the top, or at the end. False if it isn't drawn, or too little around it. */
  show(id: string, place: Place): boolean {
    const scroller = this.#scroller;
    const row = this.row(id);
    if (scroller === null || row === null) return false;
    if (place === "end") {
      if (this.edges.goesOn("after")) return false;
      this.toEnd();
      return true;
    }
    const free = scroller.clientHeight - row.offsetHeight;
    const offset = place === "middle" ? Math.max(0, free / 2) : Math.min(BELOW, Math.max(0, free));
    const top = scroller.scrollTop + row.getBoundingClientRect().top - scroller.getBoundingClientRect().top - offset;
    const isThere = !(top < -1 && this.edges.goesOn("before"))
      && !(top > scroller.scrollHeight - scroller.clientHeight + 1 && this.edges.goesOn("after"));
    this.#top = scroller.scrollTop;
    this.#anchor = { id, offset };
    this.keep();
    return isThere;
  }

  #firstBelow(rows: HTMLElement[], top: number): number {
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[middle]?.getBoundingClientRect().bottom ?? 0) <= top) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Something has another size. If the heights are those of the last look, everything has been put in its place already. */
  #resized = (): void => {
    if (this.#scroller !== null && heightsOf(this.#scroller) !== this.#heights) this.keep();
  };

  #note = (): void => {
    const scroller = this.#scroller;
    const rows = this.rows();
    if (scroller === null || scroller.clientHeight === 0) return;
    this.#heights = heightsOf(scroller);
    if (rows.length === 0) {
      // While a history is read again there are none: then what was being read comes back to its place.
      this.#top = scroller.scrollTop;
      return;
    }
    const below = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    const there = below < NEAR && !this.edges.goesOn("after");
    this.#top = scroller.scrollTop;
    const top = scroller.getBoundingClientRect().top;
    const row = there ? undefined : rows[this.#firstBelow(rows, top)];
    this.#anchor = row?.dataset["id"] === undefined ? null : { id: row.dataset["id"], offset: row.getBoundingClientRect().top - top };
    if (there !== this.#atEnd) {
      this.#atEnd = there;
      this.edges.atEnd(there);
    }
    if (scroller.scrollTop < AHEAD) this.edges.near("before");
    if (below < AHEAD) this.edges.near("after");
    this.edges.moved();
  };
}
