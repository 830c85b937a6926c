import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isAddress, knownMailLink, mailLink, phoneLink } from "../../Web/src/text/addresses";
import { duration, lastDay, percent, shortTime, size, tomorrow, untilTime } from "../../Web/src/text/format";
import { beginningOf, formatted, unmarked } from "../../Web/src/text/formatted";
import type { Piece } from "../../Web/src/text/formatted";
import { hostAndPort, kiboLink } from "../../Web/src/text/kiboLink";
import { pieces } from "../../Web/src/text/links";
import { matching, mentionPieces, typedMention } from "../../Web/src/text/mentions";
import { closed, isolatedName, isolatedText, quotable, visible, visibleLine, visibleName, visibleParts } from "../../Web/src/text/safe";
import { storyStateText, storyStepText } from "../../Web/src/text/story";
import { rich, setCatalogue, t } from "../../Web/src/text/t";
import { asSent, bytesOf, halfCharacter, isBlank } from "../../Web/src/text/writing";

Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-GB"] }, configurable: true });

/** The pieces of a text in short: links in brackets, with their host where it is shown. */
const short = (text: string): string =>
  pieces(text).map((piece) => (piece.kind === "text" ? piece.text : `[${piece.text}${piece.host === null ? "" : ` → ${piece.host}`}]`)).join("");

test("hostile characters become visible, others stay", () => {
  assert.equal(visible("a\u202Eb\u0007\nc\td"), "a\\u{202e}b\\u{7}\nc\td");
  assert.equal(visible("\u{E0041}"), "\\u{e0041}");
  assert.equal(visibleLine("a\n  b\tc\u2066"), "a b c\\u{2066}");
  assert.equal(visibleName("An\u200Bna\n"), "An\\u{200b}na\\u{a}");
  assert.equal(visible("Zoë 👩‍👩‍👧 مرحبا"), "Zoë 👩‍👩‍👧 مرحبا");
  assert.equal(isolatedName("Anna"), "Anna");
  assert.equal(isolatedName("דנה"), "\u2068דנה\u2069");
});

test("links are found without what belongs to the sentence", () => {
  assert.equal(short("See https://a.example/b?c=1, or (http://b.example/x_(y))."), "See [https://a.example/b?c=1], or ([http://b.example/x_(y)]).");
  assert.equal(short("mailto:anna@example.org!"), "[mailto:anna@example.org]!");
  assert.equal(short("kibo:kibo1abc?name=A"), "[kibo:kibo1abc?name=A]");
});

test("an address is an address and nothing more, and leads nowhere else", () => {
  for (const good of ["anna@example.org", "a@b", "o'brien+news@mail.example.org", "jürgen@müller.example", "用户@例子.example", "a.b.c@x-y.example", "unlikely?address@example.com", `${"a".repeat(64)}@example.org`]) {
    assert.ok(isAddress(good), good);
    const link = mailLink(good) ?? "";
    assert.equal(decodeURIComponent(link), `mailto:${good}`);
    assert.match(link, /^mailto:[\w.~%-]+@[\w.~%-]+$/);
  }
  for (const bad of [
    "", "a", "@b", "a@", "a@b@c", "a b@c", "boss@example.org?subject=x&attach=/etc/passwd", "boss@example.org#x", "boss@example.org%0d%0abcc", "a@b/c", "a@b,c@d", "a@b;c", "a@[127.0.0.1]",
    "<a@b>", "Anna <a@b>", "\"a b\"@c", "a@b\r\nBcc: c@d", "a\n@b", "a@b\u202e", "a\u200b@b", "a@b\uff1fsubject", "a@b.", "a@.b", "a@b..c", ".a@b", "a.@b", "a..b@c", "a@-b", "a@b-", "-attach@b",
    `${"a".repeat(65)}@example.org`, `a@${"b".repeat(64)}.example`, `a@${"b.".repeat(127)}b`, "\ud83d@b", "a@b\u3164", "a&b@c d", "(a)@b", "a@b_c",
  ]) {
    assert.equal(mailLink(bad), null, bad);
  }
  assert.equal(phoneLink("+4930123456"), "tel:+4930123456");
  for (const bad of ["", "110", "+49", "+49 30", "+49301234567890123", "+4930123456;phone-context=x", "+4930123456\n", "+٤٩٣٠١٢٣"]) assert.equal(phoneLink(bad), null, bad);
});

