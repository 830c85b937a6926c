// How wide the window is, in the steps of style/shell.css. They are in em: large letters need a wider window.
import { useSyncExternalStore } from "react";

export type Layout = "narrow" | "middle" | "wide";

const middle = matchMedia("(min-width: 45em)");
const wide = matchMedia("(min-width: 68.75em)");

export const layoutNow = (): Layout => wide.matches ? "wide" : middle.matches ? "middle" : "narrow";

function watch(changed: () => void): () => void {
  middle.addEventListener("change", changed);
  wide.addEventListener("change", changed);
  return () => {
    middle.removeEventListener("change", changed);
    wide.removeEventListener("change", changed);
  };
}

export const useLayout = (): Layout => useSyncExternalStore(watch, layoutNow);
