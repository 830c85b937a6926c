"""Calls between two people with windows in which something goes wrong: a daemon dies, a key is another one, nobody is there."""

import os
import re

from playwright.sync_api import expect

from calls import CallTest
from stage import CHROMIUM, wait_for

# The answer to call.start comes a second late.
LATE = """() => {
  const quick = window.fetch;
  window.fetch = async (...words) => {
    const answer = await quick(...words);
    if (!String(words[1]?.body).includes('"call.start"')) return answer;
    await new Promise((then) => setTimeout(then, 1000));
    setTimeout(() => { window.late = 1; });
    return answer;
  };
}"""

# What tells what is sent comes a second late where `window.holds` is set, and can be overtaken by what follows; where `window.refuses` is set, it is refused.
HELD_UP = """() => {
  const quick = window.fetch;
  window.fetch = async (...words) => {
    if (!String(words[1]?.body).includes('"call.update"')) return quick(...words);
    if (window.holds) {
      window.holds = false;
      await new Promise((then) => setTimeout(then, 1000));
      setTimeout(() => { window.late = true; });
    }
    if (window.refuses) {
      window.refuses = false;
      return new Response("{}", { status: 500 });
    }
    return quick(...words);
  };
}"""

# The handshakes that have come to an end, with or without success.
HANDSHAKES = """() => window.connections.flatMap((one) => one.getSenders().map(({ transport }) => transport?.state ?? "new"))
  .filter((state) => ["connected", "closed", "failed"].includes(state))"""


