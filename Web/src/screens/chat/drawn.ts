// Which rows of a stretch are drawn: those around what is in view. More are drawn a few at a time, so that no step holds up a frame.
import { placeOf } from "../../base/position";
import type { Message } from "../../contract/types";
import type { Day } from "./days";
import type { Keeper } from "./keeper";

/** What is here of a history, and whether there is more before and after it. */
export interface Stretch {
  rows: readonly Message[];
  before: boolean;
  after: boolean;
}

export type Edge = "before" | "after";

/** The positions of the first and the last row that are drawn; null: from the beginning, or to the end, whatever comes there. */
export interface Span {
  from: string | null;
  to: string | null;
}

/** Indexes of the first row that is drawn, and of the first one after it that isn't. */
export type Bounds = readonly [number, number];

/** Where a message is brought into view; the last one is brought to the end, which stays in view from then on. */
export type Place = "middle" | "top" | "end";

/** How many rows a step adds, and how many it adds where the edge comes into sight soon. */
const MORE = 8;
const MANY = 24;
/** When fewer rows than these are beyond what is drawn, more are read. */
const RESERVE = 32;
/** Rows above one that is to stand at the top. */
const ABOVE = 8;
/** At the end of a history old rows are left out when more than these are drawn, and more than twice those that are needed. */
const MOST_AT_END = 240;
/** Rows stay drawn for one that is in use if it is at most so many rows away. */
export const MOST_USED = 400;

const indexOf = ({ rows }: Stretch, id: string | undefined): number => (id === undefined ? -1 : rows.findIndex((row) => row.id === id));

/** Where a span is in a stretch; undefined if nothing of it is there. */
export function bounds({ rows }: Stretch, { from, to }: Span): Bounds | undefined {
  const first = from === null ? 0 : placeOf(rows, from);
  const end = to === null ? rows.length : placeOf(rows, to, true);
  return first < end ? [first, end] : undefined;
}

/** The span of the rows within bounds. It is open where the history itself begins or ends. */
function spanOf({ rows, before, after }: Stretch, first: number, end: number): Span {
  return {
    from: first <= 0 && !before ? null : rows[Math.max(0, first)]?.position ?? null,
    to: end >= rows.length && !after ? null : rows[Math.min(rows.length, end) - 1]?.position ?? null,
  };
}

/** How many rows there are beyond an edge of those that are drawn. */
export const beyond = ({ rows }: Stretch, [first, end]: Bounds, edge: Edge): number => (edge === "before" ? first : rows.length - end);

/** The last rows; `full` of them fill a window. */
export const ending = (stretch: Stretch, full: number): Span => spanOf(stretch, stretch.rows.length - full, stretch.rows.length);

/** The rows around one that is to stand in a place of the window, and those between it and the rows in use. */
export function around(stretch: Stretch, index: number, place: Place, full: number, used: readonly string[] = []): Span {
  const above = place === "top" ? ABOVE : place === "middle" ? full >> 1 : full;
  const first = Math.max(0, Math.min(index - above, stretch.rows.length - full - ABOVE));
  const near = used.map((id) => indexOf(stretch, id)).filter((at) => at >= 0 && Math.abs(at - index) <= MOST_USED);
  return spanOf(stretch, Math.min(first, ...near), Math.max(first + full + ABOVE, ...near.map((at) => at + 1)));
}

/** More rows at an edge. Of those that are drawn only the `needed` ones nearest to it stay. */
export function grown(stretch: Stretch, [first, end]: Bounds, edge: Edge, isSoon: boolean, needed: number): Span {
  const more = isSoon ? MANY : MORE;
  return edge === "before"
    ? spanOf(stretch, first - more, Math.min(end, first + needed))
    : spanOf(stretch, Math.max(first, end - needed), end + more);
}

/** The rows of some days within bounds. Days that have none are left out. */
export function within(days: readonly Day[], [first, end]: Bounds): Day[] {
  const seen: Day[] = [];
  let at = 0;
  for (const day of days) {
    const from = Math.max(0, first - at);
    const to = Math.min(day.rows.length, end - at);
    if (from < to) seen.push({ ...day, rows: day.rows.slice(from, to) });
    at += day.rows.length;
  }
  return seen;
}

export interface Ports {
  /** What is here of the history now. */
  stretch(): Stretch | undefined;
  /** Reads more at an edge. How many rows of the stretch have to stay, counted from there, is asked when the answer is here. */
  read(edge: Edge, needed: () => number): void;
  /** Has another span drawn. */
  draw(span: Span): void;
  /** How many short rows fill the window. */
  full(): number;
}

