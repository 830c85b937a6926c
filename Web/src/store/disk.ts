// How much room the disk with the data has: what is short of it is said on every screen.
import type { Disk } from "../contract/types";
import { call } from "../wire/rpc";
import { Store } from "./store";

/** The disk, and what the daemon's own data take of it, in bytes. */
export const disk = new Store<Disk & { taken: number }>({ room: "enough", taken: 0 });

export async function loadDisk(): Promise<void> {
  const { disk: now, databaseBytes } = await call("system.status");
  disk.set({ ...now, taken: databaseBytes });
}
