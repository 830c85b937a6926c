#!/usr/bin/env python3
"""Measures calls between two hosts: scripts/bench calls.

    calls.py [--calls N] [--seconds N] [PART...]     parts: lan, bad, groups

Anna and Ben have a daemon, a gateway and a browser each, on hosts of their own (network namespaces, so it takes root). `bad` is the same with
200 ms each way and 5 % of all frames lost. `groups` are four and eight people in a call on this host: what their browsers take, and what comes of
it. Microphones give a tone, cameras what Chromium makes up. KIBO_BIN_DIR names the programs, beside which
the page lies in share/kibo/web.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "Web"))

from figures import Table, memory, percentile  # noqa: E402
from hosts import missing  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from crowd import FIRST, LAST  # noqa: E402
from stage import wait_for  # noqa: E402
from studio import HEAR, StudioTest  # noqa: E402
from test_group_calls import GroupCalls  # noqa: E402

CABLES = {"lan": (), "bad": ("--delay", "200", "--loss", "5")}
# An account may begin so many calls at once, and then one in so many seconds.
AT_ONCE, PAUSE = 6, 10.5
# How long each of the measured calls lasts, in seconds.
TALK = 3
# How many signals each side sends to measure what they take.
SIGNALS = 40
# How many people are in the calls of groups, and how long these are looked at, in seconds.
CROWDS, LOOK = (4, 8), 20
# What was heard: samples of sound, and those among them that the receiver made up.
SAMPLES = """async () => {
  for (const one of (await window.connections.at(-1).getStats()).values()) {
    if (one.type === "inbound-rtp" && one.kind === "audio") return [one.totalSamplesReceived, one.concealedSamples];
  }
}"""
PICTURE = """async () => {
  for (const one of (await window.connections.at(-1).getStats()).values()) {
    if (one.type === "inbound-rtp" && one.kind === "video" && one.framesDecoded > 0) return [one.frameWidth, one.frameHeight, one.framesDecoded];
  }
}"""


# The same of all connections of a group's call: packets of sound, samples, those that were made up, and pictures.
ALL = """async () => {
  const sum = { ties: 0, samples: 0, made: 0, pictures: 0 };
  for (const connection of window.connections.filter((one) => one.connectionState === "connected")) {
    sum.ties += 1;
    for (const one of (await connection.getStats()).values()) {
      if (one.type !== "inbound-rtp") continue;
      if (one.kind === "audio") { sum.samples += one.totalSamplesReceived; sum.made += one.concealedSamples; }
      else sum.pictures += one.framesDecoded ?? 0;
    }
  }
  return sum;
}"""


def processor(pids, thread=None):
    """Processor time of processes so far, in seconds: of all threads, or of those with this name."""
    ran = 0
    for pid in pids:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                if thread is None or (task / "comm").read_text().strip() == thread:
                    ran += int((task / "schedstat").read_text().split()[0])
            except OSError:
                continue
    return ran / 1e9


def browser(person):
    """The processes of a host's browser."""
    found = subprocess.run(["ip", "netns", "pids", person.before[-1]], capture_output=True, text=True, check=True).stdout.split()
    return [pid for pid in found if "chrom" in os.path.basename(os.readlink(f"/proc/{pid}/exe"))]


