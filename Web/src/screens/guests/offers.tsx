// What devices nearby want to give by LocalSend, and what they get: a card for each, wherever the user is in the page.
import { useEffect, useId, useRef, useState } from "react";
import { useWhole } from "../../base/store";
import type { GuestOffer } from "../../contract/types";
import { Button } from "../../parts/button";
import { Check } from "../../parts/field";
import { CopyButton } from "../../parts/ownLink";
import { Note } from "../../parts/small";
import { useTask } from "../../parts/task";
import { dismissOffer, guests, guestsChanged, isOpenOffer } from "../../store/guests";
import type { Item } from "../../store/guests";
import { codeText } from "../../text/errors";
import { isolatedName } from "../../text/safe";
import { t } from "../../text/t";
import type { Key } from "../../text/t";
import { call } from "../../wire/rpc";
import { Frame, Head, ItemWords, Items, Moving, NotesLink, OfferedText, STAYS, STAYS_DECLINED, plainWords, words } from "./card";
import type { PartProps } from "./card";
import { Given } from "./given";

const isTakeable = ({ refusal }: Item): boolean => refusal === null;

const titleKey = ({ text, state }: GuestOffer): Key => {
  if (state === "receiving") return "guest.receives";
  if (text !== null) return "guest.offers.text";
  return "guest.offers.files";
};

/** The files with boxes: the user takes some of them. */
function Choice({ items, label, chosen, onChange }: { items: readonly Item[]; label: string; chosen: ReadonlySet<number>; onChange: (chosen: ReadonlySet<number>) => void }) {
  const list = useRef<HTMLUListElement>(null);
  // The button that has led here is gone.
  useEffect(() => list.current?.querySelector<HTMLElement>("input:enabled")?.focus(), []);
  const change = (number: number, on: boolean) => onChange(new Set(on ? [...chosen, number] : [...chosen].filter((one) => one !== number)));
  return (
    <ul ref={list} className="guest-items guest-items-all" aria-label={label}>
      {items.map((item) => (
        <li key={item.number}>
          <Check checked={chosen.has(item.number)} disabled={!isTakeable(item)} onChange={(on) => change(item.number, on)}><ItemWords item={item} /></Check>
        </li>
      ))}
    </ul>
  );
}

/** It waits for the user's answer. */
function Waiting({ offer, id, onAnswer }: PartProps) {
  const task = useTask();
  const [chosen, setChosen] = useState<ReadonlySet<number> | null>(null);
  const { items, text, device } = offer;
  const name = isolatedName(device.name);
  const takeable = items.filter(isTakeable);
  const left = items.length - takeable.length;
  const answer = (work: () => Promise<unknown>) => void task.run(async () => {
    onAnswer();
    await work();
    guestsChanged();
  });
  const take = () => answer(() => call("guest.take", { offer: offer.id, ...(chosen === null ? {} : { items: [...chosen].sort((a, b) => a - b) }) }));
  return (
    <>
      <Head id={id} device={device}>{words(titleKey(offer), offer)}</Head>
      {text !== null ? <OfferedText text={text} />
        : chosen === null ? <Items items={items} label={t("guest.files", { name })} />
        : <Choice items={items} label={t("guest.files", { name })} chosen={chosen} onChange={setChosen} />}
      {text === null && left > 0 && <p className="small">{takeable.length === 0 ? t("guest.refused.all") : t("guest.refused.some", { count: left })}</p>}
      {!device.encrypted && <Note look="warn">{t("guest.plain")}</Note>}
      {task.error !== null && <Note look="danger" alert>{task.refused?.kind === "busy" ? t("guest.busy") : task.error}</Note>}
      <div className="row wrapping">
        {text !== null ? (
          <>
            <Button look="primary" icon="note" busy={task.busy} aria-label={t("guest.keep.name", { name })} onClick={take}>{t("guest.keep")}</Button>
            <CopyButton text={text} label={t("message.copy")} />
          </>
        ) : chosen === null ? (
          <>
            <Button look="primary" icon="download" busy={task.busy} disabled={takeable.length === 0} aria-label={t("guest.take.name", { name })} onClick={take}>{t("guest.take")}</Button>
            {takeable.length > 1 && (
              <Button disabled={task.busy} aria-label={t("guest.some.name", { name })} onClick={() => setChosen(new Set(takeable.map(({ number }) => number)))}>{t("guest.some")}</Button>
            )}
          </>
        ) : (
          <>
            <Button look="primary" icon="download" busy={task.busy} disabled={chosen.size === 0} onClick={take}>{t("guest.take.count", { count: chosen.size })}</Button>
            <Button disabled={task.busy} onClick={() => setChosen(null)}>{t("common.back")}</Button>
          </>
        )}
        <Button busy={task.busy} aria-label={t("guest.decline.name", { name })} onClick={() => answer(() => call("guest.decline", { offer: offer.id }))}>{t("guest.decline")}</Button>
      </div>
    </>
  );
}

const Receiving = (props: PartProps) => <Moving {...props} title="guest.receives" progress="guest.progress" stop="guest.stop.name" />;

const overKey = ({ state, text, filesDone }: GuestOffer): Key => {
  if (state === "taken") return text !== null ? "guest.taken.text" : "guest.taken";
  if (state === "declined") return filesDone > 0 ? "guest.stopped" : "guest.declined";
  if (state === "withdrawn") return "guest.withdrawn";
  if (state === "expired") return "guest.expired";
  return "guest.failed";
};

/** Says for a while what became of it. */
function Over({ offer, id }: PartProps) {
  const { state, filesDone, problem } = offer;
  useEffect(() => {
    if (state === "failed") return;
    const timer = setTimeout(() => dismissOffer(offer.id), state === "declined" ? STAYS_DECLINED : STAYS);
    return () => clearTimeout(timer);
  }, [state, offer.id]);
  return (
    <>
      <Head id={id} device={offer.device} onClose={() => dismissOffer(offer.id)}>{words(overKey(offer), offer)}</Head>
      {state === "failed" && <Note look="danger">{problem === null ? t("guest.failed.more") : codeText(problem)}</Note>}
      {state === "taken" ? <p><NotesLink /></p>
        : filesDone > 0 && <p className="small">{t("guest.kept", { count: filesDone })} <NotesLink /></p>}
    </>
  );
}

function Card({ offer }: { offer: GuestOffer }) {
  const id = useId();
  const { state } = offer;
  const Part = state === "waiting" ? Waiting : state === "receiving" ? Receiving : Over;
  return (
    <Frame id={id} about={offer.id} state={state} spoken={plainWords(isOpenOffer(offer) ? titleKey(offer) : overKey(offer), offer)}>
      {(onAnswer) => <Part offer={offer} id={id} onAnswer={onAnswer} />}
    </Frame>
  );
}

export default function Offers() {
  const { offers } = useWhole(guests);
  return (
    <div className="guests">
      {offers.length > 0 && (
        <section aria-label={t("guest.label")}>
          <ul className="guest-list">{offers.map((offer) => <Card key={offer.id} offer={offer} />)}</ul>
        </section>
      )}
      <Given />
    </div>
  );
}
