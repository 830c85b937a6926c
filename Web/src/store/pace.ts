// How much of the page's time the events may have, so that a person can go on writing in a flood of them.

/** The share of the time that is for events, and how much of it may be used in advance, in ms: events that come alone show at once. */
const SHARE = 0.12;
const AHEAD = 80;

/** Lets work begin while less than its share of the time was used. Times are in ms. */
export class Pace {
  #left = AHEAD;
  #at = 0;

  /** How long the next work has to wait; 0: it may begin. */
  wait(now: number): number {
    this.#left = Math.min(AHEAD, this.#left + (now - this.#at) * SHARE);
    this.#at = now;
    return Math.max(0, -this.#left / SHARE);
  }

  /** Notes how long some work took. */
  worked(time: number): void {
    this.#left -= time;
  }
}
