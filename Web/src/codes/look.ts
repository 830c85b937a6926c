// Looks for codes in what the browser shows: no browser on Linux reads them itself, so the daemon does.
import { call } from "../wire/rpc";
import { asRefused, isAway } from "../wire/refusal";
import { base64 } from "../wire/base64";
import { greys, parts } from "./greys";
import type { Part } from "./greys";

/** Between two looks through the camera, in ms. */
const PAUSE = 400;

const wait = (time: number) => new Promise<void>((done) => setTimeout(done, time));

/** The texts of the codes in a part of a picture. */
async function textsIn(picture: CanvasImageSource, part: Part): Promise<readonly string[]> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(part.width * part.scale));
  canvas.height = Math.max(1, Math.round(part.height * part.scale));
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) return [];
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, part.x, part.y, part.width, part.height, 0, 0, canvas.width, canvas.height);
  const { width, height, data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return (await call("code.read", { width, height, luma: base64(greys(data)) })).texts;
}

/** Whether the same look may succeed in a moment. */
const isForNow = (error: unknown): boolean => isAway(error) || asRefused(error).retryable;

/** Returns the text of a wanted code in a chosen picture, or null. Throws Refused, also if the file is not a picture. */
export async function lookThrough(file: File, isWanted: (text: string) => boolean): Promise<string | null> {
  const picture = await createImageBitmap(file);
  try {
    for (const part of parts(picture.width, picture.height)) {
      const found = (await textsIn(picture, part)).find(isWanted);
      if (found !== undefined) return found;
    }
    return null;
  } finally {
    picture.close();
  }
}

/** Asks for a camera: the one at the back where there are two. */
export const openCamera = (): Promise<MediaStream> =>
  navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment", width: { ideal: 1280 }, height: { ideal: 720 } } });

/** Gives the camera back. */
export function close(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/**
 * Looks again and again at the square in the middle of the camera's picture, until `signal`, and reports what it finds.
 * Rejects with Refused if codes can't be read at all.
 */
export async function watch(video: HTMLVideoElement, signal: AbortSignal, found: (texts: readonly string[]) => void): Promise<void> {
  while (!signal.aborted) {
    const begun = performance.now();
    const side = Math.min(video.videoWidth, video.videoHeight);
    const [square] = parts(side, side);
    if (square !== undefined && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) {
      const place = { ...square, x: (video.videoWidth - side) / 2, y: (video.videoHeight - side) / 2 };
      try {
        const texts = await textsIn(video, place);
        if (!signal.aborted && texts.length > 0) found(texts);
      } catch (error) {
        if (!isForNow(error)) throw error;
      }
    }
    await wait(Math.max(0, PAUSE - (performance.now() - begun)));
  }
}
