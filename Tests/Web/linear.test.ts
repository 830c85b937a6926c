// Texts of others that were slow to read, and cuts through what belongs together.
import { strict as assert } from "node:assert";
import { test } from "node:test";
import { beginning, shortened } from "../../Web/src/text/cut";
import { beginningOf, formatted, unmarked } from "../../Web/src/text/formatted";
import type { Piece } from "../../Web/src/text/formatted";
import { hostAndPort, kiboLink } from "../../Web/src/text/kiboLink";
import { pieces } from "../../Web/src/text/links";
import { plain } from "../../Web/src/text/plain";
import { isolatedName, visible, visibleLine, visibleName } from "../../Web/src/text/safe";

/** The longest text that a message may have, in bytes. */
const LONGEST = 65_536;
const FAMILY = "👩‍👩‍👧‍👦";

const units = [
  ")", "(", "]", "[", "}", "{", "()", ")(", ".", "-", "@", ":", "/", "*", "_", "`", "~", "*a ", "*a* ", "_a_*", "*_a", "`a ", "`a`", "```", "```a", "``` ", "```a``` ", "#", "&", "%", "?", "=", "'", "…", "\"", "<", "\\", "|", " ", "\t", "\n", " \n",
  "\u00a0", "\u202e", "\u200b", "\u0301", "\u0315\u0300", "a", "ü", "1", "a.", "a@", "a:", "https://", "http://a", "kibo:", "mailto:", "mailto:a ", "kibo:a ", "https://a.de ", "👩‍", "🇩", "\ud83d", "א",
];
const beginnings = ["", "https://a.example/", "https://a@", "mailto:", "kibo:kibo1a?", "See (https://a.example/("];
/** What stands behind: so that a pattern has to try again. */
const ends = ["", " x"];

function* hostileTexts(bytes: number): Generator<string> {
  const frames = [...beginnings.map((begin) => [begin, "!"] as const), ...ends.map((end) => ["", end] as const)];
  for (const unit of units) {
    for (const [begin, end] of frames) {
      const room = bytes - begin.length - end.length;
      yield begin + unit.repeat(Math.floor(room / Buffer.byteLength(unit))) + end;
    }
  }
}

/** The milliseconds of processor that something takes, however busy the machine is. */
function processorTime(body: () => void): number {
  const begun = process.cpuUsage();
  body();
  return process.cpuUsage(begun).user / 1000;
}

test("every function over texts of others is linear", () => {
  const functions: Record<string, (text: string) => unknown> = {
    folded: (text) => beginningOf(formatted(visible(text)), 2400), unmarked, visibleLine, visibleName, isolatedName, kiboLink, hostAndPort,
    shortened: (text) => shortened(text, 2400),
  };
  for (const text of hostileTexts(LONGEST)) {
    for (const [name, run] of Object.entries(functions)) {
      const took = processorTime(() => run(text));
      // A linear one takes a few milliseconds; the quadratic ones that stood here took 2 to 30 seconds.
      assert.ok(took < 1000, `${name} took ${took} ms for ${JSON.stringify(text.slice(0, 40))}… ${JSON.stringify(text.slice(-10))}`);
    }
  }
});

test("ends of isolates that end nothing look through nothing", () => {
  assert.ok(processorTime(() => visible("\u202a".repeat(10_000) + "\u2069".repeat(10_000))) < 1000);
});

test("names are compared in the time of their length", () => {
  // A name has at most eight bytes for each of its 128 characters.
  assert.ok(processorTime(() => plain("a" + "\u0315\u0300".repeat(256))) < 1000);
});

