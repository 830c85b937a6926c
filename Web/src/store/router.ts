// Where the page is: a path in the fragment of the address, such as #/chats/019ac0de-….
import { Store, useWhole } from "../base/store";

const read = (): string => location.hash.replace(/^#\/?/, "") || "chats";

/** The path without #/, such as "chats/019ac0de-…". */
export const place = new Store<string>(read());

/** How many steps back stay within this page. */
let depth = 0;

addEventListener("popstate", () => {
  depth = Math.max(0, depth - 1);
  place.set(read());
});
addEventListener("hashchange", () => place.set(read()));

export const hrefTo = (path: string): string => `#/${path}`;

/** Goes to a path. `replace` leaves no step to come back to. */
export function go(path: string, replace = false): void {
  if (path === place.get()) return;
  if (replace) {
    history.replaceState(null, "", hrefTo(path));
  } else {
    history.pushState(null, "", hrefTo(path));
    depth += 1;
  }
  place.set(path);
}

let entry = "";

/** Notes where a link has led that has logged this browser in. Only programs of this user can make one. */
export const noteEntry = (path: string): void => {
  entry = path;
};

/** Whether such a link has led there, asked for the first time: what it wants is done once, and for no other address. */
export function takeEntry(path: string): boolean {
  const isEntry = path === entry;
  if (isEntry) entry = "";
  return isEntry;
}

/** One step back, or to the given path if this page began here. */
export function back(otherwise: string): void {
  if (depth > 0) history.back();
  else go(otherwise, true);
}

export const usePlace = (): string => useWhole(place);

export type Parameters = Record<string, string>;

/** An address that was typed by hand may have a lone %. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The values of a pattern such as "chats/:id" in a path, or null if it doesn't fit. */
export function match(pattern: string, path: string): Parameters | null {
  const wanted = pattern.split("/");
  const given = (path.split("?")[0] ?? "").split("/");
  if (wanted.length !== given.length) return null;
  const values: Parameters = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) values[part.slice(1)] = decoded(value);
    else if (part !== value) return null;
  }
  return values;
}

/** What a screen in a pane gets: the values in its path. */
export interface PaneProps {
  at: Parameters;
}
