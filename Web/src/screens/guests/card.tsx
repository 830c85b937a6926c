// What the cards are made of that say what devices nearby give, and what they get.
import { Fragment, useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { useStore } from "../../base/store";
import type { GuestDevice, GuestOffer } from "../../contract/types";
import { Button, IconButton } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { deviceIcon } from "../../parts/kindIcon";
import { followed } from "../../parts/rows";
import { Name, Note, Progress } from "../../parts/small";
import { useTask } from "../../parts/task";
import { ownId } from "../../store/account";
import { conversations, notesIn } from "../../store/conversations";
import { guestProgress, guestsChanged, summed } from "../../store/guests";
import type { Item } from "../../store/guests";
import { say } from "../../store/live";
import { refused } from "../../store/notices";
import { openChat } from "../../store/openChat";
import { hrefTo } from "../../store/router";
import { beginning } from "../../text/cut";
import { codeText } from "../../text/errors";
import { duration, percent, size } from "../../text/format";
import { closed, isolatedName, visible, visibleLine, visibleName } from "../../text/safe";
import { rich, t } from "../../text/t";
import type { Key } from "../../text/t";
import { call } from "../../wire/rpc";

/** Files that are named at first. */
const NAMED = 4;
/** So much of a text is shown at first, in UTF-16 units and in lines. */
const SHOWN = 400;
const LINES = 6;
/** How long a card says what became of its offer, in ms. A card about a failure stays until it is closed, or the daemon has forgotten the offer. */
export const STAYS = 60_000;
export const STAYS_DECLINED = 10_000;

/** What a card is about. */
export type About = Pick<GuestOffer, "device" | "files" | "size" | "filesDone">;

/** What a sentence about an offer is filled with. The name is what the device calls itself: it is cut where it is long. */
export function words(key: Key, { device, files, size: bytes, filesDone }: About): ReactNode {
  return rich(key, {
    name: <span className="guest-name cut" title={visibleName(device.name)}><Name>{device.name}</Name></span>,
    count: files.toLocaleString(), done: filesDone.toLocaleString(), size: size(bytes),
  }, files);
}

/** The same as plain words. */
export const plainWords = (key: Key, { device, files, size: bytes, filesDone }: About): string =>
  t(key, { name: isolatedName(device.name), count: files, done: filesDone, size: size(bytes) });

/** A path, cut where it is long, with a size. Its names are isolated one by one: one that is written from the right leaves the others in their places. */
function PathWords({ path, bytes }: { path: readonly string[]; bytes: number }) {
  return (
    <span className="row-line">
      <span className="guest-file cut" title={path.map(visibleName).join("/")}>
        {path.length === 1 ? <Name>{path[0] ?? ""}</Name>
          : <span>{path.map((name, place) => <Fragment key={place}>{place > 0 && "/"}{name !== "" && <Name>{name}</Name>}</Fragment>)}</span>}
      </span>
      <span className="small quiet numbers">{size(bytes)}</span>
    </span>
  );
}

/** The name of a file after those of its folders, with its size and why it can't be taken. */
export function ItemWords({ item }: { item: Item }) {
  return (
    <>
      <PathWords path={[...(item.folder?.split("/") ?? []), item.name]} bytes={item.size} />
      {item.refusal !== null && <span className="small quiet wrap block">{t("guest.refused", { reason: codeText(item.refusal) })}</span>}
    </>
  );
}

/** The first files, a folder of them as one; and each file once that is asked for. */
export function Items({ items, label }: { items: readonly Item[]; label: string }) {
  const [isOpen, setOpen] = useState(false);
  const isWhole = isOpen || items.length <= NAMED + 1;
  const all = isWhole ? items.map((item) => ({ item, root: null, count: 1, size: item.size })) : summed(items);
  const shown = isWhole || all.length <= NAMED + 1 ? all : all.slice(0, NAMED);
  const left = items.length - shown.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      {/* A long list scrolls, so that the buttons below stay near; without anything to press in it, Tab reaches it as a whole. */}
      <ul aria-label={label} {...(isOpen ? { className: "guest-items guest-items-all", tabIndex: 0 } : { className: "guest-items" })}>
        {shown.map(({ item, root, size: bytes }) => <li key={item.number}>{root === null ? <ItemWords item={item} /> : <PathWords path={[root, ""]} bytes={bytes} />}</li>)}
      </ul>
      {!isWhole && <div className="row"><Button look="quiet" onClick={() => setOpen(true)}>{left > 0 ? t("guest.more", { count: left }) : t("message.showAll")}</Button></div>}
    </>
  );
}

