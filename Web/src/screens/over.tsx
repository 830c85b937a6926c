import { useStore, useWhole } from "../base/store";
import { later } from "../parts/later";
import { calls } from "../store/calls";
import { laterWords } from "../text/language";
import { closeOverlay, overlay } from "./overlay";
import { folder, viewing } from "./viewer/viewing";

const Palette = later(() => Promise.all([import("./sides/over"), laterWords()]).then(([side]) => side.Palette), { close: closeOverlay });
const Shortcuts = later(() => Promise.all([import("./sides/over"), laterWords()]).then(([side]) => side.Shortcuts), { close: closeOverlay });
const Folder = later(() => Promise.all([import("./sides/viewer"), laterWords()]).then(([side]) => side.Folder), { close: () => folder.set(null) });
const Viewer = later(() => Promise.all([import("./sides/viewer"), laterWords()]).then(([side]) => side.Viewer), { close: () => viewing.set(null) });

const Calls = later(() => Promise.all([import("./sides/calls"), laterWords()]).then(([side]) => side.Calls), { waiting: null });

/** What stands over the whole page. */
export function Over() {
  const now = useWhole(overlay);
  const isFolder = useStore(folder, (open) => open !== null);
  const isViewing = useStore(viewing, (open) => open !== null);
  const isCalling = useStore(calls, (all) => all.length > 0);
  return (
    <>
      {isCalling && <Calls />}
      {isFolder && <Folder />}
      {isViewing && <Viewer />}
      {now !== null && (now === "palette" ? <Palette /> : <Shortcuts />)}
    </>
  );
}
