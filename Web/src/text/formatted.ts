// What people mark in their texts as bold, italic or code: `*bold*`, `_italic_`, `` `code` `` and blocks between ``` . It becomes a small tree
// of values, and the marks stay in it: put together again, the tree is the text that was typed. Nothing else is markup.
import { beginning } from "./cut";
import { pieces } from "./links";
import type { LinkPiece, TextPiece } from "./links";

export interface Marked {
  readonly kind: "bold" | "italic" | "code" | "block";
  /** What was typed before it and after it. */
  readonly open: string;
  readonly close: string;
  readonly within: readonly Piece[];
}
export type Piece = TextPiece | Marked;

/** So many parts of a text are formatted, and what follows is shown as it was typed: each is an element of the page. */
const MOST = 400;

interface Span {
  kind: Marked["kind"];
  /** Where its marks begin, and how long they are. */
  start: number;
  end: number;
  mark: number;
}

interface Sign {
  readonly sign: string;
  readonly index: number;
}

const marks = /`+|\*+|_+|\n/g;
/** Letters, digits and what belongs to them, but not the sign that makes an emoji of a character. */
const word = /[\p{L}\p{N}\p{M}]/u;
const isWord = (character: string): boolean => character !== "\ufe0f" && word.test(character);
const isBlank = (character: string): boolean => character === "" || /\s/.test(character);

const after = (text: string, at: number): string => (at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : "");

function before(text: string, at: number): string {
  const low = text.charCodeAt(at - 1);
  return at >= 2 && low >= 0xdc00 && low < 0xe000 ? text.slice(at - 2, at) : text.charAt(at - 1);
}

/** Whether a word may begin to be marked after this character: at the beginning, after a blank, a quotation mark or a bracket, or after a sign of another script. */
const mayOpen = (last: string): boolean => isBlank(last) || "\"'*_([{".includes(last) || (last > "\u007f" && !isWord(last));

/** Code: from one mark to the next of its length that no word follows. A single one ends in its line; blocks are looked for first. */
function codeIn(text: string, found: readonly Sign[], mark: "`" | "```", isTaken: (at: number) => boolean): Span[] {
  const spans: Span[] = [];
  let begun: number | null = null;
  for (const { sign, index } of found) {
    const isOne = mark === "`";
    if (isTaken(index) || (isOne && sign !== mark && sign.charAt(0) !== "*" && sign.charAt(0) !== "_")) begun = null;
    if (isTaken(index) || sign !== mark) continue;
    const [start, end]: [number | null, number] = [begun, index + mark.length];
    const isSaid = start !== null && text.slice(start + mark.length, index).trim() !== "";
    if (isSaid && !isWord(after(text, end))) {
      // A block has lines of its own: the break behind it is none.
      spans.push({ kind: isOne ? "code" : "block", start, end: !isOne && text.charAt(end) === "\n" ? end + 1 : end, mark: mark.length });
      begun = null;
    } else if (!isWord(before(text, index))) begun = index;
  }
  return spans;
}

/** What is bold and italic, outside of code and links. Both end in the line in which they begin. */
function wordsIn(text: string, found: readonly Sign[], isTaken: (at: number) => boolean): Span[] {
  const spans: Span[] = [];
  const begun = new Map<string, number>();
  for (const { sign: mark, index } of found) {
    if (isTaken(index)) continue;
    if (mark === "\n") begun.clear();
    // Several marks together are no marks: `**`, `__init__`.
    if (mark !== "*" && mark !== "_") continue;
    const [last, next] = [before(text, index), after(text, index + 1)];
    const start = begun.get(mark);
    if (start !== undefined && index > start + 1 && !isBlank(last) && !isWord(next)) {
      spans.push({ kind: mark === "*" ? "bold" : "italic", start, end: index + 1, mark: 1 });
      // What began within it can't end behind it.
      for (const [other, at] of begun) if (at >= start) begun.delete(other);
    } else if (mayOpen(last) && !isBlank(next)) begun.set(mark, index);
  }
  return spans;
}

/** Whether a place lies in one of some spans. The places that are asked for grow. */
function within(spans: readonly { start: number; end: number }[]): (at: number) => boolean {
  let next = 0;
  return (at) => {
    while (next < spans.length && (spans[next]?.end ?? 0) <= at) next += 1;
    return (spans[next]?.start ?? Infinity) <= at;
  };
}

