import { memo, useEffect, useRef, useState } from "react";
import type { FocusEvent, MouseEvent, PointerEvent } from "react";
import { useStore } from "../../base/store";
import type { Message } from "../../contract/types";
import { Avatar, hueOf } from "../../parts/avatar";
import { IconButton } from "../../parts/button";
import { Icon } from "../../parts/icon";
import { later } from "../../parts/later";
import { light } from "../../parts/light";
import { QuickRow } from "../../parts/menu";
import { Name } from "../../parts/small";
import { StateTick, heldText, holderOf } from "../../parts/state";
import { Text } from "../../parts/text";
import { contacts } from "../../store/contacts";
import { usePersonName } from "../../store/people";
import { marked } from "../../store/search";
import { clockTime, fullTime } from "../../text/format";
import { laterWords } from "../../text/language";
import { preview } from "../../text/preview";
import { isolatedName, visibleName } from "../../text/safe";
import { rich, t } from "../../text/t";
import { Attachments } from "./attachment";
import { useDoing } from "./doing";
import type { Point } from "./doing";
import { Quote } from "./quote";
import { Reactions, quickReactions } from "./reactions";
import { toggle, useIsSelected } from "./selecting";

const Record = later(() => Promise.all([import("../sides/calls"), laterWords()]).then(([side]) => side.Record), { waiting: null });

/** Up to three emoji and nothing else are shown large. */
const onlyEmoji = /^(?:\p{Extended_Pictographic}(?:\uFE0F|\u200D\p{Extended_Pictographic}|\p{Emoji_Modifier})*\s*){1,3}$/u;

function Face({ id, name }: { id: string; name: string }) {
  const picture = useStore(contacts, (table) => table.get(id)?.picture);
  return <Avatar id={id} name={name} size="s" picture={picture} />;
}

interface RowProps {
  message: Message;
  first: boolean;
  last: boolean;
  lit: boolean;
  inTab: boolean;
  /** Whether it says in words who keeps it meanwhile. */
  tellsHolder: boolean;
}

function Meta({ message, ticked, near, isTold }: { message: Message; ticked: boolean; near: boolean; isTold: boolean }) {
  const title = (time: number) => near ? { title: fullTime(time) } : {};
  return (
    <span className="meta numbers">
      {message.editedAt !== null && !message.deleted && <span {...title(message.editedAt)}>{t("message.edited")}</span>}
      {message.late && <span>{t("message.late")}</span>}
      <time dateTime={new Date(message.sentAt).toISOString()} {...title(message.sentAt)}>{clockTime(message.sentAt)}</time>
      {ticked && !message.deleted && <StateTick state={message.state} heldBy={holderOf(message)} isTold={isTold} />}
    </span>
  );
}

/** Room that the usual reactions take, in pixels at the usual size of letters. */
const QUICK = { width: 280, height: 56 };

/** The button for a reaction. While the pointer is on it, the usual ones stand above it, or below where there is no room. */
function ReactButton({ message, below }: { message: Message; below: (event: MouseEvent<HTMLElement>) => Point }) {
  const doing = useDoing();
  const [place, setPlace] = useState<string | null>(null);
  const [at, setAt] = useState<Point>({ x: 0, y: 0 });
  const show = (event: PointerEvent<HTMLElement>) => {
    if (event.pointerType === "touch") return;
    const box = event.currentTarget.getBoundingClientRect();
    const top = event.currentTarget.closest(".history")?.getBoundingClientRect().top ?? 0;
    setAt({ x: box.left, y: box.bottom });
    setPlace(`${box.top - QUICK.height < top ? "quick-below" : "quick-above"}${box.left + QUICK.width > innerWidth ? " quick-end" : ""}`);
  };
  return (
    <div className="react" onPointerEnter={show} onPointerLeave={() => setPlace(null)}>
      <IconButton small tabIndex={-1} icon="emoji" label={t("message.react")} onClick={(event) => doing.pick(message, below(event))} />
      {place !== null && <div className={`quick ${place}`}><QuickRow entries={quickReactions(message, doing, at)} onDone={() => setPlace(null)} /></div>}
    </div>
  );
}

/** The tools beside a message. */
function Tools({ message }: { message: Message }) {
  const doing = useDoing();
  const below = (event: MouseEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    // What opens gives the focus back to the row: this button may be gone by then.
    event.currentTarget.closest<HTMLElement>("[data-id]")?.focus({ preventScroll: true });
    return { x: box.left - 8, y: box.bottom + 4 };
  };
  return (
    <div className="message-tools">
      {doing.canWrite && <ReactButton message={message} below={below} />}
      {doing.canWrite && <IconButton small tabIndex={-1} icon="reply" label={t("message.answer")} onClick={() => doing.answer(message)} />}
      <IconButton small tabIndex={-1} icon="more" label={t("message.actions")} aria-haspopup="menu" onClick={(event) => doing.menu(message, below(event))} />
    </div>
  );
}

