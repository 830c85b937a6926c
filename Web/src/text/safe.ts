// Makes what other people have written safe to show. docs/WEB.md has the rule, and the daemon has the same one in Basics/ForeignText.

// Control characters, line separators, and characters that turn the direction of text: they make a name read as another.
const hostile =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** Flags that Unicode writes with tags (RGI_Emoji_Tag_Sequence): of England, Scotland and Wales. */
const taggedFlag = /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u;
const flagOrHostile = new RegExp(`${taggedFlag.source}|${hostile.source}`, "gu");
/** RLM, LRM and ALM, embeddings and isolates with their ends; and the ends of lines, where they end. No override: it makes letters read backwards. */
const directions = /[\n\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]/g;
const lineEnds = /[\t\n]/g;
// Characters without a width, which make one name look like another. Texts may have them, names show them.
const invisible = /[\u00ad\u115f\u1160\u180e\u200b\u2060-\u2064\u3164\uffa0]/g;
// Quotation marks, and single ones where several stand together, which look like one: the list of Tests/Recorded/quotation-marks.txt.
const marks =
  /["«»\u02ba\u02dd\u02ee\u02f5\u02f6\u05f4\u1cd3\u201c-\u201f\u2033\u2034\u2036\u2037\u2057\u275d\u275e\u2760\u276e\u276f\u2e42\u3003\u301d-\u301f\uff02\u{1f676}-\u{1f678}]|['`´\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u02f4\u0374\u0384\u055a\u05f3\u07f4\u07f5\u1fbd\u1fbf\u1fef\u1ffd\u1ffe\u2018-\u201b\u2032\u2035\u2039\u203a\u275b\u275c\u275f\ua78b\ua78c\uff07\uff40]{2,}/gu;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

function code(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

const isolating = (character: string): boolean => character >= "\u2066" && character <= "\u2068";

/** Where the characters of direction stand that a script needs: each mark, and embeddings and isolates that end in the line in which they begin. */
function needed(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  let open: { at: number; isIsolate: boolean }[] = [];
  let isolates = 0;
  for (const { 0: character = "", index = 0 } of text.matchAll(directions)) {
    if (character === "\n") {
      open = [];
      isolates = 0;
    } else if (character !== "\u202c" && character !== "\u2069") {
      if (isolating(character)) isolates += 1;
      if (character === "\u202a" || character === "\u202b" || isolating(character)) open.push({ at: index, isIsolate: isolating(character) });
      else found.add(index);
    } else if (character === "\u2069" && isolates === 0) {
      // Else each end that ends nothing would look through all that is open.
      continue;
    } else {
      // The end of an isolate ends embeddings within it, and the end of an embedding no isolate.
      const place = character === "\u2069" ? open.map(({ isIsolate }) => isIsolate).lastIndexOf(true) : open.length - 1;
      const begun = open[place];
      if (begun === undefined || begun.isIsolate !== (character === "\u2069")) continue;
      found.add(begun.at).add(index);
      if (begun.isIsolate) isolates -= 1;
      open.length = place;
    }
  }
  return found;
}

/** The parts of one text, each as `visible` shows it in the whole. */
export function visibleParts(parts: readonly string[]): string[] {
  const kept = needed(parts.join(""));
  let before = 0;
  return parts.map((part) => {
    const begin = before;
    before += part.length;
    return part.replace(flagOrHostile, (found: string, index: number) => (kept.has(begin + index) || found.length > 2 ? found : code(found)));
  });
}

/**
 * A text of several lines with every hostile character as `\u{…}`, but for those that its script or a flag needs. It has to
 * stand in an element of its own direction, or go through `isolatedText`.
 */
export const visible = (text: string): string => visibleParts([text]).join("");

/** A part of what `visible` shows, with an end for each embedding and isolate that was cut through. */
export function closed(text: string): string {
  const open: string[] = [];
  for (const [character = ""] of text.matchAll(directions)) {
    if (character === "\u202c" || character === "\u2069") open.pop();
    else if (character === "\u202a" || character === "\u202b" || isolating(character)) open.push(isolating(character) ? "\u2069" : "\u202c");
  }
  return text + open.reverse().join("");
}

/** Lines of a text among other words: what turns a part of one turns nothing around it. */
export const isolatedText = (text: string): string =>
  visible(text).split("\n").map((line) => (line.search(directions) < 0 ? line : `\u2068${line}\u2069`)).join("\n");

/** A text on one line, with every hostile character as `\u{…}`. */
export function visibleLine(text: string): string {
  // Blanks are taken in runs: a pattern with the line's end in its middle would look at each run again from each of its blanks.
  return visible(text.replaceAll("\r\n", "\n")).replace(/\s+/g, (blanks) => (blanks.includes("\n") ? " " : blanks)).replace(lineEnds, " ");
}

/** A name, with invisible characters as `\u{…}` too. */
export function visibleName(text: string): string {
  return text.replace(lineEnds, code).replace(hostile, code).replace(invisible, code);
}

/** A name as part of a sentence: one that is written from the right leaves the direction of the rest alone. */
export function isolatedName(text: string): string {
  const name = visibleName(text);
  return rightToLeft.test(name) ? `\u2068${name}\u2069` : name;
}

/** A name that is shown in words that set one name in quotation marks beside another: with its own marks as `\u{…}`, no name reads as two. */
export function quotable(shown: string): string {
  return shown.replace(marks, (found) => [...found].map(code).join(""));
}
