// A slider of days: it leads through a history of any length, a day a step.
import { useEffect, useMemo, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { IconButton } from "../../parts/button";
import { refused } from "../../store/notices";
import { dayName } from "../../text/format";
import { t } from "../../text/t";
import { call } from "../../wire/rpc";
import { midnight } from "./days";

/** A day counts once the slider has rested for this long, in ms. */
const REST = 120;

/** Midnight of the day that is so many days after another. */
function dayAfter(start: number, days: number): number {
  const day = new Date(start);
  day.setDate(day.getDate() + days);
  return midnight(day.getTime());
}

/** How many days lie between two midnights, also where the clock was turned. */
const daysBetween = (from: number, to: number): number => Math.round((to - from) / 86_400_000);

/** The day of the message that a page of one begins with. */
async function dayOf(params: { conversation: string; at?: number; before?: string }): Promise<{ start: number; position: string } | null> {
  const [message] = (await call("message.list", { ...params, limit: 1 })).messages;
  return message === undefined ? null : { start: midnight(message.sentAt), position: message.position };
}

interface DayBarProps {
  conversation: string;
  /** Time of the newest message. */
  newest: number;
  /** The day that is in view, as midnight. */
  shown: number;
  onDay: (start: number) => void;
  onClose: () => void;
}

export function DayBar({ conversation, newest, shown, onDay, onClose }: DayBarProps) {
  const slider = useRef<HTMLInputElement>(null);
  const [first, setFirst] = useState<number | null>(null);
  /** The day that was chosen here; null: the one in view. */
  const [chosen, setChosen] = useState<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const last = midnight(newest);
  const day = Math.min(last, chosen ?? shown);
  /** Where the next step begins, also before the page is drawn again. */
  const from = useRef(day);
  from.current = day;
  /** Steps go one after the other: who clicks twice goes back by two days, however slow the daemon is. */
  const steps = useRef<Promise<void>>(Promise.resolve());

  useEffect(() => {
    dayOf({ conversation, at: 0 }).then((found) => setFirst(found?.start ?? null), refused);
    return () => clearTimeout(timer.current);
  }, [conversation]);
  useEffect(() => {
    if (first !== null) slider.current?.focus();
  }, [first]);
  // After scrolling, the day in view counts again.
  useEffect(() => setChosen(null), [shown]);

  const choose = (start: number, rest = 0) => {
    from.current = start;
    setChosen(start);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onDay(start), rest);
  };
  const earlier = async () => {
    const here = await dayOf({ conversation, at: from.current });
    const before = await dayOf({ conversation, ...(here === null ? {} : { before: here.position }) });
    if (before !== null) choose(before.start);
  };
  const later = async () => choose((await dayOf({ conversation, at: dayAfter(from.current, 1) }))?.start ?? last);
  const step = (by: () => Promise<void>) => {
    steps.current = steps.current.then(by).catch(refused);
  };
  const length = useMemo(() => (first === null ? 0 : daysBetween(first, last)), [first, last]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <div className="day-bar" role="group" aria-label={t("chat.days")} onKeyDown={onKeyDown}>
      <IconButton icon="back" label={t("chat.days.earlier")} disabled={first === null || day <= first} onClick={() => step(earlier)} />
      <label className="day-slider">
        <span className="hidden-words">{t("chat.days.day")}</span>
        <input
          ref={slider} type="range" min={0} max={length} value={first === null ? length : Math.max(0, daysBetween(first, day))} disabled={length === 0}
          aria-valuetext={dayName(day)} onChange={(event) => first !== null && choose(dayAfter(first, Number(event.target.value)), REST)}
        />
        <span className="day-named" aria-hidden="true">{dayName(day)}</span>
      </label>
      <IconButton icon="forward" label={t("chat.days.later")} disabled={day >= last} onClick={() => step(later)} />
      <IconButton icon="close" label={t("common.close")} onClick={onClose} />
    </div>
  );
}
