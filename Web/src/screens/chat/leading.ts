// One place of a history is gone to at a time, though each may have to be read first.

/** What leads elsewhere counts until something else does. */
export class Leading {
  /** What counts now. */
  #latest: () => void = () => undefined;
  #turn = 0;
  /** Whether it has been arrived at. */
  #hasArrived = false;

  /** @param failed gets why a place couldn't be read, and whether it was still the one to go to */
  constructor(private readonly failed: (error: unknown, counts: boolean) => void) {}

  /**
   * Reads a place, and arrives there unless something has led elsewhere since. If a later place has been arrived at by then, that one is gone to
   * again: what this read has brought may have replaced what the later one needs.
   */
  to(read: () => Promise<() => void>): void {
    this.#turn += 1;
    const mine = this.#turn;
    this.#latest = () => {
      this.#hasArrived = false;
      read().then((arrive) => {
        if (mine === this.#turn) {
          this.#hasArrived = true;
          arrive();
        } else if (this.#hasArrived) {
          this.#latest();
        }
      }, (error: unknown) => this.failed(error, mine === this.#turn));
    };
    this.#latest();
  }

  /** Goes to a place that needs no reading. */
  at(arrive: () => void): void {
    this.#turn += 1;
    this.#latest = arrive;
    this.#hasArrived = true;
    arrive();
  }
}
