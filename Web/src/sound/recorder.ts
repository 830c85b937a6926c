// Records a voice note from the microphone.
import { trusted } from "../wire/trusted";
import { LONGEST, RATE, wav } from "./wav";
import type { Piece } from "./worklet";

/** The sound thread's script: the bundler puts the name with its hash here. */
declare const WORKLET: string;

export interface RecorderNews {
  /** The loudest sample of the last moment, between 0 and 1, and how long the note is, in seconds. */
  level(level: number, seconds: number): void;
  /** The note is as long as it may be: it is paused. */
  full(): void;
}

export class Recorder {
  readonly #pieces: Int16Array[] = [];
  #count = 0;
  #microphone: { stream: MediaStream; context: AudioContext } | null = null;
  /** Grows with each rest: a microphone that is given afterwards is not wanted any more. */
  #rests = 0;
  /** Who shows it now. */
  news: RecorderNews | null = null;

  get seconds(): number {
    return this.#count / RATE;
  }

  get isFull(): boolean {
    return this.#count >= LONGEST * RATE;
  }

  /** Records from now on, behind what is there. Asks for the microphone, unless it was only paused. */
  async go(): Promise<void> {
    if (this.#microphone !== null) return this.#microphone.context.resume();
    const rests = this.#rests;
    const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } });
    const context = new AudioContext();
    this.#microphone = { stream, context };
    try {
      await context.audioWorklet.addModule(trusted(WORKLET));
      const microphone = new AudioWorkletNode(context, "microphone", { numberOfOutputs: 0 });
      microphone.port.onmessage = (event: MessageEvent<Piece>) => this.#take(event.data);
      context.createMediaStreamSource(stream).connect(microphone);
      await context.resume();
    } catch (error) {
      this.rest();
      throw error;
    }
    if (rests !== this.#rests) this.rest();
  }

  async pause(): Promise<void> {
    await this.#microphone?.context.suspend();
  }

  /** What was recorded so far. */
  file(name: string): File {
    return new File([wav(this.#pieces)], name, { type: "audio/wav" });
  }

  /** Gives the microphone back. What was recorded stays. */
  rest(): void {
    this.#rests += 1;
    const microphone = this.#microphone;
    this.#microphone = null;
    for (const track of microphone?.stream.getTracks() ?? []) track.stop();
    if (microphone !== null && microphone.context.state !== "closed") void microphone.context.close();
  }

  #take({ samples, level }: Piece): void {
    const left = LONGEST * RATE - this.#count;
    if (left <= 0) return;
    this.#pieces.push(samples.length > left ? samples.slice(0, left) : samples);
    this.#count += Math.min(samples.length, left);
    this.news?.level(level, this.seconds);
    if (!this.isFull) return;
    void this.pause();
    this.news?.full();
  }
}
