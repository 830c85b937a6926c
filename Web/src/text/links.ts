// Links in what people write: http, https, mailto and kibo only, and their real host is shown where it is not plain.
import { knownMailLink } from "./addresses";

export interface LinkPiece {
  readonly kind: "link";
  readonly text: string;
  readonly href: string;
  /** The host that the link leads to, where the text reads like another one. */
  readonly host: string | null;
}
export type TextPiece = { readonly kind: "text"; readonly text: string } | LinkPiece;

/**
 * A link goes on through all that addresses are written with, letters of any script included. It ends at a blank, at what no address has,
 * and at the signs of other scripts that end or enclose a part of a sentence, which stands there without a blank: `https://a.example。`.
 * ASCII's own signs stand in addresses, and go at the end only. So does the apostrophe of `L’Équipe`.
 */
const candidate =
  /(?<![a-z\d])(?:https?:\/\/|mailto:|kibo:)(?:[!#-;=?-_a-~‘’]|(?![\p{Terminal_Punctuation}\p{Quotation_Mark}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Bidi_Control}\u200b\u2026\u22ef\ufe19])[^\s\u{0}-\u{7f}])+/giu;
const schemes = new Set(["http:", "https:", "mailto:", "kibo:"]);
const closing: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Links that are longer stay text, in UTF-16 units. No server takes longer ones, and some are slow to read. */
const LONGEST = 2000;
const brackets = new Set(["(", ")", "[", "]", "{", "}"]);
const ends = new Set([".", ",", ";", ":", "!", "?", "'", "‘", "’", "*"]);
/** Signs by which people mark words, on both sides of them. They stand in addresses, too. */
const marks = new Set(["_", "~", "|"]);

/**
 * Takes off what belongs to the sentence: a full stop, or a bracket or mark that was opened before the link. Passes over the text twice, whatever
 * is in it. `before` is the character before the link.
 */
function trimmed(text: string, before: string): string {
  const counts = new Map<string, number>();
  const count = (bracket: string) => counts.get(bracket) ?? 0;
  for (const one of text) if (brackets.has(one)) counts.set(one, count(one) + 1);
  let end = text.length;
  for (; end > 0; end -= 1) {
    const last = text.charAt(end - 1);
    const opening = closing[last];
    if (opening !== undefined && count(last) > count(opening)) counts.set(last, count(last) - 1);
    else if (!ends.has(last) && !(marks.has(last) && last === before)) break;
  }
  return text.slice(0, end);
}

function link(text: string): LinkPiece | null {
  if (text.length > LONGEST) return null;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  if (!schemes.has(url.protocol)) return null;
  if (url.protocol === "mailto:") {
    const href = knownMailLink(text);
    return href === null ? null : { kind: "link", text, href, host: null };
  }
  if (url.protocol === "kibo:") {
    return url.pathname === "" ? null : { kind: "link", text, href: url.href, host: null };
  }
  const isPlain = url.username === "" && url.password === "" && text.toLowerCase().startsWith(url.origin);
  return { kind: "link", text, href: url.href, host: isPlain ? null : url.host };
}

/** The text in pieces, links apart. */
export function pieces(text: string): TextPiece[] {
  const found: TextPiece[] = [];
  let done = 0;
  for (const { 0: match = "", index = 0 } of text.matchAll(candidate)) {
    const written = trimmed(match, text.charAt(index - 1));
    const piece = link(written);
    if (piece === null) continue;
    if (index > done) found.push({ kind: "text", text: text.slice(done, index) });
    found.push(piece);
    done = index + written.length;
  }
  if (done < text.length) found.push({ kind: "text", text: text.slice(done) });
  return found;
}
