"""Twelve daemons that talk for a long time: do memory, descriptors and databases stay what they were?

Run by scripts/soak, which gives it a network of its own. All are friends and in one group. Each second some write to each
other, now and then to the group, or send a file; one daemon is killed with kill -9 every two minutes. At the end every text has
to be where it belongs exactly once, and the bounds at the top of this file have to hold.
"""

import argparse
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# What a daemon that leaks nothing stays below. Its memory still grows a little for an hour: caches of the database fill.
KIB_A_MINUTE = 256
DESCRIPTORS = 24
# A text with its states, its events and its words for the search, in all daemons that have it.
DATABASE_BYTES_A_COPY = 6_000


class Control:
    """A connection to one control socket."""

    def __init__(self, path: str):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.last = 0

    def call(self, method: str, **params):
        self.last += 1
        self.socket.sendall(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).encode() + b"\n")
        while True:
            line = self.lines.readline()
            if not line:
                raise ConnectionError("the daemon has ended")
            answer = json.loads(line)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]


class Daemon:
    def __init__(self, name: str, folder: Path, programs: Path, port: int):
        self.name, self.folder, self.programs, self.port = name, folder / name, programs, port
        self.folder.mkdir()
        self.process, self.control, self.id = None, None, ""
        self.start()

    def start(self) -> None:
        place = str(self.folder)
        environment = {"HOME": place, "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": place, "XDG_DOWNLOAD_DIR": f"{place}/Downloads"}
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [
                    str(self.programs / "kibod"), "--data", f"{place}/data", "--socket", f"{place}/s", "--interface", "lo",
                    "--listen", "127.0.0.1:0", "--discovery-port", str(self.port), "--log-level", "warning",
                ], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for _ in range(600):
            try:
                self.control = Control(f"{place}/s")
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"{self.name} does not answer")

    def call(self, method: str, **params):
        return self.control.call(method, **params)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def sample(self) -> tuple[int, int, int, int]:
        """Resident KiB, descriptors, threads, bytes of the database with its write-ahead log."""
        pid = self.process.pid
        status = Path(f"/proc/{pid}/status").read_text()
        field = lambda name: int(status.split(f"{name}:")[1].split()[0])
        bytes_on_disk = sum(file.stat().st_size for file in (self.folder / "data").glob("*.sqlite*"))
        bytes_on_disk += sum(file.stat().st_size for file in (self.folder / "data").glob("*.db*"))
        return field("VmRSS"), len(os.listdir(f"/proc/{pid}/fd")), field("Threads"), bytes_on_disk