export const MessageRow = memo(function MessageRow({ message, first, last, lit, inTab, tellsHolder }: RowProps) {
  const doing = useDoing();
  const own = message.sender === doing.own;
  const name = usePersonName(message.sender, doing.group);
  // The tools are there while the pointer or the focus is: hundreds of rows are made and moved more quickly without them.
  const [near, setNear] = useState(false);
  const item = useRef<HTMLDivElement>(null);
  const chosen = useIsSelected(message.id);
  const words = useStore(marked, (now) => now?.message === message.id ? now.words : undefined);
  useEffect(() => (item.current === null || words === undefined ? undefined : light(item.current, words)), [message, words]);
  const shared = {
    "data-id": message.id,
    role: "listitem",
    tabIndex: inTab ? 0 : -1,
    onContextMenu: (event: MouseEvent<HTMLElement>) => {
      if (chosen !== null) {
        event.preventDefault();
        return toggle(message);
      }
      if (event.target instanceof HTMLAnchorElement || String(getSelection() ?? "") !== "") return;
      event.preventDefault();
      const box = event.currentTarget.getBoundingClientRect();
      doing.menu(message, event.clientX > 0 ? { x: event.clientX, y: event.clientY } : { x: box.left + 60, y: box.top + 24 });
    },
    // While messages are selected, all of a row does only that.
    onClickCapture: (event: MouseEvent<HTMLElement>) => {
      if (chosen === null) return;
      event.preventDefault();
      event.stopPropagation();
      toggle(message);
    },
    // Rows that scroll along under a pointer that rests get no such event.
    onPointerMove: (event: PointerEvent<HTMLElement>) => setNear((now) => now || event.pointerType !== "touch"),
    onPointerLeave: (event: MouseEvent<HTMLElement>) => setNear(event.currentTarget.contains(document.activeElement)),
    onFocus: () => setNear(true),
    onBlur: (event: FocusEvent<HTMLElement>) => setNear(event.currentTarget.contains(event.relatedTarget) || event.currentTarget.matches(":hover")),
  };
  if (message.kind === "system") return <div className="system-line" {...shared}><bdi>{preview(message)}</bdi></div>;
  const inGroup = doing.kind === "group";
  // A note has gone to nobody, and its files are simply here.
  const isNote = doing.kind === "notes";
  // The device nearby that gave it, or got it.
  const guest = message.guest ?? message.givenTo;
  const holder = tellsHolder ? holderOf(message) : undefined;
  const big = !message.deleted && message.attachments.length === 0 && message.replyTo === null && onlyEmoji.test(message.text);
  return (
    <div
      {...shared} ref={item}
      className={`message message-${own ? "own" : "other"}${first ? " message-first" : ""}${last ? " message-last" : ""}${lit ? " message-lit" : ""}${chosen === null ? "" : chosen ? " message-select message-chosen" : " message-select"}`}
    >
      {chosen !== null && (
        <button type="button" role="checkbox" aria-checked={chosen} tabIndex={-1} className="select-box" aria-label={t("select.one", { message: preview(message) })}>
          {chosen && <Icon name="check" size={14} />}
        </button>
      )}
      {inGroup && !own && (
        <div className="message-face">
          {last && <button type="button" tabIndex={-1} className="face-button" aria-label={t("message.who.name", { name: isolatedName(name) })} onClick={() => doing.who(message.sender)}><Face id={message.sender} name={name} /></button>}
        </div>
      )}
      <div className="message-stack">
        <div className={`bubble${big ? " bubble-big" : ""}${message.attachments.length > 0 && !message.deleted ? " bubble-files" : ""}`}>
          {inGroup && !own && first
            ? <button type="button" tabIndex={-1} className={`bubble-sender cut hue-${hueOf(message.sender)}`} onClick={() => doing.who(message.sender)}><Name>{name}</Name></button>
            : <span className="hidden-words">{visibleName(name)}</span>}
          {guest !== undefined && !message.deleted && (
            <span className="bubble-guest wrap" title={visibleName(guest)}>{rich(message.guest === undefined ? "message.givenTo" : "message.guest", { name: <span className="guest-name cut"><Name>{guest}</Name></span> })}</span>
          )}
          {message.deleted
            ? <span className="bubble-gone">{t("message.deleted")}</span>
            : (
              <>
                {message.replyTo !== null && <Quote id={message.replyTo} />}
                {message.attachments.length > 0 && <Attachments message={message} own={own && !isNote} />}
                {message.kind === "call" && <Record message={message} own={own} canCall={doing.canWrite} sender={inGroup ? name : undefined} />}
                {message.text !== "" && <Text id={message.id} isFormatted people={doing.people}>{message.text}</Text>}
              </>
            )}
          <Meta message={message} ticked={own && !isNote} near={near} isTold={holder !== undefined} />
        </div>
        {message.reactions.length > 0 && <Reactions message={message} />}
        {holder !== undefined && <p className="message-held">{heldText(holder)}</p>}
      </div>
      {near && chosen === null && !message.deleted && <Tools message={message} />}
    </div>
  );
});
