// What other people have written, made visible: docs/WEB.md has the rule, and Basics/ForeignText is the same in the daemon.

// Control characters, line separators, and characters that turn the direction of text: they make a name read as another.
const hostile =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const lineEnds = /[\t\n]/g;
// Characters without a width, which make one name look like another. Texts may have them, names show them.
const invisible = /[\u00ad\u115f\u1160\u180e\u200b\u2060-\u2064\u3164\uffa0]/g;
// Quotation marks, and single ones where several stand together, which look like one.
const marks = /["«»\u02ba\u02dd\u02ee\u201c-\u201f\u2033\u2034\u2036\u2037\u2057\u275d\u275e\u2760\u276e\u276f\u301d-\u301f\uff02\u{1f676}-\u{1f678}]|['`´\u02b9-\u02bf\u02ca\u02cb\u2018-\u201b\u2032\u2035\u2039\u203a\u275b\u275c\u275f\uff07]{2,}/gu;
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

function code(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A text of several lines with every hostile character as `\u{…}`. */
export function visible(text: string): string {
  return text.replace(hostile, code);
}

/** A text on one line, with every hostile character as `\u{…}`. */
export function visibleLine(text: string): string {
  // Blanks are taken in runs: a pattern with the line's end in its middle would look at each run again from each of its blanks.
  return visible(text.replace(/\s+/g, (blanks) => (blanks.includes("\n") ? " " : blanks)).replace(lineEnds, " "));
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
