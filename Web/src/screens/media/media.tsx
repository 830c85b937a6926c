// Pictures, files, links and sound of a chat, by month, the newest first.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { useStore, useWhole } from "../../base/store";
import type { Params } from "../../contract/methods";
import type { Attachment, Message } from "../../contract/types";
import { IconButton } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { kindIcon } from "../../parts/kindIcon";
import { Pane } from "../../parts/pane";
import { Player } from "../../parts/player";
import { Empty, Name, Note, Spinner } from "../../parts/small";
import { ownId } from "../../store/account";
import { histories } from "../../store/messages";
import { hrefTo } from "../../store/router";
import type { PaneProps } from "../../store/router";
import { isHere, transfers } from "../../store/transfers";
import { wording } from "../../text/errors";
import { monthName, shortTime, size } from "../../text/format";
import { pieces } from "../../text/links";
import { visible, visibleName } from "../../text/safe";
import { t } from "../../text/t";
import { link } from "../../wire/link";
import { asRefused } from "../../wire/refusal";
import { call } from "../../wire/rpc";
import { Still } from "../chat/media";
import { fileAddress, folder, save, thumbAddress, viewing } from "../viewer/viewing";
import type { Shown } from "../viewer/viewing";

type Sort = Exclude<Params<"message.media">["has"], "pin">;
const sorts: readonly Sort[] = ["picture", "file", "link", "sound"];
const icons = { picture: "image", file: "file", link: "open", sound: "sound" } as const;
const kinds: Readonly<Record<Sort, readonly Attachment["kind"][]>> = { picture: ["image", "video"], file: ["document", "folder", "other"], link: [], sound: ["audio"] };

/** Messages in a page. */
const PAGE = 60;
/** How long changes of the chat are gathered before the list is read again, in ms. */
const GATHER = 1000;

/** One thing in the list: a file, or a link. */
interface Item {
  message: Message;
  attachment: Attachment | null;
  href: string;
}

/** What a message has of a sort. Files that can't be had any more are not listed. */
function itemsOf(message: Message, sort: Sort): Item[] {
  if (message.deleted) return [];
  if (sort === "link") return pieces(message.text).flatMap((piece) => (piece.kind === "link" ? [{ message, attachment: null, href: piece.href }] : []));
  return message.attachments.filter(({ kind, removed, state }) => kinds[sort].includes(kind) && !removed && state !== "declined" && state !== "cancelled")
    .map((attachment) => ({ message, attachment, href: "" }));
}

const keyOf = ({ message, attachment, href }: Item): string => `${message.id} ${attachment?.transfer ?? href}`;

/** Items of one month after another. */
function months(items: readonly Item[]): { name: string; items: Item[] }[] {
  const found: { name: string; items: Item[] }[] = [];
  for (const item of items) {
    const name = monthName(item.message.sentAt);
    const last = found.at(-1);
    if (last?.name === name) last.items.push(item);
    else found.push({ name, items: [item] });
  }
  return found;
}

const useHere = ({ attachment, message }: Item): boolean =>
  useStore(transfers, (table) => attachment !== null && isHere(attachment, table.get(attachment.transfer), message.sender === ownId()));

/** A picture, or a still of a video that is here. If the browser can't draw it, the preview of its offer, and without one its kind. */
function Small({ attachment, here }: { attachment: Attachment; here: boolean }) {
  const [unplayable, setUnplayable] = useState(false);
  const [broken, setBroken] = useState(false);
  const isPlayed = attachment.kind === "video" && here;
  // The play button stands where the kind would.
  if (broken) return isPlayed ? null : <Icon name={kindIcon(attachment.kind)} size={24} />;
  if (isPlayed && !unplayable) return <Still transfer={attachment.transfer} name={visibleName(attachment.name)} onBroken={() => setUnplayable(true)} />;
  return <img src={thumbAddress(attachment.transfer, null, 320)} alt="" loading="lazy" decoding="async" onError={() => setBroken(true)} />;
}

