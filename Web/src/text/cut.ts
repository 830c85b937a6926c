// Cuts of long texts: between the characters that people see, so that no letter and no emoji is halved.

const segmenter = new Intl.Segmenter();
/** The longest character that stays whole, in UTF-16 units: a letter under a heap of accents may have thousands. */
const LONGEST_CHARACTER = 64;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** Whether a character always begins here, whatever stands before it: ASCII that is seen, and Han. */
const beginsHere = (unit: number): boolean => (unit >= 0x20 && unit < 0x7f) || (unit >= 0x4e00 && unit < 0xa000);

/** The beginning of a text in whole characters. `most` counts UTF-16 units. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  // Finding characters is slow, so it begins no earlier than it must.
  let end = most;
  while (end > 0 && !beginsHere(text.charCodeAt(end))) end -= 1;
  const from = end;
  // What follows says whether a character ends at `most`.
  for (const { index, segment } of segmenter.segment(text.slice(from, most + 2))) {
    const next = from + index + segment.length;
    if (next > most) break;
    end = next;
  }
  if (most - end < LONGEST_CHARACTER) return text.slice(0, end);
  return text.slice(0, isHigh(text.charCodeAt(most - 1)) && isLow(text.charCodeAt(most)) ? most - 1 : most);
}

/** The beginning of a text, with `…` where something was left out. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${beginning(text, most)}…`;
}
