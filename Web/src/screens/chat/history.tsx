import { forwardRef, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { useStore } from "../../base/store";
import { Button, IconButton } from "../../parts/button";
import { Badge, Empty, Spinner } from "../../parts/small";
import { holderOf } from "../../parts/state";
import { contacts } from "../../store/contacts";
import { conversations } from "../../store/conversations";
import { say } from "../../store/live";
import { histories, loadAfter, loadBefore, loadEnd, reach, reachTime, reachUnread } from "../../store/messages";
import { refused } from "../../store/notices";
import { outbox } from "../../store/outbox";
import { personName } from "../../store/people";
import { dayName } from "../../text/format";
import { preview } from "../../text/preview";
import { t } from "../../text/t";
import { markRead } from "../chats/actions";
import { DayPill } from "./dayPill";
import { days, midnight } from "./days";
import { useDoing } from "./doing";
import { Drawing, beyond, bounds, within } from "./drawn";
import type { Span } from "./drawn";
import { Keeper } from "./keeper";
import { Leading } from "./leading";
import { PieceRows } from "./piece";
import { Pieces } from "./pieces";
import { Reading } from "./reading";
import { isSelecting, toggle } from "./selecting";
import { WaitingRow } from "./waiting";

export interface HistoryHandle {
  jump(id: string): void;
  toEnd(): void;
  /** Brings the first message that is not older than a time to the top. */
  toTime(time: number): void;
}

/** How long a message is highlighted after the user has jumped to it, in ms. */
const LIT = 1600;
/** Within this time everything in view counts as read; what is still unread is then above, in ms. */
const SETTLED = 1500;
/** So many short rows fill the window. */
const full = (): number => Math.max(32, Math.ceil(innerHeight / 30));

export const History = forwardRef<HistoryHandle, { unread: number; onDay: ((start: number) => void) | undefined }>(function History({ unread, onDay }, handle) {
  const doing = useDoing();
  const id = doing.conversation;
  const history = useStore(histories, (all) => all.get(id));
  const waiting = useStore(outbox, (items) => items.filter((item) => item.conversation === id && item.claimed === null));
  const [atEnd, setAtEnd] = useState(true);
  const [lit, setLit] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const [newFrom, setNewFrom] = useState<string | null | undefined>(undefined);
  const rows = history?.rows;

  const [span, setSpan] = useState<Span | null>(null);
  const drawing = useMemo(() => new Drawing({
    stretch: () => histories.get().get(id),
    read: (edge, needed) => (edge === "before" ? loadBefore(id, needed) : loadAfter(id, needed)).catch(refused),
    draw: setSpan,
    full,
  }), [id]);

  const tellDay = useRef<() => void>(() => undefined);
  const keeper: Keeper = useMemo(() => new Keeper({
    atEnd: setAtEnd,
    near: drawing.near,
    goesOn: drawing.goesOn,
    moved: () => {
      reading.look();
      tellDay.current();
      pill.moved();
    },
  }), [drawing]);
  drawing.keeper = keeper;
  const pill = useMemo(() => new DayPill(keeper), [keeper]);
  const reading: Reading = useMemo(() => new Reading(id, () => {
    const here = new Set(keeper.inView().map((row) => row.dataset["id"]));
    return (histories.get().get(id)?.rows ?? []).filter((row) => here.has(row.id));
  }), [id, keeper]);

  useEffect(() => {
    addEventListener("focus", reading.look);
    document.addEventListener("visibilitychange", reading.look);
    return () => {
      reading.stop();
      pill.stop();
      removeEventListener("focus", reading.look);
      document.removeEventListener("visibilitychange", reading.look);
    };
  }, [reading, pill]);

  // The line "new" stands where the unread began when the chat was opened, and stays there.
  if (rows !== undefined && newFrom === undefined) {
    const first = rows.find(({ unread }) => unread);
    setNewFrom(first?.id ?? null);
    if (first !== undefined && rows.indexOf(first) < rows.length - 1) drawing.begin(first.id);
  }

  const shown = history === undefined ? null : drawing.spanFor(history, span);
  const here = history === undefined || shown === null ? undefined : bounds(history, shown);

  useLayoutEffect(() => {
    if (shown !== null && shown !== span) setSpan(shown);
    drawing.drawn(shown);
    reading.look();
  }, [rows, shown, waiting.length, drawing, reading]);

  useEffect(() => {
    pieces.keepOnly(new Set(ids));
    requestAnimationFrame(() => requestAnimationFrame(drawing.framed));
  }, [span]);

  // At the end, the user is told how many unread messages are above.
  const [above, setAbove] = useState(0);
  useEffect(() => {
    setAbove(0);
    if (!atEnd || unread === 0) return;
    const timer = setTimeout(() => {
      const here = new Set(keeper.inView().map((row) => row.dataset["id"]));
      setAbove(unread - (histories.get().get(id)?.rows ?? []).filter((row) => row.unread && here.has(row.id)).length);
    }, SETTLED);
    return () => clearTimeout(timer);
  }, [atEnd, unread, id, keeper]);
  const leading = useMemo(() => new Leading((error, counts) => {
    if (counts) drawing.forget();
    refused(error);
  }), [drawing]);

  const toUnread = () => {
    const first = conversations.get().table.get(id)?.firstUnread;
    if (first == null) return;
    leading.to(async () => {
      const message = await reachUnread(id, first);
      return () => {
        if (message !== undefined) drawing.go(message, "top");
      };
    });
  };

  const jump = useCallback((message: string) => {
    setLit(message);
    leading.to(async () => {
      drawing.go(message, "middle");
      await reach(id, message);
      return () => undefined;
    });
  }, [id, drawing, leading]);
  const toEnd = useCallback((isFocused = false) => {
    const arrive = () => {
      const last = histories.get().get(id)?.rows.at(-1);
      if (last === undefined) keeper.toEnd();
      // If the end can't be read, what was written stands below the last row that is here.
      else drawing.go(last.id, histories.get().get(id)?.after === true ? "middle" : "end", isFocused);
    };
    const read = () => leading.to(async () => {
      await loadEnd(id).catch(refused);
      return arrive;
    });
    leading.at(() => (histories.get().get(id)?.after === true ? read() : arrive()));
  }, [id, drawing, keeper, leading]);
  const toTime = useCallback((time: number) => leading.to(async () => {
    const message = await reachTime(id, time);
    return () => {
      if (message === null) toEnd();
      else drawing.go(message, "top");
    };
  }), [id, drawing, leading, toEnd]);
  useImperativeHandle(handle, () => ({ jump, toEnd, toTime }), [jump, toEnd, toTime]);

  tellDay.current = () => {
    if (onDay === undefined) return;
    const seen = keeper.current()?.dataset["id"];
    const message = histories.get().get(id)?.rows.find((row) => row.id === seen);
    if (message !== undefined) onDay(midnight(message.sentAt));
  };
  useEffect(() => tellDay.current(), [onDay]);

  useEffect(() => {
    if (lit === null) return;
    const timer = setTimeout(() => setLit(null), LIT);
    return () => clearTimeout(timer);
  }, [lit]);

  // What I wrote brings the end into view.
  const count = useRef(waiting.length);
  useLayoutEffect(() => {
    if (waiting.length > count.current) toEnd();
    count.current = waiting.length;
  }, [waiting.length, toEnd]);

  // Screen readers hear what comes in.
  const heard = useRef<string | undefined>(undefined);
  const newest = rows?.[rows.length - 1];
  useEffect(() => {
    if (newest === undefined || newest.id === heard.current) return;
    if (heard.current !== undefined && newest.sender !== doing.own && newest.unread) {
      say(`${personName(newest.sender, contacts.get(), doing.group)}: ${preview(newest)}`);
    }
    heard.current = newest.id;
  }, [newest, doing]);

  const grouped = useMemo(() => days(rows ?? [], newFrom ?? null), [rows, newFrom]);
  const pieces = useMemo(() => new Pieces(), [id]);
  // Of several messages that a courier keeps, the last one says it for all: nobody has to point at a tick.
  const held = useMemo(() => rows?.filter((row) => row.sender === doing.own && !row.deleted && holderOf(row) !== undefined).at(-1)?.id, [rows, doing]);
  const ids = rows?.slice(here?.[0] ?? 0, here?.[1] ?? 0).map((row) => row.id) ?? [];
  const inTab = focused !== null && ids.includes(focused) ? focused : ids[ids.length - 1];
  const isLast = history === undefined || here === undefined || beyond(history, here, "after") === 0;
  const hasAfter = history?.after === true || !isLast;
  const unreadBelow = atEnd ? 0 : unread;

  const onKeyDown = (event: KeyboardEvent) => {
    drawing.scrolled();
    const row = event.target instanceof HTMLElement ? event.target : null;
    const message = rows?.find((one) => one.id === row?.dataset["id"]);
    if (row === null || message === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = keeper.rows();
    const at = all.indexOf(row);
    const goTo = (next: HTMLElement | undefined) => {
      event.preventDefault();
      next?.focus({ preventScroll: true });
      next?.scrollIntoView({ block: "nearest" });
    };
    const act = (run: () => void) => {
      event.preventDefault();
      run();
    };
    const box = row.getBoundingClientRect();
    const point = { x: box.left + 48, y: Math.min(box.top + 32, innerHeight - 64) };
    switch (event.key) {
      case "ArrowUp": return goTo(all[at - 1]);
      case "ArrowDown": return goTo(all[at + 1]);
      case "Home": return act(() => drawing.go(rows?.[0]?.id ?? message.id, "top", true));
      case "End": return act(() => toEnd(true));
    }
    if (event.key === " " || (event.key === "Enter" && isSelecting())) {
      event.preventDefault();
      return toggle(message);
    }
    if (isSelecting()) return;
    if (message.kind === "system" || message.deleted && event.key !== "Delete") return;
    switch (event.key) {
      case "Enter": return act(() => doing.menu(message, point));
      case "r": case "R": return doing.canWrite ? act(() => doing.answer(message)) : undefined;
      case "e": case "E": return doing.canWrite && message.sender === doing.own ? act(() => doing.edit(message)) : undefined;
      case "+": return doing.canWrite ? act(() => doing.pick(message, point)) : undefined;
      case "Delete": return act(() => doing.remove(message));
    }
  };

  return (
    <div className="history-frame">
      <div
        className="history" ref={keeper.attach} onKeyDown={onKeyDown} onWheel={drawing.scrolled} onTouchMove={drawing.scrolled} onPointerDown={drawing.scrolled}
        onFocus={(event) => setFocused((event.target as HTMLElement).dataset["id"] ?? focused)}
      >
        {rows === undefined && waiting.length === 0 ? <Spinner /> : rows?.length === 0 && waiting.length === 0
          ? <Empty icon={doing.kind === "notes" ? "note" : "chat"} title={t(doing.kind === "notes" ? "notes.empty" : "chat.empty")}>{doing.canWrite && <p>{t(doing.kind === "notes" ? "notes.more" : "chat.empty.more")}</p>}</Empty>
          : (
            <div className="history-rows" ref={keeper.watch}>
              {(rows === undefined || history?.before === true) && <div className="history-edge"><Spinner /></div>}
              {here !== undefined && within(grouped, here).map((day) => (
                <section key={day.key} aria-label={dayName(day.start)}>
                  <div className="day"><h2>{dayName(day.start)}</h2></div>
                  <div role="list">
                    {pieces.of(day.rows).map((piece) => (
                      <PieceRows key={piece.key} rows={piece.rows} newFrom={newFrom ?? null} lit={lit} inTab={inTab ?? null} held={held ?? null} />
                    ))}
                  </div>
                </section>
              ))}
              {waiting.length > 0 && (isLast || waiting.some(({ problem }) => problem !== null)) && <ol aria-label={t("chat.waiting")}>{waiting.map((item) => <WaitingRow key={item.key} item={item} />)}</ol>}
              {history?.after === true && <div className="history-edge"><Spinner /></div>}
            </div>
          )}
      </div>
      {above > 0 && (
        <div className="unread-above">
          <Button look="quiet" icon="up" onClick={toUnread}>{t("chat.unreadAbove", { count: above })}</Button>
          <Button look="quiet" onClick={() => {
            const item = conversations.get().table.get(id);
            if (item !== undefined) markRead(item);
          }}>{t("chats.markRead")}</Button>
        </div>
      )}
      {(!atEnd || hasAfter) && rows !== undefined && rows.length > 0 && (
        <div className="to-end">
          <IconButton icon="down" label={t("chat.toEnd")} onClick={() => toEnd()} />
          <Badge count={unreadBelow} label={t("nav.unread", { count: unreadBelow })} />
        </div>
      )}
    </div>
  );
});
