// The emoji of Unicode, made at build; loaded when a person opens the choice.
import type { EmojiRow } from "kibo-made/emoji.json";
import { visible } from "./safe";

export interface Emoji {
  readonly text: string;
  /** The English name, for searching. */
  readonly name: string;
  readonly hasTones: boolean;
}
export interface EmojiGroup {
  /** `smileys`, `people` …: its words have the key `emoji.group.…` */
  readonly name: string;
  readonly emoji: readonly Emoji[];
}

/** No tone, and Unicode's five from light to dark. */
export const tones = ["", "\u{1f3fb}", "\u{1f3fc}", "\u{1f3fd}", "\u{1f3fe}", "\u{1f3ff}"] as const;
export type Tone = (typeof tones)[number];

const recentKey = "kibo.emoji.recent";
const toneKey = "kibo.emoji.tone";
const recentMaximum = 24;
/** The most common reactions, for users who have used none yet. */
const usual = ["👍", "❤️", "😂", "😮", "😢", "🙏", "🎉", "👋"];
let loaded: Promise<readonly EmojiGroup[]> | null = null;

function emoji([text, name, hasTones]: EmojiRow): Emoji {
  return { text, name, hasTones: hasTones === 1 };
}

/** All groups in Unicode's order. */
export function loadEmoji(): Promise<readonly EmojiGroup[]> {
  loaded ??= import("kibo-made/emoji.json").then((made) =>
    made.default.map((group) => ({ name: group.name, emoji: group.emoji.map(emoji) }))).catch((error: unknown) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

/** The emoji whose names have, for each word of the query, a word that begins with it. */
export function searchEmoji(groups: readonly EmojiGroup[], query: string): Emoji[] {
  const wanted = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (wanted.length === 0) return [];
  const fits = (name: string) => {
    const words = name.toLowerCase().split(/[\s:,-]+/);
    return wanted.every((word) => words.some((other) => other.startsWith(word)));
  };
  return groups.flatMap((group) => group.emoji.filter((one) => fits(one.name)));
}

/** The emoji in a tone, if it has tones. */
export function toned(one: Emoji, tone: Tone): string {
  if (!one.hasTones || tone === "") return one.text;
  const [first = "", ...rest] = one.text;
  return first + tone + rest.join("").replace(/^\ufe0f/, "");
}

function stored(key: string): string {
  return localStorage.getItem(key) ?? "";
}

export function chosenTone(): Tone {
  return tones.find((tone) => tone === stored(toneKey)) ?? "";
}

export function chooseTone(tone: Tone): void {
  localStorage.setItem(toneKey, tone);
}

/** The last used emoji, the latest first, followed by the usual ones. */
export function recentEmoji(): string[] {
  const used = stored(recentKey).split(" ").filter((text) => text !== "" && visible(text) === text);
  return [...used, ...usual.filter((text) => !used.includes(text))].slice(0, recentMaximum);
}

export function rememberEmoji(text: string): void {
  const others = recentEmoji().filter((other) => other !== text);
  localStorage.setItem(recentKey, [text, ...others].slice(0, recentMaximum).join(" "));
}
