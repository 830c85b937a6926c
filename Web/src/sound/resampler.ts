// Brings sound from the rate of a microphone to that of a voice note, piece by piece.

/** Zero crossings of the filter on each side: more make its edge steeper. */
const CROSSINGS = 12;
/** Steps of the filter's table between two zero crossings. */
const STEPS = 512;
/** The filter ends a little below half of the lower rate. */
const EDGE = 0.92;

/** A windowed sinc, from its middle to its end. */
function table(): Float32Array {
  const values = new Float32Array(CROSSINGS * STEPS + 1);
  for (let index = 0; index < values.length; index += 1) {
    const x = index / STEPS;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / CROSSINGS);
    values[index] = x === 0 ? 1 : (Math.sin(Math.PI * x) / (Math.PI * x)) * window;
  }
  return values;
}
const filter = table();

export class Resampler {
  readonly #step: number;
  readonly #scale: number;
  readonly #reach: number;
  #kept: Float32Array;
  /** Where the next sample is taken, in samples of what is kept. */
  #at: number;

  /** @param from samples a second that come in @param to samples a second that come out */
  constructor(from: number, to: number) {
    this.#step = from / to;
    this.#scale = Math.min(1, to / from) * EDGE;
    this.#reach = Math.ceil(CROSSINGS / this.#scale);
    this.#kept = new Float32Array(this.#reach);
    this.#at = this.#reach;
  }

  /** Takes samples between −1 and 1, and returns those that are known now. */
  push(samples: Float32Array): Float32Array {
    const all = new Float32Array(this.#kept.length + samples.length);
    all.set(this.#kept);
    all.set(samples, this.#kept.length);
    const count = Math.max(0, Math.ceil((all.length - this.#reach - this.#at) / this.#step));
    const out = new Float32Array(count);
    for (let index = 0; index < count; index += 1) {
      out[index] = this.#sample(all, this.#at);
      this.#at += this.#step;
    }
    const done = Math.max(0, Math.floor(this.#at) - this.#reach);
    this.#kept = all.slice(done);
    this.#at -= done;
    return out;
  }

  #sample(all: Float32Array, middle: number): number {
    let sum = 0;
    const last = Math.min(all.length - 1, Math.floor(middle + this.#reach));
    for (let index = Math.max(0, Math.ceil(middle - this.#reach)); index <= last; index += 1) {
      sum += (all[index] ?? 0) * (filter[Math.round(Math.abs(index - middle) * this.#scale * STEPS)] ?? 0);
    }
    return sum * this.#scale;
  }
}
