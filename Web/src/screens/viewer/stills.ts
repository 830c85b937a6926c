// Stills of videos that are here. The browser makes them itself: it decodes what others have sent in a process without rights, and
// no program of this host is asked to.
import { Wishes } from "../../parts/wishes";
import { fileAddress } from "./viewing";

/** The longer side of a still, in pixels. */
const SIDE = 320;
/** How far into a video its still is taken, in seconds: many begin black. */
const AT = 1;
/** How long a video may take until its still is there, in milliseconds, and how often it is tried: a browser that is busy says nothing of a video. */
const PATIENCE = 10_000;
const TRIES = 3;
/** How many videos are opened at once: each takes a connection to the gateway, and a browser has only a few. */
const AT_ONCE = 2;
/** How many stills are kept. */
const KEPT = 100;

/** Draws what a video shows a moment after its beginning; null if it can't be played here, "late" if it took too long. */
const attempt = (transfer: string): Promise<HTMLCanvasElement | null | "late"> => new Promise((done) => {
  const film = document.createElement("video");
  const end = (still: HTMLCanvasElement | null | "late") => {
    clearTimeout(timer);
    film.onerror = film.onseeked = film.onloadedmetadata = null;
    // This ends the connection, too.
    film.removeAttribute("src");
    film.load();
    done(still);
  };
  const timer = setTimeout(() => end("late"), PATIENCE);
  film.muted = true;
  film.preload = "metadata";
  film.onerror = () => end(null);
  film.onloadedmetadata = () => {
    film.currentTime = Number.isFinite(film.duration) ? Math.min(AT, film.duration / 2) : 0;
  };
  film.onseeked = () => {
    const scale = Math.min(1, SIDE / Math.max(film.videoWidth, film.videoHeight));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(film.videoWidth * scale));
    canvas.height = Math.max(1, Math.round(film.videoHeight * scale));
    const brush = canvas.getContext("2d");
    // An audio file that is called a video has no size.
    if (brush === null || film.videoWidth === 0 || film.videoHeight === 0) return end(null);
    brush.drawImage(film, 0, 0, canvas.width, canvas.height);
    end(canvas);
  };
  film.src = fileAddress(transfer);
});

async function drawn(transfer: string): Promise<HTMLCanvasElement | null> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const still = await attempt(transfer);
    if (still !== "late") return still;
  }
  return null;
}

const stills = new Wishes(drawn, AT_ONCE, KEPT);

/**
 * Asks for the still of a video that is here.
 * @param told gets it, or null if the browser can't play the video
 * @returns what takes the wish back
 */
export const wantStill = (transfer: string, told: (still: HTMLCanvasElement | null) => void): (() => void) => stills.want(transfer, told);
