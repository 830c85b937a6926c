// The keyboard map of the whole page. Screens have keys of their own beside it.
import { useEffect } from "react";
import { conversations, ordered } from "../store/conversations";
import { back, go, place } from "../store/router";
import { overlay } from "./overlay";
import { searchAll, searchHere } from "./search/here";

/** Regions that F6 goes through, in their order. */
const regions = [".rail", ".pane-list", ".pane-main", ".pane-aside"];

/** What can have the focus. */
const focusable = "a[href], button:not(:disabled), input, textarea, select, [tabindex='0']";

function nextRegion(backwards: boolean): void {
  const shown = regions.map((region) => document.querySelector<HTMLElement>(region)).filter((region): region is HTMLElement => region !== null && region.offsetParent !== null);
  const now = shown.findIndex((region) => region.contains(document.activeElement));
  const next = shown[(now + (backwards ? shown.length - 1 : 1) + (now < 0 && backwards ? 1 : 0)) % shown.length];
  // What is hidden at this width takes no focus.
  const first = (choice: string) => [...(next?.querySelectorAll<HTMLElement>(choice) ?? [])].find((element) => element.offsetParent !== null);
  (first("[data-first], [data-row][tabindex='0'], [aria-current]") ?? first(focusable))?.focus();
}

/** Alt+↑ and Alt+↓: the chat above or below in the list. */
function neighbour(step: number): void {
  const list = ordered(conversations.get().table, false);
  const open = place.get().split("/")[1];
  const at = list.findIndex(({ id }) => id === open);
  const next = at < 0 ? list[0] : list[at + step];
  if (next !== undefined) go(`chats/${next.id}`);
}

/** No single letters while a person writes. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    overlay.update((now) => (now === "palette" ? null : "palette"));
  } else if (event.key.toLowerCase() === "f" && (event.ctrlKey || event.metaKey) && !event.altKey) {
    const [side, open] = place.get().split("/");
    const chat = (side === "chats" || side === "search") && conversations.get().table.get(open) !== undefined ? open : undefined;
    event.preventDefault();
    if (event.shiftKey || chat === undefined) searchAll();
    else searchHere(chat);
  } else if (event.key === "?" && !isTyping(event.target) && document.querySelector("dialog[open], .menu") === null) {
    event.preventDefault();
    overlay.set("shortcuts");
  } else if (event.key === "F6") {
    event.preventDefault();
    nextRegion(event.shiftKey);
  } else if (event.altKey && !event.ctrlKey && !event.metaKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    neighbour(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Escape" && document.querySelector("dialog[open], .menu") === null) {
    const parts = place.get().split("/");
    if (parts.length > 1) back(parts[0] ?? "chats");
    else if (parts[0] === "search") back("chats");
  }
}

export function useShortcuts(): void {
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
