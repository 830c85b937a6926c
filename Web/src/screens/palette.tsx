// Ctrl+K: goes anywhere by a few letters.
import { useEffect, useId, useMemo, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { useStore, useWhole } from "../base/store";
import { Avatar } from "../parts/avatar";
import { Icon } from "../parts/icon";
import type { IconName } from "../parts/icon";
import { Name } from "../parts/small";
import { ownId } from "../store/account";
import { contacts, nameOf, sorted } from "../store/contacts";
import { conversations, findConversations, notesIn, ordered } from "../store/conversations";
import { refused } from "../store/notices";
import { openChat } from "../store/openChat";
import { titleOf } from "../store/people";
import { go, place } from "../store/router";
import { settings } from "../store/settings";
import { plain } from "../text/plain";
import { t } from "../text/t";
import { chatEntries } from "./chats/actions";
import { closeOverlay } from "./overlay";
import { findScreen } from "./registry";
import { allSettings } from "./settings/sections";

interface Goal {
  key: string;
  words: string;
  more: string;
  /** Other words that find it, after everything that has the words in its name. */
  also?: string;
  face: { id: string; group: boolean } | IconName;
  open: () => void;
}

/** A query is given to the daemon once nothing was typed for this long, in ms. */
const REST = 180;
/** Goals that are shown at once. */
const SHOWN = 12;

/** What can be done with the open chat. What can't be undone is only in the chat's menu. */
function actsHere(): Goal[] {
  const [side, id] = place.get().split("/");
  const chat = side === "chats" ? conversations.get().table.get(id) : undefined;
  if (chat === undefined) return [];
  return chatEntries(chat, () => undefined).flatMap((entry) => {
    if (entry === "line") return [];
    const acts = "entries" in entry ? entry.entries.map((act) => ({ ...act, icon: entry.icon })) : entry.danger === true ? [] : [entry];
    return acts.map(({ label, icon, run }) => ({ key: `do ${label}`, words: label, more: t("palette.thisChat"), face: icon ?? "more" as const, open: run }));
  });
}

function useGoals(): Goal[] {
  const chats = useStore(conversations, ({ table }) => table);
  const people = useWhole(contacts);
  return useMemo(() => {
    const places: readonly (readonly [string, string, IconName])[] = [
      ["chats/new", t("newChat.title"), "edit"], ["friends", t("nav.friends"), "friends"], ["friends/nearby", t("friends.nearby"), "nearby"], ["friends/requests", t("friends.requests"), "friends"],
      ["friends/book", t("book.title"), "group"], ["friends/invite", t("invite.title"), "mail"], ["friends/address", t("friends.byAddress"), "open"], ["friends/blocked", t("friends.blocked"), "block"],
      ["search", t("search.title"), "search"], ["transfers", t("nav.transfers"), "transfers"],
      ["chats/archived", t("chats.archived"), "archive"], ["groups", t("groups.title"), "group"], ["settings", t("nav.settings"), "settings"],
    ];
    return [
      ...[...ordered(chats, false), ...ordered(chats, true)].map((chat): Goal => ({
        key: chat.id, words: titleOf(chat), more: t(chat.kind === "group" ? "palette.group" : "palette.chat"),
        face: chat.kind === "notes" ? "note" : { id: chat.contact ?? chat.group ?? chat.id, group: chat.kind === "group" }, open: () => go(`chats/${chat.id}`),
      })),
      ...(notesIn(chats) === undefined ? [{ key: "notes", words: t("notes.to"), more: t("palette.chat"), face: "note" as const, open: () => void openChat(ownId()).catch(refused) }] : []),
      ...sorted(people, (person) => person.relation === "friend" && (person.conversation === null || chats.get(person.conversation) === undefined)).map((person): Goal => ({
        key: person.id, words: nameOf(person), more: t("palette.friend"), face: { id: person.id, group: false },
        open: () => void openChat(person.id).catch(refused),
      })),
      ...actsHere(),
      ...places.filter(([path]) => findScreen(path) !== null).map(([path, words, icon]): Goal => ({
        key: path, words, more: "", face: icon, open: () => go(path),
      })),
      ...allSettings(settings.get()).map(({ id, path, label, more, icon, also }): Goal => ({
        key: id, words: label, more: more === "" ? t("nav.settings") : more, also, face: icon, open: () => go(path),
      })),
    ];
  }, [chats, people]);
}

/** How well a goal matches: 0 if each word begins a word of its name, 1 if each is in its name, 2 if in its further words, 3 if not. */
function distance({ words, also }: Goal, wanted: readonly string[]): number {
  const name = plain(words);
  const begun = name.split(/[\s\-_.]+/);
  if (wanted.every((one) => begun.some((word) => word.startsWith(one)))) return 0;
  if (wanted.every((one) => name.includes(one))) return 1;
  const all = `${name} ${plain(also ?? "")}`;
  return wanted.every((one) => all.includes(one)) ? 2 : 3;
}

/** Those that fit, the nearest first; all of them without a query. */
function fitting(goals: readonly Goal[], query: string): Goal[] {
  const wanted = plain(query).split(/\s+/).filter((word) => word !== "");
  const found = goals.map((goal) => ({ goal, far: distance(goal, wanted) })).filter(({ far }) => far < 3);
  return found.sort((a, b) => a.far - b.far).slice(0, SHOWN).map(({ goal }) => goal);
}

export default function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const goals = useGoals();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const shown = fitting(goals, query);
  const chosen = Math.min(at, shown.length - 1);

  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  // Chats that were not read yet are goals once the daemon has found them.
  useEffect(() => {
    const [word = ""] = query.trim().split(/\s+/);
    if (word === "") return;
    const timer = setTimeout(() => findConversations(word).catch(refused), REST);
    return () => clearTimeout(timer);
  }, [query]);
  useEffect(() => {
    dialog.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const open = (goal: Goal | undefined) => {
    if (goal === undefined) return;
    closeOverlay();
    // The window gives the focus back first.
    setTimeout(goal.open);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((chosen + step + shown.length) % Math.max(1, shown.length));
    } else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      open(shown[chosen]);
    }
  };
  return (
    <dialog
      ref={dialog} className="dialog palette" aria-label={t("palette.title")}
      onCancel={(event) => {
        event.preventDefault();
        closeOverlay();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) closeOverlay();
      }}
    >
      <div className="palette-field">
        <Icon name="search" />
        <input
          type="text" role="combobox" aria-expanded="true" aria-controls={`${id}-list`} aria-label={t("palette.title")} placeholder={t("palette.hint")}
          aria-activedescendant={shown.length > 0 ? `${id}-${chosen}` : undefined} value={query} dir="auto" spellCheck={false} autoComplete="off"
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul className="palette-list" id={`${id}-list`} role="listbox" aria-label={t("palette.title")}>
        {shown.map((goal, index) => (
          <li
            key={goal.key} id={`${id}-${index}`} role="option" aria-selected={index === chosen} className="row-link palette-row"
            onMouseMove={() => setAt(index)} onClick={() => open(goal)}
          >
            {typeof goal.face === "string"
              ? <span className="palette-icon"><Icon name={goal.face} size={18} /></span>
              : <Avatar id={goal.face.id} name={goal.words} size="s" group={goal.face.group} />}
            <span className="grow cut"><Name>{goal.words}</Name></span>
            <span className="row-time">{goal.more}</span>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="composer-note">{t("palette.none")}</p>}
    </dialog>
  );
}
