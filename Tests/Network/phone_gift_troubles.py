"""What the tests have that give something to devices with LocalSend: a host that gives, localsendd that somebody sees to, and the troubles
that come between the two. phone_gifts.py runs it.
"""

import contextlib
import json
import os
import signal
import subprocess
import time

from phone_stage import (
    MIB, STATE, THOROUGH, Host, Taker, digest, equal, expect, kibo, lan, noise, say, status_field, wait)

ALIAS = "Strange Banana"
# Kilobits a second of a cable on which a file takes long enough to do something meanwhile: 2 MB a second.
SLOW = 16000
# Bytes that take four seconds on it.
LARGE = b"abcdefgh" * MIB


class GiftStage:
    def __init__(self):
        self.folder = STATE / "gifts"
        self.folder.mkdir()
        # What is mounted later, a daemon in a network namespace doesn't see.
        self.tiny = STATE / "tiny"
        self.tiny.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", self.tiny], check=True)
        self.host = Host()
        self.phone = Taker(2, ALIAS)
        self.since = 0

    def fresh(self, **how):
        """A new bridge, which has found localsendd."""
        self.host.on(**how)
        self.found(ALIAS)
        self.phone.call("set_pin", pin="")
        self.phone.clear()

    def found(self, alias):
        def look():
            if device := self.host.device(alias):
                return device
            # Neither asks again before half a minute is over, unless it is told to.
            self.host.call("guest.list", look=True)
            time.sleep(0.3)
        return wait(f"the host to find {alias}", look, 15)

    def slow(self):
        lan("cable", "--rate", SLOW)

    def fast(self):
        lan("cable")

    def make(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def give(self, *paths, to=ALIAS, **more):
        self.since = len(self.host.notes())
        return self.host.give(self.found(to)["id"], *paths, **more)

    def begin(self, *paths):
        """Gives, and waits until much of it has gone."""
        given = self.give(*paths)
        self.phone.answer()
        self.going(given)
        return given

    def going(self, given, least=MIB // 2):
        def went():
            found = self.host.given(given["id"])
            if found["state"] not in ("waiting", "sending"):
                raise AssertionError(f"it ended before its time: {found}")
            return found["bytesDone"] >= least and found
        went = wait("bytes to go", went)
        equal(went["state"], "sending", "what is given while it goes")
        return went

    def over(self, given, state, *problems, patience=None):
        """How it ended; the command says the same, and no process is left."""
        over = self.host.given_over(given["id"], patience)
        expect(over["state"] == state and (over["problem"] in problems if problems else over["problem"] is None),
               f"what was given is {over['state']} {over['problem']} ({over['detail']}), not {state} {' or '.join(problems)}")
        told = {one["id"]: one for one in json.loads(lan("kibo", 1, "--json", "localsend"))["given"]}
        expect(given["id"] in told and told[given["id"]]["state"] == over["state"], "kibo localsend says something else")
        wait("the giver to end", lambda: not self.host.givers, 10)
        return over

    def free(self):
        """localsendd is told when nothing more comes: it could not take anything else meanwhile."""
        try:
            wait("localsendd to be free", lambda: not (state := self.phone.call("get_state")).get("active") and not state.get("incoming"), 5)
        finally:
            self.phone.call("cancel")

    def noted(self, *names, text="", to=ALIAS):
        """What was taken stands in the notes, and nothing else."""
        notes = self.host.notes()[self.since:]
        equal([file["name"] for note in notes for file in note.get("attachments") or []], list(names), "the files in the notes")
        equal("".join(note["text"] for note in notes), text, "the text in the notes")
        expect(all(note.get("givenTo") == to and note.get("guest") is None for note in notes), f"the notes are not of {to}: {notes[:2]}")

    def arrived(self, contents, folder=None):
        """Files with these contents are at localsendd, and nothing else."""
        got = (folder or self.phone).files()
        expect(sorted(got.values()) == sorted(contents), f"localsendd has {[(name, len(one)) for name, one in got.items()][:9]}")
        return got

    def nothing_arrives(self, name):
        """No file under the name of one that is not whole."""
        wait(f"{name} to go", lambda: name not in self.phone.files(), 10)

    @staticmethod
    def refused(kinds, what, action, *words, **more):
        """Something is refused, for one of these reasons."""
        try:
            expect(False, f"{what} is not refused: {action(*words, **more)}")
        except kibo.Refused as refusal:
            expect(refusal.kind in kinds.split(), f"{what} is refused as {refusal.kind}, not {kinds}")


class Troubles(GiftStage):
    def withdrawn(self):
        """The user takes back what waits."""
        given = self.give(self.make("withdrawn.txt", b"withdrawn"))
        self.phone.offered()
        begun = time.monotonic()
        self.host.decline(given["id"])
        self.over(given, "withdrawn")
        equal(self.phone.result()["kind"], "recv_cancelled", "localsendd's result")
        expect(time.monotonic() - begun < 5, f"localsendd heard of it after {time.monotonic() - begun:.1f} s")
        self.noted()
        self.arrived([])
        self.refused("not_found", "taking back what is over", self.host.decline, given["id"])

    def stopped(self):
        """The user ends it while it goes."""
        given = self.begin(self.make("a small.txt", b"small"), self.make("large.txt", LARGE))
        begun = time.monotonic()
        self.host.decline(given["id"])
        over = self.over(given, "withdrawn")
        equal(over["filesDone"], 1, "files that had gone by then")
        expect(self.phone.result()["kind"] in ("recv_cancelled", "recv_failed"), f"localsendd's result: {self.phone.result()}")
        expect(time.monotonic() - begun < 5, f"localsendd heard of it after {time.monotonic() - begun:.1f} s")
        self.free()
        self.nothing_arrives("large.txt")
        self.arrived([b"small"])
        self.noted("a small.txt")

    def cancelled(self):
        """The device's user ends it while it goes."""
        given = self.begin(self.make("a small.txt", b"small"), self.make("large.txt", LARGE))
        self.phone.call("cancel")
        self.over(given, "failed", "cancelled")
        self.nothing_arrives("large.txt")
        self.noted("a small.txt")

    def killed_device(self):
        given = self.begin(self.make("large.txt", LARGE))
        self.phone.kill()
        begun = time.monotonic()
        try:
            self.over(given, "failed", "cancelled", "offline")
            expect(time.monotonic() - begun < 10, f"it was noticed after {time.monotonic() - begun:.0f} s")
            self.noted()
        finally:
            self.phone = Taker(2, ALIAS)
        # While it is asked; and then it is gone, and still listed.
        self.fast()
        given = self.give(self.folder / "large.txt")
        self.phone.offered()
        self.phone.kill()
        try:
            self.over(given, "failed", "cancelled", "offline")
            self.over(self.give(self.folder / "large.txt"), "failed", "offline")
            self.noted()
        finally:
            self.phone = Taker(2, ALIAS)

    def killed_giver(self):
        given = self.begin(self.make("large.txt", LARGE))
        os.kill(self.host.givers[0], signal.SIGKILL)
        self.over(given, "failed", "internal")
        self.nothing_arrives("large.txt")
        self.noted()
        self.phone.result()
        given = self.give(self.make("after.txt", b"after"))
        self.phone.answer()
        self.over(given, "taken")

    def killed_host(self):
        self.begin(self.make("large.txt", LARGE))
        givers = self.host.givers
        self.host.kill()
        wait("the giver to end with kibod", lambda: not any(os.path.exists(f"/proc/{one}") for one in givers), 5)
        self.host.start()
        wait("the bridge to serve", lambda: self.host.list()["port"])
        self.noted()
        equal(self.host.list()["given"], [], "what is given after a crash")
        equal(self.phone.result()["kind"], "recv_failed", "localsendd's result")
        self.nothing_arrives("large.txt")
        self.fast()
        given = self.give(self.make("after.txt", b"after"))
        self.phone.answer()
        self.over(given, "taken")

    def off(self):
        """Switched off while it goes."""
        given = self.begin(self.make("large.txt", LARGE))
        self.host.set("localsend.enabled", False)
        wait("all of LocalSend to end", lambda: self.host.bridge is None and not self.host.givers, 10)
        over = self.host.given(given["id"])
        expect(over is None or over["state"] in ("failed", "withdrawn"), f"what was given when LocalSend is switched off: {over}")
        self.noted()
        self.nothing_arrives("large.txt")

    def pulled(self):
        """The device's cable is out while it is asked, and, with KIBO_THOROUGH, while a file goes."""
        self.fast()
        given = self.give(self.make("patient.txt", b"patient"))
        self.phone.offered()
        lan("pull", 2)
        try:
            time.sleep(3)
            equal(self.host.given(given["id"])["state"], "waiting", "what waits for a device whose cable is out")
            self.phone.answer()
            time.sleep(2)
        finally:
            lan("plug", 2)
        self.over(given, "taken")
        self.arrived([b"patient"])
        # The giver waits for a minute.
        if not THOROUGH:
            return
        self.phone.clear()
        self.slow()
        given = self.begin(self.make("large.txt", LARGE))
        lan("pull", 2)
        try:
            begun = time.monotonic()
            self.over(given, "failed", "offline", patience=90)
            took = time.monotonic() - begun
            expect(took < 75, f"it was noticed after {took:.0f} s")
            self.noted()
        finally:
            lan("plug", 2)
        self.phone.result(60)
        self.nothing_arrives("large.txt")

    def full(self):
        """The device's disk is full."""
        other = Taker(3, "Small Pear", downloads=self.tiny)
        try:
            self.found("Small Pear")
            given = self.give(self.make("a small.txt", b"small"), self.make("large.bin", noise(16 * MIB)), to="Small Pear", anyType=True)
            other.answer()
            # It says 500 and reads no more, so that its answer may be lost.
            over = self.over(given, "failed", "internal", "no_space", "cancelled", "offline")
            say(f"        {over['problem']}: {over['detail']}")
            wait("large.bin to go", lambda: "large.bin" not in other.files(), 10)
            self.noted("a small.txt", to="Small Pear")
            given = self.give(self.make("next.txt", b"next"), to="Small Pear")
            other.answer()
            self.over(given, "taken")
            equal(other.files().get("next.txt"), b"next", "a file after one that didn't fit")
        finally:
            other.end()

    def changed(self):
        """A file is another one when its turn comes, or while it goes."""
        def longer(path):
            with open(path, "ab") as file:
                file.write(b"more")

        def other(path):
            path.write_bytes(b"B" * path.stat().st_size)

        def replaced(path):
            new = path.with_suffix(".new")
            new.write_bytes(b"C" * path.stat().st_size)
            new.rename(path)

        def shorter(path):
            os.truncate(path, 10)

        for change in (longer, other, replaced, shorter, os.unlink):
            self.phone.clear()
            first, second = self.make("a first.txt", b"first"), self.make("b second.txt", b"A" * 50_000)
            given = self.give(first, second)
            self.phone.offered()
            change(second)
            self.phone.answer()
            over = self.over(given, "failed", "invalid")
            equal(over["filesDone"], 1, f"files that had gone ({change.__name__})")
            self.noted("a first.txt")
            self.free()
            self.arrived([b"first"])
        self.slow()
        # What has gone may go from the disk, too.
        self.phone.clear()
        first, path = self.make("a first.txt", b"first"), self.make("large.txt", LARGE)
        given = self.begin(first, path)
        os.unlink(first)
        self.over(given, "taken")
        self.noted("a first.txt", "large.txt")
        self.arrived([b"first", LARGE])
        for change in (other, shorter):
            self.phone.clear()
            path = self.make("large.txt", LARGE)
            given = self.begin(path)
            change(path)
            self.over(given, "failed", "invalid")
            self.noted()
            self.free()
            self.nothing_arrives("large.txt")

    def large(self):
        size = (2048 if THOROUGH else 64) * MIB
        path = self.folder / "large.bin"
        with open(path, "wb") as file:
            for number in range(size // MIB):
                file.write(noise(MIB, number))
        try:
            given = self.give(path, anyType=True)
            self.phone.offered()
            pids = {"kibod": self.host.pid, "the giver": self.host.givers[0]}
            idle, most = {}, {}
            for name, pid in pids.items():
                idle[name] = status_field(pid, "VmRSS")
                # From here on the peak is that of what follows.
                with open(f"/proc/{pid}/clear_refs", "w") as file:
                    file.write("5")
            begun = time.monotonic()
            self.phone.answer()
            while (found := self.host.given(given["id"]))["state"] in ("waiting", "sending"):
                for name, pid in pids.items():
                    with contextlib.suppress(OSError, KeyError):
                        most[name] = status_field(pid, "VmHWM")
                expect(time.monotonic() - begun < 60 + size // MIB, f"a large file takes long: {found}") or self.host.decline(given["id"])
                time.sleep(0.05)
            took = time.monotonic() - begun
            self.over(given, "taken")
            for name in pids:
                more = (most[name] - idle[name]) / MIB
                say(f"        {name}: {idle[name] / MIB:.1f} MiB before, {more:.1f} MiB more at most")
                expect(more <= 32, f"{name} has taken {more:.1f} MiB for a file")
            expect(idle["the giver"] < 32 * MIB, f"a giver that waits has {idle['the giver'] / MIB:.1f} MiB")
            say(f"        {size / MIB / took:.0f} MiB/s")
            equal(self.phone.result()["kind"], "received", "localsendd's result")
            equal(digest(self.phone.downloads / path.name), digest(path), "the SHA-256")
            self.noted(path.name)
        finally:
            path.unlink()
            self.phone.clear()
