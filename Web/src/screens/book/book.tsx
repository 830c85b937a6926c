// The address book: who of it is on Kibo, and who could be invited.
import { useDeferredValue, useMemo, useState } from "react";
import { useWhole } from "../../base/store";
import { Button, IconButton } from "../../parts/button";
import { Confirm } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { Pane } from "../../parts/pane";
import { Empty, Note, SearchField, Spinner } from "../../parts/small";
import { bookChanged, inParts, invitees, useBook } from "../../store/addressBook";
import { contacts, friendsByName, namesakeOf } from "../../store/contacts";
import { go } from "../../store/router";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";
import { Entry } from "./entry";
import { ImportDialog } from "./importDialog";

const filters = ["all", "onKibo", "notOnKibo"] as const;
type Filter = (typeof filters)[number];

/** Entries in a page. */
const PAGE = 100;

export default function AddressBook() {
  const [typed, setTyped] = useState("");
  const query = useDeferredValue(typed);
  const [filter, setFilter] = useState<Filter>("all");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<{ kind: "import"; file: File | null } | { kind: "remove" } | null>(null);
  const [dropping, setDropping] = useState(0);
  const book = useBook(query, filter === "all" ? null : filter === "onKibo", PAGE);
  const entries = book.entries ?? [];
  const people = useWhole(contacts);
  const friends = useMemo(() => friendsByName(people), [people]);
  const close = () => setDialog(null);
  const choose = (ids: readonly string[], is: boolean) => setChosen((now) => {
    const next = new Set(now);
    for (const id of ids) {
      if (is) next.add(id);
      else next.delete(id);
    }
    return next;
  });
  const invite = () => {
    invitees.set(chosen);
    go("friends/invite");
  };
  const remove = async () => {
    await inParts([...chosen], (part) => call("addressBook.remove", { entries: part }));
    setChosen(new Set());
    bookChanged();
  };
  const isEmpty = book.entries !== null && entries.length === 0 && query === "" && filter === "all";
  const allChosen = entries.length > 0 && entries.every(({ id }) => chosen.has(id));
  return (
    <Pane
      title={t("book.title")} backTo="friends" ownScroll
      actions={<>
        <IconButton icon="upload" label={t("book.import")} onClick={() => setDialog({ kind: "import", file: null })} />
        <IconButton icon="mail" label={t("invite.title")} onClick={() => go("friends/invite")} />
      </>}
      top={!isEmpty && (
        <div className="book-top">
          <SearchField value={typed} onChange={setTyped} label="book.search" />
          <div className="tabs" role="group" aria-label={t("transfers.show")}>
            {filters.map((one) => <button key={one} type="button" className="tab" aria-pressed={one === filter} onClick={() => setFilter(one)}>{t(`book.${one}`)}</button>)}
          </div>
        </div>
      )}
      foot={chosen.size > 0 && (
        <div className="pane-foot">
          <div className="row wrapping">
            <span className="grow small" role="status">{t("book.chosen", { count: chosen.size })}</span>
            <Button icon="delete" onClick={() => setDialog({ kind: "remove" })}>{t("common.remove")}</Button>
            <Button look="primary" icon="mail" onClick={invite}>{t("invite.do")}</Button>
          </div>
        </div>
      )}
    >
      <div
        className="book" onDragEnter={() => setDropping((now) => now + 1)} onDragLeave={() => setDropping((now) => Math.max(0, now - 1))}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          setDropping(0);
          const file = event.dataTransfer.files[0];
          if (file !== undefined) setDialog({ kind: "import", file });
        }}
      >
        <div className="scroll"><div className="page page-wide column">
          {book.problem !== null && <Note look="danger" alert>{book.problem}</Note>}
          {book.entries === null && book.problem === null && <Spinner />}
          {isEmpty && (
            <Empty icon="group" title={t("book.none")}>
              <p>{t("book.none.more")}</p>
              <Button look="primary" icon="upload" onClick={() => setDialog({ kind: "import", file: null })}>{t("book.import")}</Button>
            </Empty>
          )}
          {!isEmpty && book.entries !== null && entries.length === 0 && <Empty icon="search" title={t("book.notFound")} />}
          {entries.length > 0 && (
            <>
              <label className="check"><input type="checkbox" checked={allChosen} onChange={(event) => choose(entries.map(({ id }) => id), event.target.checked)} /><span className="grow">{t("book.all.count", { count: book.total })}</span></label>
              <ul className="entries" aria-label={t("book.title")}>
                {entries.map((entry) => <Entry key={entry.id} entry={entry} namesake={namesakeOf(entry, friends)} isChosen={chosen.has(entry.id)} onChoose={(is) => choose([entry.id], is)} />)}
              </ul>
            </>
          )}
          {book.hasMore && <div className="row center"><Button onClick={book.more}>{t("common.showMore")}</Button></div>}
        </div></div>
        {dropping > 0 && <div className="drop-here"><Icon name="upload" size={40} />{t("book.drop")}</div>}
      </div>
      {dialog?.kind === "import" && <ImportDialog dropped={dialog.file} onClose={close} />}
      {dialog?.kind === "remove" && (
        <Confirm title={t("book.remove.title", { count: chosen.size })} action={t("common.remove")} onConfirm={remove} onClose={close}>
          <p>{t("book.remove.more")}</p>
        </Confirm>
      )}
    </Pane>
  );
}
