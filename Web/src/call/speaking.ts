// Tells from how loud the others are which of them speak. A pause between two words doesn't count as an end.

/** From this loudness on, between 0 and 1, a person speaks; below it there is breath and the noise of a room. */
const LOUD = 0.02;
/** How long a pause may be, in ms. */
const PAUSE = 900;
/**
 * How often the page listens, in ms. It hears the newest packet only, so this has no rhythm in common with a sound that comes back every
 * second or half second: with 200, such a sound can fall between all looks.
 */
export const LISTEN = 190;

export class Speakers {
  readonly #until = new Map<string, number>();
  #shown: ReadonlySet<string> = new Set();

  /**
   * Takes how loud each device is now. A device that is missing has left the call.
   *
   * @returns the devices whose users are speaking; the same object as before if they are the same
   */
  take(levels: ReadonlyMap<string, number>, now: number): ReadonlySet<string> {
    for (const [device, level] of levels) if (level >= LOUD) this.#until.set(device, now + PAUSE);
    for (const [device, until] of this.#until) if (until <= now || !levels.has(device)) this.#until.delete(device);
    const isSame = this.#until.size === this.#shown.size && [...this.#until.keys()].every((device) => this.#shown.has(device));
    if (!isSame) this.#shown = new Set(this.#until.keys());
    return this.#shown;
  }
}
