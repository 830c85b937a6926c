// The one event stream. It runs in the SharedWorker for all tabs, or in the page where there is no SharedWorker.
import type { ContractEvent } from "../contract/events";
import { BlockReader } from "./sse";
import type { Block } from "./sse";

/**
 * An event as the pages get it: without the number of the subscription. One that the daemon gave no number has that of the event before
 * it. It may wait with others, and what came behind it must not count as older.
 */
export type StreamEvent = ContractEvent extends infer E ? (E extends { subscription: number } ? Omit<E, "subscription" | "seq"> & { seq: number } : never) : never;

/** What the stream tells its pages. */
export type StreamNews =
  /** The subscription stands. `fresh`: for the first time, or after events without a number may have been missed. */
  | { news: "ready"; seen: number; epoch: string }
  | { news: "events"; events: StreamEvent[]; seen: number }
  | { news: "gap" }
  | { news: "away" | "web" | "out" };

/** First and longest wait before the stream is opened again, in ms. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
/** The gateway says something every 15 s; a stream that is silent for longer is dead. In ms. */
const SILENCE = 40_000;

/** Keeps the stream open and goes on where it broke. */
export class EventStream {
  #seen = -1;
  #epoch = "";
  #wait = FIRST_WAIT;
  #ended = false;
  #last: StreamNews | null = null;
  #wake: (() => void) | null = null;
  #stop: AbortController | null = null;
  #notifies = false;

  constructor(private readonly tell: (news: StreamNews) => void) {}

  /** What a page that comes later has to know first. */
  get state(): StreamNews | null {
    return this.#last?.news === "ready" ? { news: "ready", seen: this.#seen, epoch: this.#epoch } : this.#last;
  }

  async run(): Promise<void> {
    while (!this.#ended) {
      await this.#once();
      if (this.#ended) return;
      await new Promise<void>((done) => {
        const timer = setTimeout(done, this.#wait);
        this.#wake = () => {
          clearTimeout(timer);
          done();
        };
      });
      this.#wake = null;
      this.#wait = Math.min(Math.max(this.#wait * 2, FIRST_WAIT), LONGEST_WAIT);
    }
  }

  /** Tries at once: a user has asked for it, the network is back, or the account was unlocked. A stream that stands says so again. */
  retry(): void {
    const { state } = this;
    if (state?.news === "ready") return this.tell(state);
    this.#wait = 0;
    this.#wake?.();
    // A stream that is up but waits for the daemon is requested again, so that the gateway also tries at once.
    this.#stop?.abort();
  }

  /** Says whether a page shows notifications, so that the daemon shows none of its own. The stream is opened again to say so. */
  notifies(on: boolean): void {
    if (on === this.#notifies) return;
    this.#notifies = on;
    if (this.#stop === null) return;
    this.#wait = 0;
    this.#stop.abort();
  }

  async #once(): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    let beat = setTimeout(() => stop.abort(), SILENCE);
    try {
      const query = [...(this.#seen < 0 ? [] : [`since=${this.#seen}`, `epoch=${this.#epoch}`]), ...(this.#notifies ? ["notifies=1"] : [])];
      const response = await fetch(`/events${query.length > 0 ? "?" : ""}${query.join("&")}`, { signal: stop.signal, cache: "no-store", headers: { Accept: "text/event-stream" } });
      if (response.status === 401) return this.#end();
      if (response.status === 503) return this.#say({ news: "away" });
      if (!response.ok || response.body === null) return this.#say({ news: "web" });
      const reader = new BlockReader();
      const bytes = response.body.getReader();
      const text = new TextDecoder();
      for (;;) {
        const piece = await bytes.read();
        if (piece.done) break;
        clearTimeout(beat);
        beat = setTimeout(() => stop.abort(), SILENCE);
        const events: StreamEvent[] = [];
        reader.take(text.decode(piece.value, { stream: true }), (block) => this.#block(block, events));
        this.#flush(events);
      }
      if (!this.#ended) this.#say({ news: "web" });
    } catch {
      // If a stream is requested again while the daemon is away, that says nothing about the web service.
      if (!this.#ended && this.#wait > 0) this.#say({ news: "web" });
    } finally {
      clearTimeout(beat);
      this.#stop = null;
    }
  }

  #block(block: Block, events: StreamEvent[]): void {
    if (block.event === "message") {
      const event = JSON.parse(block.data) as Omit<StreamEvent, "seq"> & { seq: number | null };
      if (event.seq !== null) {
        if (event.seq <= this.#seen) return;
        this.#seen = event.seq;
      }
      events.push({ ...event, seq: this.#seen } as StreamEvent);
      return;
    }
    this.#flush(events);
    switch (block.event) {
      case "ready": {
        const ready = JSON.parse(block.data) as { next: number; epoch: string };
        if (this.#seen < 0 || this.#epoch === "") this.#seen = ready.next - 1;
        this.#epoch = ready.epoch;
        this.#wait = FIRST_WAIT;
        return this.#say({ news: "ready", seen: this.#seen, epoch: this.#epoch });
      }
      case "gap": {
        const gap = JSON.parse(block.data) as { to: number };
        this.#seen = gap.to;
        return this.#say({ news: "gap" }, false);
      }
      case "away":
        return this.#say({ news: "away" });
      case "ended":
        return this.#end();
    }
  }

  #flush(events: StreamEvent[]): void {
    if (events.length > 0) this.tell({ news: "events", events: events.splice(0), seen: this.#seen });
  }

  #end(): void {
    this.#ended = true;
    this.#say({ news: "out" });
  }

  #say(news: StreamNews, lasting = true): void {
    if (lasting) this.#last = news;
    this.tell(news);
  }
}