def wait_for(what: str, condition, seconds: int = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited in vain for {what}")
        time.sleep(0.2)


def slope(points: list[tuple[float, float]]) -> float:
    """Least squares, per minute."""
    count = len(points)
    if count < 2:
        return 0.0
    mean_x = sum(x for x, _ in points) / count
    mean_y = sum(y for _, y in points) / count
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread * 60 if spread else 0.0


def befriend(daemons: list[Daemon]) -> None:
    for daemon in daemons:
        daemon.id = daemon.call("account.create", displayName=daemon.name)["id"]
        daemon.call("settings.set", key="contacts.policy", value="everyone")
    for index, daemon in enumerate(daemons):
        others = [other.id for other in daemons[index + 1:]]
        seen = lambda: {peer["account"] if "account" in peer else peer["id"] for peer in daemon.call("peer.list", limit=500)["peers"]}
        wait_for(f"{daemon.name} to see all", lambda: set(others) <= seen())
        for other in others:
            daemon.call("contact.request", id=other)
    for daemon in daemons:
        wait_for(
            f"the friends of {daemon.name}",
            lambda: len(daemon.call("contact.list", relation="friend", limit=500)["contacts"]) == len(daemons) - 1)


def texts_of(daemon: Daemon) -> list[str]:
    found = []
    conversations = daemon.call("conversation.list", limit=500)["conversations"]
    for conversation in conversations:
        after = None
        while True:
            more = {} if after is None else {"after": after}
            page = daemon.call("message.list", conversation=conversation["id"], limit=500, **(more or {"at": 0}))
            found += [message["text"] for message in page["messages"] if message["text"].startswith("soak ")]
            if not page["hasMore"] or not page["messages"]:
                break
            after = page["messages"][-1]["position"]
    return found


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--programs", required=True)
    arguments.add_argument("--minutes", type=float, default=60)
    arguments.add_argument("--daemons", type=int, default=12)
    options = arguments.parse_args()
    random.seed(18)
    folder = Path(tempfile.mkdtemp(prefix="kibo-soak."))
    daemons: list[Daemon] = []
    try:
        daemons = [Daemon(f"d{index:02}", folder, Path(options.programs), 21_426) for index in range(options.daemons)]
        befriend(daemons)
        owner = daemons[0]
        group = owner.call("group.create", name="All", members=[daemon.id for daemon in daemons[1:]])["id"]
        in_group = lambda daemon: [one for one in daemon.call("conversation.list", limit=500)["conversations"] if one["kind"] == "group"]
        for daemon in daemons:
            wait_for(f"the group at {daemon.name}", lambda: in_group(daemon))
        return soak(daemons, {daemon.name: in_group(daemon)[0]["id"] for daemon in daemons}, options.minutes)
    finally:
        for daemon in daemons:
            daemon.process.terminate()
        for daemon in daemons:
            try:
                daemon.process.wait(20)
            except subprocess.TimeoutExpired:
                daemon.process.kill()
        shutil.rmtree(folder, ignore_errors=True)


def soak(daemons: list[Daemon], conversations: dict[str, str], minutes: float) -> int:
    victim = daemons[-1]
    expected: dict[str, int] = {}
    samples: dict[str, list[tuple[float, tuple[int, int, int, int]]]] = {daemon.name: [] for daemon in daemons}
    begun = time.monotonic()
    end = begun + minutes * 60
    next_sample, next_file, next_kill, next_group = begun, begun + 15, begun + 45, begun + 2
    number = files = kills = 0
    copies: list[tuple[float, int]] = []
    print(f"{len(daemons)} daemons, {minutes:g} minutes", flush=True)
    while (now := time.monotonic()) < end:
        if now >= next_kill:
            next_kill += 120
            kills += 1
            victim.kill()
            victim.start()
        if now >= next_sample:
            next_sample += 10
            copies.append((now - begun, sum(expected.values())))
            for daemon in daemons:
                samples[daemon.name].append((now - begun, daemon.sample()))
        for _ in range(3):
            sender, receiver = random.sample(daemons, 2)
            number += 1
            text = f"soak {number} " + "word " * random.randint(0, 60)
            sender.call("message.send", to=receiver.id, text=text, key=f"soak-{number}")
            expected[text] = 2
        if now >= next_group:
            next_group += 5
            sender = random.choice(daemons)
            number += 1
            text = f"soak {number} to all"
            sender.call("message.send", conversation=conversations[sender.name], text=text, key=f"soak-{number}")
            expected[text] = len(daemons)
        if now >= next_file:
            next_file += 30
            files += 1
            sender, receiver = random.sample(daemons[:-1], 2)
            path = sender.folder / f"file{files}.txt"
            path.write_bytes(b"A line of a file.\n" * 60_000)
            sender.call("message.send", to=receiver.id, files=[str(path)], key=f"soak-file-{files}")
        time.sleep(1)
    for daemon in daemons:
        wait_for(f"{daemon.name} to have nothing waiting", lambda: daemon.call("system.status")["queued"] == 0, 300)
        samples[daemon.name].append((time.monotonic() - begun, daemon.sample()))
    return report(daemons, samples, expected, copies, files, kills, victim)


def report(daemons, samples, expected, copies, files, kills, victim) -> int:
    failures = []
    counts: dict[str, int] = {}
    for daemon in daemons:
        for text in texts_of(daemon):
            counts[text] = counts.get(text, 0) + 1
    wrong = {text: (counts.get(text, 0), wanted) for text, wanted in expected.items() if counts.get(text, 0) != wanted}
    if wrong:
        failures.append(f"{len(wrong)} texts are not everywhere exactly once: {list(wrong.items())[:3]}")
    arrived = sum(len(list((daemon.folder / "Downloads").rglob("*.txt"))) for daemon in daemons)
    if arrived != files:
        failures.append(f"{arrived} of {files} files arrived")
    print(f"{len(expected)} texts ({sum(expected.values())} copies), {files} files of 1 MiB, {kills} times kill -9 of {victim.name}")
    print("daemon   MiB in nine moments                                  KiB/min in the second half   descriptors first, most, last   threads   database MiB")
    growth = 0
    for daemon in daemons:
        points = samples[daemon.name]
        # The first minute, or a quarter of a short run, is the start: friends are made, caches are empty.
        length = points[-1][0]
        warm = [point for point in points if point[0] >= min(60, length / 4)] or points
        late = [(at, values[0]) for at, values in warm if at >= length / 2]
        rise = slope(late)
        descriptors = [values[1] for _, values in warm]
        moments = " ".join(f"{warm[(len(warm) - 1) * part // 8][1][0] / 1024:5.1f}" for part in range(9))
        growth += points[-1][1][3] - warm[0][1][3]
        print(
            f"{daemon.name:8} {moments} {rise:16.0f}"
            f" {descriptors[0]:24} {max(descriptors)} {descriptors[-1]} {warm[-1][1][2]:14} {points[-1][1][3] / (1 << 20):12.1f}")
        if daemon is victim:
            continue
        # One step of 2 MiB, as the allocator makes them, is a slope of 300 KiB a minute over ten minutes, and of 100 over thirty.
        if length >= 2_700 and rise > KIB_A_MINUTE:
            failures.append(f"{daemon.name}: memory grows by {rise:.0f} KiB a minute")
        if descriptors[-1] > descriptors[0] + DESCRIPTORS:
            failures.append(f"{daemon.name}: {descriptors[0]} descriptors became {descriptors[-1]}")
    new = sum(expected.values()) - next((count for at, count in copies if at >= min(60, length / 4)), 0)
    a_copy = growth / max(1, new)
    print(f"after the start the databases grew by {growth / (1 << 20):.1f} MiB for {new} copies of texts, {a_copy:.0f} bytes each")
    if len(expected) > 1_000 and a_copy > DATABASE_BYTES_A_COPY:
        failures.append(f"a copy of a text takes {a_copy:.0f} bytes")
    for daemon in daemons:
        errors = [line for line in (daemon.folder / "log").read_text(errors="replace").splitlines() if " error" in line.lower()[:60]]
        if errors:
            failures.append(f"{daemon.name} has logged errors: {errors[:2]}")
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