const inOrder = (first: { start: number }, second: { start: number }): number => first.start - second.start;

/** The text in pieces: links, and what is marked. */
export function formatted(text: string): Piece[] {
  const found = [...text.matchAll(marks)].map(({ 0: sign = "", index = 0 }): Sign => ({ sign, index }));
  const blocks = codeIn(text, found, "```", () => false);
  const code = [...blocks, ...codeIn(text, found, "`", within(blocks))].sort(inOrder);
  const isCode = within(code);
  const links: { start: number; end: number; link: LinkPiece }[] = [];
  let at = 0;
  for (const piece of pieces(text)) {
    if (piece.kind === "link" && !isCode(at)) links.push({ start: at, end: at + piece.text.length, link: piece });
    at += piece.text.length;
  }
  const spans = [...code, ...wordsIn(text, found, within([...code, ...links].sort(inOrder)))].sort(inOrder).slice(0, MOST);

  let nextSpan = 0;
  let nextLink = 0;
  /** What stands between two places. Spans lie within each other or apart: at most three deep. */
  const between = (start: number, end: number): Piece[] => {
    const all: Piece[] = [];
    let done = start;
    const say = (until: number) => {
      if (until > done) all.push({ kind: "text", text: text.slice(done, until) });
    };
    for (;;) {
      const [span, link] = [spans[nextSpan], links[nextLink]];
      const isSpan = (span?.start ?? Infinity) < (link?.start ?? Infinity);
      if ((isSpan ? span : link)?.start === undefined || ((isSpan ? span : link)?.start ?? 0) >= end) break;
      if (isSpan && span !== undefined) {
        nextSpan += 1;
        say(span.start);
        const open = span.start + span.mark;
        const close = span.end - span.mark - (span.kind === "block" && text.charAt(span.end - 1) === "\n" ? 1 : 0);
        // The line of a block's first marks is not a line of the code, and neither is the break before the last ones.
        const first = span.kind === "block" && text.charAt(open) === "\n" ? open + 1 : open;
        const last = span.kind === "block" && close > first && text.charAt(close - 1) === "\n" ? close - 1 : close;
        all.push({ kind: span.kind, open: text.slice(span.start, first), close: text.slice(last, span.end), within: between(first, last) });
        done = span.end;
      } else if (link !== undefined) {
        nextLink += 1;
        say(link.start);
        all.push(link.link);
        done = link.end;
      }
    }
    say(end);
    return all;
  };
  return between(0, text.length);
}

/** Where in a text its marks stand, in UTF-16 units: the beginning and end of each. */
export function marksOf(text: string): [number, number][] {
  if (!/[*_`]/.test(text)) return [];
  const all: [number, number][] = [];
  let at = 0;
  const walk = (pieces: readonly Piece[]): void => {
    for (const piece of pieces) {
      if (!("within" in piece)) {
        at += piece.text.length;
        continue;
      }
      all.push([at, at += piece.open.length]);
      walk(piece.within);
      all.push([at, at += piece.close.length]);
    }
  };
  walk(formatted(text));
  return all;
}

/** A text without the marks of what is formatted in it. */
export function unmarked(text: string): string {
  if (!/[*_`]/.test(text)) return text;
  const said = (all: readonly Piece[]): string => all.map((piece) => ("within" in piece ? said(piece.within) : piece.text)).join("");
  return said(formatted(text));
}

/** The beginning of pieces, `most` UTF-16 units of text. A link that begins there is there as a whole: cut through, it would lead elsewhere. */
export function beginningOf(all: readonly Piece[], most: number): Piece[] {
  let left = most;
  let isCut = false;
  const cut = (parts: readonly Piece[]): Piece[] => {
    const shown: Piece[] = [];
    for (const piece of parts) {
      if (isCut) break;
      if ("within" in piece) {
        shown.push({ ...piece, within: cut(piece.within) });
        continue;
      }
      if (piece.text.length > left) {
        if (piece.kind === "link" && left > 0) shown.push(piece);
        const text = piece.kind === "link" ? "" : beginning(piece.text, left);
        shown.push({ kind: "text", text: `${text}…` });
        isCut = true;
        break;
      }
      shown.push(piece);
      left -= piece.text.length;
    }
    return shown;
  };
  return cut(all);
}
