// What other people have written, made visible: docs/WEB.md has the rule, and Basics/ForeignText is the same in the daemon.

// Control characters, line separators, and characters that turn the direction of text: they make a name read as another.
const hostile =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const lineEnds = /[\t\n]/g;
// Characters without a width, which make one name look like another. Texts may have them, names show them.
const invisible = /[\u00ad\u115f\u1160\u180e\u200b\u2060-\u2064\u3164\uffa0]/g;
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
