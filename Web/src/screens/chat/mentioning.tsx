// Completes `@Name` while it is typed in a group: who is meant is chosen from a list, by keys or with the pointer.
import { useEffect, useRef, useState } from "react";
import type { KeyboardEvent, RefObject } from "react";
import { Avatar } from "../../parts/avatar";
import { Name } from "../../parts/small";
import { contacts } from "../../store/contacts";
import { matching, typedMention } from "../../text/mentions";
import type { Mentioned } from "../../text/mentions";
import { t } from "../../text/t";

/** So many people are offered at once. */
const MOST = 8;
const LIST = "mentions";
const aliasOf = (id: string): string => contacts.get().get(id)?.alias ?? "";

interface Mentioning {
  /** The list, while there is something to choose. */
  list: JSX.Element | null;
  /** What the field says of the list to screen readers. */
  field: { "aria-autocomplete": "list"; "aria-controls"?: string; "aria-activedescendant"?: string };
  /** The caret has moved, or the field has lost the focus. */
  moved(caret: number | null): void;
  /** Whether the key was meant for the list. */
  keyDown(event: KeyboardEvent): boolean;
}

/** `replace`: puts words in the place of a part of the text. */
export function useMentioning(text: string, people: readonly Mentioned[], replace: (from: number, to: number, words: string) => void): Mentioning {
  const [caret, setCaret] = useState<number | null>(null);
  const [chosen, setChosen] = useState(0);
  /** The `@` whose list was closed. */
  const [closed, setClosed] = useState<number | null>(null);
  const box: RefObject<HTMLUListElement> = useRef(null);
  const typed = caret === null || people.length === 0 ? null : typedMention(text, caret);
  const shown = typed === null || typed.start === closed ? [] : matching(people, typed.query, aliasOf).slice(0, MOST);
  const at = Math.min(chosen, shown.length - 1);
  useEffect(() => setChosen(0), [typed?.query]);
  useEffect(() => {
    if (typed === null) setClosed(null);
  }, [typed === null]);
  useEffect(() => {
    box.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const take = (one: Mentioned | undefined) => {
    if (one === undefined || typed === null || caret === null) return;
    const blank = /^\s/.test(text.slice(caret)) ? "" : " ";
    replace(typed.start, caret, `@${one.name}${blank}`);
    setCaret(null);
  };
  return {
    list: shown.length === 0 ? null : (
      <ul ref={box} className="mention-list" id={LIST} role="listbox" aria-label={t("chat.mention")}>
        {shown.map((one, index) => (
          <li
            key={one.id} id={`${LIST}-${index}`} role="option" aria-selected={index === at} className="row-link mention-row"
            onMouseMove={() => setChosen(index)} onMouseDown={(event) => event.preventDefault()} onClick={() => take(one)}
          >
            <Avatar id={one.id} name={one.name} size="s" />
            <span className="cut"><Name>{one.name}</Name></span>
            {!["", one.name].includes(aliasOf(one.id)) && <span className="quiet small cut"><Name>{aliasOf(one.id)}</Name></span>}
          </li>
        ))}
      </ul>
    ),
    field: {
      "aria-autocomplete": "list",
      ...(shown.length > 0 ? { "aria-controls": LIST, "aria-activedescendant": `${LIST}-${at}` } : {}),
    },
    moved: setCaret,
    keyDown(event) {
      if (shown.length === 0 || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return false;
      if (event.key === "ArrowDown") setChosen((at + 1) % shown.length);
      else if (event.key === "ArrowUp") setChosen((at + shown.length - 1) % shown.length);
      else if (event.key === "Enter" || event.key === "Tab") take(shown[at]);
      else if (event.key === "Escape") setClosed(typed?.start ?? null);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}
