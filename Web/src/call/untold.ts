// The calls that have ended in this window while the daemon was away. The daemon is told once it is back; until then the window doesn't take them again,
// even after a reload.
import { takeCall } from "../store/calls";
import { link } from "../wire/link";
import { asRefused } from "../wire/refusal";
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
    call("call.hangup", { id }).then(takeCall, (error: unknown) => {
      // Otherwise it is told with the next connection.
      if (!["not_found", "not_allowed"].includes(asRefused(error).kind)) throw error;
    }).then(() => untold.delete(id) && keep(), () => undefined);
  }
}

link.subscribe(tell);
tell();
