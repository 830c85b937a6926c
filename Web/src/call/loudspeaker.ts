// The audio of the other devices: each has an audio element, since a browser mixes these by itself.
import { chosen } from "./devices";

interface Speaker extends HTMLAudioElement {
  setSinkId?: (id: string) => Promise<void>;
}

export class Loudspeaker {
  readonly #elements = new Map<string, Speaker>();
  readonly #isSilent: (silent: boolean) => void;
  #isDeaf = false;

  /** @param isSilent is called with true when the browser plays nothing before a click, and with false when it plays again */
  constructor(isSilent: (silent: boolean) => void) {
    this.#isSilent = isSilent;
  }

  /** Plays the audio of a device; with null, stops playing it. */
  hear(device: string, audio: MediaStream | null): void {
    let element = this.#elements.get(device);
    if (audio === null) {
      if (element !== undefined) element.srcObject = null;
      this.#elements.delete(device);
      return;
    }
    if (element === undefined) {
      element = new Audio();
      element.muted = this.#isDeaf;
      this.#elements.set(device, element);
      this.#choose(element);
    }
    if (element.srcObject === audio) return;
    element.srcObject = audio;
    this.#play();
  }

  deafen(isDeaf: boolean): void {
    this.#isDeaf = isDeaf;
    for (const element of this.#elements.values()) element.muted = isDeaf;
  }

  /** Moves the audio to the loudspeaker that was chosen. */
  move(): void {
    for (const element of this.#elements.values()) this.#choose(element);
  }

  close(): void {
    for (const device of [...this.#elements.keys()]) this.hear(device, null);
    this.#isDeaf = false;
  }

  #choose(element: Speaker): void {
    element.setSinkId?.(chosen.get().loudspeaker).catch(() => undefined);
  }

  #play = (): void => {
    Promise.all([...this.#elements.values()].map((element) => element.play())).then(() => this.#isSilent(false), (error: unknown) => {
      // A device that has left meanwhile is no reason to ask for a click.
      if (!(error instanceof DOMException) || error.name !== "NotAllowedError") return;
      this.#isSilent(true);
      addEventListener("click", this.#play, { once: true });
    });
  };
}
