// The calls that have ended in this window while the daemon was away. The daemon is told once it is back; until then the window doesn't take them again,
// even after a reload.
import { takeCall } from "../store/calls";
import { link } from "../wire/link";
import { call } from "../wire/rpc";

const KEY = "kibo.untold";

const untold = new Set(sessionStorage.getItem(KEY)?.split(" ").filter((id) => id !== ""));

const keep = (): void => sessionStorage.setItem(KEY, [...untold].join(" "));

export const isUntold = (id: string): boolean => untold.has(id);

export function tellLater(id: string): void {
  untold.add(id);
  keep();
}

function tell(): void {
  if (link.get() !== "open") return;
  for (const id of untold) {
    void call("call.hangup", { id }).then(takeCall, () => undefined).then(() => {
      if (link.get() === "open" && untold.delete(id)) keep();
    });
  }
}

link.subscribe(tell);
tell();
