// A short sound that tells of a message. It is made here, not fetched.

/** Two tones that follow each other: their frequency in Hz and their beginning in seconds. */
const tones = [[659.25, 0], [880, 0.11]] as const;
/** How long a tone fades, in seconds, and how loud it is at first. */
const FADE = 0.35;
const LOUDNESS = 0.12;

let context: AudioContext | null = null;

/** Plays it. A browser keeps a page silent that nobody has touched yet. */
export function chime(): void {
  context ??= new AudioContext();
  const now = context;
  void now.resume().then(() => {
    for (const [frequency, begin] of tones) {
      const at = now.currentTime + begin;
      const tone = now.createOscillator();
      const volume = now.createGain();
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(LOUDNESS, at);
      volume.gain.exponentialRampToValueAtTime(0.0001, at + FADE);
      tone.connect(volume).connect(now.destination);
      tone.start(at);
      tone.stop(at + FADE);
    }
  }, () => undefined);
}
