import { Suspense, lazy } from "react";
import { useStore, useWhole } from "../store/store";
import { laterWords } from "../text/language";
import { overlay } from "./overlay";
import { folder, viewing } from "./viewer/viewing";

const Palette = lazy(() => Promise.all([import("./palette"), laterWords()]).then(([palette]) => palette));
const Shortcuts = lazy(() => import("./shortcuts"));
const Folder = lazy(() => import("./viewer/folder"));
const Viewer = lazy(() => import("./viewer/viewer"));

/** What stands over the whole page. */
export function Over() {
  const now = useWhole(overlay);
  const isFolder = useStore(folder, (open) => open !== null);
  const isViewing = useStore(viewing, (open) => open !== null);
  return (
    <>
      {isFolder && <Suspense fallback={null}><Folder /></Suspense>}
      {isViewing && <Suspense fallback={null}><Viewer /></Suspense>}
      {now !== null && <Suspense fallback={null}>{now === "palette" ? <Palette /> : <Shortcuts />}</Suspense>}
    </>
  );
}
