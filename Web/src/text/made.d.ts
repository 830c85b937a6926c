// What build/emoji.mjs writes.
declare module "kibo-made/emoji.json" {
  /** The emoji, its English name, and 1 if a skin tone can be chosen. */
  export type EmojiRow = readonly [text: string, name: string, hasTones?: number];
  const groups: ReadonlyArray<{ readonly name: string; readonly emoji: readonly EmojiRow[] }>;
  export default groups;
}
