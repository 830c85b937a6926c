"""A walk through all screens on which each name and text of others is hostile: markup, turned and controlling characters, endless words."""

import re

from playwright.sync_api import expect

from calls import WATCH, CallTest
from scene import fill, talk
from screens import GO, SEEN, STEP, Screen, screens
from stage import wait_for
from test_notifications import OUTSIDE

# Each name and text that the page gets is made worse than any daemon would let it through: a peer's bytes have passed two daemons, and
# this is what holds if both failed. What a user has written into a field stays as it is.
HOSTILE = r"""(() => {
  const markup = ` <img src="x" onerror="hit()"><script>hit()</` + `script><b style="position:fixed">`;
  const bad = markup + "\u202efdp.exe\u2066\u0007\u009b31m\u2028\ufeff" + "W".repeat(90);
  const names = new Set(["displayName", "alias", "name", "title"]);
  const texts = new Set(["text", "statusText", "note", "description", "snippet", "detail", "path", "agent", "address", "label"]);
  const worse = (value) => {
    if (Array.isArray(value)) value.forEach(worse);
    else if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value)) {
        const isName = names.has(key) && !("findings" in value);
        const isText = texts.has(key) || (key === "value" && ("action" in value || value.key === "invite.text"));
        if (typeof one !== "string" || one === "" || one.includes(markup)) worse(one);
        else if (isName) value[key] = one + "\u200b" + bad;
        else if (isText) value[key] = one + bad;
      }
    }
    return value;
  };
  globalThis.hits = 0;
  globalThis.hit = () => { hits += 1; };
  // The stream runs in the page, where it can be reached.
  delete globalThis.SharedWorker;
  const parse = JSON.parse;
  JSON.parse = (...words) => worse(parse(...words));
  const json = Response.prototype.json;
  Response.prototype.json = function () { return json.call(this).then(worse); };
})();
"""

#: What of it has done harm.
HARM = r"""() => {
  const found = new Set();
  const raw = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066\u2028\u2029\ufeff]/u;
  const told = (one) => `<${one.tagName.toLowerCase()} class="${one.className}">`;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    // What stands in a field is what the user may change: no name is made safe there.
    if (raw.test(node.data) && node.parentElement.tagName !== "TEXTAREA") found.add(`raw: ${told(node.parentElement)} in ${told(node.parentElement.parentElement)} ${JSON.stringify(node.data.slice(0, 30))}`);
  }
  for (const one of document.body.querySelectorAll("*")) {
    for (const { name, value } of one.attributes) {
      if (name !== "value" && raw.test(value)) found.add(`raw: ${name} of ${told(one)} ${JSON.stringify(value.slice(0, 30))}`);
      if (/^on/.test(name)) found.add(`${name} of ${told(one)}`);
    }
  }
  if (raw.test(document.title)) found.add(`raw: the title ${JSON.stringify(document.title.slice(0, 30))}`);
  for (const one of document.querySelectorAll("img[src='x'], body script, b, [style*='position']")) found.add(`made: ${told(one)}`);
  if (hits > 0) found.add(`ran ${hits} times`);
  return [...found].join("\n");
}"""

WIDE = r"""() => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  const found = new Set(wide > 0 ? [`the page is ${wide} too wide`] : []);
  for (const one of document.querySelectorAll(".pane-body, .pane, dialog[open], .call-ring, .call, .menu")) {
    if (one.checkVisibility() && one.scrollWidth > one.clientWidth + 1) found.add(`<${one.tagName.toLowerCase()} class="${one.className}"> is ${one.scrollWidth - one.clientWidth} too wide`);
  }
  return [...found].join("\n");
}"""


def more(ids):
    """Screens and parts that show names and texts of others beside those of every walk."""
    at = f"chats/{ids['chat']}"
    return [
        Screen("go to somebody", "chats", "Friend", (("key", "k", "ctrlKey"), ("type", "Chat, friend or screen", "ben"))),
        Screen("files of a folder", at, "Part 1", (("menu", "The map"), ("choose", "Show files"))),
        Screen("search for a message", "search", "ahead of us", (("type", "Search everything", "onward"),)),
    ]


