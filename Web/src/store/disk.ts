// How much room the disk with the data has: what is short of it is said on every screen.
import { Store } from "../base/store";
import type { Disk } from "../contract/types";

export const disk = new Store<Disk>({ room: "enough" });
