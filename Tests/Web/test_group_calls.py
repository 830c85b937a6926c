"""Calls of groups: everybody is connected with everybody, people come and go, and what is sent is found at each of the others."""

import re

from playwright.sync_api import expect

from checks import thorough
from crowd import FIRST, LAST
from hikers import EACH, GROUP, HikersTest

# What the senders of the cameras may send: by how much pictures are made smaller, how many a second, how many bits.
LIMITS = """() => window.connections.filter((one) => one.connectionState === "connected").map((one) => {
  const { sender } = one.getTransceivers()[1];
  const [{ maxBitrate, maxFramerate, scaleResolutionDownBy }] = sender.getParameters().encodings;
  return [sender.track.getSettings().width / scaleResolutionDownBy, maxFramerate, maxBitrate];
})"""


class GroupCalls(HikersTest):
    def limited(self, window, limits):
        """Waits until the camera is sent to each of the others as large, as often and with as many bits as this."""
        found = None

        def are():
            nonlocal found
            found = window.page.evaluate(LIMITS)
            return found == limits

        try:
            self.wait(f"pictures of {limits}", are)
        except AssertionError as error:
            raise AssertionError(f"{error}: there are {found}") from None

    def test_group_call(self):
        """A group's call rings at its members, who hear each other in each second; one declines and joins late, one leaves, one's daemon is killed, and all of it is seen and said"""
        anna, ben, cleo = windows = self.hikers("Anna Berg", "Ben Ito", "Cleo Marin")
        anna.button("Call").click()
        expect(self.region(anna)).to_contain_text(re.compile("Ringing (Ben Ito and Cleo Marin|Cleo Marin and Ben Ito)"))
        rings = cleo.page.get_by_role("region", name=f"Anna Berg is calling {GROUP}")
        expect(rings).to_be_visible()
        self.accessible(cleo, "a call of a group rings")
        ben.button("Answer").click()
        self.all_talk([anna, ben], seconds=2)
        expect(self.tile(anna, "Ben Ito")).to_be_visible()
        expect(rings).to_contain_text("In the call: Anna Berg and Ben Ito")
        rings.get_by_role("button", name="Decline", exact=True).click()
        expect(rings).to_be_hidden()
        # Who declined sees that it goes on, in the chat and in the list of chats, and joins late.
        bar = cleo.page.get_by_role("region", name="In the call")
        expect(bar).to_contain_text("Call: Anna Berg and Ben Ito")
        expect(bar).not_to_contain_text("Joining ends")
        expect(cleo.page.get_by_role("list", name="Chats").get_by_role("link", name=re.compile(GROUP))).to_contain_text("Call: Anna Berg and Ben Ito")
        self.accessible(cleo, "a call goes on without one")
        bar.get_by_role("button", name="Join", exact=True).click()
        expect(anna.page.get_by_role("log").filter(has_text="Cleo Marin has joined")).to_be_attached()
        self.all_talk(windows, seconds=5)
        self.all_talk(windows, kind="energy")
        for window, names in ((anna, ("Ben Ito", "Cleo Marin")), (ben, ("Anna Berg", "Cleo Marin")), (cleo, ("Anna Berg", "Ben Ito"))):
            for name in names:
                expect(self.tile(window, name)).to_be_visible()
        self.accessible(anna, "a call of three")
        anna.button("Mute").click()
        for window in (ben, cleo):
            expect(self.tile(window, "Anna Berg")).to_contain_text("Anna Berg is muted")
        anna.button("Muted").click()
        ben.button("Leave call").click()
        expect(anna.page.get_by_role("log").filter(has_text="Ben Ito has left")).to_be_attached()
        self.assertEqual(ben.page.evaluate("window.connections.filter((one) => one.signalingState !== 'closed').length"), 0)
        self.all_talk([anna, cleo], seconds=2)
        ben.page.get_by_role("region", name="In the call").get_by_role("button", name="Join", exact=True).click()
        self.all_talk(windows, seconds=2)
        self.people[1].kill()
        self.all_talk(windows, seconds=3)
        self.people[1].start()
        self.lines[1] = self.people[1].line()
        self.all_talk(windows, seconds=5)
        self.wait("the call in the new daemon", lambda: [one["state"] for one in self.lines[1]("call.list")["calls"]] == ["active"])
        for window in (cleo, ben):
            window.button("Leave call").click()
            expect(window.button("Leave call")).to_be_hidden()
        expect(self.region(anna)).to_contain_text("Everybody else has left.")
        anna.button("Leave call").click()
        expect(anna.button("Leave call")).to_be_hidden()
        expect(anna.page.get_by_role("region", name="In the call")).to_be_hidden()
        expect(anna.page.get_by_text(re.compile(r"^You started a call · \d:\d\d$"))).to_be_visible()
        expect(cleo.page.get_by_text(re.compile(r"^Anna Berg started a call · \d:\d\d$"))).to_be_visible()
        for line in self.lines:
            self.assertEqual(line("call.list")["calls"], [])
        cleo.go("calls")
        expect(cleo.page.get_by_role("link", name=re.compile(f"{GROUP}.*Anna Berg started a call"))).to_be_visible()
        for window in windows:
            window.said = [line for line in window.said if "Failed to load" not in line]
        self.done()

    @thorough
    def test_eight(self):
        """Eight people speak in one call, and each hears each of the others; a ninth doesn't get in, and joins when one has left"""
        # Eight windows share what each has on a host of its own: nothing is drawn that can be left out.
        windows = self.hikers(*(f"{first} {last}" for first, last in list(zip(FIRST, LAST))[:9]), reduced_motion="reduce")
        ninth = windows[8]
        windows[0].button("Call").click()
        # So many are not rung for: they see that a call goes on.
        bars = [window.page.get_by_role("region", name="In the call") for window in windows]
        for bar in bars[1:8]:
            bar.get_by_role("button", name="Join", exact=True).click()
        self.all_talk(windows[:8])
        bars[8].get_by_role("button", name="Join", exact=True).click()
        ninth.page.wait_for_timeout(3000)
        self.assertEqual([one["state"] for one in self.lines[8]("call.list")["calls"]], ["ongoing"])
        self.assertEqual(ninth.page.evaluate("window.connections.filter((one) => one.signalingState !== 'closed').length"), 0)
        windows[3].button("Leave call").click()
        expect(windows[3].button("Leave call")).to_be_hidden()
        self.wait("seven to be left", lambda: sum(one["state"] == "joined" for one in self.lines[8]("call.list")["calls"][0]["participants"]) == 7)
        bars[8].get_by_role("button", name="Join", exact=True).click()
        self.all_talk(windows[:3] + windows[4:])
        self.accessible(windows[0], "a call of eight")
        for window in windows[:3] + windows[4:]:
            window.button("Leave call").click()
        for line in self.lines:
            self.wait("no call to be left", lambda line=line: line("call.list")["calls"] == [])
        self.done()

    @thorough
    def test_group_pictures(self):
        """Pictures become smaller with the third person and larger when one leaves; one screen is shown at a time, and the camera of its owner makes room"""
        anna, ben, cleo = windows = self.hikers("Anna Berg", "Ben Ito", "Cleo Marin")
        anna.button("Video call").click()
        ben.button("Answer with video").click()
        self.all_talk([anna, ben])
        self.limited(anna, [[1280, 30, 2_500_000]])
        cleo.button("Answer").click()
        self.all_talk(windows)
        self.limited(anna, [[640, 24, 800_000]] * 2)
        for window, name in ((ben, "Anna Berg"), (cleo, "Anna Berg"), (cleo, "Ben Ito")):
            expect(window.page.get_by_label(f"Video of {name}")).to_be_visible()
        self.talks(cleo, ("sound", "pictures"), seconds=2)
        anna.button("Share screen").click()
        for window in (ben, cleo):
            expect(window.page.get_by_label("Screen of Anna Berg")).to_be_visible()
        self.limited(anna, [[320, 15, 250_000]] * 2)
        self.assertEqual(anna.page.get_by_label(re.compile("^Screen of")).count(), 0)
        self.accessible(cleo, "a screen in a call of three")
        ben.button("Share screen").click()
        expect(ben.page.get_by_role("status").filter(has_text="Anna Berg is already sharing a screen")).to_be_visible()
        anna.button("Stop sharing").click()
        expect(ben.page.get_by_label("Screen of Anna Berg")).to_be_hidden()
        self.limited(anna, [[640, 24, 800_000]] * 2)
        cleo.button("Leave call").click()
        self.limited(anna, [[1280, 30, 2_500_000]])
        for window in (anna, ben):
            window.button("Leave call").click()
        self.done()

    @thorough
    def test_group_reload(self):
        """A window of three that is loaded anew is back within seconds, for both others; one that no connection leads to is said to be so"""
        anna, ben, cleo = windows = self.hikers("Anna Berg", "Ben Ito", "Cleo Marin")
        anna.button("Call").click()
        for window in (ben, cleo):
            window.button("Answer").click()
        self.all_talk(windows)
        ben.page.reload()
        self.all_talk(windows, seconds=2)
        # The others' windows go without a word: their tiles stay for a moment, and say so.
        cleo.page.close(run_before_unload=False)
        self.windows.remove(cleo)
        expect(self.tile(anna, "Cleo Marin")).to_contain_text(re.compile("Reconnecting|away for a moment"))
        self.all_talk([anna, ben], seconds=2)
        for window in (anna, ben):
            window.button("Leave call").click()
        self.done()

    @thorough
    def test_group_crossed(self):
        """Two who call their group at once are in one call, and nothing rings at either; a third who is removed from the group is out of the call, and is told so"""
        anna, ben, cleo = windows = self.hikers("Anna Berg", "Ben Ito", "Cleo Marin")
        for window in (anna, ben):
            window.button("Call").wait_for()
        for window in (anna, ben):
            window.page.evaluate("setTimeout(() => document.querySelector('button[aria-label=Call]').click(), 1500 - Date.now() % 1000)")
        self.all_talk([anna, ben], seconds=2)
        cleo.button("Answer").click()
        self.all_talk(windows)
        group = self.lines[0]("group.list")["groups"][0]["id"]
        self.lines[0]("group.remove", id=group, member=self.ids[2])
        expect(cleo.page.get_by_role("status").filter(has_text=f"you were removed from {GROUP}")).to_be_visible()
        self.assertEqual(cleo.page.evaluate("window.connections.filter((one) => one.signalingState !== 'closed').length"), 0)
        expect(self.tile(anna, "Cleo Marin")).to_be_hidden()
        self.all_talk([anna, ben], seconds=2)
        for window in (anna, ben):
            window.button("Leave call").click()
            expect(window.button("Leave call")).to_be_hidden()
        self.done()

    @thorough
    def test_group_no_way(self):
        """Where two find no way to each other, each tile says so, and the others are heard; a call that is full says so, too"""
        anna, ben, cleo = windows = self.hikers("Anna Berg", "Ben Ito", "Cleo Marin")
        devices = [line("account.get")["device"]["id"] for line in self.lines]
        full = [True]

        def deaf(other):
            """What is said to that device is lost."""
            def handle(route):
                body = route.request.post_data or ""
                if '"call.signal"' in body and other in body:
                    return route.fulfill(json={"result": {}})
                if '"call.accept"' in body and full:
                    full.clear()
                    return route.fulfill(json={"error": {"code": -32000, "message": "eight are in the call already", "data": {"kind": "busy", "retryable": True}}})
                return route.continue_()

            return handle

        anna.button("Call").click()
        cleo.page.route("**/rpc", deaf(devices[1]))
        cleo.button("Answer").click()
        expect(cleo.page.get_by_role("status").filter(has_text="The call is full: eight people are already in it.")).to_be_visible()
        cleo.button("Answer").click()
        self.all_talk([anna, cleo])
        ben.page.route("**/rpc", deaf(devices[2]))
        ben.button("Answer").click()
        for words in ("Connecting", "no connection: a firewall may be blocking it"):
            for window, name in ((ben, "Cleo Marin"), (cleo, "Ben Ito")):
                expect(self.tile(window, name)).to_contain_text(words)
        self.accessible(cleo, "a call with one who can't be heard")
        for window, others in ((anna, 2), (ben, 1), (cleo, 1)):
            before = window.page.evaluate(EACH)
            window.page.wait_for_timeout(1000)
            now = window.page.evaluate(EACH)
            self.assertEqual([len(before), len(now)], [others, others])
            self.assertTrue(all(new["sound"] > old["sound"] for old, new in zip(before, now)))
        for window in windows:
            window.button("Leave call").click()
        self.done()
