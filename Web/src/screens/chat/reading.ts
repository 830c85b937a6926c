// Tells the daemon what a person has seen: what was in view for half a second in a window that has the focus.
import type { Message } from "../../contract/types";
import { make } from "../../store/changes";

/** How long a message must be in view to count as seen, in ms. */
const LOOK = 500;

export class Reading {
  #timer: ReturnType<typeof setTimeout> | null = null;
  #told = "";

  constructor(private readonly conversation: string, private readonly inView: () => Message[]) {}

  /** What is in view may be another: after LOOK it counts. */
  look = (): void => {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (document.hasFocus() && document.visibilityState === "visible") this.#tell();
    }, LOOK);
  };

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #tell(): void {
    const seen = this.inView().filter(({ unread }) => unread);
    const first = seen[0];
    const last = seen[seen.length - 1];
    if (first === undefined || last === undefined) return;
    const arrival = Math.max(...seen.map((message) => message.arrival));
    const word = `${first.id} ${last.id} ${arrival}`;
    if (word === this.#told) return;
    this.#told = word;
    const params = { id: this.conversation, upTo: last.id, from: first.id, arrival };
    make(this.conversation, { method: "conversation.markRead", params }, seen.map(({ id }) => id));
  }
}
