"""Calls between two hosts of which one has Firefox: each hears the other's tone and sees the other's picture."""

import json
import os
import re
import unittest

from playwright.sync_api import expect

from calls import COUNT
from hosts import Ear, missing
from stage import wait_for
from studio import HEAR, POISON, THIRD, TONES, Studio, StudioTest

try:
    import firefox
except ImportError:
    firefox = None

THOROUGH = os.environ.get("KIBO_THOROUGH") == "1"
LACKING = missing() or (None if THOROUGH else "takes a second browser: --thorough") or (None if firefox and firefox.PROGRAM else "Firefox is not installed")


class Mixed(Studio):
    """Ben has Firefox, which starts later: what his page may do is written down before, with its address."""

    def launch(self, person, program):
        return None if person.name == "Ben Ito" else super().launch(person, program)


@unittest.skipIf(LACKING, LACKING)
class FirefoxCalls(StudioTest):
    def setUp(self):
        super().setUp(Mixed)

    def both(self, anna, tab, seconds, pictures):
        """In each second Anna hears Ben's tone, sound comes to Ben, and both see pictures if there are some."""
        count = lambda: json.loads(tab.run(f"async () => JSON.stringify(await ({COUNT})())"))
        kinds = ("sound", "energy", "pictures") if pictures else ("sound", "energy")
        self.hears(anna)
        wait_for("what comes to Firefox", lambda: all(count()[kind] > 0 for kind in kinds))
        before = count()
        for second in range(seconds):
            self.listen(1)
            now = count()
            for kind in kinds:
                self.assertGreater(now[kind], before[kind], f"{kind} in second {second}")
            before = now
        if pictures:
            self.talks(anna, ("sound", "pictures"), seconds=3)

    def pages(self):
        """Anna's window in Chromium and Ben's in Firefox, and their chats."""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito")
        self.people, self.lines = people, lines
        anna = self.caller(people[0])
        link = people[1].link()
        origin = re.match(r"http://[^/]+", link).group()
        self.browser = people[1].browser = firefox.Firefox(people[1], allowed=origin, **{"media.navigator.audio.fake_frequency": TONES["Ben Ito"]})
        self.browser("script.addPreloadScript", functionDeclaration=f"() => {{ if (location.protocol === 'http:') {{ {self.watch} }} }}")
        tab = self.browser.tab(link)
        tab.find("heading", "Chats")
        return anna, tab, [line("conversation.open", contact=other)["id"] for line, other in zip(lines, reversed(ids))]

    def test_firefox_calls(self):
        """Chromium calls Firefox, and Firefox Chromium: sound and pictures come in each second on both sides, and both have the records"""
        anna, tab, chats = self.pages()
        anna.go(f"chats/{chats[0]}")
        anna.button("Video call").click()
        tab.click("button", "Answer with video")
        self.both(anna, tab, 5, pictures=True)
        anna.button("End call").click()
        wait_for("the end in Firefox", lambda: tab.run("() => document.querySelector('.call') === null"))
        tab.run(f"() => {{ location.hash = '#/chats/{chats[1]}'; }}")
        tab.click("button", "Call")
        anna.button("Answer").click()
        expect(anna.page.get_by_role("region", name=re.compile("^Call with"))).to_be_visible()
        self.both(anna, tab, 3, pictures=False)
        tab.click("button", "End call")
        expect(anna.button("End call")).to_be_hidden()
        for line in self.lines:
            self.wait("both records", lambda: [one["call"]["outcome"] for one in line("call.history")["messages"]] == ["answered"] * 2)
        self.assertEqual([word for word in self.browser.said if word.startswith("error")], [])
        self.done()


@unittest.skipIf(LACKING, LACKING)
class HostileFirefoxCalls(FirefoxCalls):
    """Pages whose descriptions name a third host."""

    hosts = 3
    watch = HEAR + POISON
    test_firefox_calls = None

    def test_firefox_third_host(self):
        """What a page puts into its descriptions makes neither Firefox nor Chromium send anything to a third host, while the two talk; without the daemons it would"""
        ear = Ear(f"{self.stage.lan_name}-3", THIRD)
        self.addCleanup(ear.close)
        anna, tab, chats = self.pages()
        anna.go(f"chats/{chats[0]}")
        anna.button("Video call").click()
        tab.click("button", "Answer with video")
        self.both(anna, tab, 3, pictures=True)
        self.assertGreater(anna.page.evaluate("window.poisoned"), 0)
        self.assertGreater(tab.run("() => window.poisoned"), 0)
        self.assertEqual(ear.heard, [])
        offer = anna.page.evaluate("window.clean") or tab.run("() => window.clean")
        tab.run("(sdp) => window.swallow(sdp)", {"type": "string", "value": offer})
        wait_for("a knock at the third host", lambda: ear.heard)
        anna.button("End call").click()
        wait_for("the end in Firefox", lambda: tab.run("() => document.querySelector('.call') === null"))
        self.done()
