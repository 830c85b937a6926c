// The files of a folder that was sent or has come, and those that were left out of it.
import { useCallback, useEffect, useState } from "react";
import { useWhole } from "../../base/store";
import type { Result } from "../../contract/methods";
import type { Transfer } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Dialog } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { kindIcon } from "../../parts/kindIcon";
import { LeftOut } from "../../parts/leftOut";
import { Note, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { size } from "../../text/format";
import { visible, visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";
import { canShow, folder, reveal, save, viewing } from "./viewing";
import type { Shown } from "./viewing";

type Entry = Result<"transfer.entries">["entries"][number];

/** Files in a page. */
const PAGE = 200;

const lastName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function Row({ transfer, entry, onOpen }: { transfer: string; entry: Entry; onOpen: () => void }) {
  const path = visible(entry.path);
  return (
    <li className="folder-row">
      <span className="folder-icon"><Icon name={kindIcon(entry.kind)} size={18} /></span>
      <span className="folder-name">
        {canShow(entry.kind)
          ? <button type="button" className="text-button wrap" onClick={onOpen}><bdi>{path}</bdi></button>
          : <bdi className="wrap">{path}</bdi>}
        <span className="small quiet numbers">{size(entry.size)}</span>
      </span>
      <IconButton small icon="download" label={t("file.save", { name: path })} onClick={() => save(transfer, entry.index)} />
    </li>
  );
}

function Files({ transfer: id, name }: { transfer: string; name: string }) {
  const [transfer, setTransfer] = useState<Transfer | null>(null);
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [next, setNext] = useState<number | null>(0);
  const [isRead, setRead] = useState(false);
  const reading = useTask();
  const [problem, setProblem] = useState<string | null>(null);
  const { run } = reading;
  const more = useCallback((after: number) => void run(async () => {
    const page = await call("transfer.entries", { id, limit: PAGE, ...(after === 0 ? {} : { after }) });
    setEntries((now) => (after === 0 ? page.entries : [...now, ...page.entries]));
    setNext(page.next ?? null);
    setRead(true);
  }), [id, run]);
  useEffect(() => {
    more(0);
    call("transfer.get", { id }).then(setTransfer, () => undefined);
  }, [id, more]);
  const open = (entry: Entry) => {
    const items = entries.flatMap((one): Shown[] => canShow(one.kind) ? [{ transfer: id, entry: one.index, name: lastName(one.path), size: one.size, kind: one.kind, message: null }] : []);
    viewing.set({ items, at: Math.max(0, items.findIndex((item) => item.entry === entry.index)) });
  };
  const problems = transfer?.problems ?? [];
  return (
    <Dialog
      title={visibleName(name)} onClose={() => folder.set(null)} wide
      foot={<>
        <Button icon="folder" onClick={() => reveal(id, setProblem)}>{t("folder.show")}</Button>
        <Button look="primary" onClick={() => folder.set(null)}>{t("common.close")}</Button>
      </>}
    >
      {transfer !== null && <p className="small quiet numbers">{t("folder.count", { count: transfer.files, size: size(transfer.size) })}</p>}
      {(reading.error ?? problem) !== null && <Note look="warn" alert>{reading.error ?? problem}</Note>}
      {!isRead && reading.error === null && <Spinner />}
      {entries.length > 0 && <ul className="folder-rows" aria-label={t("folder.files")}>{entries.map((entry) => <Row key={entry.index} transfer={id} entry={entry} onOpen={() => open(entry)} />)}</ul>}
      {isRead && next !== null && <Button busy={reading.busy} onClick={() => more(next)}>{t("common.showMore")}</Button>}
      {problems.length > 0 && (
        <section className="column" aria-labelledby="folder-left-out">
          <h3 id="folder-left-out">{t("transfers.problems.title")}</h3>
          <LeftOut problems={problems} />
        </section>
      )}
    </Dialog>
  );
}

export default function Folder() {
  const now = useWhole(folder);
  return now === null ? null : <Files key={now.transfer} transfer={now.transfer} name={now.name} />;
}