/** Decides which rows are drawn: the history asks it for the span, and tells it what has been drawn. */
export class Drawing {
  /** Keeps the rows in place. */
  keeper!: Keeper;
  #drawn: Span | null = null;
  /** A step is being drawn, or the frame that shows it. */
  #isBusy = false;
  /** What is brought into view when it is drawn, with enough around it. */
  #wanted: { id: string; place: Place; isFocused: boolean } | null = null;

  constructor(private readonly ports: Ports) {}

  /** An edge of what is drawn comes near. */
  near = (edge: Edge): void => {
    const at = this.#at();
    if (at === undefined) return;
    const { stretch, here } = at;
    const left = beyond(stretch, here, edge);
    if (left < RESERVE && stretch[edge]) this.ports.read(edge, () => this.#rowsFrom(edge) + RESERVE);
    const isOpen = this.#drawn?.[edge === "before" ? "from" : "to"] === null;
    if (isOpen || this.#isBusy || (left === 0 && stretch[edge])) return;
    this.#isBusy = true;
    this.ports.draw(grown(stretch, here, edge, this.keeper.isSoon(edge), this.keeper.needed(edge)));
  };

  /** Whether there are more rows beyond an edge of what is drawn. */
  goesOn = (edge: Edge): boolean => {
    const at = this.#at();
    return at !== undefined && (at.stretch[edge] || beyond(at.stretch, at.here, edge) > 0);
  };

  /** Brings a message into view, and gives it the focus if asked for: now, or when it is drawn. */
  go(id: string, place: Place, isFocused = false): void {
    this.#wanted = { id, place, isFocused };
    if (this.#show()) return;
    const stretch = this.ports.stretch();
    const index = stretch === undefined ? -1 : indexOf(stretch, id);
    if (stretch !== undefined && index >= 0) this.ports.draw(around(stretch, index, place, this.ports.full(), isFocused ? [] : this.keeper.used()));
  }

  /** Begins with a message at the top, unless another one is wanted. */
  begin(id: string): void {
    this.#wanted ??= { id, place: "top", isFocused: false };
  }

  /** What was wanted can't be brought into view. */
  forget(): void {
    this.#wanted = null;
  }

  /** The user scrolls or does something else: a row that is drawn, though not in its place yet, isn't moved any more. */
  scrolled = (): void => {
    if (this.#wanted !== null && this.keeper.row(this.#wanted.id) !== null) this.#wanted = null;
  };

  /**
   * The span to draw: the same one if the message that is wanted is in it; without one, if the row that is being read is. Else a span around
   * that message or row, or that of the end. Null if there are no rows.
   */
  spanFor(stretch: Stretch, span: Span | null): Span | null {
    if (stretch.rows.length === 0) return null;
    const target = indexOf(stretch, this.#wanted?.id);
    const index = target >= 0 ? target : indexOf(stretch, this.keeper.anchor);
    const here = span === null ? undefined : bounds(stretch, span);
    if (here !== undefined && (index < 0 || (here[0] <= index && index < here[1]))) return span;
    return index < 0 ? ending(stretch, this.ports.full()) : around(stretch, index, target >= 0 ? this.#wanted?.place ?? "top" : "top", this.ports.full());
  }

  /** A span has been drawn. */
  drawn(span: Span | null): void {
    this.#drawn = span;
    if (!this.#show()) this.keeper.keep();
    const at = this.#at();
    if (at === undefined || at.here[1] - at.here[0] <= MOST_AT_END || !this.keeper.isAtEnd) return;
    const needed = this.keeper.needed("after");
    if (at.here[1] - at.here[0] > 2 * needed) this.ports.draw(ending(at.stretch, Math.max(needed, this.ports.full())));
  }

  /** The frame that shows a step is over. It costs about as much as the step, so the next step has waited for it. */
  framed = (): void => {
    this.#isBusy = false;
    this.keeper.keep();
  };

  #at(): { stretch: Stretch; here: Bounds } | undefined {
    const stretch = this.ports.stretch();
    const here = stretch === undefined || this.#drawn === null ? undefined : bounds(stretch, this.#drawn);
    return stretch === undefined || here === undefined ? undefined : { stretch, here };
  }

  /** How many rows of the stretch there are from an edge to the far end of what is drawn. */
  #rowsFrom(edge: Edge): number {
    const at = this.#at();
    if (at === undefined) return 0;
    return edge === "before" ? at.here[1] : at.stretch.rows.length - at.here[0];
  }

  #show(): boolean {
    const target = this.#wanted;
    if (target === null) return false;
    const isThere = this.keeper.show(target.id, target.place);
    if (isThere) this.#wanted = null;
    if (target.isFocused && this.keeper.focus(target.id)) target.isFocused = false;
    return isThere;
  }
}
