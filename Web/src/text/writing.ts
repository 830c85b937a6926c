// What the user has written: what of it is sent, and why it can't be sent.

/** Bytes that a message's text may have in UTF-8: `SharedLimits.textBytes` of the daemon. */
export const TEXT_BYTES = 65_536;

/** Bytes of a text in UTF-8. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const seen = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether nothing of a text can be seen. */
export const isBlank = (text: string): boolean => !seen.test(text);

/** A text as it is sent: without blank lines before it, and without white space behind it. Its first line keeps its indentation. */
export function asSent(text: string): string {
  const end = text.trimEnd();
  const blanks = end.slice(0, end.length - end.trimStart().length);
  return end.slice(blanks.lastIndexOf("\n") + 1);
}

/** Where half of a character stands alone, which no message can have; -1 for nowhere. In UTF-16 units. */
export const halfCharacter = (text: string): number => text.search(/\p{Surrogate}/u);
