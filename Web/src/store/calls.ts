// Calls that are not over, and those that have just ended here. What carries and shows them comes with the first of them.
import { Store } from "../base/store";
import type { Call } from "../contract/types";
import { call } from "../wire/rpc";

export const calls = new Store<readonly Call[]>([]);

/** Counts the events: a list that was asked for before the last one knows less. */
let heard = 0;

/** The newest state of each of the last calls. The answer to a request may arrive after an event that was written later. */
const newest = new Map<string, Call>();
const KEPT = 32;

function newer(told: Call): Call {
  const known = newest.get(told.id);
  const now = known !== undefined && known.revision > told.revision ? known : told;
  newest.delete(now.id);
  newest.set(now.id, now);
  for (const [oldest] of newest) {
    if (newest.size <= KEPT) break;
    newest.delete(oldest);
  }
  return now;
}

/** @param isOwn whether this window has begun or answered the call, and is told so now */
export function takeCall(told: Call, isOwn = false): void {
  heard += 1;
  const known = newest.get(told.id);
  const now = newer(told);
  // An ended call is shown only in a window that knew it before, or that began it and hears only now that it has ended.
  const isUnknown = !isOwn && told.state === "ended" && (known === undefined || known.state === "ended");
  calls.update((all) => {
    const others = all.filter(({ id }) => id !== now.id);
    return isUnknown && others.length === all.length ? all : [...others, now];
  });
}

/** @param wasAway whether this page has heard nothing for a while. Calls that are no longer open then ended meanwhile, and nobody will say why. */
export async function loadCalls(wasAway = false): Promise<void> {
  const before = heard;
  const list = (await call("call.list")).calls;
  if (before !== heard) return loadCalls(wasAway);
  list.forEach(newer);
  const gone = (one: Call): Call[] => one.state === "ended" ? [one] : wasAway ? [newer({ ...one, state: "ended", reason: null })] : [];
  calls.update((all) => [...list, ...all.filter(({ id }) => list.every((one) => one.id !== id)).flatMap(gone)]);
}

/** The call of a group's conversation that goes on, or rings, without this account being in it. */
export const joinable = (all: readonly Call[], conversation: string): Call | undefined =>
  all.find((one) => one.group && one.conversation === conversation && (one.state === "ongoing" || one.state === "incoming"));
