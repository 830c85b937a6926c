"""Calls between two hosts whose pages name a third host in what they say: it must hear nothing."""

import unittest

from playwright.sync_api import expect

from hosts import Ear, missing
from studio import HEAR, POISON, THIRD, StudioTest

LACKING = missing()


@unittest.skipIf(LACKING, LACKING)
class HostileDescriptions(StudioTest):
    """Pages whose descriptions name a third host."""

    hosts = 3
    watch = HEAR + POISON

    def test_third_host(self):
        """What a page puts into its descriptions makes no browser send anything to a third host, while the two talk; without the daemons it would"""
        ear = Ear(f"{self.stage.lan_name}-3", THIRD)
        self.addCleanup(ear.close)
        anna, ben = self.connected("Video call", "Answer with video")
        self.talks((anna, ben), ("sound", "pictures"), seconds=2)
        for window in (anna, ben):
            self.assertGreater(window.page.evaluate("window.poisoned"), 0)
        self.assertEqual(ear.heard, [])
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        offer = anna.page.evaluate("window.clean") or ben.page.evaluate("window.clean")
        ben.page.evaluate("sdp => window.swallow(sdp)", offer)
        self.wait("a knock at the third host", lambda: ben.page.wait_for_timeout(50) or ear.heard)
        self.done()