test("a mail link in a text sets nothing but addresses, a subject and words", () => {
  assert.equal(knownMailLink("mailto:a@b.example,c%2Bd@b.example"), "mailto:a@b.example,c%2Bd@b.example");
  assert.equal(knownMailLink("MAILTO:a@b?Subject=Hi%20you&attach=/etc/passwd&bcc=x@y&body=1+1%0D%0A2&in-reply-to=x"), "mailto:a@b?subject=Hi%20you&body=1%2B1%0D%0A2");
  for (const bad of ["%0D%0ABcc:x@y", "%0a", "%09", "%00", "%1B", "%7F", "%C2%85", "%E2%80%A8", "%E2%80%A9", "\r\nBcc:x@y", "\u0085"]) {
    assert.equal(knownMailLink(`mailto:a@b?subject=Hi${bad}`), "mailto:a@b", bad);
    assert.equal(knownMailLink(`mailto:a@b?SUBJECT=Hi${bad}&body=x`), "mailto:a@b?body=x", bad);
  }
  for (const bad of ["%00", "%1B", "%0D", "%C2%85", "%E2%80%A8"]) assert.equal(knownMailLink(`mailto:a@b?body=Hi${bad}x`), "mailto:a@b", bad);
  assert.equal(knownMailLink("mailto:a@b?body=1%0A%0A%092&subject=Zo%C3%AB"), "mailto:a@b?body=1%0D%0A%0D%0A%092&subject=Zo%C3%AB");
  for (const bad of ["mailto:", "mailto:?to=a@b", "mailto:a@b%zz", "mailto:a%40b@c", "mailto:a@b%3Fattach=x", "mailto:a@b,", "mailto:%0Aa@b"]) assert.equal(knownMailLink(bad), null, bad);
  assert.deepEqual(pieces("mailto:a@b?attach=x").map((piece) => (piece.kind === "link" ? piece.href : piece.text)), ["mailto:a@b"]);
  assert.equal(short("mailto:a@b/c"), "mailto:a@b/c");
});