function Tile({ item, inTab, onOpen }: { item: Item; inTab: boolean; onOpen: (item: Item) => void }) {
  const here = useHere(item);
  const { attachment, message } = item;
  if (attachment === null) return null;
  const isFilm = attachment.kind === "video";
  const name = visibleName(attachment.name);
  const image = <Small key={String(here)} attachment={attachment} here={here} />;
  const shared = { "data-tile": keyOf(item), tabIndex: inTab ? 0 : -1 };
  return (
    <li className="media-tile">
      {here
        ? (
          <button type="button" {...shared} aria-label={t(isFilm ? "file.play.name" : "file.look.name", { name })} onClick={() => onOpen(item)}>
            {image}
            {isFilm && <span className="picture-play" aria-hidden="true"><Icon name="play" size={20} /></span>}
          </button>
        )
        : <a {...shared} href={hrefTo(`chats/${message.conversation}/message/${message.id}`)} aria-label={name}>{image}</a>}
    </li>
  );
}

/** Who sent it and when; it leads to the message. */
const From = ({ message }: { message: Message }) => (
  <a className="small quiet" href={hrefTo(`chats/${message.conversation}/message/${message.id}`)} title={t("media.toMessage")}>
    {message.sender === ownId() ? t("common.you") : <Name>{message.senderName}</Name>} · {shortTime(message.sentAt)}
  </a>
);

function Row({ item }: { item: Item }) {
  const here = useHere(item);
  const { attachment, message, href } = item;
  if (attachment === null) {
    return (
      <li className="media-row">
        <Icon name="open" />
        <span className="grow column-tight"><a className="wrap" href={href} target="_blank" rel="noreferrer noopener" dir="auto">{visible(href)}</a><From message={message} /></span>
      </li>
    );
  }
  const name = visibleName(attachment.name);
  const { kind, transfer } = attachment;
  return (
    <li className="media-row">
      {kind !== "audio" && <Icon name={kindIcon(kind)} />}
      <span className="grow column-tight">
        {kind === "audio" && here ? <Player source={fileAddress(transfer)} name={name} length={attachment.duration === null ? null : attachment.duration / 1000} /> : <bdi className="wrap">{name}</bdi>}
        <span className="small quiet">{size(attachment.size)} · <From message={message} /></span>
      </span>
      {here && kind === "folder" && <IconButton icon="folder" label={t("folder.open")} onClick={() => folder.set({ transfer, name: attachment.name })} />}
      {here && kind !== "folder" && kind !== "audio" && <IconButton icon="download" label={t("file.save", { name })} onClick={() => save(transfer)} />}
    </li>
  );
}

/** Moves in the tiles of all months, as arrows do. */
function moved(event: KeyboardEvent<HTMLElement>): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const tiles = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-tile]")];
  const from = tiles.findIndex((tile) => tile === document.activeElement);
  const here = tiles[from]?.getBoundingClientRect();
  if (here === undefined) return;
  const forward = getComputedStyle(event.currentTarget).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  /** The nearest tile of the next row, or of the one before. */
  const row = (others: HTMLElement[]): HTMLElement | undefined => {
    const boxes = others.map((tile) => ({ tile, box: tile.getBoundingClientRect() })).filter(({ box }) => Math.abs(box.top - here.top) > here.height / 2);
    const top = boxes[0]?.box.top ?? 0;
    return boxes.filter(({ box }) => Math.abs(box.top - top) < here.height / 2).sort((a, b) => Math.abs(a.box.left - here.left) - Math.abs(b.box.left - here.left))[0]?.tile;
  };
  let next: HTMLElement | undefined;
  switch (event.key) {
    case "ArrowDown": next = row(tiles.slice(from + 1)); break;
    case "ArrowUp": next = row(tiles.slice(0, from).reverse()); break;
    case "ArrowLeft": case "ArrowRight": next = tiles[from + (event.key === forward ? 1 : -1)]; break;
    case "Home": next = tiles[0]; break;
    case "End": next = tiles.at(-1); break;
    default: return;
  }
  event.preventDefault();
  next?.focus();
}

interface Found {
  messages: readonly Message[];
  next?: string;
}

