// Whether the way to the daemon is open. Banners and waiting requests go by it.
import { Store } from "../base/store";

/**
 * starting: not known yet · open: the stream stands · web: the web service doesn't answer · daemon: the daemon is away ·
 * out: this login has ended
 */
export type Link = "starting" | "open" | "web" | "daemon" | "out";

export const link = new Store<Link>("starting");

/** A login that has ended stays ended until a page is loaded with a new one. */
export function setLink(next: Link): void {
  link.update((now) => (now === "out" ? now : next));
}

export const loggedOut = (): void => setLink("out");
export const unreachable = (): void => setLink("web");

/** Waits until the stream stands. */
export function untilOpen(): Promise<void> {
  if (link.get() === "open") return Promise.resolve();
  return new Promise((done) => {
    const end = link.subscribe(() => {
      if (link.get() !== "open") return;
      end();
      done();
    });
  });
}
