// A list that arrows move in: one row is in the order of Tab, the others are reached by arrows, Home and End.
import { useLayoutEffect, useRef, useState } from "react";
import type { FocusEvent, KeyboardEvent, MouseEvent, ReactNode } from "react";
import { go, hrefTo } from "../store/router";
import { useWindow } from "./window";

interface RowsProps<T> {
  label: string;
  items: readonly T[];
  idOf: (item: T) => string;
  /** Where a row leads; or `onOpen`, if it does something instead. */
  hrefOf?: (item: T) => string | undefined;
  onOpen?: (item: T) => void;
  /** The row whose screen is open. */
  current?: string | undefined;
  /** Rows that are chosen or not, instead of leading somewhere. */
  pressed?: (item: T) => boolean;
  onMenu?: (item: T, at: { x: number; y: number }) => void;
  children: (item: T) => ReactNode;
  /** What stands beside a row: buttons, outside of its link. */
  beside?: (item: T) => ReactNode;
}

/** The row of `count` to which a key leads. */
function target(at: number, count: number, key: string): number | undefined {
  switch (key) {
    case "ArrowDown": return Math.min(at + 1, count - 1);
    case "ArrowUp": return Math.max(at - 1, 0);
    case "Home": return 0;
    case "End": return count - 1;
    default: return undefined;
  }
}

export function Rows<T>({ label, items, idOf, hrefOf, onOpen, current, pressed, onMenu, children, beside }: RowsProps<T>) {
  const list = useRef<HTMLUListElement>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const wanted = useRef<string | null>(null);
  const { from, to, reveal } = useWindow(list, items.length);
  const drawn = items.slice(from, to);
  const ids = drawn.map(idOf);
  const inTab = focused !== null && ids.includes(focused) ? focused : current !== undefined && ids.includes(current) ? current : ids[0];

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["row"] : undefined;
    const at = row === undefined ? -1 : ids.indexOf(row);
    const index = at < 0 ? undefined : target(from + at, items.length, event.key);
    const next = index === undefined ? undefined : items[index];
    if (index === undefined || next === undefined) return;
    event.preventDefault();
    wanted.current = idOf(next);
    setFocused(wanted.current);
    reveal(index);
  };
  // The row to which a key has led may have to be drawn first.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.current)}"]`);
    if (row == null) return;
    wanted.current = null;
    row.focus();
    row.scrollIntoView({ block: "nearest" });
  });
  const onFocus = (event: FocusEvent) => {
    const id = (event.target as HTMLElement).dataset["row"];
    if (id !== undefined) setFocused(id);
  };
  const menu = (item: T) => onMenu === undefined ? undefined : (event: MouseEvent<HTMLElement>) => {
    event.preventDefault();
    const box = event.currentTarget.getBoundingClientRect();
    onMenu(item, event.clientX > 0 ? { x: event.clientX, y: event.clientY } : { x: box.left + 24, y: box.bottom - 8 });
  };

  return (
    <ul className="rows" ref={list} aria-label={label} onKeyDown={onKeyDown} onFocus={onFocus}>
      {drawn.map((item, index) => {
        const id = idOf(item);
        const shared = {
          className: "row-link",
          "data-row": id,
          tabIndex: id === inTab ? 0 : -1,
          "aria-current": id === current ? ("page" as const) : undefined,
          "aria-pressed": pressed?.(item),
          onContextMenu: menu(item),
        };
        const path = hrefOf?.(item);
        return (
          <li
            key={id} className={beside === undefined ? undefined : "row"}
            {...(drawn.length < items.length ? { "aria-setsize": items.length, "aria-posinset": from + index + 1 } : {})}
          >
            {path === undefined
              ? <button type="button" {...shared} onClick={() => onOpen?.(item)}>{children(item)}</button>
              : <a {...shared} href={hrefTo(path)} onClick={(event) => followed(event, path)}>{children(item)}</a>}
            {beside?.(item)}
          </li>
        );
      })}
    </ul>
  );
}

/** Goes there within the page, unless a new tab or window was asked for. */
export function followed(event: MouseEvent, path: string): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(path);
}
