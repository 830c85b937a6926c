// Writes the emoji of Unicode as JSON, in the order of the standard: node emoji.mjs /usr/share/unicode/emoji/emoji-test.txt OUT
//
// The result is a list of groups {name, emoji}; each emoji is [text, English name] or, if a skin tone can be chosen,
// [text, English name, 1].
import { readFileSync, writeFileSync } from "node:fs";

const [source, target] = process.argv.slice(2);
const firstTone = "\u{1f3fb}";
const variation = "\ufe0f";
const groups = [];
const all = new Set();
let rows = [];

for (const line of readFileSync(source, "utf8").split("\n")) {
  const group = /^# group: (.*)$/.exec(line)?.[1];
  if (group !== undefined) {
    rows = [];
    groups.push({ name: group.split(" ")[0].toLowerCase(), emoji: rows });
    continue;
  }
  const match = /^[0-9A-F ]+; fully-qualified +# (\S+) E[0-9.]+ (.*)$/.exec(line);
  if (match === null) continue;
  all.add(match[1]);
  // The variants by skin tone and by hair of one emoji are not listed beside it.
  if (!match[2].includes("skin tone")) rows.push([match[1], match[2]]);
}

/** As the page puts a tone into an emoji: behind its first character. */
const toned = (text) => {
  const [first, ...rest] = text;
  return first + firstTone + rest.join("").replace(new RegExp(`^${variation}`), "");
};
for (const group of groups) for (const row of group.emoji) if (all.has(toned(row[0]))) row.push(1);

const count = groups.reduce((sum, group) => sum + group.emoji.length, 0);
if (count < 1000) throw new Error(`only ${count} emoji in ${source}`);
writeFileSync(target, JSON.stringify(groups.filter((group) => group.emoji.length > 0)));
