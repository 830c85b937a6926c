import { strict as assert } from "node:assert";
import { test } from "node:test";
import { duration, percent, shortTime, size } from "../../Web/src/text/format";
import { hostAndPort, kiboLink } from "../../Web/src/text/kiboLink";
import { pieces } from "../../Web/src/text/links";
import { isolatedName, visible, visibleLine, visibleName } from "../../Web/src/text/safe";
import { rich, setCatalogue, t } from "../../Web/src/text/t";

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
  assert.equal(size(999_600), "1 MB");
  assert.equal(size(1_540_000), "1.5 MB");
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
});

test("words are found, filled and counted", () => {
  const some = { "nav.requests": { one: "{count} request", other: "{count} requests" }, "nearby.add.name": "Add {name}" };
  setCatalogue("en", some as unknown as Parameters<typeof setCatalogue>[1]);
  assert.equal(t("nav.requests", { count: 1 }), "1 request");
  assert.equal(t("nav.requests", { count: 1200 }), "1,200 requests");
  assert.equal(t("nearby.add.name", { name: "{name}" }), "Add {name}");
  assert.equal((rich("nearby.add.name", { name: "x" }) as unknown[]).length, 3);
});
