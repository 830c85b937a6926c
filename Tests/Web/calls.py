"""What the tests of calls share: windows that ring, and what is counted and heard of what the other side sends."""

import os

from checks import BrowserTest
from stage import wait_for

# Keeps each connection that a page makes, so that a test can count what comes through it.
WATCH = """
window.connections = [];
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(...words) { super(...words); window.connections.push(this); }
};
"""
# What has come so far: packets of sound, their energy, pictures that were decoded.
COUNT = """async () => {
  const sum = { sound: 0, energy: 0, pictures: 0 };
  for (const connection of window.connections.filter((one) => one.connectionState === "connected")) {
    for (const one of (await connection.getStats()).values()) {
      if (one.type !== "inbound-rtp") continue;
      if (one.kind === "audio") { sum.sound += one.packetsReceived; sum.energy += one.totalAudioEnergy; }
      else sum.pictures += one.framesDecoded;
    }
  }
  return sum;
}"""


class CallTest(BrowserTest):
    """Two people with windows who call each other."""

    #: What runs in each page before its own scripts.
    watch = WATCH
    #: What a page may use without asking.
    granted = ("notifications", "microphone", "camera")

    def pair(self, **options):
        """Anna and Ben are friends, and each has a window; Anna's shows their chat."""
        self.people, self.lines, self.ids = self.friends("Anna Berg", "Ben Ito")
        windows = [self.caller(person, **options) for person in self.people]
        self.chat = self.lines[0]("conversation.open", contact=self.ids[1])["id"]
        windows[0].go(f"chats/{self.chat}")
        self.wait("a way between them", lambda: all(line("contact.get", id=other)["presence"] == "online" for line, other in zip(self.lines, reversed(self.ids))))
        return windows

    def caller(self, person, **options):
        """A window that tells of what comes, so that it can ring there."""
        script = self.watch + "localStorage.setItem('kibo.browser', JSON.stringify({ notifications: true }));"
        window = self.window(person, script=script, **{"permissions": list(self.granted), **options})
        window.page.get_by_role("heading", name="Chats").wait_for()
        # A browser without a screen shows no notification, but knows that it may.
        line = person.line()
        self.wait("a window that rings", lambda: "\nkibo_notifying_clients 1\n" in line("system.metrics"))
        return window

    def answered(self, media="Call", answer="Answer"):
        anna, ben = self.pair()
        anna.button(media).click()
        ben.button(answer).click()
        for window in (anna, ben):
            self.talks(window)
        return anna, ben

    def count(self, window):
        return window.page.evaluate(COUNT)

    def talks(self, windows, kinds=("sound",), seconds=1):
        """Something comes of each kind, at a window or at each of several, and goes on coming for so many seconds. Next to other tests it may take up to ten seconds until more comes; test_calls_hosts looks whether something comes in every second."""
        windows = windows if isinstance(windows, tuple) else (windows,)

        def count():
            return [found[kind] for found in map(self.count, windows) for kind in kinds]

        self.wait("what is sent", lambda: all(count()))
        for second in range(seconds):
            before = count()
            if second > 0:
                windows[0].page.wait_for_timeout(1000)
            wait_for(f"more of {kinds} in second {second}", lambda: all(new > old for new, old in zip(count(), before)), seconds=10)

    def is_off(self, window):
        """Nothing of the voice is sent by a window from this moment on."""
        self.assertFalse(window.page.evaluate("window.connections.at(-1).getSenders().some(({ track }) => track?.kind === 'audio' && track.enabled)"))

    def is_dark(self, window):
        """No picture is sent by a window from a moment from now on."""
        wait_for("a camera that sends nothing", lambda: window.page.evaluate("window.connections.at(-1).getSenders().every(({ track }) => track?.kind !== 'video')"), seconds=5)

    def is_silent(self, window, millis=1000):
        """Whether nothing is heard for so long."""
        before = self.count(window)["energy"]
        window.page.wait_for_timeout(millis)
        return self.count(window)["energy"] - before < 1e-4

    def is_still(self, window):
        """Whether no picture comes for a second."""
        before = self.count(window)["pictures"]
        window.page.wait_for_timeout(1000)
        return 0 < before == self.count(window)["pictures"]

    def stays_silent(self, window):
        """What was under way is heard to its end, which takes longer on a busy machine; from then on nothing is."""
        self.wait("silence", lambda: self.is_silent(window))
        self.assertTrue(self.is_silent(window, 2000))

    def record(self, line, outcome):
        """The one record of the one call."""
        found = self.wait("the record", lambda: line("call.history")["messages"])
        self.assertEqual([one["call"]["outcome"] for one in found], [outcome])
        return found[0]

    def offerer(self):
        """The number of the person whose device makes the offers: the one with the smaller id."""
        devices = [line("account.get")["device"]["id"] for line in self.lines]
        letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
        key = lambda one: [letters.index(letter) for letter in one.removeprefix(os.path.commonprefix(devices))]
        return 0 if key(devices[0]) < key(devices[1]) else 1