class Bench(StudioTest):
    """The windows are those of the tests."""

    watch = HEAR + (HERE / "calls.js").read_text()

    def __init__(self, playwright, part, options):
        super().__init__()
        self.playwright, self.part, self.options = playwright, part, options
        self.cable = CABLES[part]
        self.table = Table()
        self.setUp()
        self.stage.log_level = "warning"
        self.begun = []
        self.pair()
        self.daemons = [person.daemon.pid for person in self.people]

    def pace(self):
        """Waits until an account may begin one more call."""
        if len(self.begun) >= AT_ONCE:
            time.sleep(max(0, self.begun[-1] + PAUSE - time.monotonic()))
        self.begun.append(time.monotonic())

    def moments_of(self, name):
        return [window.page.evaluate("name => window.moments[name]", name) / 1000 for window in self.windows]

    def connect(self):
        """A call with picture until both hear and see each other; returns when it rang, and both pressed."""
        self.pace()
        for window in self.windows:
            window.page.evaluate("window.moments = {}; window.heard = []")
        anna, ben = self.windows
        begun = time.time()
        anna.button("Call with picture").click()
        answer = ben.button("Answer with picture")
        answer.wait_for()
        wait_for("the moment of ringing", lambda: ben.page.evaluate("window.moments.rings"))
        answer.click()
        for window in self.windows:
            self.hears(window, begun)
            wait_for("a picture", lambda window=window: window.page.evaluate("window.moments.picture"))
        return begun

    def end(self):
        """Anna ends the call; returns when both were silent and had the record."""
        recorded = []

        def follow(person):
            line = person.line()
            before = {one["id"] for one in line("call.history")["messages"]}
            ready.wait()
            while before == {one["id"] for one in line("call.history", limit=5)["messages"]} | before:
                time.sleep(0.003)
            recorded.append(time.time())

        ready = threading.Barrier(3)
        threads = [threading.Thread(target=follow, args=(person,)) for person in self.people]
        for thread in threads:
            thread.start()
        ready.wait()
        self.windows[0].button("End call").click()
        for thread in threads:
            thread.join()
        for window in self.windows:
            wait_for("silence", lambda window=window: window.page.evaluate("window.moments.closed"))
        return max(recorded + self.moments_of("closed")) - self.moments_of("pressed")[0]

    def figures(self):
        rings, sounds, pictures, ends, memories = [], [], [], [], []
        for number in range(self.options.calls):
            before = memory(self.daemons[:1])
            begun = self.connect()
            pressed = self.moments_of("pressed")
            rings.append(self.windows[1].page.evaluate("window.moments.rings") / 1000 - pressed[0])
            sounds.append(max(self.moments(window, begun)[0] for window in self.windows) - pressed[1])
            pictures.append(max(self.moments_of("picture")) - pressed[1])
            time.sleep(TALK)
            memories.append(memory(self.daemons[:1]) - before)
            ends.append(self.end())
            print(f"    {number + 1}: rings {rings[-1]:.3f}, sound {sounds[-1]:.3f}, picture {pictures[-1]:.3f}, end {ends[-1]:.3f} s", flush=True)
        lan = self.part == "lan"
        self.add("click to ringing in the other window", rings, (150, 300) if lan else (None, 1500))
        self.add("answer to first sound, on both sides", sounds, (600, None) if lan else (None, 4000))
        self.add("answer to first picture decoded, on both sides", pictures, (1000, 2000) if lan else (None, 5000))
        self.add("hang-up to silence and record on both sides", ends, (150, None) if lan else (None, 1500))
        if lan:
            self.table.add("memory that a call adds to the caller's daemon, median", 64, 1024 * statistics.median(memories), "KiB")
            for who, work in zip(("caller", "called one"), self.signals()):
                self.table.add(f"what a signal takes of the {who}'s reactor", 1, 1000 * work, "ms")

    def signals(self):
        """What a signal takes of each reactor, in seconds, sent or fetched: in a call that no browser has, without what the call takes by itself."""
        self.pace()
        seats = [f"01900000-0000-7000-8000-00000000000{number}" for number in (1, 2)]
        proof = ":".join(["5A"] * 32)
        id = self.lines[0]("call.start", conversation=self.chat, media="sound", seat=seats[0], fingerprint=proof)["id"]
        ben = wait_for("the call", lambda: self.lines[1]("call.list")["calls"])[0]["id"]
        self.lines[1]("call.accept", id=ben, media="sound", seat=seats[1], fingerprint=proof)
        devices = [line("account.get")["device"]["id"] for line in self.lines]
        wait_for("the answer", lambda: self.lines[0]("call.list")["calls"][0]["participants"][0]["generation"] == 1)
        after = [0, 0]

        def fetch(side):
            after[side], before = self.lines[side]("call.signals", id=id, seat=seats[side], after=after[side])["next"], after[side]
            return after[side] > before

        def work(turn):
            """What each reactor works in so many turns, for each second and in all."""
            begun, worked = time.monotonic(), [processor([pid], "reactor") for pid in self.daemons]
            for number in range(SIGNALS):
                turn(number)
                time.sleep(0.15)
            worked = [processor([pid], "reactor") - earlier for pid, earlier in zip(self.daemons, worked)]
            return time.monotonic() - begun, worked

        def exchange(number):
            for side in (0, 1):
                line = f"candidate:{number} 1 udp {2122260223 - number} 10.73.0.{1 + side} {50_000 + number % 8} typ host"
                self.lines[side]("call.signal", id=id, seat=seats[side], device=devices[1 - side], kind="candidates", candidates=[line])
            for side in (1, 0):
                wait_for("the signal", lambda: fetch(side))

        rested, calm = work(lambda number: None)
        lasted, busy = work(exchange)
        self.lines[0]("call.hangup", id=id)
        # Each daemon sends so many, and gives as many to its window.
        return [(much - little * lasted / rested) / (2 * SIGNALS) for little, much in zip(calm, busy)]

    def add(self, what, values, bounds):
        note = f"{percentile(values, 50) * 1000:.0f} ms"
        for percent, bound in zip((50, 95), bounds):
            if bound is not None:
                self.table.add(f"{what}, p{percent}", bound, percentile(values, percent) * 1000, "ms", note="" if percent == 50 else f", p50 {note}")
        if bounds[1] is None:
            print(f"        p95 {percentile(values, 95) * 1000:.0f} ms, most {max(values) * 1000:.0f} ms")

    def minute(self):
        """One call of a minute: what is made up of its sound, and what both browsers take."""
        self.connect()
        # The first seconds, in which the picture finds its size, don't count.
        time.sleep(5)
        pids = [browser(person) for person in self.people]
        begun, ran = time.monotonic(), [processor(one) for one in pids]
        before = [window.page.evaluate(SAMPLES) for window in self.windows]
        frames = [window.page.evaluate(PICTURE) for window in self.windows]
        # Nothing listens meanwhile, and nothing looks.
        time.sleep(self.options.seconds)
        ran = [processor(one) - earlier for one, earlier in zip(pids, ran)]
        took = time.monotonic() - begun
        shares = []
        for window, (all_before, made_before) in zip(self.windows, before):
            total, made = window.page.evaluate(SAMPLES)
            shares.append(100 * (made - made_before) / (total - all_before))
        shown = [window.page.evaluate(PICTURE) for window in self.windows]
        sizes = [f"{now[0]}×{now[1]}, {(now[2] - earlier[2]) / took:.0f}/s" for earlier, now in zip(frames, shown)]
        self.table.add("sound that the receiver made up in a minute, the worse side", 0.5 if self.part == "lan" else 8, max(shares), "%", note=f", the other {min(shares):.2f}")
        print(f"    processor of the browsers: {', '.join(f'{100 * one / took:.0f} % of a core' for one in ran)}; pictures seen: {'; '.join(sizes)}")
        self.end()