/** The beginning of a text, and all of it once that is asked for. Nothing in it is a link before it is taken. */
export function OfferedText({ text }: { text: string }) {
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
export function NotesLink() {
  const id = useStore(conversations, ({ table }) => notesIn(table)?.id);
  if (id === undefined) return <button type="button" className="text-button" onClick={() => void openChat(ownId()).catch(refused)}>{t("guest.notes")}</button>;
  return <a href={hrefTo(`chats/${id}`)} onClick={(event) => followed(event, `chats/${id}`)}>{t("guest.notes")}</a>;
}

/** What the card is about, and from what kind of device: nobody is to take it for a friend. */
export function Head({ id, device, onClose, children }: { id: string; device: GuestDevice; onClose?: () => void; children: ReactNode }) {
  const more = [device.model, device.address].flatMap((one) => (one === null || one === "" ? [] : [visibleLine(one)])).join(" · ");
  return (
    <div className="guest-head">
      <span className="row-icon" title={more}><Icon name={deviceIcon(device.kind)} /></span>
      <div className="grow">
        <p className="guest-title wrap" id={id}>{children}</p>
        <p className="small quiet" title={more}>{t("guest.by")}</p>
      </div>
      {onClose !== undefined && <IconButton small icon="close" label={t("common.close")} onClick={onClose} />}
    </div>
  );
}

export interface PartProps {
  offer: GuestOffer;
  /** The id of its sentence, which names the card. */
  id: string;
  /** The user has answered here: the button will be gone. */
  onAnswer: () => void;
}

/** Its files come in, or go out. The keys are those of its words. */
export function Moving({ offer, id, onAnswer, title, progress, stop }: PartProps & { title: Key; progress: Key; stop: Key }) {
  const task = useTask();
  const told = useStore(guestProgress, (all) => all.get(offer.id));
  // The list and the events come by two ways: what says more is the newer one.
  const bytesDone = Math.max(offer.bytesDone, told?.bytesDone ?? 0);
  const filesDone = Math.max(offer.filesDone, told?.filesDone ?? 0);
  const name = isolatedName(offer.device.name);
  const rate = told?.rate ?? 0;
  const parts = [
    percent(offer.size === 0 ? 1 : bytesDone / offer.size), t("transfers.of", { done: size(bytesDone), size: size(offer.size) }),
    t("guest.filesDone", { done: filesDone, count: offer.files }),
    ...(rate > 0 ? [t("transfers.rate", { rate: size(rate) }), t("transfers.left", { time: duration((offer.size - bytesDone) / rate) })] : []),
  ];
  const end = () => void task.run(async () => {
    onAnswer();
    await call("guest.decline", { offer: offer.id });
    guestsChanged();
  });
  return (
    <>
      <Head id={id} device={offer.device}>{words(title, offer)}</Head>
      <Progress value={bytesDone} max={offer.size} label={t(progress, { name })} />
      <p className="small quiet numbers">{parts.join(" · ")}</p>
      {!offer.device.encrypted && <Note look="warn">{t("guest.plain")}</Note>}
      {task.error !== null && <Note look="danger" alert>{task.error}</Note>}
      <div className="row wrapping"><Button icon="close" busy={task.busy} aria-label={t(stop, { name })} onClick={end}>{t("guest.stop")}</Button></div>
    </>
  );
}

/** A card. `spoken` is what screen readers are told once of each of its states. */
export function Frame({ id, about, state, spoken, children }: {
  /** Of its sentence. */
  id: string;
  /** The id of what it is about. */
  about: string;
  state: string;
  spoken: string;
  children: (onAnswer: () => void) => ReactNode;
}) {
  // What speaks is no friend, and that comes first.
  useEffect(() => say(`LocalSend: ${spoken}`), [about, state]);
  const card = useRef<HTMLLIElement>(null);
  const isAnswered = useRef(false);
  // The focus of who has answered stays in the card.
  useEffect(() => {
    if (!isAnswered.current) return;
    isAnswered.current = false;
    if (document.activeElement === document.body) card.current?.focus();
  }, [about, state]);
  const onAnswer = () => {
    isAnswered.current = true;
  };
  return <li ref={card} className="card guest" tabIndex={-1} aria-labelledby={id}>{children(onAnswer)}</li>;
}
