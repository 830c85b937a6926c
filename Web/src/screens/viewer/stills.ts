// Stills of films that are here. The browser makes them itself: it decodes what others have sent in a process without rights, and
// no program of this host is asked to.
import { fileAddress } from "./viewing";

/** The longer side of a still, in pixels. */
const SIDE = 320;
/** How far into a film its still is taken, in seconds: many begin black. */
const AT = 1;
/** How long a film may take until its still is there, in milliseconds. */
const PATIENCE = 10_000;
/** How many films are opened at once: each takes a connection to the gateway, of which a browser has few. */
const AT_ONCE = 2;
/** How many stills are kept. */
const KEPT = 100;

const kept = new Map<string, HTMLCanvasElement>();
interface Wish {
  transfer: string;
  told: (still: HTMLCanvasElement | null) => void;
}
/** The waiting requests. The last one is served first, because the user is looking at it. */
const waiting: Wish[] = [];
let running = 0;

/** Draws what a film shows a moment after its beginning; null if it can't be played here. */
const drawn = (transfer: string): Promise<HTMLCanvasElement | null> => new Promise((done) => {
  const film = document.createElement("video");
  const end = (still: HTMLCanvasElement | null) => {
    clearTimeout(timer);
    film.onerror = film.onseeked = film.onloadedmetadata = null;
    // This ends the connection, too.
    film.removeAttribute("src");
    film.load();
    done(still);
  };
  const timer = setTimeout(() => end(null), PATIENCE);
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
    // A sound that is called a film has no size.
    if (brush === null || film.videoWidth === 0 || film.videoHeight === 0) return end(null);
    brush.drawImage(film, 0, 0, canvas.width, canvas.height);
    end(canvas);
  };
  film.src = fileAddress(transfer);
});

function next(): void {
  if (running >= AT_ONCE) return;
  const wish = waiting.pop();
  if (wish === undefined) return;
  running += 1;
  void drawn(wish.transfer).then((still) => {
    running -= 1;
    if (still !== null) {
      kept.set(wish.transfer, still);
      for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
    }
    wish.told(still);
    next();
  });
}

/**
 * Asks for the still of a film that is here.
 * @param told gets it, or null if the browser can't play the film
 * @returns what takes the wish back
 */
export function wantStill(transfer: string, told: (still: HTMLCanvasElement | null) => void): () => void {
  const known = kept.get(transfer);
  if (known !== undefined) {
    told(known);
    return () => undefined;
  }
  const wish: Wish = { transfer, told };
  waiting.push(wish);
  next();
  return () => {
    wish.told = () => undefined;
    const place = waiting.indexOf(wish);
    if (place >= 0) waiting.splice(place, 1);
  };
}
