import { Suspense, lazy } from "react";
import { useWhole } from "../store/store";
import { overlay } from "./overlay";

const Palette = lazy(() => import("./palette"));
const Shortcuts = lazy(() => import("./shortcuts"));

/** What stands over the whole page. */
export function Over() {
  const now = useWhole(overlay);
  if (now === null) return null;
  return <Suspense fallback={null}>{now === "palette" ? <Palette /> : <Shortcuts />}</Suspense>;
}
