"""Calls of groups that are joined out of another call, and in which two have no session with each other."""

import json
import subprocess
import unittest

from playwright.sync_api import expect

from checks import thorough
from hikers import GROUP, HikersTest
from hosts import Hosts
from stage import befriend
from test_calls_hosts import LACKING, HostTest

# Two daemons find no session with each other; what their browsers send gets through.
APART = """
table inet wall {
  chain in { type filter hook input priority 0; %(from)s }
  chain out { type filter hook output priority 0; %(to)s }
}
"""


class GroupCallsJoined(HikersTest):
    def test_group_join_ends(self):
        """Who joins a group's call out of another one reads first which call ends by that, in the bar and at the record; it ends, and the other one hears so"""
        anna, ben, cleo = self.hikers("Anna Berg", "Ben Ito", "Cleo Marin")
        anna.button("Call").click()
        ben.button("Answer").click()
        self.all_talk([anna, ben])
        cleo.page.get_by_role("region", name=f"Anna Berg is calling {GROUP}").get_by_role("button", name="Decline", exact=True).click()
        bar = cleo.page.get_by_role("region", name="In the call")
        expect(bar.get_by_role("button", name="Join", exact=True)).to_be_visible()
        ben.button("Leave call").click()
        # Cleo calls Ben, and her window shows the group's chat.
        ben.go("chats")
        befriend(self.lines[2], self.lines[1])
        cleo.go(f"chats/{self.lines[2]('conversation.open', contact=self.ids[1])['id']}")
        cleo.button("Call").click()
        ben.button("Answer").click()
        self.talks(cleo)
        cleo.button("Small window").click()
        cleo.go(f"chats/{self.chats[2]}")
        expect(bar).to_contain_text("Joining ends the call with Ben Ito.")
        expect(bar.get_by_role("button", name="End call and join with video")).to_be_visible()
        expect(cleo.page.get_by_role("main").get_by_role("button", name="End call and join", exact=True)).to_have_count(2)
        self.accessible(cleo, "a group's call goes on beside another one")
        bar.get_by_role("button", name="End call and join", exact=True).click()
        expect(ben.button("End call")).to_be_hidden()
        self.all_talk([anna, cleo], seconds=2)
        for window in (anna, cleo):
            window.button("Leave call").click()
        self.done()


@unittest.skipIf(LACKING, LACKING)
class GroupCallsApart(HikersTest):
    """Three hosts."""

    on = HostTest.on

    def setUp(self):
        self.stage = Hosts(self.playwright, 3)
        self.stage.devices = lambda person: ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
        self.windows = []
        self.is_done = False

    @thorough
    def test_group_apart(self):
        """Two whose daemons have no session are in one call all the same with the third, and their tiles say so; once there is one, they hear each other"""
        anna, ben, cleo = windows = self.hikers("Anna Berg", "Ben Ito", "Cleo Marin")
        self.part()
        for number in (1, 2):
            self.wait("the session to be gone", lambda: self.lines[number]("group.list")["groups"][0]["online"] == 2)
        anna.button("Call").click()
        for window in (ben, cleo):
            window.button("Answer").click()
        for window, name in ((ben, "Cleo Marin"), (cleo, "Ben Ito")):
            expect(self.tile(window, name)).to_contain_text("can’t be reached from here")
        for _ in range(3):
            self.talks(ben)
            self.talks(cleo)
        self.accessible(ben, "a call with one who can't be reached")
        self.on(self.people[1], "nft", "delete", "table", "inet", "wall")
        self.all_talk(windows, seconds=3)
        for window in windows:
            window.button("Leave call").click()
        for line in self.lines:
            self.wait("no call to be left", lambda line=line: line("call.list")["calls"] == [])
        self.done()

    def part(self):
        """Cuts Ben's daemon off from Cleo's, by each of her addresses."""
        told = subprocess.run([*self.people[2].before, "ip", "-j", "address", "show", "dev", "eth0"], capture_output=True, text=True, check=True).stdout
        ways = [("ip" if one["family"] == "inet" else "ip6", one["local"]) for one in json.loads(told)[0]["addr_info"]]
        rules = {word: "; ".join(f"{kind} {field} {address} meta l4proto tcp reject with tcp reset" for kind, address in ways) + ";"
                 for word, field in (("from", "saddr"), ("to", "daddr"))}
        self.on(self.people[1], "nft", "-f", "-", text=APART % rules)
