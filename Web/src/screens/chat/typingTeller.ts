import { call } from "../../wire/rpc";

/** How often the daemon wants to hear again that the user is typing, in ms. */
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

  /** Notes that the text is being sent. The message itself tells others that the typing is over. */
  sent(): void {
    this.#told = 0;
  }

  /** If this can't be reported, the user needn't know. */
  #tell(typing: boolean): void {
    call("typing.set", { conversation: this.conversation, typing }).catch(() => undefined);
  }
}
