// The sizes of the video that is sent: the more people are in a call, the smaller they are, so that a window never encodes more than
// between two.

/** Width and height in pixels, frames in a second, bits in a second. */
export interface Size {
  width: number;
  height: number;
  rate: number;
  bits: number;
}

export interface Sizes {
  camera: Size;
  screen: Size;
}

/** The most people that take part in a call. */
export const MOST_PEOPLE = 8;

/** The sizes that are sent to each of the others while up to so many people take part, the user included. */
const rows: ReadonlyArray<Sizes & { people: number }> = [
  { people: 2, camera: { width: 1280, height: 720, rate: 30, bits: 2_500_000 }, screen: { width: 1920, height: 1080, rate: 10, bits: 4_000_000 } },
  { people: 4, camera: { width: 640, height: 360, rate: 24, bits: 800_000 }, screen: { width: 1280, height: 720, rate: 8, bits: 1_500_000 } },
  { people: MOST_PEOPLE, camera: { width: 320, height: 180, rate: 15, bits: 250_000 }, screen: { width: 1280, height: 720, rate: 3, bits: 1_000_000 } },
];

/** Returns the sizes for so many people. While the user shows a screen, the camera's is as with more people. */
export function sizesFor(people: number, showsScreen: boolean): Sizes {
  const found = rows.findIndex((row) => people <= row.people);
  const at = found < 0 ? rows.length - 1 : found;
  const [row, next] = [rows[at] as Sizes, rows[at + 1]];
  return { camera: showsScreen && next !== undefined ? next.camera : row.camera, screen: row.screen };
}

/** Returns what a sender is told for a track of this width and height: no frame is larger than `size`, whatever its shape. */
export function encodingFor(size: Size, { width = 0, height = 0 }: { width?: number; height?: number }): { maxBitrate: number; maxFramerate: number; scaleResolutionDownBy: number } {
  return { maxBitrate: size.bits, maxFramerate: size.rate, scaleResolutionDownBy: Math.max(1, width / size.width, height / size.height) };
}

/** Returns what a camera is asked for, so that it doesn't take larger frames than are sent. */
export const captureFor = ({ width, height, rate }: Size): MediaTrackConstraints =>
  ({ width: { ideal: width }, height: { ideal: height }, frameRate: { ideal: rate, max: rate } });
