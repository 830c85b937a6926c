// `@Name` in the text of a group. Nothing but the name says who is meant: the text stays what was typed.
import { plain } from "./plain";

/** Somebody who can be mentioned. */
export interface Mentioned {
  readonly id: string;
  /** What they call themselves: everybody in the group knows them by it. */
  readonly name: string;
  readonly isOwn: boolean;
}
export type MentionPiece = { readonly kind: "text"; readonly text: string } | { readonly kind: "mention"; readonly text: string; readonly isOwn: boolean };

/** No name is longer, in UTF-16 units. */
const LONGEST = 128;
/** So many signs of a text are looked at: each is compared with every name, and a text of others may be all signs. */
const LOOKED = 64;

const word = /[\p{L}\p{N}\p{M}_]/u;
/** Scripts that put no blank between words. */
const unspaced = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
/** Whether a word goes on over this place: `anna@example.org` mentions nobody. */
const joins = (character: string): boolean => word.test(character) && !unspaced.test(character);

const last = (text: string, end: number): string => [...text.slice(Math.max(0, end - 2), end)].at(-1) ?? "";
const next = (text: string, at: number): string => (at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : "");

/** The mention that is being typed before the caret: where its `@` stands, and what follows it. Null if there is none. */
export function typedMention(text: string, caret: number): { start: number; query: string } | null {
  const start = caret === 0 ? -1 : text.lastIndexOf("@", caret - 1);
  if (start < 0 || caret - start > LONGEST || joins(last(text, start))) return null;
  const query = text.slice(start + 1, caret);
  return /^\s|\n/.test(query) ? null : { start, query };
}

/** Those whose name, alias, or a word of these begins with what was typed. Empty once a name is complete. */
export function matching(people: readonly Mentioned[], query: string, aliasOf: (id: string) => string): Mentioned[] {
  const typed = plain(query);
  const begins = (name: string): boolean => plain(name).startsWith(typed);
  const found = people.filter(({ id, name, isOwn }) => !isOwn && name !== "" && [name, aliasOf(id)].some((one) => [one, ...one.split(/\s+/)].some((part) => part !== "" && begins(part))));
  const [only] = found;
  if (found.length === 1 && only?.name === query) return [];
  return [...found.filter(({ name }) => begins(name)), ...found.filter(({ name }) => !begins(name))];
}

/** A text in pieces, with each mention of a person as a piece of its own. If one name begins with another, the longer one counts. */
export function mentionPieces(text: string, people: readonly Mentioned[]): MentionPiece[] {
  const all: MentionPiece[] = [];
  let done = 0;
  let looked = 0;
  for (let at = text.indexOf("@"); at >= 0 && looked < LOOKED; at = text.indexOf("@", Math.max(at + 1, done)), looked++) {
    if (joins(last(text, at))) continue;
    let found: Mentioned | undefined;
    for (const one of people) {
      const end = at + 1 + one.name.length;
      if (one.name === "" || one.name.length < (found?.name.length ?? 0) || text.slice(at + 1, end).toLowerCase() !== one.name.toLowerCase()) continue;
      if (joins(next(text, end)) && joins(last(text, end))) continue;
      // Of two with the same name, both are meant.
      if (found === undefined || one.name.length > found.name.length || one.isOwn) found = one;
    }
    if (found === undefined) continue;
    if (at > done) all.push({ kind: "text", text: text.slice(done, at) });
    done = at + 1 + found.name.length;
    all.push({ kind: "mention", text: text.slice(at, done), isOwn: found.isOwn });
  }
  if (done < text.length) all.push({ kind: "text", text: text.slice(done) });
  return all;
}
