// What a screen reader is told of what comes into the open chat.
import { Store } from "../base/store";

export const said = new Store("");

/** Has a screen reader say it when it is at rest. */
export function say(text: string): void {
  said.set(said.get() === text ? `${text}\u00A0` : text);
}
