// Lets the user test devices: shows how loud a microphone is, and plays a tone on a loudspeaker.
import { chosen } from "./devices";

/** How often the level is told, in ms. */
const STEP = 100;
/** The test tone: its frequencies in Hz one after the other, how long each sounds in seconds, and how loud. */
const TONES = [523.25, 659.25, 783.99] as const;
const LENGTH = 0.35;
const LOUDNESS = 0.2;

/**
 * Tells how loud a track is, between 0 and 1, until the returned function is called. A sound that people hear as twice as loud is
 * told as twice as much.
 */
export function watchLevel(track: MediaStreamTrack, told: (level: number) => void): () => void {
  const context = new AudioContext();
  const listener = context.createAnalyser();
  const samples = new Float32Array(listener.fftSize);
  context.createMediaStreamSource(new MediaStream([track])).connect(listener);
  const timer = setInterval(() => {
    listener.getFloatTimeDomainData(samples);
    const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    told(Math.min(1, Math.sqrt(loudest)));
  }, STEP);
  return () => {
    clearInterval(timer);
    void context.close();
  };
}

/** Plays three tones on the chosen loudspeaker. */
export async function playTone(): Promise<void> {
  const context = new AudioContext();
  const way = context.createMediaStreamDestination();
  for (const [index, frequency] of TONES.entries()) {
    const tone = context.createOscillator();
    const volume = context.createGain();
    const at = context.currentTime + 0.1 + index * LENGTH;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(LOUDNESS, at);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + LENGTH);
    tone.connect(volume).connect(way);
    tone.start(at);
    tone.stop(at + LENGTH);
  }
  const element = new Audio() as HTMLAudioElement & { setSinkId?: (id: string) => Promise<void> };
  element.srcObject = way.stream;
  await element.setSinkId?.(chosen.get().loudspeaker).catch(() => undefined);
  await element.play();
  await new Promise((done) => setTimeout(done, 1000 * (TONES.length * LENGTH + 0.2)));
  element.srcObject = null;
  await context.close();
}
