import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { notify } from "../store/notices";
import { chooseTone, chosenTone, loadEmoji, recentEmoji, rememberEmoji, searchEmoji, toned, tones } from "../text/emoji";
import type { Emoji, EmojiGroup } from "../text/emoji";
import { isKey, t } from "../text/t";
import { Spinner } from "./small";

/** Distance from the edges of the window, in pixels. */
const EDGE = 8;
const COLUMNS = 8;

interface PanelProps {
  at: { x: number; y: number };
  label: string;
  onPick: (emoji: string) => void;
  onClose: () => void;
}

const anyTone = /[\u{1f3fb}-\u{1f3ff}]/gu;

const groupName = (group: EmojiGroup): string => {
  const key = `emoji.group.${group.name}`;
  return isKey(key) ? t(key) : group.name;
};

/** A choice of emoji at a point of the window: recent ones, search in English, groups, skin tones. */
export default function EmojiPanel({ at, label, onPick, onClose }: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const [groups, setGroups] = useState<readonly EmojiGroup[] | null>(null);
  const [query, setQuery] = useState("");
  const [tone, setTone] = useState(chosenTone);
  const recent = useMemo(recentEmoji, []);
  // Whether Enter was pressed before the list was there.
  const isEntered = useRef(false);

  useEffect(() => {
    loadEmoji().then(setGroups, () => {
      notify(t("app.missing"));
      onClose();
    });
  }, [onClose]);
  useLayoutEffect(() => {
    const element = panel.current;
    if (element === null) return;
    if (!element.matches(":popover-open")) element.showPopover();
    const place = () => {
      const box = element.getBoundingClientRect();
      element.style.setProperty("left", `${Math.max(EDGE, Math.min(at.x, innerWidth - box.width - EDGE))}px`);
      element.style.setProperty("top", `${at.y + box.height + EDGE <= innerHeight ? at.y : Math.max(EDGE, innerHeight - box.height - EDGE)}px`);
    };
    place();
    addEventListener("resize", place);
    return () => removeEventListener("resize", place);
  }, [at.x, at.y, groups]);
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.querySelector("input")?.focus();
    const away = (event: Event) => {
      if (!(event.target instanceof Node) || panel.current?.contains(event.target) !== true) onClose();
    };
    addEventListener("pointerdown", away, true);
    return () => {
      removeEventListener("pointerdown", away, true);
      if (before instanceof HTMLElement && before.isConnected && document.activeElement === document.body) before.focus();
    };
  }, [onClose]);

  const names = useMemo(() => new Map((groups ?? []).flatMap(({ emoji }) => emoji.map((one) => [one.text, one.name] as const))), [groups]);
  const jump = (group: EmojiGroup) => {
    const section = panel.current?.querySelector<HTMLElement>(`[data-group="${group.name}"]`);
    section?.scrollIntoView({ block: "start" });
    section?.querySelector<HTMLElement>(".emoji")?.focus({ preventScroll: true });
  };
  const pick = (text: string) => {
    rememberEmoji(text);
    onClose();
    onPick(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      return onClose();
    }
    const all = [...(panel.current?.querySelectorAll<HTMLElement>(".emoji-grid .emoji") ?? [])];
    const now = all.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: now < 0 ? 1 : COLUMNS, ArrowUp: -COLUMNS }[event.key];
    if (step === undefined || (now < 0 && event.key !== "ArrowDown")) return;
    event.preventDefault();
    if (now + step < 0) panel.current?.querySelector("input")?.focus();
    else all[Math.min(now + step, all.length - 1)]?.focus();
  };
  const cell = (text: string, name: string) => (
    <button key={text + name} type="button" className="emoji" tabIndex={-1} title={name} aria-label={name} onClick={() => pick(text)}>{text}</button>
  );
  const grid = (list: readonly Emoji[]) => <div className="emoji-grid">{list.map((one) => cell(toned(one, tone), one.name))}</div>;
  const found = groups === null || query.trim() === "" ? null : searchEmoji(groups, query);
  const pickFirst = () => {
    if (found?.[0] !== undefined) pick(toned(found[0], tone));
  };
  useEffect(() => {
    if (groups !== null && isEntered.current) pickFirst();
    isEntered.current = false;
  }, [groups]);

  return (
    <div ref={panel} className="menu emoji-panel" role="dialog" aria-label={label} popover="manual" onKeyDown={onKeyDown}>
      <div className="row">
        <input
          className="input" type="search" value={query} placeholder={t("emoji.search")} aria-label={t("emoji.search")} spellCheck={false}
          onChange={(event) => {
            setQuery(event.target.value);
            isEntered.current = false;
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            if (groups === null) isEntered.current = true;
            else pickFirst();
          }}
        />
        <button
          type="button" className="emoji" title={t("emoji.tone")} aria-label={`${t("emoji.tone")}: ${t(`emoji.tone.${tones.indexOf(tone) as 0 | 1 | 2 | 3 | 4 | 5}`)}`}
          onClick={() => {
            const next = tones[(tones.indexOf(tone) + 1) % tones.length] ?? "";
            chooseTone(next);
            setTone(next);
          }}
        >
          {`✋${tone}`}
        </button>
      </div>
      {groups !== null && found === null && (
        <div className="emoji-jumps" role="toolbar" aria-label={t("emoji.groups")}>
          {groups.map((group) => {
            const name = groupName(group);
            return <button key={group.name} type="button" className="emoji-jump" title={name} aria-label={name} onClick={() => jump(group)}>{group.emoji[0]?.text}</button>;
          })}
        </div>
      )}
      <div className="emoji-scroll" role="group" aria-label={label} tabIndex={0}>
        {groups === null ? <Spinner /> : found !== null
          ? found.length === 0 ? <p className="emoji-group">{t("emoji.none")}</p> : grid(found.slice(0, 200))
          : (
            <>
              <h3 className="emoji-group">{t("emoji.recent")}</h3>
              <div className="emoji-grid">{recent.map((text) => cell(text, names.get(text.replace(anyTone, "")) ?? text))}</div>
              {groups.map((group) => <section key={group.name} data-group={group.name}><h3 className="emoji-group">{groupName(group)}</h3>{grid(group.emoji)}</section>)}
            </>
          )}
      </div>
    </div>
  );
}
