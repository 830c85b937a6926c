// The ring tone, which sounds in one tab as long as a call rings in any of them.

/** Two tones together, in Hz, and how loud they are. */
const TONES = [440, 554.37] as const;
const LOUDNESS = 0.1;
/** How long a ring and the pause after it last, in seconds. */
const RING = 1;
const PAUSE = 2;

function once(context: AudioContext, loudness: number): void {
  const at = context.currentTime;
  for (const frequency of TONES) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(loudness, at + 0.05);
    volume.gain.setValueAtTime(loudness, at + RING - 0.2);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + RING);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + RING);
  }
}

/** Whether the browser lets this window sound: it doesn't before the user has touched the window. */
export const maySound = (): boolean => (navigator as { userActivation?: { hasBeenActive: boolean } }).userActivation?.hasBeenActive !== false;

/** Rings until the returned function is called, unless another tab does. */
export function ringTone(isSoft: boolean): () => void {
  const end = new AbortController();
  const { signal } = end;
  navigator.locks.request("kibo.ring", { signal }, async () => {
    const context = new AudioContext();
    const play = () => once(context, isSoft ? LOUDNESS / 4 : LOUDNESS);
    play();
    const timer = setInterval(play, (RING + PAUSE) * 1000);
    await new Promise<void>((done) => signal.addEventListener("abort", () => done()));
    clearInterval(timer);
    await context.close();
  }).catch(() => undefined);
  return () => end.abort();
}
