// How much room the disk with the data has: what is short of it is said on every screen.
import type { Disk } from "../contract/types";
import { Store } from "./store";

export const disk = new Store<Disk>({ room: "enough" });
