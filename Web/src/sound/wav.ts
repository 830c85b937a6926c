// A WAV file of one channel with 16 bits a sample.

/** Samples a second of a voice note: speech needs no more. */
export const RATE = 24_000;
/** How long a voice note may be, in seconds: 14.4 MB. */
export const LONGEST = 300;

const HEAD = 44;

/** Samples between −1 and 1 as whole numbers of 16 bits. */
export function whole(samples: Float32Array): Int16Array {
  const out = new Int16Array(samples.length);
  for (const [index, sample] of samples.entries()) out[index] = Math.round(Math.max(-1, Math.min(1, sample)) * 32_767);
  return out;
}

/** The file with these samples. */
export function wav(pieces: readonly Int16Array[]): ArrayBuffer {
  const count = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const file = new DataView(new ArrayBuffer(HEAD + 2 * count));
  const letters = (at: number, text: string) => [...text].forEach((letter, index) => file.setUint8(at + index, letter.charCodeAt(0)));
  letters(0, "RIFF");
  file.setUint32(4, HEAD - 8 + 2 * count, true);
  letters(8, "WAVEfmt ");
  file.setUint32(16, 16, true);
  file.setUint16(20, 1, true);
  file.setUint16(22, 1, true);
  file.setUint32(24, RATE, true);
  file.setUint32(28, 2 * RATE, true);
  file.setUint16(32, 2, true);
  file.setUint16(34, 16, true);
  letters(36, "data");
  file.setUint32(40, 2 * count, true);
  let at = HEAD;
  for (const piece of pieces) {
    for (const sample of piece) {
      file.setInt16(at, sample, true);
      at += 2;
    }
  }
  return file.buffer;
}
