// The daemon that is away: the gateway says how it can be started, and may have it started.
import { ask, post } from "./rpc";

export interface Way {
  /** Whether the user's service manager can start it. */
  startable: boolean;
  /** What to type instead; null: nobody here knows. */
  command: string | null;
}

export const wayToStart = (): Promise<Way> => ask("/daemon");
export const startDaemon = (): Promise<{ started: boolean }> => post("/daemon", {});
