// Short messages at the bottom about what was done or refused. They stay for a moment, and offer to undo if that is possible.
import { Store } from "../base/store";
import { wording } from "../text/errors";
import { asRefused } from "../wire/refusal";

interface Action {
  label: string;
  run: () => void;
  /** Calls `over` once there is nothing left to do, until the returned function is called. */
  watch?: (over: () => void) => () => void;
}

export interface Notice {
  id: number;
  text: string;
  action?: Action;
  /** It reports something under way and stays until that ends, or something that the user must read. */
  stays?: true;
}

/** How long a notice stays, in ms. */
export const STAYS = 6000;

export const notices = new Store<readonly Notice[]>([]);
let last = 0;

export const end = (id: number): void => notices.update((all) => all.filter((notice) => notice.id !== id));

export function notify(text: string, action?: Action): void {
  last += 1;
  const notice: Notice = action === undefined ? { id: last, text } : { id: last, text, action };
  notices.update((all) => [...all.slice(-2), notice]);
}

/** Shows a text that the user must read: it stays until it is closed. */
export function notifyUntilRead(text: string): void {
  last += 1;
  const notice: Notice = { id: last, text, stays: true };
  notices.update((all) => [...all.slice(-2), notice]);
}

/** Reports something under way, with a way to end it. Each text replaces the one before; null removes it. */
export function keepSaying(action: Action): (text: string | null) => void {
  last += 1;
  const id = last;
  let isNew = true;
  return (text) => {
    if (text === null) return end(id);
    const notice: Notice = { id, text, action, stays: true };
    // One that the user has closed stays closed.
    notices.update((all) => (isNew ? [...all.slice(-2), notice] : all.map((one) => (one.id === id ? notice : one))));
    isNew = false;
  };
}

/** Says why something was refused. For `.catch(refused)`. */
export const refused = (error: unknown): void => notify(wording(asRefused(error)));
