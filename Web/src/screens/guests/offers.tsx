// What devices nearby want to give by LocalSend: a card for each, wherever the user is in the page.
import { useEffect, useId, useRef, useState } from "react";
import type { ReactNode } from "react";
import { useStore, useWhole } from "../../base/store";
import type { GuestOffer } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Check } from "../../parts/field";
import { Icon } from "../../parts/icon";
import { deviceIcon } from "../../parts/kindIcon";
import { CopyButton } from "../../parts/ownLink";
import { followed } from "../../parts/rows";
import { Name, Note, Progress } from "../../parts/small";
import { useTask } from "../../parts/task";
import { ownId } from "../../store/account";
import { conversations, notesIn } from "../../store/conversations";
import { dismissOffer, guestProgress, guests, guestsChanged, isOpenOffer } from "../../store/guests";
import { say } from "../../store/live";
import { refused } from "../../store/notices";
import { openChat } from "../../store/openChat";
import { hrefTo } from "../../store/router";
import { beginning } from "../../text/cut";
import { codeText } from "../../text/errors";
import { percent, size } from "../../text/format";
import { closed, isolatedName, visible, visibleLine, visibleName } from "../../text/safe";
import { rich, t } from "../../text/t";
import type { Key } from "../../text/t";
import { call } from "../../wire/rpc";

type Item = GuestOffer["items"][number];

/** Files that are named at first. */
const NAMED = 4;
/** So much of a text is shown at first, in UTF-16 units and in lines. */
const SHOWN = 400;
const LINES = 6;
/** How long a card says what became of its offer, in ms. A card about a failure stays until it is closed. */
const STAYS = 60_000;
const STAYS_DECLINED = 10_000;

const isTakeable = ({ refusal }: Item): boolean => refusal === null;

/** What a sentence about an offer is filled with. The name is what the device calls itself: it is cut where it is long. */
function words(key: Key, { device, files, size: bytes, filesDone }: GuestOffer): ReactNode {
  return rich(key, {
    name: <span className="guest-name cut" title={visibleName(device.name)}><Name>{device.name}</Name></span>,
    count: files.toLocaleString(), done: filesDone.toLocaleString(), size: size(bytes),
  }, files);
}

const titleKey = ({ text, state }: GuestOffer): Key => {
  if (state === "receiving") return "guest.receives";
  if (text !== null) return "guest.offers.text";
  return "guest.offers.files";
};

/** The name of a file, cut where it is long, with its size and why it can't be taken. */
function ItemWords({ item }: { item: Item }) {
  return (
    <>
      <span className="row-line">
        <span className="guest-file cut" title={visibleName(item.name)}><Name>{item.name}</Name></span>
        <span className="small quiet numbers">{size(item.size)}</span>
      </span>
      {item.refusal !== null && <span className="small quiet wrap block">{t("guest.refused", { reason: codeText(item.refusal) })}</span>}
    </>
  );
}

/** The first files, and the others once they are asked for. */
function Items({ items, label }: { items: readonly Item[]; label: string }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen || items.length <= NAMED + 1 ? items : items.slice(0, NAMED);
  return (
    <>
      {/* A long list scrolls, so that the buttons below stay near; without anything to press in it, Tab reaches it as a whole. */}
      <ul aria-label={label} {...(isOpen ? { className: "guest-items guest-items-all", tabIndex: 0 } : { className: "guest-items" })}>{shown.map((item) => <li key={item.number}><ItemWords item={item} /></li>)}</ul>
      {shown.length < items.length && (
        <div className="row"><Button look="quiet" onClick={() => setOpen(true)}>{t("guest.more", { count: items.length - shown.length })}</Button></div>
      )}
    </>
  );
}

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

/** The beginning of a text, and all of it once that is asked for. Nothing in it is a link before it is taken. */
function OfferedText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const whole = visible(text);
  const begun = beginning(whole.split("\n").slice(0, LINES).join("\n"), SHOWN);
  const isCut = !isWhole && begun.length < whole.length;
  return (
    <>
      <blockquote className="noted wrap" dir="auto">{isCut ? `${closed(begun)}…` : whole}</blockquote>
      {isCut && <div className="row"><Button look="quiet" onClick={() => setWhole(true)}>{t("message.showAll")}</Button></div>}
    </>
  );
}

/** The way to the notes, in which all that was taken stands. */
function NotesLink() {
  const id = useStore(conversations, ({ table }) => notesIn(table)?.id);
  if (id === undefined) return <button type="button" className="text-button" onClick={() => void openChat(ownId()).catch(refused)}>{t("guest.notes")}</button>;
  return <a href={hrefTo(`chats/${id}`)} onClick={(event) => followed(event, `chats/${id}`)}>{t("guest.notes")}</a>;
}