test("no name reads as the name of somebody in a group", () => {
  const shown = (name: string, group: string) => `${quotable(isolatedName(name))} in “${quotable(isolatedName(group))}”`;
  assert.equal(shown("Bob", "Board"), "Bob in “Board”");
  for (const name of ["Bob in “Board”", "Bob in \"Board\"", "Bob in „Board“", "Bob in ''Board''", "Bob in ‘‘Board’’", "Bob in ＂Board＂", "Bob in «Board»", "Bob in ❝Board❞", "Bob in 〝Board〞", "Bob in ´´Board``"]) {
    assert.doesNotMatch(quotable(isolatedName(name)), /["“”„«»＂❝❞〝〞]|['‘’´`]{2}/);
    assert.match(quotable(isolatedName(name)), /^Bob in \\u\{/);
  }
  assert.equal(quotable(isolatedName("O’Brien")), "O’Brien");
  assert.equal(shown("דנה", "Board"), "\u2068דנה\u2069 in “Board”");
});

test("the marks that no name can imitate are those of the recorded list", () => {
  // The bundle of the tests lies elsewhere: they are run from the repository's root.
  const list = readFileSync("Tests/Recorded/quotation-marks.txt", "utf8").split("\n").filter((line) => !line.startsWith("#"));
  const recorded = (kind: string): number[] =>
    list.flatMap((line) => (line.startsWith(`${kind} `) ? line.split(" ").slice(1) : [])).flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map((one) => parseInt(one, 16));
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
  const found = { double: [] as number[], single: [] as number[] };
  for (let code = 0; code < 0x20000; code += 1) {
    const sign = String.fromCodePoint(code);
    if (quotable(sign) !== sign) found.double.push(code);
    else if (quotable(sign + sign) !== sign + sign) found.single.push(code);
  }
  assert.deepEqual(found, { double: recorded("double"), single: recorded("single") });
  const all = new Set([...found.double, ...found.single]);
  for (let code = 0; code < 0x110000; code += 1) {
    if (/\p{Quotation_Mark}/u.test(String.fromCodePoint(code)) && !all.has(code)) assert.match(String.fromCodePoint(code), /[「-』﹁-﹄｢｣]/);
  }
});

test("no other scheme is a link", () => {
  for (const text of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ftp://a.example", "https://", "nohttp//a"]) {
    assert.ok(pieces(text).every(({ kind }) => kind === "text"), text);
  }
});

test("a link that reads like another one shows where it leads", () => {
  assert.equal(short("https://аpple.com/"), "[https://аpple.com/ → xn--pple-43d.com]");
  assert.equal(short("https://bank.example@evil.example/"), "[https://bank.example@evil.example/ → evil.example]");
});

test("links of accounts and addresses are read as people paste them", () => {
  assert.deepEqual(kiboLink(" kibo:kibo1qq?name=Anna%20B&addr=1.2.3.4:5 "), { id: "kibo1qq", name: "Anna B", address: "1.2.3.4:5", uri: "kibo:kibo1qq?name=Anna%20B&addr=1.2.3.4:5" });
  assert.equal(kiboLink("https://kibo1qq"), null);
  assert.equal(hostAndPort("192.0.2.1"), "192.0.2.1:15426");
  assert.equal(hostAndPort("192.0.2.1:7"), "192.0.2.1:7");
  assert.equal(hostAndPort("2001:db8::1"), "[2001:db8::1]:15426");
  assert.equal(hostAndPort("[2001:db8::1]:9"), "[2001:db8::1]:9");
  assert.equal(hostAndPort("anna"), null);
});

test("sizes, shares and spans are short", () => {
  setCatalogue("en", JSON.parse(readFileSync("Web/messages/en/app.json", "utf8")) as Parameters<typeof setCatalogue>[1]);
  assert.equal(size(1), "1 byte");
  assert.equal(size(1023), "1,023 bytes");
  assert.equal(size(1331), "1.3 KiB");
  assert.equal(size(1_048_550), "1 MiB");
  assert.equal(size(268_435_456), "256 MiB");
  assert.equal(size(5_000 * 2 ** 40), "5,000 TiB");
  assert.equal(percent(0.379), "37%");
  assert.equal(percent(1.2), "100%");
  assert.equal(duration(7), "0:07");
  assert.equal(duration(3661), "1:01:01");
});

test("a time of today is a clock, an older one a day", () => {
  const now = new Date(2026, 10, 22, 14, 5).getTime();
  assert.equal(shortTime(now - 60_000, now), "14:04");
  assert.equal(shortTime(new Date(2026, 10, 21, 23, 59).getTime(), now), "Sat");
  assert.equal(shortTime(new Date(2026, 2, 3).getTime(), now), "3 Mar");
  assert.equal(shortTime(new Date(2025, 2, 3).getTime(), now), "03/03/2025");
  assert.deepEqual(
    [new Date(2026, 10, 22, 18), new Date(2026, 10, 23, 8), new Date(2026, 10, 28, 8), new Date(2026, 10, 29, 8), new Date(2027, 0, 1, 8)].map((time) => untilTime(time.getTime(), now)),
    ["18:00", "Mon 08:00", "Sat 08:00", "29 Nov, 8:00", "1 Jan 2027, 8:00"],
  );
  // Clocks are put back in the night before 25 October: tomorrow begins an hour later than usual.
  assert.equal(tomorrow(new Date(2026, 9, 24, 23, 30).getTime()), new Date(2026, 9, 25, 8).getTime());
  assert.equal(tomorrow(new Date(2026, 11, 31, 1).getTime()), new Date(2027, 0, 1, 8).getTime());
});

test("a day to come has its year if that is another one", () => {
  const now = new Date(2026, 10, 22, 14, 5).getTime();
  assert.equal(lastDay(new Date(2026, 11, 6, 1).getTime(), now), "6 December");
  assert.equal(lastDay(new Date(2027, 0, 2, 1).getTime(), now), "2 January 2027");
});

test("words are found, filled and counted", () => {
  const some = { "nav.requests": { one: "{count} request", other: "{count} requests" }, "nearby.add.name": "Add {name}" };
  setCatalogue("en", some as unknown as Parameters<typeof setCatalogue>[1]);
  assert.equal(t("nav.requests", { count: 1 }), "1 request");
  assert.equal(t("nav.requests", { count: 1200 }), "1,200 requests");
  assert.equal(t("nearby.add.name", { name: "{name}" }), "Add {name}");
  assert.equal((rich("nearby.add.name", { name: "x" }) as unknown[]).length, 3);
});

test("a story names who keeps a message until which day, and whoever is away", () => {
  const words = JSON.parse(readFileSync("Web/messages/en/story.json", "utf8")) as Parameters<typeof setCatalogue>[1];
  setCatalogue("en", words);
  const plain = (text: string) => text.replace(/[\u2066-\u2069]/gu, "");
  const until = new Date(new Date().getFullYear() + 1, 0, 2).getTime();
  assert.equal(plain(storyStateText("held", { name: "Ben", courier: "Carl", until })), `Carl keeps it for Ben until 2 January ${new Date(until).getFullYear()}.`);
  assert.equal(plain(storyStateText("couriers_away", { name: "Ben", couriers: ["Carl", "Dora"] })), "Those who keep messages for Ben are away, too: Carl and Dora.");
  assert.equal(plain(storyStateText("couriers_refuse", { name: "Ben", couriers: ["Carl"] })), "Ben has chosen Carl, but they keep nothing for others.");
  assert.equal(plain(storyStepText("brought", { name: "Ben" })), "A courier brought it to Ben.");
});

test("a story says in the words of the page why nobody was reached, and nothing of the system's", () => {
  const words = ["app", "codes", "story"].map((part) => JSON.parse(readFileSync(`Web/messages/en/${part}.json`, "utf8")) as object);
  setCatalogue("en", Object.assign({}, ...words) as Parameters<typeof setCatalogue>[1]);
  const tried = { address: "192.0.2.1:7", at: Date.now(), problem: "unreachable", detail: "connect: Connection refused" };
  assert.equal(storyStateText("tried", tried), "Kibo tried 192.0.2.1:7 just now: No computer answers there, or the network blocks the way.");
});

test("a text is sent without blank lines around it, with the indentation of its first line", () => {
  for (const [text, sent] of [
    ["    if x:\n        y", "    if x:\n        y"], ["\n\n  a\n", "  a"], [" \t\n\ta  \n ", "\ta"], ["a", "a"], ["  a  ", "  a"], ["a\n\n b", "a\n\n b"], ["\r\n a", " a"], ["", ""],
  ] as const) assert.equal(asSent(text), sent);
  for (const blank of ["", " \n\t", "\u200b", "\u2800\u3164", "\u200f\u2069"]) assert.ok(isBlank(blank));
  for (const text of ["a", "👍", "\u200b.", "\u0301a"]) assert.ok(!isBlank(text));
  assert.equal(halfCharacter("a😀b"), -1);
  assert.equal(halfCharacter("a😀\ude00b"), 3);
  assert.equal(halfCharacter("\ud83d"), 0);
  assert.equal(bytesOf("漢ä😀a"), 10);
});

test("what a script or a flag needs is shown, and nothing that deceives", () => {
  const [england, scotland, wales] = ["gbeng", "gbsct", "gbwls"].map((region) =>
    `\u{1f3f4}${[...region].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("")}\u{e007f}`) as [string, string, string];
  for (const text of [england, `${scotland}${wales}`, `a ${england} b`, "שלום\u200f!", "x\u200e\u061c", "\u202a+49 30 1\u202c", "\u2067\u202b\u2068a\u2069\u202c\u2069", "a\n\u2066b\u2069\nc"]) {
    assert.equal(visible(text), text);
    assert.match(visibleName(text.replace("\n", "")), /\\u\{/);
  }
  const shown: [string, string][] = [
    ["\u202ea\u202c", "\\u{202e}a\\u{202c}"], ["\u202da\u202c", "\\u{202d}a\\u{202c}"], ["\u202aa", "\\u{202a}a"], ["a\u202c", "a\\u{202c}"], ["\u2066a\u202c", "\\u{2066}a\\u{202c}"],
    ["\u202aa\u2069", "\\u{202a}a\\u{2069}"], ["\u2066a\nb\u2069", "\\u{2066}a\nb\\u{2069}"], ["\u2066\u202aa\u2069\u202c", "\u2066\\u{202a}a\u2069\\u{202c}"], ["\u2066\u2066a\u2069", "\\u{2066}\u2066a\u2069"],
    [england.slice(0, -2), `\u{1f3f4}${[..."gbeng"].map((letter) => `\\u{${(0xe0000 + letter.charCodeAt(0)).toString(16)}}`).join("")}`],
    [`${england}\u{e0067}`, `${england}\\u{e0067}`], [`\u{1f3f3}${england.slice(2)}`, `\u{1f3f3}${[..."gbeng\u007f"].map((letter) => `\\u{${(0xe0000 + letter.charCodeAt(0)).toString(16)}}`).join("")}`],
  ];
  for (const [text, wanted] of shown) assert.equal(visible(text), wanted);
  assert.deepEqual(visibleParts(["\u202aa", "b\u202c", "\u202c"]), ["\u202aa", "b\u202c", "\\u{202c}"]);
  assert.equal(visibleLine("a\u2066\r\nb\u2069"), "a\\u{2066} b\\u{2069}");
  assert.equal(closed("\u2067a \u202ab"), "\u2067a \u202ab\u202c\u2069");
  assert.equal(isolatedText("a\nש\u200f!"), "a\n\u2068ש\u200f!\u2069");
  // As many as a message can have are no trouble.
  assert.equal(visible("\u2066".repeat(20_000)).length, 160_000);
});

test("Unicode's own list has no other flags with tags than are shown", () => {
  const list = readFileSync("/usr/share/unicode/emoji/emoji-sequences.txt", "utf8");
  const flags = [...list.matchAll(/^([0-9A-F ]+?) *; RGI_Emoji_Tag_Sequence/gm)].map(([, codes = ""]) => String.fromCodePoint(...codes.split(" ").map((one) => Number.parseInt(one, 16))));
  assert.ok(flags.length >= 3);
  for (const flag of flags) assert.equal(visible(flag), flag);
});

test("links end at the punctuation of all scripts", () => {
  for (const end of "。，、；：？！」』）】》〉…，．؛؟،।॥။።։׃๚༎”“„«»‹›〞＂｡､｣⁉‼") assert.equal(short(`https://a.example/b${end}c`), `[https://a.example/b]${end}c`, end);
  assert.equal(short("（https://a.example/b）和「https://c.example」"), "（[https://a.example/b]）和「[https://c.example]」");
  assert.equal(short("https://a.example/d，https://a.example/e"), "[https://a.example/d]，[https://a.example/e]");
  assert.equal(short("https://a.example。次"), "[https://a.example]。次");
  assert.equal(short("https://a.example/ש\u200f!"), "[https://a.example/ש]\u200f!");
  // What people write in addresses stays in them.
  for (const path of ["東京", "L’Équipe", "col·lecció", "ウィキ・ペディア", "می\u200cخواهم", "צה״ל", "Red_Dawn_(2012)", "a_", "it's", "a~b|c", "👍", "हिन्दी", "a.b,c;d:e!f?g"]) {
    assert.equal(short(`https://a.example/${path} x`), `[https://a.example/${path}] x`, path);
  }
  assert.equal(short("**https://a.example/h**, `https://a.example/i`, _https://a.example/j_, ~~https://a.example/k~~"), "**[https://a.example/h]**, `[https://a.example/i]`, _[https://a.example/j]_, ~~[https://a.example/k]~~");
  assert.equal(short("https://a.example/k’."), "[https://a.example/k]’.");
});

test("a link at the cut of a long text is there as a whole", () => {
  const all = pieces(`${"y".repeat(20)} https://a.example/one/two tail`);
  assert.deepEqual(beginningOf(all, 25).map((piece) => "text" in piece && piece.text), [`${"y".repeat(20)} `, "https://a.example/one/two", "…"]);
  assert.deepEqual(beginningOf(all, 10).map((piece) => "text" in piece && piece.text), [`${"y".repeat(10)}…`]);
});

/** What a text looks like: `<b>`, `<i>`, `<c>` and `<block>` around what is formatted, `[…]` around links. */
const looks = (text: string): string => {
  const names = { bold: "b", italic: "i", code: "c", block: "block" } as const;
  const said = (all: readonly Piece[]): string => all.map((piece) => "within" in piece
    ? `<${names[piece.kind]}>${said(piece.within)}</${names[piece.kind]}>`
    : piece.kind === "link" ? `[${piece.text}]` : piece.text).join("");
  return said(formatted(text));
};

test("bold, italic and code are what people mark as such", () => {
  const expected: Record<string, string> = {
    "*bold* and _italic_": "<b>bold</b> and <i>italic</i>",
    "*two words*, (_so_). \"*said*\"": "<b>two words</b>, (<i>so</i>). \"<b>said</b>\"",
    "*bold _and italic_*": "<b>bold <i>and italic</i></b>",
    "_*both*_": "<i><b>both</b></i>",
    "*a _b* c_": "<b>a _b</b> c_",
    "*first *second*": "*first <b>second</b>",
    "*`code` in bold*": "<b><c>code</c> in bold</b>",
    "`*no bold* https://a.example` in code": "<c>*no bold* https://a.example</c> in code",
    "*https://a.example/a_b_c* and _https://a.example/_": "<b>[https://a.example/a_b_c]</b> and <i>[https://a.example/]</i>",
    "*מודגש* ו_לא_": "<b>מודגש</b> ו_לא_",
    "重点：*这个*。": "重点：<b>这个</b>。",
    "👍🏽*yes* ❤️_no_": "👍🏽<b>yes</b> ❤️<i>no</i>",
    "```let a = *b*;\nlet c;```": "<block>let a = *b*;\nlet c;</block>",
    "Look:\n```\n`one` line\n```\nand *on*": "Look:\n<block>`one` line</block>and <b>on</b>",
    "```open, and `code`": "```open, and <c>code</c>",
    "``` ``` `` `a` `": "``` ``` `` <c>a</c> `",
  };
  for (const [text, shown] of Object.entries(expected)) assert.equal(looks(text), shown);
});

test("what only looks like marks stays as it was typed", () => {
  for (const text of [
    "2*3*4", "2 * 3 * 4", "snake_case_name", "_snake_case", "*a*b", "a*b*", "**bold**", "__init__", "***", "* a list\n* goes on", "*over\ntwo lines*", "*open", "close*", "* a*", "*a *",
    "^_^ and -_-", "/*comment*/", "`over\ntwo`", "it`s `80s", "``", "````a````", "# head", "[a](b)", "~struck~", "> said", "<b>bold</b>", "é*a*", "\\*a*",
  ]) assert.equal(looks(text), text);
});

test("in one line the marks of what is formatted are left out, and others stay", () => {
  assert.equal(unmarked("*Tomorrow*, _at ten_: `2*3*4` is_not_it"), "Tomorrow, at ten: 2*3*4 is_not_it");
  assert.equal(unmarked("```\ncode\n```"), "code");
  const plain = "nothing";
  assert.equal(unmarked(plain), plain);
});

test("a cut through formatted text ends all that is open", () => {
  const shown = beginningOf(formatted(`*${"a".repeat(10)} _b ${"c".repeat(10)}_ d* e`), 16);
  assert.deepEqual(shown, [{
    kind: "bold", open: "*", close: "*", within: [
      { kind: "text", text: `${"a".repeat(10)} ` }, { kind: "italic", open: "_", close: "_", within: [{ kind: "text", text: "b ccc…" }] },
    ],
  }]);
});

const people = ["Ben", "Ben Ito", "Zoë", "山田", "I"].map((name, index) => ({ id: String(index), name, isOwn: name === "Zoë" }));

test("mentions are names after @, and no parts of words or addresses", () => {
  const said = (text: string): string => mentionPieces(text, people).map((piece) => (piece.kind === "text" ? piece.text : `[${piece.text}${piece.isOwn ? "!" : ""}]`)).join("");
  assert.equal(said("@Ben Ito, @ben: (@Zoë)"), "[@Ben Ito], [@ben]: ([@Zoë!])");
  assert.equal(said("anna@Ben @Benno @@Ben @"), "anna@Ben @Benno @[@Ben] @");
  assert.equal(said("こんにちは@山田です"), "こんにちは[@山田]です");
  assert.equal(said("🙂@Ben🙂"), "🙂[@Ben]🙂");
  assert.equal(said("nothing"), "nothing");
  // Nothing of the text is lost, whatever it is.
  for (const text of ["@".repeat(3000), "@Ben".repeat(1000), "@\ud83d@Ben"]) assert.equal(mentionPieces(text, people).map((piece) => piece.text).join(""), text);
});

test("a text that is all signs costs no more than some of them", () => {
  let asked = 0;
  const crowd = Array.from({ length: 256 }, (_, index) => ({ id: String(index), isOwn: false, get name() { return asked++, `Ben ${index}`; } }));
  for (const text of ["@".repeat(60_000), "@Ben 255 ".repeat(6_000)]) assert.equal(mentionPieces(text, crowd).map((piece) => piece.text).join(""), text);
  assert.ok(asked < 2 * 64 * 256 * 8, `${asked}`);
});

test("a mention is typed from its @ to the caret", () => {
  assert.deepEqual(typedMention("@", 1), { start: 0, query: "" });
  assert.deepEqual(typedMention("Hi @Ben I there", 9), { start: 3, query: "Ben I" });
  for (const text of ["", "Ben", "anna@b", "@ b", "@Ben\nIto", `@${"x".repeat(200)}`]) assert.equal(typedMention(text, text.length), null, text);
  assert.equal(typedMention("@Ben", 0), null);
  const names = (query: string): string[] => matching(people, query, (id) => (id === "3" ? "Boss" : "")).map(({ name }) => name);
  assert.deepEqual(names(""), ["Ben", "Ben Ito", "山田", "I"]);
  assert.deepEqual(names("b"), ["Ben", "Ben Ito", "山田"]);
  assert.deepEqual(names("it"), ["Ben Ito"]);
  assert.deepEqual(names("Ben Ito"), []);
  assert.deepEqual(names("zoe"), []);
});
