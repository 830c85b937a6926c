// A list that arrows move in: one row is in the order of Tab, the others are reached by arrows, Home and End.
import { useRef, useState } from "react";
import type { FocusEvent, KeyboardEvent, MouseEvent, ReactNode } from "react";
import { go, hrefTo } from "../screens/router";

interface RowsProps<T> {
  label: string;
  items: readonly T[];
  idOf: (item: T) => string;
  /** Where a row leads; or `onOpen`, if it does something instead. */
  hrefOf?: (item: T) => string;
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

/** The row that a key leads to. */
function target(rows: HTMLElement[], at: number, key: string): HTMLElement | undefined {
  switch (key) {
    case "ArrowDown": return rows[Math.min(at + 1, rows.length - 1)];
    case "ArrowUp": return rows[Math.max(at - 1, 0)];
    case "Home": return rows[0];
    case "End": return rows[rows.length - 1];
    default: return undefined;
  }
}

export function Rows<T>({ label, items, idOf, hrefOf, onOpen, current, pressed, onMenu, children, beside }: RowsProps<T>) {
  const list = useRef<HTMLUListElement>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const ids = items.map(idOf);
  const inTab = focused !== null && ids.includes(focused) ? focused : current !== undefined && ids.includes(current) ? current : ids[0];

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const at = rows.findIndex((row) => row === document.activeElement);
    const next = at < 0 ? undefined : target(rows, at, event.key);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  };
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
      {items.map((item) => {
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
          <li key={id} className={beside === undefined ? undefined : "row"}>
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
