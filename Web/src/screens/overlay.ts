import { Store } from "../base/store";

/** What stands over the whole page: the way to anywhere, or the list of keys. */
export const overlay = new Store<"palette" | "shortcuts" | null>(null);

export const closeOverlay = (): void => overlay.set(null);
