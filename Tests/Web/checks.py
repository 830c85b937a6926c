"""What each screen has to pass: axe finds nothing, and the console is empty."""

import contextlib
import functools
import os
import pathlib
import struct
import unittest
import zlib

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Error, expect, sync_playwright

from stage import PATIENCE, SHELL, Stage, befriend, wait_for

expect.set_options(timeout=PATIENCE * 1000)

# WCAG 2.2 AA and below, and what axe's authors hold for good practice.
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], "resultTypes": ["violations"]}

# Waits until a screen stands: nothing in it has changed for three pictures, or it goes on for a second. What moves is brought to its end.
STANDS = """async () => {
  const moment = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 50); });
  let quiet = 0;
  const watch = new MutationObserver(() => { quiet = 0; });
  watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const end = Date.now() + 1000;
  while (quiet < 3 && Date.now() < end) {
    quiet += 1;
    await moment();
  }
  watch.disconnect();
  for (const motion of document.getAnimations()) if (motion.effect.getComputedTiming().endTime !== Infinity) motion.finish();
  await moment();
}"""


def stands(page):
    """Waits until a screen stands as it is to be looked at."""
    page.evaluate(STANDS)


def examine(page, rules):
    """What axe finds wrong with a screen: for each broken rule its name and where it is broken."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate("rules => axe.run(document, rules).then(({ violations }) => violations)", rules)
    return [f"{rule['id']}: {rule['help']}: {[node['html'][:160] for node in rule['nodes'][:3]]}" for rule in found]


THEMES = ("light", "dark")
THOROUGH = os.environ.get("KIBO_THOROUGH") == "1"

# Where each screen's picture is kept for people to look at, if anywhere: wide and narrow, light and dark.
SCREENS = os.environ.get("KIBO_SCREENS")


def picture(width=120, height=60):
    """A PNG whose left half is red and whose right half is blue."""
    row = b"\x00" + b"\xd0\x20\x20" * (width // 2) + b"\x20\x20\xd0" * (width - width // 2)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b"")


def thorough(test):
    """For tests that take long or need much of the machine: scripts/test --thorough runs them, one after the other."""
    test.is_thorough = True
    return unittest.skipUnless(THOROUGH, "takes long: --thorough")(test)


@functools.cache
def started():
    """Playwright, which all tests of a process share."""
    return sync_playwright().start()


def leave():
    """Ends Playwright, and the browser with it."""
    if started.cache_info().currsize:
        started().stop()


class BrowserTest(unittest.TestCase):
    """A test with people on a stage. At the end no console may have said anything."""

    #: Whether anything moves in the windows. Where nothing does, all is at once where it ends; that it moves well is no test's concern but a story's.
    motion = "reduce"
    #: Which browser has the windows.
    program = SHELL

    @classmethod
    def setUpClass(cls):
        cls.playwright = started()

    def setUp(self):
        self.stage = Stage(self.playwright, program=self.program)
        self.windows = []
        self.is_done = False

    def tearDown(self):
        if not self.is_done:
            for number, window in enumerate(self.windows):
                # A test may have closed its window, and a browser may have crashed.
                with contextlib.suppress(Error):
                    window.page.screenshot(path=self.stage.folder / f"window-{number}.png")
                print(f"    window {number} said {window.said}")
        self.stage.end(failed=not self.is_done)

    def window(self, person, **options):
        window = self.stage.window(person, **{"reduced_motion": self.motion, **options})
        self.windows.append(window)
        return window

    def window_at(self, link, **options):
        """A window of a new browser profile that is started with this address."""
        window = self.stage.window_at(self.stage.browser, link, **{"reduced_motion": self.motion, **options})
        self.windows.append(window)
        return window

    def done(self):
        """The last line of each test."""
        for window in self.windows:
            self.assertEqual(window.said, [])
        self.is_done = True

    def friends(self, *names):
        """People with accounts who are friends with the first of them."""
        people = [self.stage.person(name) for name in names]
        lines = [person.line() for person in people]
        ids = [line("account.create", displayName=name)["id"] for line, name in zip(lines, names)]
        for line in lines[1:]:
            befriend(line, lines[0])
        return people, lines, ids

    def wait(self, what, condition):
        return wait_for(what, condition)

    def accessible(self, window, name):
        """axe finds nothing on this screen, in the theme that its name chooses; with --thorough, or for pictures, in both."""
        for theme in THEMES if THOROUGH or SCREENS else (THEMES[sum(name.encode()) % 2],):
            window.page.emulate_media(color_scheme=theme)
            stands(window.page)
            found = examine(window.page, RULES)
            if SCREENS:
                self.keep(window, f"{name}, {theme}")
            self.assertEqual(found, [], f"{name}, {theme}")

    def keep(self, window, name):
        """Keeps pictures of a screen, as wide as it is and narrow."""
        folder = pathlib.Path(SCREENS)
        folder.mkdir(parents=True, exist_ok=True)
        size = window.page.viewport_size
        for kind, width in (("wide", size["width"]), ("narrow", 360)):
            window.page.set_viewport_size({"width": width, "height": size["height"]})
            window.page.wait_for_timeout(200)
            window.page.screenshot(path=folder / f"{name}, {kind}.png")
        window.page.set_viewport_size(size)