class CallsGoWrong(CallTest):
    # How calls fail is looked at in the browser that people have.
    program = CHROMIUM

    def test_call_daemon_killed(self):
        """Sound goes on without a gap while a daemon is killed and started again, and the call ends on both sides afterwards"""
        anna, ben = self.answered()
        self.people[1].kill()
        for _ in range(3):
            self.talks(anna)
            self.talks(ben)
        self.people[1].start()
        self.lines[1] = self.people[1].line()
        for _ in range(5):
            self.talks(anna)
            self.talks(ben)
        self.wait("the call in the new daemon", lambda: [one["state"] for one in self.lines[1]("call.list")["calls"]] == ["active"])
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        for line in self.lines:
            self.record(line, "answered")
        for window in (anna, ben):
            window.said = [line for line in window.said if "Failed to load" not in line]
        self.done()

    def test_call_told(self):
        """What is sent is told in its order, and again where the daemon hasn't heard it: the other side sees the camera that is on, and none that is off"""
        anna, ben = self.answered("Video call")
        video = ben.page.get_by_label("Video of Anna Berg")
        expect(video).to_be_visible()
        anna.page.evaluate(HELD_UP)
        anna.page.evaluate("window.holds = true")
        anna.page.keyboard.press("Alt+v")
        self.wait("a word on its way", lambda: not anna.page.evaluate("window.holds"))
        anna.page.keyboard.press("Alt+v")
        self.wait("the late word", lambda: anna.page.evaluate("window.late"))
        self.talks(ben, ("pictures",))
        # It is not taken away again.
        self.wait("the camera", lambda: "camera" in self.lines[1]("call.list")["calls"][0]["participants"][0]["sends"])
        expect(video).to_be_visible()
        anna.page.evaluate("window.refuses = true")
        anna.page.keyboard.press("Alt+v")
        self.is_dark(anna)
        self.wait("a refusal", lambda: not anna.page.evaluate("window.refuses"))
        expect(video).to_be_hidden()
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        self.done()

    def test_call_gateway_killed(self):
        """Sound goes on without a gap while a worker of the gateway is killed, then the gateway itself; the window says so, and ends the call once it is back"""
        anna, ben = self.answered()
        region = ben.page.get_by_role("region", name="Call with Anna Berg")
        for pid in self.people[1].workers():
            os.kill(pid, 9)
        for _ in range(3):
            self.talks(anna)
            self.talks(ben)
        self.people[1].kill_gateway()
        expect(region).to_contain_text("This page has lost the connection to Kibo")
        for _ in range(3):
            self.talks(anna)
            self.talks(ben)
        self.people[1].serve()
        expect(region).not_to_contain_text("This page has lost the connection to Kibo")
        for _ in range(3):
            self.talks(anna)
            self.talks(ben)
        self.assertEqual([one["state"] for one in self.lines[1]("call.list")["calls"]], ["active"])
        ben.button("End call").click()
        expect(anna.button("End call")).to_be_hidden()
        for line in self.lines:
            self.record(line, "answered")
        ben.said = [line for line in ben.said if "Failed to load" not in line]
        self.done()

    def test_call_wrong_key(self):
        """A window that says another certificate's fingerprint than it has gets no connection: its daemon refuses the description"""
        anna, ben = self.pair()
        ben.page.route("**/rpc", self.lie)
        anna.button("Call").click()
        described = lambda response: '"call.signal"' in (response.request.post_data or "") and '"sdp"' in response.request.post_data
        with ben.page.expect_response(described) as answer:
            ben.button("Answer").click()
        # The daemon of who lies takes no description from that window.
        self.assertEqual(answer.value.json()["error"]["data"]["kind"], "invalid")
        for window in (anna, ben):
            expect(window.page.get_by_role("alert").filter(has_text="The two computers couldn’t connect")).to_be_visible()
            self.assertEqual(self.count(window)["sound"], 0)
        for line in self.lines:
            self.record(line, "failed")
        self.done()

    def test_call_refused_key(self):
        """A window whose certificate is not the one that its daemon named is refused by the other browser: nothing is shown or recorded as a talk"""
        windows = anna, ben = self.pair()
        # Whoever answers the description may be connected for a moment, before the other side has looked at the certificate.
        number = 1 - self.offerer()
        windows[number].page.route("**/rpc", self.lie_throughout)
        reports = []
        for window in windows:
            window.page.on("request", lambda request: reports.append(request.post_data) if '"call.report"' in (request.post_data or "") else None)
        anna.button("Call").click()
        ben.button("Answer").click()
        for window in windows:
            self.wait("the handshake", lambda: window.page.evaluate(HANDSHAKES) != [])
            expect(window.page.get_by_role("region", name=re.compile("^Call with"))).to_contain_text("The connection was refused")
        for window in windows:
            window.page.get_by_role("alert").filter(has_text="it wasn’t secure").wait_for(timeout=60_000)
            # The reason that is known is not followed by a guess.
            expect(window.page.get_by_text("firewall")).to_have_count(0)
            self.assertEqual(self.count(window)["sound"], 0)
        self.assertEqual([one for one in reports if '"state":"connected"' in one], [])
        for line in self.lines:
            self.record(line, "failed")
        self.done()

    @staticmethod
    def lie(route):
        body = route.request.post_data or ""
        if '"call.accept"' in body:
            body = re.sub(r'"fingerprint":"(..)', lambda found: '"fingerprint":"' + ("00" if found.group(1) != "00" else "11"), body)
        route.continue_(post_data=body)

    @staticmethod
    def lie_throughout(route):
        """Names another certificate to the daemon and in each description, so that only the other browser can see it."""
        body = route.request.post_data or ""
        if any(f'"{method}"' in body for method in ("call.start", "call.accept", "call.signal")):
            body = re.sub(r'("fingerprint":"|a=fingerprint:sha-256 )(..)', lambda found: found.group(1) + ("00" if found.group(2) != "00" else "11"), body)
        route.continue_(post_data=body)

    def test_call_no_permission(self):
        """Nobody is rung for a call that can't be: without leave for the microphone it is said what to do"""
        anna, ben = self.pair()
        anna.page.evaluate("""() => {
          navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
          navigator.permissions.query = () => Promise.resolve({ state: 'prompt' });
        }""")
        anna.button("Call").click()
        expect(anna.page.get_by_role("status").filter(has_text="The call wasn’t made")).to_be_visible()
        ben.page.wait_for_timeout(500)
        self.assertEqual(self.lines[1]("call.list")["calls"], [])
        self.done()

    def test_call_crossed(self):
        """Two who call each other at once are connected, and nothing rings"""
        anna, ben = self.pair()
        ben.go(f"chats/{self.lines[1]('conversation.open', contact=self.ids[0])['id']}")
        ben.button("Call").wait_for()
        # Both want to before either daemon has heard of the other's call.
        for window in (anna, ben):
            window.page.evaluate("setTimeout(() => document.querySelector('button[aria-label=Call]').click(), 1500 - Date.now() % 1000)")
        for window in (anna, ben):
            self.talks(window)
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        for line in self.lines:
            self.record(line, "answered")
        self.done()

    def test_call_offline(self):
        """A friend who is offline is said to be that, not to have no window; the call is missed there once the friend is back"""
        anna, ben = self.pair()
        self.people[1].kill()
        self.wait("Ben to be offline", lambda: self.lines[0]("contact.get", id=self.ids[1])["presence"] == "offline")
        anna.button("Call").click()
        expect(anna.page.get_by_role("alert").filter(has_text="Ben Ito is offline and will see a missed call later.")).to_be_visible()
        self.people[1].start()
        self.lines[1] = self.people[1].line()
        self.wait("the missed call", lambda: self.lines[1]("conversation.totals")["missedCalls"] == 1)
        # What was true when the call ended stays, although the friend is back.
        expect(anna.page.get_by_role("alert").filter(has_text="Ben Ito is offline and will see a missed call later.")).to_be_visible()
        for window in (anna, ben):
            window.said = [line for line in window.said if "Failed to load" not in line]
        self.done()

    def test_call_nobody(self):
        """Where no window can ring, the caller is told so at once, and who comes later finds a missed call"""
        anna, ben = self.pair()
        ben.page.close()
        line = self.people[1].line()
        wait_for("the page's end to be noticed", lambda: "\nkibo_notifying_clients 0\n" in line("system.metrics"), seconds=3)
        anna.button("Call").click()
        expect(anna.page.get_by_role("alert").filter(has_text="Nothing could ring")).to_be_visible()
        self.assertEqual(anna.page.evaluate("window.connections.filter((one) => one.signalingState !== 'closed').length"), 0)
        # The event of the end may overtake the answer to the request that began the call.
        anna.page.evaluate(LATE)
        anna.button("Call again").click()
        self.wait("the late answer", lambda: anna.page.evaluate("window.late === 1"))
        # Nothing of what comes after the answer takes the reason away.
        anna.page.wait_for_timeout(1000)
        expect(anna.page.get_by_role("alert").filter(has_text="Nothing could ring")).to_be_visible()
        self.windows.remove(ben)
        ben = self.window(self.people[1])
        expect(ben.page.get_by_role("navigation").get_by_text("2 missed calls")).to_be_attached()
        self.done()