test("a link is read the same whatever stands around it", () => {
  const links = (text: string) => pieces(text).filter(({ kind }) => kind === "link").map((piece) => piece.text);
  assert.deepEqual(links(`(https://a.example/b${")".repeat(1000)}`), ["https://a.example/b"]);
  assert.deepEqual(links("https://a.example/(b)).,)"), ["https://a.example/(b)"]);
  assert.deepEqual(links("https://a.example/[b]]}"), ["https://a.example/[b]"]);
  assert.deepEqual(links("https://a.example/?!…"), ["https://a.example/"]);
  assert.equal(pieces("https://a.example/" + ")".repeat(50_000)).map(({ text }) => text).join("").length, 50_018);
  for (const text of hostileTexts(4096)) assert.equal(pieces(text).map((piece) => piece.text).join(""), text);
});

test("what is formatted is the text that was typed, in at most 400 parts, none of them more than three deep", () => {
  const typed = (all: readonly Piece[]): string => all.map((piece) => ("within" in piece ? piece.open + typed(piece.within) + piece.close : piece.text)).join("");
  const parts = (all: readonly Piece[]): number => all.reduce((sum, piece) => sum + ("within" in piece ? 1 + parts(piece.within) : 0), 0);
  const depth = (all: readonly Piece[]): number => all.reduce((most, piece) => Math.max(most, "within" in piece ? 1 + depth(piece.within) : 0), 0);
  for (const text of hostileTexts(4096)) {
    const all = formatted(text);
    assert.equal(typed(all), text);
    assert.ok(parts(all) <= 400 && depth(all) <= 3, JSON.stringify(text.slice(0, 40)));
  }
  assert.equal(depth(formatted("*_`a`_*")), 3);
});

test("a link that nobody could open stays text", () => {
  assert.equal(pieces(`https://a.example/${"b".repeat(1982)}`)[0]?.kind, "link");
  assert.equal(pieces(`https://a.example/${"b".repeat(1983)}`)[0]?.kind, "text");
});

test("a cut falls between characters", () => {
  assert.equal(beginning("abc", 3), "abc");
  assert.equal(beginning("abcd", 3), "abc");
  assert.equal(beginning("ab😀", 3), "ab");
  assert.equal(beginning("ab😀c", 4), "ab😀");
  assert.equal(beginning(`ab${FAMILY}c`, 9), "ab");
  assert.equal(beginning(`ab${FAMILY}c`, 2 + FAMILY.length), `ab${FAMILY}`);
  assert.equal(beginning("abe\u0301c", 3), "ab");
  assert.equal(beginning("🇩🇪🇫🇷", 6), "🇩🇪");
  assert.equal(shortened("ab😀", 3), "ab…");
  assert.equal(shortened("ab😀", 4), "ab😀");
  // One letter with thousands of marks is cut through, as else nothing would be shown.
  assert.equal(beginning("a" + "\u0301".repeat(5000), 100).length, 100);
  // Halves that came alone stay as they are, and no cut makes new ones.
  for (const text of [FAMILY.repeat(600), "a".repeat(2399) + "😀".repeat(10), "🇩".repeat(3000), "a" + "\u{1d165}".repeat(3000)]) {
    for (const most of [2399, 2400, 2401]) {
      const cut = beginning(text, most);
      assert.ok(cut.length <= most && text.startsWith(cut) && cut.length > most - 64, `${most}`);
      assert.ok(!/[\ud800-\udbff]$/.test(cut), `${most}`);
    }
  }
});

test("a fold makes no other link", () => {
  const target = "https://bank.example.evil.example/";
  for (const before of [2360, 2370, 2376, 2380, 2390, 2399, 2400]) {
    const text = `${"a ".repeat(1200).slice(0, before - 1)} ${target} and ${"b".repeat(3000)}`;
    const shown = beginningOf(pieces(text), 2400);
    assert.deepEqual(shown.flatMap((piece) => (piece.kind === "link" ? [piece.text] : [])).filter((link) => link !== target), []);
    const words = shown.map((piece) => ("text" in piece ? piece.text : "")).join("");
    assert.ok(words.endsWith("…") && words.length <= 2401 + target.length && text.startsWith(words.slice(0, -1)));
  }
  assert.equal(beginningOf(pieces("short https://a.example/"), 2400).length, 2);
});
