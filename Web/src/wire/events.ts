// Brings the event stream to this page, from the SharedWorker where there is one.
import { link, setLink } from "./link";
import { EventStream } from "./stream";
import type { StreamEvent, StreamNews } from "./stream";
import { trusted } from "./trusted";
import type { TabWord } from "./worker";

/** What takes the events of the page. */
export interface Listener {
  /** The subscription stands; the first time, and again after each break. */
  ready(): void;
  events(events: StreamEvent[]): void;
  /** Stored events were lost, so all lists must be read again. */
  gap(): void;
}

/** How long after a request found nobody the stream is asked whether it stands, in ms. */
const ASK = 2000;

let seen = -1;
let first = true;
/** Whether the stream stands, by its last word. */
let stands = false;

let say: (word: TabWord) => void = () => undefined;

/** The number of the last event that this page has heard: what is asked for now is at least as new. */
export const seenNow = (): number => seen;

let notifies = false;

/** Says whether this page shows notifications, so that the daemon shows none of its own. */
export function sayNotifies(on: boolean): void {
  if (on === notifies) return;
  notifies = on;
  say(on ? "notifies" : "quiet");
}

/** Opens the stream again at once. */
export const retryNow = (): void => say("retry");

/** Opens the stream and hands its events to the listener for as long as the page lives. */
export function listen(workerAddress: string, listener: Listener): void {
  const take = (news: StreamNews): void => {
    if (news.news !== "events" && news.news !== "gap") stands = news.news === "ready";
    switch (news.news) {
      case "ready":
        seen = Math.max(seen, news.seen);
        setLink("open");
        listener.ready();
        first = false;
        break;
      case "events":
        seen = Math.max(seen, news.seen);
        if (!first) listener.events(news.events);
        break;
      case "gap":
        listener.gap();
        break;
      case "away":
        setLink("daemon");
        break;
      case "web":
        setLink("web");
        break;
      case "out":
        setLink("out");
        break;
    }
  };
  if (!openShared(workerAddress, take)) openHere(take);
  addEventListener("online", retryNow);
  // A single request may fail by itself. A stream that is up all the time would never report that the connection is open again.
  link.subscribe(() => {
    if (stands && link.get() === "web") setTimeout(retryNow, ASK);
  });
}

function openShared(address: string, take: (news: StreamNews) => void): boolean {
  if (!("SharedWorker" in globalThis)) return false;
  try {
    const worker = new SharedWorker(trusted(address), { name: "kibo" });
    worker.port.onmessage = (event: MessageEvent<StreamNews>) => take(event.data);
    say = (word) => worker.port.postMessage(word);
    if (notifies) say("notifies");
    say("hello");
    addEventListener("pagehide", () => say("bye"));
    addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload();
    });
    return true;
  } catch {
    return false;
  }
}

function openHere(take: (news: StreamNews) => void): void {
  const stream = new EventStream(take);
  say = (word) => {
    if (word === "retry") stream.retry();
    else if (word === "notifies" || word === "quiet") stream.notifies(word === "notifies");
  };
  stream.notifies(notifies);
  void stream.run();
}
