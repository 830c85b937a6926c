import { strict as assert } from "node:assert";
import { test } from "node:test";
import { Resampler } from "../../Web/src/sound/resampler";
import { RATE, wav, whole } from "../../Web/src/sound/wav";
import { BARS, barsOf } from "../../Web/src/sound/wave";

/** A tone of one second, brought to another rate in pieces, as a browser gives them. */
function resampled(from: number, frequency: number, piece = 128): Float32Array {
  const resampler = new Resampler(from, RATE);
  const out: number[] = [];
  for (let at = 0; at < from; at += piece) {
    out.push(...resampler.push(Float32Array.from({ length: Math.min(piece, from - at) }, (_, index) => Math.sin((2 * Math.PI * frequency * (at + index)) / from))));
  }
  return Float32Array.from(out);
}

/** How loud a frequency is in the middle of a sound: 1 for a whole tone. */
function loudness(sound: Float32Array, frequency: number): number {
  let [real, imaginary] = [0, 0];
  const part = sound.subarray(2400, 2400 + 19_200);
  for (const [index, sample] of part.entries()) {
    real += sample * Math.cos((2 * Math.PI * frequency * index) / RATE);
    imaginary += sample * Math.sin((2 * Math.PI * frequency * index) / RATE);
  }
  return (2 * Math.hypot(real, imaginary)) / part.length;
}

test("speech keeps its pitch and its loudness at the rate of a voice note, whatever the microphone's rate", () => {
  for (const rate of [48_000, 44_100, 96_000, 24_000, 16_000]) {
    for (const frequency of [300, 1000, 3400]) {
      const sound = resampled(rate, frequency);
      assert.ok(Math.abs(sound.length - RATE) < 40, `${rate}: ${sound.length}`);
      assert.ok(Math.abs(loudness(sound, frequency) - 1) < 0.03, `${frequency} of ${rate}: ${loudness(sound, frequency)}`);
    }
  }
});

test("what is too high for the rate is taken out instead of heard as another tone", () => {
  for (const [rate, frequency] of [[48_000, 15_000], [48_000, 20_000], [44_100, 14_000]] as const) {
    const sound = resampled(rate, frequency);
    assert.ok(loudness(sound, RATE - frequency) < 0.01, `${frequency} of ${rate}: ${loudness(sound, RATE - frequency)}`);
  }
});

test("pieces of any size give the same sound", () => {
  const [one, other] = [resampled(44_100, 440, 128), resampled(44_100, 440, 999)];
  for (let index = 0; index < 20_000; index += 1) assert.ok(Math.abs((one[index] ?? 0) - (other[index] ?? 1)) < 1e-6, String(index));
});

test("a WAV file has one channel of 16 bits, its length in its head, and samples within their bounds", () => {
  const file = new DataView(wav([whole(Float32Array.from([0, 1, -1])), whole(Float32Array.from([7, -7]))]));
  const letters = (at: number) => String.fromCharCode(...new Uint8Array(file.buffer, at, 4));
  assert.deepEqual([letters(0), letters(8), letters(12), letters(36)], ["RIFF", "WAVE", "fmt ", "data"]);
  assert.deepEqual([file.byteLength, file.getUint32(4, true), file.getUint32(40, true)], [54, 46, 10]);
  assert.deepEqual([file.getUint16(22, true), file.getUint32(24, true), file.getUint16(34, true)], [1, 24_000, 16]);
  assert.deepEqual([0, 1, 2, 3, 4].map((index) => file.getInt16(44 + 2 * index, true)), [0, 32_767, -32_767, 32_767, -32_767]);
});

test("the bars of a voice note are as high as it is loud, whatever its length", () => {
  for (const count of [BARS, 1000, 300 * RATE]) {
    // It becomes louder, to a quarter of what there is room for.
    const bars = barsOf(wav([whole(Float32Array.from({ length: count }, (_, index) => ((index % 2 === 0 ? 1 : -1) * index) / count / 4))])) ?? [];
    assert.equal(bars.length, BARS);
    assert.ok(bars.every((height, index) => height <= 1 && (index === 0 || height >= (bars[index - 1] ?? 0))), bars.join());
    assert.equal(bars.at(-1), 1);
    assert.ok(Math.abs((bars[BARS / 2 - 1] ?? 0) - Math.SQRT1_2) < 0.02);
  }
  assert.deepEqual(barsOf(wav([new Int16Array(1000)])), Array(BARS).fill(0));
});

test("what is no voice note has no bars, wherever it is cut or changed", () => {
  const file = new Uint8Array(wav([whole(Float32Array.from({ length: 500 }, () => 0.5))]));
  for (let length = 0; length <= file.length; length += 1) {
    const bars = barsOf(file.slice(0, length).buffer);
    assert.equal(bars === null, length < 44 + 2 * BARS, `${length}`);
  }
  // Each byte of the head, and lengths that lead nowhere or beyond the end.
  for (let at = 0; at < 44; at += 1) {
    for (const value of [0, 1, 127, 255]) {
      const other = file.slice();
      other[at] = value;
      const bars = barsOf(other.buffer);
      assert.ok(bars === null || (bars.length === BARS && bars.every((height) => height >= 0 && height <= 1)), `${at} ${value}`);
    }
  }
  // Millions of empty parts are not looked through.
  const parts = new Uint8Array(16_000_000);
  parts.set(file.subarray(0, 12));
  const begun = process.cpuUsage();
  assert.equal(barsOf(parts.buffer), null);
  assert.ok(process.cpuUsage(begun).user < 100_000);
  const eight = file.slice();
  eight[34] = 8;
  assert.equal(barsOf(eight.buffer), null);
});
