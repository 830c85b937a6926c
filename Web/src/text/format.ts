// Times, sizes and lists as the language writes them.
import { currentLanguage, t } from "./t";

type Format = Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat | Intl.ListFormat;
const cache = new Map<string, Format>();

/** The language as `Intl` knows it: the browser's own variant, such as de-AT, where the languages agree. */
function locale(): string {
  const language = currentLanguage();
  return navigator.languages.find((tag) => tag.toLowerCase().split("-")[0] === language) ?? language;
}

/** Formatters are expensive to make, so each is made once per language. */
function kept<F extends Format>(name: string, make: (locale: string) => F): F {
  const key = `${currentLanguage()} ${name}`;
  const found = cache.get(key) as F | undefined;
  if (found !== undefined) return found;
  const made = make(locale());
  cache.set(key, made);
  return made;
}

function date(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept(name, (language) => new Intl.DateTimeFormat(language, options));
}

const dayLength = 86_400_000;

/** How many midnights lie between a time and now; negative in the future. */
function daysAgo(time: number, now: number): number {
  const midnight = (at: number) => new Date(at).setHours(0, 0, 0, 0);
  return Math.round((midnight(now) - midnight(time)) / dayLength);
}

/** `14:05`. */
export function clockTime(time: number): string {
  return date("clock", { hour: "numeric", minute: "2-digit" }).format(time);
}

/** `Today`, `Yesterday`, `Tuesday`, `3 March`, `3 March 2025`: a heading over the messages of a day. */
export function dayName(time: number, now = Date.now()): string {
  const days = daysAgo(time, now);
  if (days === 0 || days === 1) {
    const words = kept("relative", (language) => new Intl.RelativeTimeFormat(language, { numeric: "auto" }));
    const word = words.format(-days, "day");
    return word.charAt(0).toLocaleUpperCase(locale()) + word.slice(1);
  }
  if (days > 1 && days < 7) return date("weekday", { weekday: "long" }).format(time);
  return lastDay(time, now);
}

/** `3 March`, `3 March 2025`: the day until which something stays. */
export function lastDay(time: number, now = Date.now()): string {
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return isThisYear
    ? date("day", { day: "numeric", month: "long" }).format(time)
    : date("dayOfYear", { day: "numeric", month: "long", year: "numeric" }).format(time);
}

/** `14:05` today, `Tue` this week, `3 Mar`, `3/3/25`: beside a row of a list. */
export function shortTime(time: number, now = Date.now()): string {
  const days = daysAgo(time, now);
  if (days <= 0) return clockTime(time);
  if (days < 7) return date("shortWeekday", { weekday: "short" }).format(time);
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return isThisYear
    ? date("shortDay", { day: "numeric", month: "short" }).format(time)
    : date("shortDate", { dateStyle: "short" }).format(time);
}

/** When it is morning on the next day: at eight. */
export const tomorrow = (now: number): number => {
  const day = new Date(now);
  day.setDate(day.getDate() + 1);
  return day.setHours(8, 0, 0, 0);
};

/** `18:00` on the same day, `Sat 08:00` within six days, `5 Dec, 08:00`, `5 Dec 2027, 08:00`: a time to come. */
export function untilTime(time: number, now = Date.now()): string {
  const days = -daysAgo(time, now);
  if (days <= 0) return clockTime(time);
  const clock = { hour: "numeric", minute: "2-digit" } as const;
  if (days < 7) return date("untilWeekday", { weekday: "short", ...clock }).format(time);
  const day = { day: "numeric", month: "short" } as const;
  return new Date(time).getFullYear() === new Date(now).getFullYear()
    ? date("untilDay", { ...day, ...clock }).format(time)
    : date("untilYear", { ...day, year: "numeric", ...clock }).format(time);
}

/** `March 2025`: a heading over what came in a month. */
export const monthName = (time: number): string => date("month", { month: "long", year: "numeric" }).format(time);

/** The whole date and time, for a tooltip or a message's story. */
export function fullTime(time: number): string {
  return date("full", { dateStyle: "full", timeStyle: "medium" }).format(time);
}

/** `Monday, 23 November 2026`. */
export function fullDay(time: number): string {
  return date("fullDay", { dateStyle: "full" }).format(time);
}

const steps: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["day", dayLength], ["hour", 3_600_000], ["minute", 60_000], ["second", 1000],
];

/** A time as names of files may have it: `2026-11-23 14.05`. */
export function fileTime(time: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${two(time.getHours())}.${two(time.getMinutes())}`;
}

/** `5 minutes ago`, `in 10 seconds`, `just now`, `at once`. */
export function relativeTime(time: number, now = Date.now()): string {
  const span = time - now;
  const step = steps.find(([, length]) => Math.abs(span) >= length);
  if (step === undefined) return t(span > 0 ? "time.soon" : "time.now");
  const words = kept("relative", (language) => new Intl.RelativeTimeFormat(language, { numeric: "auto" }));
  return words.format(Math.trunc(span / step[1]), step[0]);
}

/** `0:07`, `12:40`, `3:05:09`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** The units of sizes, each 1024 of the one before: those of the terminal, in which limits are round. */
export const byteUnits = ["byte", "kib", "mib", "gib", "tib"] as const;

/** `512 bytes`, `1.5 MiB`. */
export function size(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  // From 1023.95 on the number would be rounded up to 1024.
  while (value >= (unit === 0 ? 1024 : 1023.95) && unit < byteUnits.length - 1) {
    value /= 1024;
    unit += 1;
  }
  if (unit === 0) return kept("size.byte", (language) => new Intl.NumberFormat(language, { style: "unit", unit: "byte", unitDisplay: "long" })).format(value);
  return `${kept("size", (language) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 })).format(value)} ${t(`unit.${byteUnits[unit] ?? "byte"}`)}`;
}

/** `37 %`, of a share between 0 and 1. */
export function percent(share: number): string {
  const whole = Math.floor(Math.min(1, Math.max(0, share)) * 100) / 100;
  return kept("percent", (language) => new Intl.NumberFormat(language, { style: "percent" })).format(whole);
}

/** `Anna, Ben and Cleo`. */
export function listed(words: readonly string[]): string {
  return kept("list", (language) => new Intl.ListFormat(language, { type: "conjunction" })).format(words);
}

/** Compares names as the alphabet of the language has them. */
export function compareNames(first: string, second: string): number {
  return first.localeCompare(second, currentLanguage(), { sensitivity: "base", numeric: true });
}
