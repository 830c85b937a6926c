// Two made-up languages, with which tests find places that are too narrow for long words or don't turn around.
import type { Catalogue, Key } from "./t";

type Entry = Catalogue[Key];

function mapped(catalogue: Catalogue, change: (text: string) => string): Catalogue {
  // Placeholders stay as they are.
  const apply = (text: string) => text.split(/(\{\w+\})/).map((piece) => (piece.startsWith("{") ? piece : change(piece))).join("");
  const entry = (from: Entry): Entry => {
    if (typeof from === "string") return apply(from);
    return { ...(from.one === undefined ? {} : { one: apply(from.one) }), other: apply(from.other) };
  };
  return Object.fromEntries(Object.entries(catalogue).map(([key, value]) => [key, entry(value)])) as Catalogue;
}

/** Each word is half as long again. */
export const long = (catalogue: Catalogue): Catalogue =>
  mapped(catalogue, (text) => text.replace(/\p{L}+/gu, (word) => word + "o".repeat(Math.ceil(word.length / 2))));

/** Latin letters become Hebrew ones, so that the browser sets them from the right. */
export const mirrored = (catalogue: Catalogue): Catalogue =>
  mapped(catalogue, (text) => text.replace(/[A-Za-z]/g, (letter) => String.fromCodePoint(0x05d0 + (letter.codePointAt(0) ?? 0) % 27)));
