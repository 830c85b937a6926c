"""A walk through all screens: nothing sticks out of a narrow window, nothing is cut with large letters, axe finds nothing, nothing moves."""

import contextlib
import json
import unittest

from playwright.sync_api import TimeoutError

from checks import RULES, THEMES, THOROUGH, BrowserTest, examine, stands
from scene import fill, talk
from screens import FAULTS, GO, SEEN, STEP, screens
from stage import PATIENCE, Stage, wait_for

# The parts of the page that are its main one and can be seen.
VISIBLE_MAIN = "[...document.querySelectorAll('main, [role=main]')].filter((one) => one.checkVisibility())"
# What is checked at each size: its name, its width, and how large letters are, in percent.
SIZES = (("wide", 1280, 100), ("320 pixels", 320, 100), ("letters of 200 % on a phone", 380, 200))


def set_the_scene(stage):
    """Everybody with what they have said and sent: Anna, Ben and Emil, who is new, and the ids of the screens."""
    anna, ben, _, theirs, lines = talk(stage)
    emil = stage.person("Emil Rossi")
    return anna, ben, emil, lines, lambda: fill(stage, anna, ben, theirs, lines)


class Walk(BrowserTest):
    def look(self, window, name, number):
        """Looks at a screen as it stands, in all sizes; with axe in one theme, or in both where there is time."""
        page = window.page
        for theme in THEMES if THOROUGH else (THEMES[number % 2],):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            stands(page)
            self.faults += [f"{name}, {theme}: {fault}" for fault in examine(page, RULES)]
        for kind, width, letters in SIZES:
            self.resize(window, width, letters)
            faults = page.evaluate(FAULTS)
            if faults:
                self.faults.append(f"{name}, {kind}:\n{faults}")
        self.resize(window, *SIZES[0][1:])

    def resize(self, window, width, letters):
        """Gives a window a width and its letters a size, if it has others."""
        if window.size == (width, letters):
            return
        if window.size[1] != letters:
            window.letters(letters)
        if window.size[0] != width:
            window.page.set_viewport_size({"width": width, "height": 800})
        window.size = (width, letters)
        window.page.wait_for_timeout(60)
        # A busy machine draws the other layout later. If it never does, the faults of the screen say so.
        with contextlib.suppress(TimeoutError):
            window.page.wait_for_function(f"() => ({VISIBLE_MAIN}).length === 1", timeout=3000)

    def opened(self, person):
        window = self.window(person, reduced_motion="reduce")
        window.size = SIZES[0][1:]
        session = window.context.new_cdp_session(window.page)
        window.letters = lambda percent: session.send("Page.setFontSizes", {"fontSizes": {"standard": 16 * percent // 100, "fixed": 13 * percent // 100}})
        return window

    def walk(self, language):
        self.faults = []
        anna, ben, emil, lines, go_on = set_the_scene(self.stage)
        new = self.opened(emil)
        page = new.page
        page.evaluate("language => localStorage.setItem('kibo.language', language)", language)
        if language == "en":
            new.button("Create an account").wait_for()
            self.look(new, "welcome", 0)
            new.button("Create an account").click()
            page.get_by_label("Protect Kibo with a passphrase").check()
            page.get_by_text("More about you").click()
            self.look(new, "sign-up", 1)
            page.get_by_label("Protect Kibo with a passphrase").uncheck()
            page.get_by_label("Your name").fill("Emil Rossi")
            new.button("Create account").click()
            page.get_by_role("heading", name="First steps").wait_for()
            self.look(new, "first steps of a new user", 0)
        else:
            emil.line()("account.create", displayName="Emil Rossi")
        ids = go_on()
        window = self.opened(anna)
        page = window.page
        page.get_by_role("heading", name="Chats").wait_for()
        page.evaluate("language => localStorage.setItem('kibo.language', language)", language)
        page.reload()
        for number, screen in enumerate(screens(ids)):
            if language != "en" and screen.steps:
                continue
            page.evaluate(GO, screen.path)
            for step in screen.steps:
                page.evaluate(f"([kind, what, more]) => ({STEP})(kind, what, more)", [*step, ""][:3])
            if language == "en":
                wait_for(f"{screen.seen!r} on the screen {screen.name}", lambda: page.evaluate(SEEN, screen.seen), PATIENCE)
            else:
                page.wait_for_timeout(300)
            self.look(window, screen.name, number)
        lines["Ben Ito"]("account.lock")
        locked = self.opened(ben)
        locked.page.evaluate("language => localStorage.setItem('kibo.language', language)", language)
        locked.page.reload()
        locked.page.locator("input[type=password]").wait_for()
        self.look(locked, "unlock", 1)
        if self.faults:
            self.fail("\n".join(self.faults))
        self.done()

    def test_walk(self):
        """On every screen nothing sticks out at 320 pixels, no word is cut with letters of 200 %, nothing moves for those who want none, and axe finds nothing"""
        self.walk("en")

    @unittest.skipUnless(THOROUGH, "only with --thorough")
    def test_walk_mirrored(self):
        """The same in a language that is written from the right"""
        self.walk("mirrored")

    @unittest.skipUnless(THOROUGH, "only with --thorough")
    def test_walk_long(self):
        """The same in a language with long words"""
        self.walk("long")

    @unittest.skipUnless(THOROUGH, "only with --thorough")
    def test_walk_german(self):
        """The same in German"""
        self.walk("de")


try:
    import firefox
except ImportError:
    firefox = None


@unittest.skipUnless(THOROUGH, "only with --thorough")
@unittest.skipIf(firefox is None or firefox.PROGRAM is None, "Firefox is not installed")
class FirefoxWalk(unittest.TestCase):
    def test_firefox_walk(self):
        """In Firefox every screen opens, and its console stays empty"""
        stage = Stage(None)
        browser = firefox.Firefox()
        is_done = False
        try:
            anna, ben, emil, lines, go_on = set_the_scene(stage)
            new = browser.tab(emil.link())
            new.find("button", "Create an account")
            emil.line()("account.create", displayName="Emil Rossi")
            ids = go_on()
            tab = browser.tab(anna.link())
            tab.find("heading", "Chats")
            for screen in screens(ids):
                tab.run(f"() => ({GO})({json.dumps(screen.path)})")
                for step in screen.steps:
                    tab.run(f"() => ({STEP})({', '.join(map(json.dumps, [*step, ''][:3]))})")
                wait_for(f"{screen.seen!r} on the screen {screen.name}", lambda: tab.run(f"() => ({SEEN})({json.dumps(screen.seen)})"), PATIENCE)
                self.assertFalse(tab.run("() => document.body.innerText.includes('Something went wrong here')"), screen.name)
                self.assertEqual(browser.said, [], screen.name)
            is_done = True
        finally:
            browser.end()
            stage.end(failed=not is_done)
