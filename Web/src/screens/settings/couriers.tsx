// The friends who keep messages for this account while it is away, and the friends it keeps messages for.
import { useCallback, useEffect, useId, useMemo, useState } from "react";
import { useWhole } from "../../base/store";
import type { Result } from "../../contract/methods";
import type { Courier } from "../../contract/types";
import { Avatar } from "../../parts/avatar";
import { Button } from "../../parts/button";
import { Confirm, Dialog } from "../../parts/dialog";
import { Check } from "../../parts/field";
import { Person, calledOr } from "../../parts/person";
import { Empty, Name, Note, SearchField, Spinner } from "../../parts/small";
import { useTask } from "../../parts/task";
import { contacts, nameOf, sorted } from "../../store/contacts";
import { courierNews } from "../../store/couriers";
import { size } from "../../text/format";
import { finder } from "../../text/plain";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";

/** How many an account can name. */
const MOST = 4;
/** Friends that are shown at once; the others are found by searching. */
const SHOWN = 200;

/** Friends with boxes, who are named. */
function Choose({ named, onClose }: { named: readonly Courier[]; onClose: () => void }) {
  const table = useWhole(contacts);
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const task = useTask();
  const friends = useMemo(() => sorted(table, ({ relation, id }) => relation === "friend" && !named.some((one) => one.id === id)), [table, named]);
  const fits = finder(query);
  const shown = friends.filter((friend) => fits(`${friend.alias} ${friend.displayName}`)).slice(0, SHOWN);
  const isFull = named.length + chosen.length >= MOST;
  const add = async () => {
    const isDone = await task.run(async () => {
      for (const contact of chosen) {
        await call("courier.add", { contact });
        setChosen((now) => now.filter((id) => id !== contact));
      }
    });
    if (isDone) onClose();
  };
  return (
    <Dialog
      title={t("couriers.choose.title")} onClose={onClose} onSubmit={() => void add()}
      foot={<>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button look="primary" type="submit" busy={task.busy} disabled={chosen.length === 0}>{t("couriers.choose.do")}</Button>
      </>}
    >
      {friends.length === 0 ? <Empty icon="friends" title={t("couriers.choose.none")} /> : (
        <>
          <div className="flush"><SearchField value={query} onChange={setQuery} label="newChat.search" /></div>
          <p className="small quiet">{t("couriers.choose.more")}</p>
          <ul className="column" aria-label={t("nav.friends")}>
            {shown.map((friend) => (
              <li key={friend.id} className="check-person">
                <Check
                  checked={chosen.includes(friend.id)} disabled={isFull && !chosen.includes(friend.id)}
                  onChange={(on) => setChosen((now) => (on ? [...now, friend.id] : now.filter((id) => id !== friend.id)))}
                >
                  <span className="row"><Avatar id={friend.id} name={nameOf(friend)} size="s" presence={friend.presence} picture={friend.picture} /><span className="cut"><Name>{nameOf(friend)}</Name></span></span>
                </Check>
              </li>
            ))}
          </ul>
          {shown.length === 0 && <p className="small quiet">{t("friends.notFound")}</p>}
        </>
      )}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
    </Dialog>
  );
}

/** What a courier does for this account, by what their Kibo says. */
const carrying = ({ carries }: Courier): string => t(carries === null ? "couriers.unknown" : carries ? "couriers.carries" : "couriers.off");

/** What is kept here for somebody. */
const keeping = ({ parcels, bytes }: Courier): string =>
  parcels === 0 ? t("couriers.parcels.none") : t("couriers.parcels", { count: parcels, size: size(bytes) });

/** People with a line and a button each. */
function People({ label, list, line, action, named, isBusy, isIdle, onPress }: {
  label: string;
  list: readonly Courier[];
  line: (one: Courier) => string;
  action: string;
  /** The name of a button, with the person it is about. */
  named: "couriers.remove.name" | "couriers.drop.name";
  isBusy: boolean;
  /** Whether there is nothing to do about somebody. */
  isIdle: (one: Courier) => boolean;
  onPress: (one: Courier) => void;
}) {
  const table = useWhole(contacts);
  return (
    <ul className="people" aria-label={label}>
      {list.map((one) => (
        <li key={one.id} className="person">
          <div className="person-link"><Person id={one.id} name={one.name} picture={table.get(one.id)?.picture} line={line(one)} whole /></div>
          <Button busy={isBusy} disabled={isIdle(one)} aria-label={t(named, { name: isolatedName(calledOr(one.name)) })} onClick={() => onPress(one)}>{action}</Button>
        </li>
      ))}
    </ul>
  );
}

export function Couriers() {
  const [list, setList] = useState<Result<"courier.list"> | null>(null);
  const [isChoosing, setChoosing] = useState(false);
  const [dropping, setDropping] = useState<Courier | null>(null);
  const task = useTask();
  const { run } = task;
  const load = useCallback(() => run(async () => setList(await call("courier.list"))), [run]);
  useEffect(() => void load(), [load]);
  // What others do shows by itself. If it can't be read now, the next news or the next visit brings it.
  useEffect(() => courierNews.subscribe(() => void call("courier.list").then(setList, () => undefined)), []);
  const id = useId();
  const remove = (one: Courier) => void run(async () => {
    await call("courier.remove", { contact: one.id });
    setList(await call("courier.list"));
  });
  const chosen = () => {
    setChoosing(false);
    void load();
  };
  return (
    <>
      <section className="section" aria-labelledby={id}>
        <h2 id={id}>{t("couriers.named")}</h2>
        <p className="small quiet">{t("couriers.more")}</p>
        {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
        {list === null && task.error === null && <Spinner />}
        {list !== null && (
          <>
            <People
              label={t("couriers.named")} list={list.couriers} line={carrying} action={t("common.remove")} named="couriers.remove.name"
              isBusy={task.busy} isIdle={() => false} onPress={remove}
            />
            <div className="row"><Button icon="add" disabled={list.couriers.length >= MOST} onClick={() => setChoosing(true)}>{t("couriers.choose")}</Button></div>
          </>
        )}
      </section>
      {list !== null && list.carriedFor.length > 0 && (
        <section className="section" aria-labelledby={`${id}-kept`}>
          <h2 id={`${id}-kept`}>{t("couriers.kept")}</h2>
          <People
            label={t("couriers.kept")} list={list.carriedFor} line={keeping}
            action={t("couriers.drop")} named="couriers.drop.name" isBusy={task.busy} isIdle={({ parcels }) => parcels === 0} onPress={setDropping}
          />
        </section>
      )}
      {isChoosing && list !== null && <Choose named={list.couriers} onClose={chosen} />}
      {dropping !== null && (
        <Confirm
          title={t("couriers.drop.title", { name: isolatedName(calledOr(dropping.name)) })} action={t("couriers.drop")} onClose={() => setDropping(null)}
          onConfirm={async () => {
            await call("courier.drop", { contact: dropping.id });
            setList(await call("courier.list"));
          }}
        >
          <p>{t("couriers.drop.more")}</p>
        </Confirm>
      )}
    </>
  );
}
