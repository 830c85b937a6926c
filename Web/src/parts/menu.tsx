import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { IconButton } from "./button";
import { Icon } from "./icon";
import type { IconName } from "./icon";

export interface Act {
  label: string;
  icon?: IconName;
  keys?: string;
  danger?: boolean;
  run: () => void;
}

/** An entry that asks further: what it leads to takes the place of the menu's entries. */
export interface Choices {
  label: string;
  icon?: IconName;
  entries: readonly Act[];
}

export type MenuEntry = Act | Choices | "line";

/** What stands in a row above the entries: a sign or an icon. */
export interface QuickEntry {
  label: string;
  sign?: string;
  icon?: IconName;
  run: () => void;
}

/** Distance of a menu from the edges of the window, in pixels. */
const EDGE = 8;

interface MenuProps {
  entries: readonly MenuEntry[];
  quick?: readonly QuickEntry[];
  label: string;
  /** Where its corner stands in the window. */
  at: { x: number; y: number };
  onClose: () => void;
}

/** The signs that can be chosen at once. */
export function QuickRow({ entries, role, onDone }: { entries: readonly QuickEntry[]; role?: "menuitem"; onDone: () => void }) {
  return (
    <div className="quick-row" role="group">
      {entries.map(({ label, sign, icon, run }) => (
        <button
          key={label} type="button" role={role} tabIndex={-1} className="emoji" aria-label={label} title={label}
          onClick={() => {
            onDone();
            run();
          }}
        >
          {icon === undefined ? sign : <Icon name={icon} size={18} />}
        </button>
      ))}
    </div>
  );
}

/** A menu at a point of the window. Arrows move in it, Escape closes it, and the focus goes back. */
export function Menu({ at, onClose, ...first }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const [inner, setInner] = useState<Choices | null>(null);
  const { entries, quick = [], label }: Omit<MenuProps, "at" | "onClose"> = inner ?? first;
  useLayoutEffect(() => {
    const before = document.activeElement;
    const element = menu.current;
    if (element === null) return;
    element.showPopover();
    const box = element.getBoundingClientRect();
    const x = Math.max(EDGE, Math.min(at.x, innerWidth - box.width - EDGE));
    const y = at.y + box.height + EDGE <= innerHeight ? at.y : Math.max(EDGE, at.y - box.height);
    element.style.setProperty("left", `${x}px`);
    element.style.setProperty("top", `${y}px`);
    element.querySelector<HTMLElement>(".menu-item")?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected && (document.activeElement === document.body || element.contains(document.activeElement))) {
        before.focus();
      }
    };
  }, [at.x, at.y]);
  useLayoutEffect(() => {
    if (inner !== null) menu.current?.querySelector<HTMLElement>(".menu-item")?.focus();
  }, [inner]);
  useEffect(() => {
    const away = (event: Event) => {
      if (!(event.target instanceof Node) || menu.current?.contains(event.target) !== true) onClose();
    };
    addEventListener("pointerdown", away, true);
    addEventListener("resize", onClose);
    return () => {
      removeEventListener("pointerdown", away, true);
      removeEventListener("resize", onClose);
    };
  }, [onClose]);
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const now = items.indexOf(document.activeElement as HTMLElement);
    const goTo = (index: number) => {
      event.preventDefault();
      items[(index + items.length) % items.length]?.focus();
    };
    event.stopPropagation();
    if (event.key === "ArrowDown") goTo(now + 1);
    else if (event.key === "ArrowUp") goTo(now - 1);
    else if (event.key === "Home") goTo(0);
    else if (event.key === "End") goTo(items.length - 1);
    else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      onClose();
    }
  };
  return (
    <div ref={menu} className="menu" role="menu" aria-label={label} popover="manual" onKeyDown={onKeyDown}>
      {quick.length > 0 && <QuickRow entries={quick} role="menuitem" onDone={onClose} />}
      {entries.map((entry, index) => entry === "line"
        ? <div key={index} className="menu-line" role="separator" />
        : (
          <button
            key={index} type="button" role="menuitem" tabIndex={-1} className={`menu-item${"danger" in entry && entry.danger === true ? " menu-item-danger" : ""}`}
            aria-haspopup={"entries" in entry ? "menu" : undefined}
            onClick={() => {
              if ("entries" in entry) return setInner(entry);
              onClose();
              entry.run();
            }}
          >
            {entry.icon !== undefined && <Icon name={entry.icon} size={18} />}
            <span className="cut">{entry.label}</span>
            {"entries" in entry ? <Icon name="forward" size={14} /> : entry.keys !== undefined && <kbd aria-hidden="true">{entry.keys}</kbd>}
          </button>
        ))}
    </div>
  );
}

/** A button that opens a menu below itself. */
export function MenuButton({ label, icon = "more", entries, small = false }: {
  label: string; icon?: IconName; entries: readonly MenuEntry[]; small?: boolean;
}) {
  const [at, setAt] = useState<{ x: number; y: number } | null>(null);
  return (
    <>
      <IconButton
        icon={icon} label={label} small={small} aria-haspopup="menu" aria-expanded={at !== null}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setAt({ x: getComputedStyle(event.currentTarget).direction === "rtl" ? box.left : box.right - 200, y: box.bottom + 4 });
        }}
      />
      {at !== null && <Menu label={label} entries={entries} at={at} onClose={() => setAt(null)} />}
    </>
  );
}