/** The messages of a chat that have something of a sort, and how to read on. */
function useFound(id: string, sort: Sort): { found: Found | null; problem: string | null; more: () => void } {
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const isOpen = useWhole(link) === "open";
  const rows = useStore(histories, (all) => all.get(id)?.rows);
  const state = useRef({ isReading: false, isStale: false });
  const read = useCallback(async (before: string | null): Promise<void> => {
    const { current } = state;
    if (current.isReading) {
      current.isStale ||= before === null;
      return;
    }
    current.isReading = true;
    try {
      const page = await call("message.media", { conversation: id, has: sort, limit: PAGE, ...(before === null ? {} : { before }) });
      setFound((now) => {
        if (now === null) return page;
        if (before !== null) return { messages: [...now.messages, ...page.messages], next: page.next };
        // Pages that were read after it stay.
        const last = page.next === undefined ? undefined : page.messages.at(-1)?.arrival;
        const others = last === undefined ? [] : now.messages.filter(({ arrival }) => arrival < last);
        return others.length === 0 ? page : { ...now, messages: [...page.messages, ...others] };
      });
      setProblem(null);
    } catch (error) {
      setProblem(wording(asRefused(error)));
    }
    current.isReading = false;
    if (!current.isStale) return;
    current.isStale = false;
    void read(null);
  }, [id, sort]);
  useEffect(() => {
    if (isOpen) void read(null);
  }, [read, isOpen]);
  // Whatever has changed in the chat may have changed this list.
  const first = useRef(rows);
  useEffect(() => {
    if (!isOpen || rows === first.current) return;
    const timer = setTimeout(() => void read(null), GATHER);
    return () => clearTimeout(timer);
  }, [read, rows, isOpen]);
  const next = found?.next;
  const more = useCallback(() => {
    if (next !== undefined) void read(next);
  }, [read, next]);
  return { found, problem, more };
}

function List({ id, sort }: { id: string; sort: Sort }) {
  const { found, problem, more } = useFound(id, sort);
  const [focused, setFocused] = useState<string | null>(null);
  const end = useRef<HTMLDivElement>(null);
  const next = found?.next;
  useEffect(() => {
    if (end.current === null || next === undefined) return;
    const watcher = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) more();
    }, { rootMargin: "400px" });
    watcher.observe(end.current);
    return () => watcher.disconnect();
  }, [more, next]);
  const items = useMemo(() => (found?.messages ?? []).flatMap((message) => itemsOf(message, sort)), [found, sort]);
  const open = (item: Item) => {
    const shown = items.flatMap(({ message, attachment }): Shown[] => {
      if (attachment === null || (attachment.kind !== "image" && attachment.kind !== "video")) return [];
      if (!isHere(attachment, transfers.get().get(attachment.transfer), message.sender === ownId())) return [];
      return [{ transfer: attachment.transfer, entry: null, name: attachment.name, size: attachment.size, kind: attachment.kind, message }];
    }).reverse();
    viewing.set({ items: shown, at: Math.max(0, shown.findIndex(({ transfer }) => transfer === item.attachment?.transfer)) });
  };
  if (found === null) return problem === null ? <Spinner /> : <Note look="danger" alert>{problem}</Note>;
  if (items.length === 0 && next === undefined) return <Empty icon={icons[sort]} title={t(`media.none.${sort}`)} />;
  const inTab = items.find((item) => keyOf(item) === focused) ?? items[0];
  return (
    <div onKeyDown={moved} onFocus={({ target }) => setFocused(target.dataset["tile"] ?? null)}>
      {months(items).map(({ name, items: all }, index) => (
        <section key={index} aria-label={name}>
          <h3 className="media-month">{name}</h3>
          <ul className={sort === "picture" ? "media-grid" : "media-list"}>
            {all.map((item, place) => (sort === "picture"
              ? <Tile key={keyOf(item)} item={item} inTab={item === inTab} onOpen={open} />
              : <Row key={`${keyOf(item)} ${place}`} item={item} />))}
          </ul>
        </section>
      ))}
      {problem !== null && <Note look="danger" alert>{problem}</Note>}
      <div ref={end}>{next !== undefined && <Spinner />}</div>
    </div>
  );
}

export default function Media({ at }: PaneProps) {
  const id = at["id"] ?? "";
  const [sort, setSort] = useState<Sort>("picture");
  return (
    <Pane title={t("media.title")} backTo={`chats/${id}/details`}>
      <div className="page column">
        <div className="tabs media-tabs" role="group" aria-label={t("media.sorts")}>
          {sorts.map((one) => <button key={one} type="button" className="tab" aria-pressed={one === sort} onClick={() => setSort(one)}>{t(`media.${one}`)}</button>)}
        </div>
        <List key={`${id} ${sort}`} id={id} sort={sort} />
      </div>
    </Pane>
  );
}
