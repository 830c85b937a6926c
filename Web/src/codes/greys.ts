// Pictures as the daemon looks through them for codes: greys, a byte for each pixel.

/** Pixels on the longest side of a picture that the daemon takes. */
export const SIDE = 512;
/** The longest side of a picture, in pixels, at the finest scale at which its parts are searched. */
const LARGEST = 2048;

/** A part of a picture: where it begins, how large it is, and how many pixels are made of it. */
export interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

/** Where parts of a side begin so that they overlap by half, and the last one ends where the side does. */
function begins(length: number, part: number): number[] {
  const count = Math.max(1, Math.ceil((length - part) / (part / 2)) + 1);
  return Array.from({ length: count }, (_, index) => (count === 1 ? 0 : ((length - part) * index) / (count - 1)));
}

/** The parts of a picture to look at, one after another: first all of it, then smaller and smaller parts that overlap. */
export function parts(width: number, height: number): Part[] {
  const longest = Math.max(width, height);
  const all: Part[] = [];
  if (longest < 1) return all;
  for (let side = SIDE; ; side *= 2) {
    const shown = Math.min(side, longest);
    const [scale, most] = [shown / longest, (SIDE * longest) / shown];
    const [partWidth, partHeight] = [Math.min(width, most), Math.min(height, most)];
    for (const y of begins(height, partHeight)) for (const x of begins(width, partWidth)) all.push({ x, y, width: partWidth, height: partHeight, scale });
    if (side >= longest || side >= LARGEST) return all;
  }
}

/** The greys of pixels in red, green, blue and opacity: what is transparent is white. */
export function greys(pixels: Uint8ClampedArray): Uint8Array {
  const made = new Uint8Array(pixels.length / 4);
  for (let index = 0; index < made.length; index += 1) {
    const [red = 0, green = 0, blue = 0, opacity = 0] = pixels.subarray(index * 4, index * 4 + 4);
    made[index] = 255 + ((0.299 * red + 0.587 * green + 0.114 * blue - 255) * opacity) / 255;
  }
  return made;
}
