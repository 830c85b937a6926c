"""What the tests of groups' calls share: people in a group, each with a window, who hear each other."""

from calls import CallTest
from stage import PATIENCE, wait_for

# How much sound has come on each connection, in the order in which the connections were made; those that have ended are not among them.
EACH = """async () => {
  const each = [];
  for (const connection of window.connections.filter((one) => one.connectionState === "connected")) {
    for (const one of (await connection.getStats()).values()) {
      if (one.type === "inbound-rtp" && one.kind === "audio") each.push({ sound: one.packetsReceived, energy: one.totalAudioEnergy });
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
        """In each of so many seconds each window hears each of the others."""
        others = len(windows) - 1
        found = []

        def are():
            # Each look asks every connection for its statistics: more of them are looked at less often.
            windows[0].page.wait_for_timeout(20 * others * others)
            found[:] = [len(window.page.evaluate(EACH)) for window in windows]
            return all(count == others for count in found)

        try:
            # More people have more to compute before they hear each other.
            wait_for("connections", are, PATIENCE * max(1, others / 2))
        except AssertionError as error:
            raise AssertionError(f"{error}: there are {found}") from None
        before = [window.page.evaluate(EACH) for window in windows]
        for second in range(seconds):
            windows[0].page.wait_for_timeout(1000)
            now = [window.page.evaluate(EACH) for window in windows]
            for number, (old, new) in enumerate(zip(before, now)):
                self.assertEqual(len(new), others, f"window {number} in second {second}")
                for one, other in zip(old, new):
                    self.assertGreater(other[kind], one[kind], f"{kind} in window {number} in second {second}")
            before = now

    def region(self, window):
        return window.page.get_by_role("region", name=f"Call with {GROUP}")

    def tile(self, window, name):
        return self.region(window).get_by_role("list", name="In the call").get_by_role("listitem").filter(has_text=name)
