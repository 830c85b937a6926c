"""What the tests of groups' calls share: people in a group, each with a window, who hear each other."""

import os

from calls import CallTest
from stage import PATIENCE, wait_for

# How much sound has come on each connection, in the order in which the connections were made; those that have ended are not among them.
EACH = """async () => {
  const each = [];
  for (const [number, connection] of window.connections.entries()) {
    if (connection.connectionState !== "connected") continue;
    for (const one of (await connection.getStats()).values()) {
      if (one.type === "inbound-rtp" && one.kind === "audio") each.push({ number, sound: one.packetsReceived, energy: one.totalAudioEnergy });
    }
  }
  return each;
}"""

GROUP = "Hikers"


class HikersTest(CallTest):
    def hikers(self, *names, **options):
        """People in a group, each with a window that shows its chat; `options` are those of its browser's context."""
        self.people, self.lines, self.ids = self.friends(*names)
        self.lines[0]("group.create", name=GROUP, members=self.ids[1:])
        groups = [self.wait("the group", lambda line=line: [one for one in line("group.list")["groups"] if one["state"] == "member" and one["conversation"]]) for line in self.lines]
        self.chats = [found[0]["conversation"] for found in groups]
        windows = [self.caller(person, **options) for person in self.people]
        self.wait("ways between all", lambda: all(line("group.list")["groups"][0]["online"] == len(names) for line in self.lines))
        for window, chat in zip(windows, self.chats):
            window.go(f"chats/{chat}")
        return windows

    def all_talk(self, windows, seconds=1, kind="sound"):
        """Each window hears each of the others for so many seconds: without a gap where the test runs alone, otherwise with gaps of up to ten seconds."""
        others = len(windows) - 1
        found = []

        def look():
            # Each look asks every connection for its statistics: more of them are looked at less often.
            windows[0].page.wait_for_timeout(20 * others * others)
            found[:] = [window.page.evaluate(EACH) for window in windows]

        def are():
            look()
            return all(len(each) == others for each in found)

        try:
            # More people have more to compute before they hear each other.
            wait_for("connections", are, PATIENCE * max(1, others / 2))
        except AssertionError as error:
            raise AssertionError(f"{error}: there are {[len(each) for each in found]}") from None
        for second in range(seconds):
            before = list(found)
            windows[0].page.wait_for_timeout(1000)

            def silent():
                """Who hears nothing new of whom. The connections stay what they are."""
                look()
                for number, (old, new) in enumerate(zip(before, found)):
                    self.assertEqual([one["number"] for one in new], [one["number"] for one in old], f"connections of window {number} in second {second}")
                return [(number, one["number"]) for number, (old, new) in enumerate(zip(before, found)) for one, other in zip(old, new) if other[kind] <= one[kind]]

            try:
                wait_for(f"more {kind} in second {second}", lambda: not silent(), 0 if os.environ.get("KIBO_ALONE") == "1" else 10)
            except AssertionError as error:
                raise AssertionError(f"{error}; before {before}, then {found}") from None

    def region(self, window):
        return window.page.get_by_role("region", name=f"Call with {GROUP}")

    def tile(self, window, name):
        return self.region(window).get_by_role("list", name="In the call").get_by_role("listitem").filter(has_text=name)