/** What the card is about, and from what kind of device: nobody is to take it for a friend. */
function Head({ id, offer, children }: { id: string; offer: GuestOffer; children: ReactNode }) {
  const { device } = offer;
  const more = [device.model, device.address].flatMap((one) => (one === null || one === "" ? [] : [visibleLine(one)])).join(" · ");
  return (
    <div className="guest-head">
      <span className="row-icon" title={more}><Icon name={deviceIcon(device.kind)} /></span>
      <div className="grow">
        <p className="guest-title wrap" id={id}>{children}</p>
        <p className="small quiet" title={more}>{t("guest.by")}</p>
      </div>
      {!isOpenOffer(offer) && <IconButton small icon="close" label={t("common.close")} onClick={() => dismissOffer(offer.id)} />}
    </div>
  );
}

interface PartProps {
  offer: GuestOffer;
  /** The id of its sentence, which names the card. */
  id: string;
  /** The user has answered here: the button will be gone. */
  onAnswer: () => void;
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
      <Head id={id} offer={offer}>{words(titleKey(offer), offer)}</Head>
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

/** Its files come in. */
function Receiving({ offer, id, onAnswer }: PartProps) {
  const task = useTask();
  const told = useStore(guestProgress, (all) => all.get(offer.id));
  // The list and the events come by two ways: what says more is the newer one.
  const bytesDone = Math.max(offer.bytesDone, told?.bytesDone ?? 0);
  const filesDone = Math.max(offer.filesDone, told?.filesDone ?? 0);
  const name = isolatedName(offer.device.name);
  const parts = [
    percent(offer.size === 0 ? 1 : bytesDone / offer.size), t("transfers.of", { done: size(bytesDone), size: size(offer.size) }),
    t("guest.filesDone", { done: filesDone, count: offer.files }), ...(told !== undefined && told.rate > 0 ? [t("transfers.rate", { rate: size(told.rate) })] : []),
  ];
  const stop = () => void task.run(async () => {
    onAnswer();
    await call("guest.decline", { offer: offer.id });
    guestsChanged();
  });
  return (
    <>
      <Head id={id} offer={offer}>{words("guest.receives", offer)}</Head>
      <Progress value={bytesDone} max={offer.size} label={t("guest.progress", { name })} />
      <p className="small quiet numbers">{parts.join(" · ")}</p>
      {!offer.device.encrypted && <Note look="warn">{t("guest.plain")}</Note>}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      <div className="row wrapping"><Button icon="close" busy={task.busy} aria-label={t("guest.stop.name", { name })} onClick={stop}>{t("guest.stop")}</Button></div>
    </>
  );
}

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
      <Head id={id} offer={offer}>{words(overKey(offer), offer)}</Head>
      {state === "failed" && <Note look="danger">{problem === null ? t("guest.failed.more") : codeText(problem)}</Note>}
      {state === "taken" ? <p><NotesLink /></p>
        : filesDone > 0 && <p className="small">{t("guest.kept", { count: filesDone })} <NotesLink /></p>}
    </>
  );
}

function Card({ offer }: { offer: GuestOffer }) {
  const id = useId();
  const { state } = offer;
  const name = isolatedName(offer.device.name);
  const values = { name, count: offer.files, done: offer.filesDone, size: size(offer.size) };
  const spoken = isOpenOffer(offer) ? titleKey(offer) : overKey(offer);
  // Screen readers are told once of each offer, and of what becomes of it. What speaks is no friend, and that comes first.
  useEffect(() => say(`LocalSend: ${t(spoken, values)}`), [offer.id, state]);
  const card = useRef<HTMLLIElement>(null);
  const isAnswered = useRef(false);
  // The focus of who has answered stays in the card.
  useEffect(() => {
    if (!isAnswered.current) return;
    isAnswered.current = false;
    if (document.activeElement === document.body) card.current?.focus();
  }, [state]);
  const onAnswer = () => {
    isAnswered.current = true;
  };
  const Part = state === "waiting" ? Waiting : state === "receiving" ? Receiving : Over;
  return <li ref={card} className="card guest" tabIndex={-1} aria-labelledby={id}><Part offer={offer} id={id} onAnswer={onAnswer} /></li>;
}

export default function Offers() {
  const { offers } = useWhole(guests);
  return (
    <section className="guests" aria-label={t("guest.label")}>
      <ul className="guest-list">{offers.map((offer) => <Card key={offer.id} offer={offer} />)}</ul>
    </section>
  );
}
