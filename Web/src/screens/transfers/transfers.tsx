// Every file and folder on its way or arrived, by state, person and direction.
import { useEffect, useMemo, useState } from "react";
import { useWhole } from "../../base/store";
import type { TransferDirection, TransferState } from "../../contract/codes";
import type { Transfer } from "../../contract/types";
import { Button } from "../../parts/button";
import { Pane } from "../../parts/pane";
import { Select } from "../../parts/select";
import { Empty, Note, SearchField, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { contacts, nameOf, sorted } from "../../store/contacts";
import { go } from "../../store/router";
import type { PaneProps } from "../../store/router";
import { takeTransfers, transfers } from "../../store/transfers";
import { wording } from "../../text/errors";
import { finder } from "../../text/plain";
import { visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { seenNow } from "../../wire/events";
import { asRefused } from "../../wire/refusal";
import { call } from "../../wire/rpc";
import { TransferRow } from "./transferRow";

const filters = ["all", "open", "done", "ended"] as const;
type Filter = (typeof filters)[number];

const states: Record<Filter, readonly TransferState[]> = {
  all: [],
  open: ["offered", "queued", "active", "paused"],
  done: ["done"],
  ended: ["declined", "cancelled", "failed"],
};

/** Transfers in a page. */
const PAGE = 100;

interface Choice {
  filter: Filter;
  direction: TransferDirection | "";
  peer: string;
  /** Letters of the name. */
  name: string;
}

const fits = (transfer: Transfer, { filter, direction, peer, name }: Choice): boolean =>
  (filter === "all" || states[filter].includes(transfer.state))
  && (direction === "" || transfer.direction === direction) && (peer === "" || transfer.peer === peer)
  && finder(name)(transfer.name);

/** Reads pages until one has a fitting row, or the list ends. The result is where the next page begins. */
async function readMore(choice: Choice, from: string | null): Promise<string | null> {
  let before = from;
  for (;;) {
    const asked = seenNow();
    const answer = await call("transfer.list", {
      limit: PAGE,
      ...(before === null ? {} : { before }),
      ...(choice.direction === "" ? {} : { direction: choice.direction }),
      ...(choice.peer === "" ? {} : { peer: choice.peer }),
      ...(choice.filter === "done" ? { state: "done" } : {}),
    });
    takeTransfers(answer.transfers, asked);
    before = answer.next ?? null;
    if (before === null || answer.transfers.some((transfer) => fits(transfer, choice))) return before;
  }
}

export default function Transfers({ at }: PaneProps) {
  const peer = at["peer"] ?? "";
  const [filter, setFilter] = useState<Filter>("all");
  const [direction, setDirection] = useState<TransferDirection | "">("");
  const [query, setQuery] = useState("");
  const name = query.trim();
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const task = useTask();
  const { run } = task;
  const choice = useMemo<Choice>(() => ({ filter, direction, peer, name }), [filter, direction, peer, name]);
  const isAll = filter === "all" && peer === "" && direction === "" && name === "";
  useEffect(() => {
    let isOver = false;
    setNext(null);
    setError(null);
    // A choice that was made while this one was read counts more.
    readMore(choice, null).then((from) => { if (!isOver) setNext(from); }, (problem: unknown) => { if (!isOver) setError(problem); });
    return () => {
      isOver = true;
    };
  }, [choice]);
  const more = () => void run(async () => setNext(await readMore(choice, next)));

  const table = useWhole(transfers);
  const shown = useMemo(
    () => [...table.values()].filter((transfer) => fits(transfer, choice)).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)), [table, choice]);
  const known = useWhole(contacts);
  const people = useMemo(() => sorted(known, ({ relation, id }) => relation === "friend" || id === peer), [known, peer]);
  return (
    <Pane
      title={t("nav.transfers")} backTo="chats"
      top={(
        <div className="filters">
          <SearchField value={query} onChange={setQuery} label="transfers.search" />
          <div className="tabs" role="group" aria-label={t("transfers.show")}>
            {filters.map((one) => (
              <button key={one} type="button" className="tab" aria-pressed={one === filter} onClick={() => setFilter(one)}>{t(`transfers.${one}`)}</button>
            ))}
          </div>
          <div className="filter-fields">
            <Select
              label={t("transfers.person")} value={peer} onChange={(id) => go(id === "" ? "transfers" : `transfers/with/${id}`, true)}
              options={[{ value: "", label: t("transfers.everybody") }, ...people.map((contact) => ({ value: contact.id, label: visibleName(nameOf(contact)) }))]}
            />
            <Select<TransferDirection | "">
              label={t("transfers.direction")} value={direction} onChange={setDirection}
              options={[{ value: "", label: t("transfers.both") }, { value: "in", label: t("transfers.in") }, { value: "out", label: t("transfers.out") }]}
            />
          </div>
        </div>
      )}
    >
      <div className="page page-wide column">
        {(task.error !== null || error !== null) && <Note look="danger" alert>{task.error ?? wording(asRefused(error))}</Note>}
        {shown.length > 0
          ? <ul className="transfers" aria-label={t("nav.transfers")}>{shown.map((transfer) => <TransferRow key={transfer.id} transfer={transfer} />)}</ul>
          : next !== null ? <Spinner /> : (
            <Empty icon="transfers" title={t(isAll ? "transfers.none" : "transfers.noneOfThese")}>
              {isAll && <p>{t("transfers.none.more")}</p>}
            </Empty>
          )}
        {next !== null && <div className="row center"><Button busy={task.busy} onClick={more}>{t("common.showMore")}</Button></div>}
      </div>
    </Pane>
  );
}
