// The SharedWorker: holds the one event stream and hands all of it to each open tab.
import { EventStream } from "./stream";
import type { StreamNews } from "./stream";

/** What a tab says to the worker. */
export type TabWord = "hello" | "bye" | "retry" | "notifies" | "quiet";

interface SharedScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const ports = new Set<MessagePort>();
/** Those whose tabs show notifications. */
const notifying = new Set<MessagePort>();
const stream = new EventStream((news: StreamNews) => {
  for (const port of ports) port.postMessage(news);
});
let running = false;

(globalThis as unknown as SharedScope).onconnect = (connect) => {
  const port = connect.ports[0];
  if (port === undefined) return;
  port.onmessage = (event: MessageEvent<TabWord>) => {
    if (event.data === "bye") {
      ports.delete(port);
      notifying.delete(port);
      stream.notifies(notifying.size > 0);
    } else if (event.data === "notifies" || event.data === "quiet") {
      if (event.data === "notifies") notifying.add(port);
      else notifying.delete(port);
      stream.notifies(notifying.size > 0);
    } else if (event.data === "retry") {
      stream.retry();
    } else {
      ports.add(port);
      const state = stream.state;
      if (state !== null) port.postMessage(state);
      if (running && state?.news !== "out") return;
      running = true;
      void stream.run().finally(() => {
        running = false;
      });
    }
  };
};
