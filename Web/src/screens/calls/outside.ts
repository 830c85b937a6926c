// Shows a call that rings while nobody is looking at Kibo: one tab shows a notification of the browser, for as long as it rings.
import { isSeen, mayShow } from "../../store/notifications";
import { t } from "../../text/t";

/** How often the tab looks whether a window of Kibo has the focus, in ms: a user who turns away while it rings is told, too. A tab that has
    waited for another one waits that long first: the other tab may have let go because the call rings no more, and this tab hears that a moment later. */
const LOOK = 1000;

/** Shows that a call rings until the returned function is called. A tab that goes leaves it to the next. */
export function ringOutside(id: string, title: string, isSilent: boolean): () => void {
  if (!("locks" in navigator)) return () => undefined;
  const end = new AbortController();
  const { signal } = end;
  const over = new Promise<void>((done) => signal.addEventListener("abort", () => done()));
  const name = `kibo.ring.${id}`;
  const ring = async (hasWaited: boolean) => {
    let shown: Notification | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      if (mayShow() && !(await isSeen()) && !signal.aborted) {
        const made = new Notification(title, { body: t("call.outside"), tag: id, requireInteraction: true, silent: isSilent, icon: "" });
        made.onclick = () => {
          focus();
          made.close();
        };
        shown = made;
      } else if (!signal.aborted) timer = setTimeout(() => void look(), LOOK);
    };
    if (hasWaited) timer = setTimeout(() => void look(), LOOK);
    else await look();
    await over;
    clearTimeout(timer);
    (shown as Notification | null)?.close();
  };
  navigator.locks.request(name, { ifAvailable: true }, (lock) => (lock === null ? false : ring(false).then(() => true)))
    .then((rang) => (rang ? undefined : navigator.locks.request(name, { signal }, () => ring(true))))
    .catch(() => undefined);
  return () => end.abort();
}
