// The state of the call that this window carries, as far as it is shown.
import { Store } from "../base/store";
import type { DeviceProblem } from "../wire/devices";
import type { Source } from "./peer";

/** How another device is connected with this window, and the video that comes from it. */
export interface Tie {
  /** failed: no connection was established for a while, but the window keeps trying. refused: one browser doesn't accept the key of the other */
  state: "connecting" | "connected" | "broken" | "failed" | "refused";
  camera: MediaStream | null;
  screen: MediaStream | null;
  /** How many of a hundred packets of audio are lost. */
  lost: number;
  /** The round trip in ms. */
  rtt: number;
}

export interface Seat {
  /** The id of the call; null while this window carries none. */
  id: string | null;
  sends: readonly Source[];
  /** What the user shows of their screen: one whole, a window, or a tab of the browser; null while nothing is shown, or the browser doesn't say. */
  surface: string | null;
  /** The video of the user's own camera. */
  own: MediaStream | null;
  /** The connections by device. */
  ties: ReadonlyMap<string, Tie>;
  /** Whether the user has silenced the others. */
  deaf: boolean;
  /** Whether the browser plays nothing before a click. */
  silent: boolean;
  problems: Partial<Record<Source, DeviceProblem>>;
}

export const empty: Seat = { id: null, sends: [], surface: null, own: null, ties: new Map(), deaf: false, silent: false, problems: {} };
export const seat = new Store<Seat>(empty);

/** The devices whose users speak now. */
export const speaking = new Store<ReadonlySet<string>>(new Set());

export const show = (values: Partial<Seat>): void => seat.update((now) => ({ ...now, ...values }));

export function noteProblem(source: Source, problem: DeviceProblem | undefined): void {
  const { [source]: _, ...others } = seat.get().problems;
  show({ problems: problem === undefined ? others : { ...others, [source]: problem } });
}

/** What this window knows of why a call has failed, if it has: a browser has refused the key of the other, or this one has named no address. */
export const failures = new Store<ReadonlyMap<string, "refused" | "nameless">>(new Map());
