// Words come from Web/messages/<language>.json. A text is a string with {placeholders}, or one string for each plural
// form of Intl.PluralRules, chosen by `count`.
import type { ReactNode } from "react";
import { Fragment, createElement } from "react";
import type english from "../../messages/en";
import type later from "../../messages/en.later";

export type Key = keyof typeof english | keyof typeof later;
type Entry = string | { one?: string; few?: string; many?: string; other: string };
export type Catalogue = Record<Key, Entry>;

let catalogue: Partial<Catalogue> = {};
let language = "en";
let plurals = new Intl.PluralRules("en");

export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

/** The language of the page, for Intl: en or de. */
export const currentLanguage = (): string => language;

/** Puts a catalogue into effect. The page is drawn after that, and redrawn when the language changes. */
export function setCatalogue(name: string, entries: Partial<Catalogue>): void {
  catalogue = entries;
  language = name;
  plurals = new Intl.PluralRules(name);
}

function pattern(key: Key, count: number | undefined): string {
  const entry = catalogue[key];
  if (entry === undefined) return key;
  if (typeof entry === "string") return entry;
  const form = plurals.select(count ?? 0);
  return (form === "one" || form === "few" || form === "many" ? entry[form] : undefined) ?? entry.other;
}

export type Values = Record<string, string | number>;

/** The words of a key, as a string: `t("chat.members", { count: 3 })`. */
export function t(key: Key, values: Values = {}): string {
  const count = typeof values["count"] === "number" ? values["count"] : undefined;
  return pattern(key, count).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? value.toLocaleString(language) : value;
  });
}

/** As t, with elements in the places of placeholders: `rich("chat.typing", { name: <Name>…</Name> })`. */
export function rich(key: Key, values: Record<string, ReactNode>, count?: number): ReactNode {
  const parts = pattern(key, count).split(/\{(\w+)\}/);
  return parts.map((part, index) => createElement(Fragment, { key: index }, index % 2 === 1 ? (values[part] ?? "") : part));
}

/** Whether a string is a key; for codes of the contract, since a newer daemon may have more of them. */
export const isKey = (key: string): key is Key => Object.prototype.hasOwnProperty.call(catalogue, key);