class Hostile(CallTest):
    watch = WATCH + OUTSIDE + HOSTILE

    def harmless(self, window, where):
        """Nothing of what others wrote has become more than text, in a wide and in a narrow window."""
        page = window.page
        for width in (1280, 320):
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_timeout(60)
            for check in (HARM, WIDE) if width == 320 else (HARM,):
                found = page.evaluate(check)
                if found:
                    self.faults.append(f"{where}, {width}:\n{found}")
        page.set_viewport_size({"width": 1280, "height": 800})

    def hostile(self, person):
        window = self.window(person, script=self.watch)
        window.page.get_by_role("heading", name="Chats").wait_for()
        return window

    def test_hostile_walk(self):
        """On no screen a name, text, file name, status, note or setting of others makes an element, runs, turns a line or widens the page"""
        self.faults = []
        anna, ben, chat, theirs, lines = talk(self.stage)
        self.stage.person("Emil Rossi").line()("account.create", displayName="Emil Rossi")
        ids = fill(self.stage, anna, ben, theirs, lines)
        line = lines["Anna Berg"]
        trip = anna.home / "Map"
        trip.mkdir()
        (trip / "Part 1 <b>.txt").write_text("The way\n")
        line("message.send", conversation=chat, text="The map, ahead of us and onward", files=[str(trip)])
        line("settings.set", key="invite.text", value='Join me <img src=x onerror="hit()"> {link}')
        window = self.hostile(anna)
        page = window.page
        for screen in screens(ids) + more(ids):
            page.evaluate(GO, screen.path)
            for step in screen.steps:
                page.evaluate(f"([kind, what, more]) => ({STEP})(kind, what, more)", [*step, ""][:3])
            wait_for(f"{screen.seen!r} on the screen {screen.name}", lambda: page.evaluate(SEEN, screen.seen))
            self.harmless(window, screen.name)
        if self.faults:
            self.fail("\n".join(self.faults))
        window.go(f"friends/{ids['ben']}")
        # It is shown as docs/WEB.md has it, in names and in texts.
        for field in (page.locator(".profile-name"), page.get_by_role("main").get_by_text(re.compile("^In the lab until six"))):
            expect(field).to_contain_text(r"\u{202e}fdp.exe\u{2066}\u{7}\u{9b}31m\u{2028}\u{feff}WWW")
        expect(page.locator(".profile-name")).to_contain_text(r"\u{200b}")
        self.done()

    def test_hostile_call(self):
        """A call, its notification and the title of the page, and a request, name a hostile caller without harm"""
        self.faults = []
        anna, ben = self.pair()
        for window in (anna, ben):
            self.assertEqual(window.page.evaluate("typeof SharedWorker"), "undefined")
        anna.page.get_by_role("main").get_by_role("button", name="Call", exact=True).click()
        ring = ben.page.locator(".call-ring")
        expect(ring).to_contain_text(r"fdp.exe\u{2066}\u{7}")
        self.wait("the notification", lambda: ben.page.evaluate("shown.length"))
        self.assertRegex(ben.page.evaluate("shown[0].title"), r"^“Anna Berg\\u\{200b\} <img src=.*\\u\{202e\}fdp")
        self.assertRegex(ben.page.title(), r"^Anna Berg\\u\{200b\} <img src=.*\\u\{202e\}fdp")
        self.harmless(ben, "a call rings")
        self.harmless(anna, "it rings there")
        ring.get_by_role("button", name="Answer", exact=True).click()
        for window in (anna, ben):
            self.talks(window)
        self.harmless(ben, "in a call")
        ben.button("Small window").click()
        self.harmless(ben, "a small call")
        ben.button("End call").click()
        expect(anna.button("End call")).to_be_hidden()
        self.harmless(anna, "after a call")
        self.lines[1]("message.send", to=self.ids[0], text="A word")
        self.wait("the notification", lambda: anna.page.evaluate("shown.length"))
        title, body = anna.page.evaluate("[shown[0].title, shown[0].body]")
        # A long name is cut, and leaves room for a group's.
        self.assertRegex(title, r"^Ben Ito\\u\{200b\} <img src=.*…$")
        self.assertIn(r"\u{202e}fdp.exe\u{2066}\u{7}", body)
        if self.faults:
            self.fail("\n".join(self.faults))
        self.done()
