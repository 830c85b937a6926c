import { call } from "../../wire/rpc";

/** The daemon wants to hear it again so often while it lasts, in ms. */
const AGAIN = 5000;

/** Tells the daemon that one is typing: at once, each five seconds, and when it has ended. */
export class TypingTeller {
  #told = 0;

  constructor(private readonly conversation: string) {}

  typed(is: boolean): void {
    if (!is) return this.stop();
    const now = Date.now();
    if (now - this.#told < AGAIN) return;
    this.#told = now;
    this.#tell(true);
  }

  stop(): void {
    if (this.#told === 0) return;
    this.#told = 0;
    this.#tell(false);
  }

  /** What was written is on its way: a message says by itself that its writing is over. */
  sent(): void {
    this.#told = 0;
  }

  /** The user needs no word of it where it could not be told. */
  #tell(typing: boolean): void {
    call("typing.set", { conversation: this.conversation, typing }).catch(() => undefined);
  }
}