class Crowd(GroupCalls):
    """A group's call of some people, whose windows are all of one browser: told, not bounded."""

    def __init__(self, playwright, count):
        super().__init__()
        self.playwright = playwright
        self.setUp()
        self.stage.log_level = "warning"
        self.hikers(*(f"{first} {last}" for first, last in list(zip(FIRST, LAST))[:count]))

    def ties(self):
        return sum(window.page.evaluate(ALL)["ties"] for window in self.windows)

    def call(self, media):
        first, *others = self.windows
        picture = " with picture" if media == "pictures" else ""
        first.button("Call" + picture).click()
        begun = time.monotonic()
        for window in others:
            window.button("Answer" + picture).click()
        wanted = len(self.windows) * (len(self.windows) - 1)
        deadline = begun + 120
        while (there := self.ties()) < wanted and time.monotonic() < deadline:
            time.sleep(0.5)
        took = time.monotonic() - begun
        time.sleep(5)
        pids = [pid for pid in tree([str(os.getpid())]) if "chrom" in executable(pid)]
        ran, since = processor(pids), time.monotonic()
        before = [window.page.evaluate(ALL) for window in self.windows]
        time.sleep(LOOK)
        lasted = time.monotonic() - since
        ran = processor(pids) - ran
        now = [window.page.evaluate(ALL) for window in self.windows]
        steady = all(one["ties"] == was["ties"] for was, one in zip(before, now))
        samples = sum(one["samples"] - was["samples"] for was, one in zip(before, now))
        made = sum(one["made"] - was["made"] for was, one in zip(before, now))
        shown = sum(one["pictures"] - was["pictures"] for was, one in zip(before, now)) / lasted / max(1, there)
        came = f"{100 * made / max(1, samples):.1f} % of the sound made up; {shown:.0f} pictures/s from each of the others" if steady else "ways came or went meanwhile"
        print(
            f"    {len(self.windows)} people, {media}: {there} of {wanted} ways after {took:.0f} s; all browsers {100 * ran / lasted:.0f} % of a core, "
            f"{100 * ran / lasted / len(self.windows):.0f} % for each; {came}", flush=True)
        for window in self.windows:
            window.button("Leave call").click()
        for line in self.lines:
            wait_for("the end of the call", lambda line=line: line("call.list")["calls"] == [])


def executable(pid):
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return ""


def tree(pids):
    """These processes and all that they have started."""
    found = list(pids)
    for pid in found:
        try:
            for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
                found += children.read_text().split()
        except OSError:
            continue
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=60, help="how long the call is of which the sound and the processor are measured")
    parser.add_argument("parts", nargs="*", default=[*CABLES, "groups"])
    options = parser.parse_args()
    if missing():
        sys.exit(f"calls between hosts can't be measured: {missing()}")
    told = []
    with sync_playwright() as playwright:
        for part in options.parts:
            print(f"  {part}", flush=True)
            if part == "groups":
                for count in CROWDS:
                    crowd = Crowd(playwright, count)
                    try:
                        for media in ("sound", "pictures"):
                            crowd.call(media)
                    finally:
                        crowd.stage.end(failed=False)
                continue
            bench = Bench(playwright, part, options)
            try:
                bench.figures()
                bench.minute()
            finally:
                bench.stage.end(failed=False)
            told.append((part, bench.table.rows))
    for part, rows in told:
        print(f"\n| {part} | Bound | Measured | ok |\n|---|---|---|---|")
        for row in rows:
            print("| " + " | ".join(cell.strip() for cell in row) + " |")


main()
