// Records a voice note from the microphone.
import { trusted } from "../wire/trusted";
import { LONGEST, RATE, wav } from "./wav";
import type { Piece } from "./worklet";

/** The sound thread's script: the bundler puts the name with its hash here. */
declare const WORKLET: string;

/** Why nothing can be recorded: the user or the system says no, there is no microphone, or another program has it. */
export type RecorderProblem = "denied" | "missing" | "busy";

export function problemOf(error: unknown): RecorderProblem {
  const name = error instanceof DOMException ? error.name : "";
  return name === "NotAllowedError" || name === "SecurityError" ? "denied" : name === "NotFoundError" ? "missing" : "busy";
}

export interface RecorderNews {
  /** The loudest sample of the last moment, between 0 and 1, and how long the note is, in seconds. */
  level(level: number, seconds: number): void;
  /** The note is as long as it may be: it is paused. */
  full(): void;
}

export class Recorder {
  readonly #pieces: Int16Array[] = [];
  #count = 0;

  private constructor(private readonly stream: MediaStream, private readonly context: AudioContext, private readonly news: RecorderNews) {}

  /** Asks for the microphone, and records from then on. */
  static async start(news: RecorderNews): Promise<Recorder> {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } });
    const context = new AudioContext();
    const recorder = new Recorder(stream, context, news);
    try {
      await context.audioWorklet.addModule(trusted(WORKLET));
      const microphone = new AudioWorkletNode(context, "microphone", { numberOfOutputs: 0 });
      microphone.port.onmessage = (event: MessageEvent<Piece>) => recorder.#take(event.data);
      context.createMediaStreamSource(stream).connect(microphone);
      await context.resume();
      return recorder;
    } catch (error) {
      recorder.close();
      throw error;
    }
  }

  get seconds(): number {
    return this.#count / RATE;
  }

  pause(): Promise<void> {
    return this.context.suspend();
  }

  resume(): Promise<void> {
    return this.context.resume();
  }

  /** What was recorded so far. */
  file(name: string): File {
    return new File([wav(this.#pieces)], name, { type: "audio/wav" });
  }

  /** Gives the microphone back. */
  close(): void {
    for (const track of this.stream.getTracks()) track.stop();
    if (this.context.state !== "closed") void this.context.close();
  }

  #take({ samples, level }: Piece): void {
    const left = LONGEST * RATE - this.#count;
    if (left <= 0) return;
    this.#pieces.push(samples.length > left ? samples.slice(0, left) : samples);
    this.#count += Math.min(samples.length, left);
    this.news.level(level, this.seconds);
    if (this.#count < LONGEST * RATE) return;
    void this.pause();
    this.news.full();
  }
}
