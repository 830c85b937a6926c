// Keeps what is on screen in its place while a history grows at both ends, and sticks to the end while a person is there.

/** Nearer to the end than this counts as being there, in pixels. */
const NEAR = 48;
/** So much before an edge comes into sight more is read, in pixels. */
const AHEAD = 1200;
/** A row that is shown near the top stands so far below the edge: the day and the line "new" have room above it. In pixels. */
const BELOW = 112;

export interface Edges {
  /** The person came to the end, or left it. */
  atEnd(there: boolean): void;
  /** An edge of what is here comes near. */
  near(edge: "before" | "after"): void;
  /** What is in view may be another. */
  moved(): void;
}

export class Keeper {
  #scroller: HTMLElement | null = null;
  #watch: ResizeObserver | null = null;
  /** The row that stays, and how far below the upper edge; null: the end stays. */
  #anchor: { id: string; offset: number } | null = null;
  #atEnd = true;
  /** Where the scroller stood when the anchor was noted. */
  #top = 0;

  constructor(private readonly edges: Edges) {}

  /** For React's `ref`. */
  attach = (scroller: HTMLElement | null): void => {
    this.#watch?.disconnect();
    this.#scroller?.removeEventListener("scroll", this.keep);
    this.#scroller = scroller;
    if (scroller === null) return;
    scroller.addEventListener("scroll", this.keep, { passive: true });
    this.#watch = new ResizeObserver(this.keep);
    this.#watch.observe(scroller);
    for (const child of scroller.children) this.#watch.observe(child);
  };

  get isAtEnd(): boolean {
    return this.#atEnd;
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
        const wanted = this.#anchor.offset - (scroller.scrollTop - this.#top);
        if (Math.abs(offset - wanted) >= 1) scroller.scrollTop += offset - wanted;
      }
    }
    this.#note();
  };

  /** How many rows have to stay when more are read at an edge: all from there to well behind what is in view, so that the other edge stays far. */
  needed(edge: "before" | "after"): number {
    const frame = this.#scroller?.getBoundingClientRect();
    if (frame === undefined) return 0;
    const rows = this.rows();
    return edge === "before" ? this.#firstBelow(rows, frame.bottom + AHEAD) + 2 : rows.length - this.#firstBelow(rows, frame.top - AHEAD) + 2;
  }

  /** From now on the end stays in view. */
  toEnd(): void {
    this.#anchor = null;
    this.#top = 0;
    this.keep();
  }

  /** Brings a row into view: in the middle, or its upper edge near the top. False if it isn't here. */
  show(id: string, place: "middle" | "top"): boolean {
    const scroller = this.#scroller;
    const row = this.row(id);
    if (scroller === null || row === null) return false;
    const free = scroller.clientHeight - row.offsetHeight;
    this.#top = scroller.scrollTop;
    this.#anchor = { id, offset: place === "middle" ? Math.max(0, free / 2) : Math.min(BELOW, Math.max(0, free)) };
    this.keep();
    return true;
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

  #note = (): void => {
    const scroller = this.#scroller;
    if (scroller === null || scroller.clientHeight === 0) return;
    const below = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    const there = below < NEAR;
    this.#top = scroller.scrollTop;
    const top = scroller.getBoundingClientRect().top;
    const rows = this.rows();
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
