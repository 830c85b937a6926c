// Runs in the browser's sound thread: brings the microphone's sound to the rate of a voice note, and hands it on in pieces.
import { Resampler } from "./resampler";
import { RATE, whole } from "./wav";

/** A piece that the sound thread passes on. */
export interface Piece {
  samples: Int16Array;
  /** The loudest sample, between 0 and 1. */
  level: number;
}

/** Samples in a piece: twenty pieces a second. */
const PIECE = RATE / 20;

declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

class Microphone extends AudioWorkletProcessor {
  readonly #resampler = new Resampler(sampleRate, RATE);
  #waiting: number[] = [];

  process(inputs: readonly (readonly Float32Array[])[]): boolean {
    const [first, ...others] = inputs[0] ?? [];
    if (first === undefined) return true;
    const mixed = others.length === 0 ? first : first.map((sample, index) => others.reduce((sum, other) => sum + (other[index] ?? 0), sample) / (others.length + 1));
    this.#waiting.push(...this.#resampler.push(mixed));
    while (this.#waiting.length >= PIECE) {
      const samples = Float32Array.from(this.#waiting.splice(0, PIECE));
      const piece: Piece = { samples: whole(samples), level: samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0) };
      this.port.postMessage(piece, [piece.samples.buffer]);
    }
    return true;
  }
}

registerProcessor("microphone", Microphone);
