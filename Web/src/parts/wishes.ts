// Things that take a while to make, for what is on the screen: few at once, the last wish first, since the user is looking at it.

interface Wish<T> {
  id: string;
  told: (made: T | null) => void;
}

export class Wishes<T> {
  readonly #kept = new Map<string, T>();
  readonly #waiting: Wish<T>[] = [];
  #running = 0;

  /**
   * @param make makes what belongs to an id, or null if it can't be made
   * @param atOnce how many are made at once
   * @param most how many are kept
   */
  constructor(private readonly make: (id: string) => Promise<T | null>, private readonly atOnce: number, private readonly most: number) {}

  /**
   * Asks for what belongs to an id.
   * @param told gets it, or null if it can't be made
   * @returns what takes the wish back
   */
  want(id: string, told: (made: T | null) => void): () => void {
    const known = this.#kept.get(id);
    if (known !== undefined) {
      told(known);
      return () => undefined;
    }
    const wish = { id, told };
    this.#waiting.push(wish);
    this.#next();
    return () => {
      wish.told = () => undefined;
      const place = this.#waiting.indexOf(wish);
      if (place >= 0) this.#waiting.splice(place, 1);
    };
  }

  #next(): void {
    if (this.#running >= this.atOnce) return;
    const wish = this.#waiting.pop();
    if (wish === undefined) return;
    this.#running += 1;
    void this.make(wish.id).catch(() => null).then((made) => {
      this.#running -= 1;
      if (made !== null) {
        this.#kept.set(wish.id, made);
        for (const oldest of this.#kept.keys()) if (this.#kept.size > this.most) this.#kept.delete(oldest);
      }
      wish.told(made);
      this.#next();
    });
  }
}
