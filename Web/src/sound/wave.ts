// How loud a voice note is from its beginning to its end, for the bars in its player. It is read from the sound itself, so old notes have it, too. Only
// WAV, in which voice notes are: what others have sent is read here without decoding, in the time and room of its length.

/** Bars of a player. */
export const BARS = 48;
/** Larger files have no bars, in bytes: the longest voice note has 14.4 MB. */
export const LARGEST = 16_000_000;
/** So many samples of each bar are looked at. */
const LOOKS = 2000;

/** So many parts of a file are looked at until one has the samples. */
const MOST_PARTS = 64;

/** Where the samples lie in a WAV with 16 bits a sample; null if it is none. */
function samplesOf(file: DataView): { start: number; count: number } | null {
  const name = (at: number) => String.fromCharCode(...[0, 1, 2, 3].map((index) => file.getUint8(at + index)));
  if (file.byteLength < 12 || name(0) !== "RIFF" || name(8) !== "WAVE") return null;
  let isKnown = false;
  for (let at = 12, parts = 0; at + 8 <= file.byteLength && parts < MOST_PARTS; parts += 1) {
    const [part, length] = [name(at), file.getUint32(at + 4, true)];
    const start = at + 8;
    if (part === "fmt " && start + 16 <= file.byteLength) isKnown = file.getUint16(start, true) === 1 && file.getUint16(start + 14, true) === 16;
    // A file that was cut off ends before its length says so.
    if (part === "data") return isKnown ? { start, count: Math.floor(Math.min(length, file.byteLength - start) / 2) } : null;
    // Parts begin at even places.
    at = start + length + (length % 2);
  }
  return null;
}

/** The height of each bar, of the loudest one 1; null if the file is no WAV with 16 bits a sample, or is empty. */
export function barsOf(bytes: ArrayBuffer): number[] | null {
  const file = new DataView(bytes);
  const samples = samplesOf(file);
  if (samples === null || samples.count < BARS) return null;
  const each = samples.count / BARS;
  const step = Math.max(1, Math.floor(each / LOOKS));
  const loud = Array.from({ length: BARS }, (_, bar) => {
    let most = 0;
    for (let index = Math.floor(bar * each); index < Math.floor((bar + 1) * each); index += step) {
      most = Math.max(most, Math.abs(file.getInt16(samples.start + 2 * index, true)));
    }
    return most;
  });
  const loudest = Math.max(...loud, 1);
  // Speech is quiet most of the time: the root shows it.
  return loud.map((one) => Math.sqrt(one / loudest));
}
