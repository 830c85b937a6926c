// Shows what others wrote without letting it lie: control and bidirectional characters become visible.
const hiddenCharacters = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** A text of others as it may be shown: `\u{202E}` instead of the character that would turn the line around. */
export function visible(text: string): string {
  return text.replace(hiddenCharacters, (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`);
}
