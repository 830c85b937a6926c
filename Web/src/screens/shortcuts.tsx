import { Button } from "../parts/button";
import { Dialog } from "../parts/dialog";
import { keyNames } from "../text/keys";
import { t } from "../text/t";
import type { Key } from "../text/t";
import { closeOverlay } from "./overlay";

interface Group {
  title: Key;
  keys: readonly (readonly [string, Key])[];
}

/** All keys, as they stand on the keyboard. */
const groups: readonly Group[] = [
  {
    title: "keys.everywhere",
    keys: [["Ctrl+K", "keys.anywhere"], ["Ctrl+F", "search.here"], ["Ctrl+Shift+F", "search.all"], ["Alt+↑ Alt+↓", "keys.neighbour"], ["F6", "keys.regions"], ["Esc", "keys.back"], ["?", "keys.help"]],
  },
  {
    title: "keys.lists",
    keys: [["↑ ↓", "keys.move"], ["Home End", "keys.ends"], ["Enter", "keys.open"], ["Shift+F10", "keys.menu"]],
  },
  {
    title: "keys.message",
    keys: [["R", "message.answer"], ["+", "message.react"], ["E", "message.edit"], ["Del", "message.delete"], ["Space", "select.start"], ["Enter", "message.actions"]],
  },
  {
    title: "keys.calls",
    keys: [["Alt+A", "call.accept.audio"], ["Alt+X", "call.decline"], ["Alt+M", "call.voice"], ["Alt+L", "call.hear"], ["Alt+V", "call.camera"], ["Alt+S", "call.screen"], ["Alt+H", "call.hangup"]],
  },
  {
    title: "keys.viewer",
    keys: [["← →", "keys.otherPicture"], ["+ -", "keys.zoom"], ["0", "keys.fit"], ["Esc", "keys.closeViewer"]],
  },
  {
    title: "keys.writing",
    keys: [["Enter", "chat.send"], ["Shift+Enter", "keys.line"], ["Ctrl+Enter", "chat.send"], ["↑", "keys.editLast"]],
  },
];

export function KeyGroups() {
  return (
    <div className="key-groups">
      {groups.map((group) => (
        <section key={group.title} className="column" aria-label={t(group.title)}>
          <p className="key-title">{t(group.title)}</p>
          <dl className="key-list">
            {group.keys.map(([keys, words]) => (
              <div key={keys + words} className="key-row">
                <dt>{keys.split(" ").map((one) => <kbd key={one}>{keyNames(one)}</kbd>)}</dt>
                <dd>{t(words)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

export default function Shortcuts() {
  return (
    <Dialog wide title={t("keys.title")} onClose={closeOverlay} foot={<Button look="primary" onClick={closeOverlay}>{t("common.close")}</Button>}>
      <KeyGroups />
    </Dialog>
  );
}
