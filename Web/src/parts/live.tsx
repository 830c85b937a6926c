// The one polite live region: says what comes into the open chat.
import { Store, useWhole } from "../store/store";

const said = new Store("");

/** Has a screen reader say it when it is at rest. */
export function say(text: string): void {
  said.set(said.get() === text ? `${text}\u00A0` : text);
}

export const LiveRegion = () => <div className="hidden-words" aria-live="polite" role="log">{useWhole(said)}</div>;
