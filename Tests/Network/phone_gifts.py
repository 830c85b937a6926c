"""A host gives files and texts to devices with LocalSend: to localsendd, which is not ours, between network namespaces, and to a polite
device of our own where localsendd can't do what the app does.

Run by PhoneGiftNetworkTests, and by hand as root: KIBO_PYTHON Tests/Network/phone_gifts.py [WORD…], where WORD chooses the parts with such a
name. KIBO_BIN_DIR names programs that are already built; KIBO_LAN_DIR and KIBO_LAN_NAME are those of scripts/lan. The Python needs the
packages of Tests/Interop/requirements.txt. It makes the network by scripts/lan, and takes it away at the end. With KIBO_THOROUGH a file
has 2 GiB instead of 64 MiB, a cable is out while a file goes, and a device lets its minute go by. Each part prints a line; what fails is said again at the end.
"""

import contextlib
import subprocess
import sys

from phone_gift_troubles import ALIAS, LARGE, Troubles
from phone_receiver import Certificate, Receiver
from phone_stage import (
    LAN, THOROUGH, Taker, address, equal, expect, failures, kibo, lan, noise, say, wait)
from phone_story import tell


class Story(Troubles):
    pear = None

    # MARK: What comes

    def one_file(self):
        path = self.make("the lake.txt", b"Text\n" + noise(300_000, 3).hex().encode())
        device = self.found(ALIAS)
        expect(len(device["id"]) == 16 and device["encrypted"] and not device["namesake"], f"the host lists {device}")
        equal(self.host.list()["given"], [], "what is given at first")
        given = self.give(path)
        equal((given["state"], given["files"], given["size"], given["text"]), ("waiting", 1, path.stat().st_size, None), "what is given")
        equal([(one["name"], one["size"]) for one in given["items"]], [(path.name, path.stat().st_size)], "its items")
        expect(given["until"] > given["cameAt"], f"it waits from {given['cameAt']} until {given['until']}")
        offered = self.phone.offered()
        equal((offered["from"], offered["files"]), (self.host.list()["name"], [{"fileName": path.name, "size": path.stat().st_size}]), "the offer")
        equal(len(self.host.givers), 1, "processes that give")
        self.phone.answer()
        over = self.over(given, "taken")
        equal((over["filesDone"], over["bytesDone"]), (1, path.stat().st_size), "what has gone")
        equal(self.phone.result()["kind"], "received", "localsendd's result")
        self.arrived([path.read_bytes()])
        self.noted(path.name)
        note = self.host.notes()[-1]
        equal([file.get("path") for file in note["attachments"]], [str(path)], "the path in the note")
        equal(self.host.list()["offers"], [], "what devices offer")
        expect(self.host.device(ALIAS)["known"], "the device is not known after something was given to it")

    def types(self):
        """What the settings for files don't let out, unless the user says so."""
        path = self.make("tool.sh", b"#!/bin/sh\n")
        self.refused("type_not_allowed", "a program", self.give, path)
        given = self.give(path, anyType=True)
        self.phone.answer()
        self.over(given, "taken")
        self.arrived([path.read_bytes()])
        before = len(self.host.list()["given"])
        self.refused("not_found invalid", "a file that is none", self.give, self.folder / "nothing.txt")
        self.refused("not_found", "a device that is none", self.host.give, "0123456789abcdef", path)
        equal(len(self.host.list()["given"]), before, "what is given after that")

    def many(self):
        contents = [f"file {number}\n".encode() * (number + 1) for number in range(200)]
        for number, content in enumerate(contents):
            self.make(f"many/{number:03}.txt", content)
        given = self.give(self.folder / "many")
        equal(given["files"], 200, "files of a folder")
        self.phone.answer()
        over = self.over(given, "taken", patience=120)
        equal((over["filesDone"], over["bytesDone"]), (200, sum(map(len, contents))), "what has gone")
        got = self.arrived(contents)
        expect(all(got.get(f"{number:03}.txt") == content for number, content in enumerate(contents)), "a file has another name or other bytes")
        expect(all(note.get("givenTo") == ALIAS for note in self.host.notes()[self.since:]), "a note without the device's name")
        # As many as can be named, and a name of its own for one of them.
        self.phone.clear()
        paths = [self.folder / "many" / f"{number:03}.txt" for number in range(32)]
        given = self.give(*paths, names=["first.txt", *[path.name for path in paths[1:]]])
        self.phone.answer()
        self.over(given, "taken")
        equal(sorted(self.phone.files()), sorted(["first.txt", *[path.name for path in paths[1:]]]), "the names of 32 files")
        self.noted("first.txt", *[path.name for path in paths[1:]])
        # More than an offer may have.
        for number in range(200, 1001):
            self.make(f"many/{number:03}.txt", b"x")
        self.refused("too_large", "a folder of 1,001 files", self.give, self.folder / "many")

    def tree(self):
        """Folders: localsendd knows none, and gives the second file of a name a number."""
        contents = {"tree/same.txt": b"above", "tree/inner/same.txt": b"below", "tree/inner/deep/\u7a7a.txt": b"deep", "tree/one.txt": b"one"}
        for name, content in contents.items():
            self.make(name, content)
        (self.folder / "tree" / "empty").mkdir(exist_ok=True)
        beside = self.make("beside.txt", b"beside")
        given = self.give(self.folder / "tree", beside)
        equal(sorted("/".join(filter(None, (one["folder"], one["name"]))) for one in given["items"]), sorted([*contents, "beside.txt"]),
              "the names in the offer")
        say(f"        offered as {[one['name'] for one in given['items']]}")
        self.phone.answer()
        self.over(given, "taken")
        equal(sorted(self.arrived([*contents.values(), b"beside"])), sorted(["same.txt", "same (1).txt", "\u7a7a.txt", "one.txt", "beside.txt"]),
              "the names of a tree")

    def text(self):
        for text in ("Hello, \u4e16\u754c\nsecond line", "x", "\u00fc" * 32_768):
            self.phone.clear()
            given = self.give(text=text)
            equal((given["text"], given["items"]), (text, []), "a text that is given")
            self.phone.answer()
            self.over(given, "taken")
            got = self.arrived([text.encode()])
            expect(all(name.endswith(".txt") for name in got), f"a text has the name {list(got)}")
            self.noted(text=text)
        for text in ("", "\u00fc" * 32_769):
            self.refused("invalid too_large invalid_params", f"a text of {len(text)} signs", self.give, text=text)

    def names(self):
        names = [
            "\u7a7a\u306e\u5199\u771f.txt", "\u0401\u043b\u043a\u0430.txt", "\u0635\u0648\u0631\u0629.txt", "\u05ea\u05de\u05d5\u05e0\u05d4.txt",
            "\u0939\u093f\u0928\u094d\u0926\u0940.txt", "👩‍👩‍👧‍👦.txt", "cafe\u0301.txt", ".hidden.txt", "-rf.txt", "..txt", "x" * 190 + ".txt",
            "percent%2e%2e%2f.txt", "quote\"'.txt", "&a=b#c?d+e;f.txt", "<b>.txt", "con.txt"]
        paths = [self.make(name, f"the file {name!r}".encode()) for name in names]
        given = self.give(*paths, anyType=True)
        shown = {one["number"]: one["name"] for one in given["items"]}
        equal(len(shown), len(names), "files with names in many scripts")
        self.phone.answer()
        self.over(given, "taken")
        got = {content: name for name, content in self.arrived([path.read_bytes() for path in paths]).items()}
        for path in paths:
            name = got.get(path.read_bytes(), "")
            equal(name, path.name, "a name")
        # What no friend would get either.
        for name in ("a\u202egnp.txt", "tab\tand\nline.txt", " outer.txt", "back\\slash.txt"):
            self.refused("invalid", f"a file named {name!r}", self.give, self.make(name, b"text"))

    def polite(self):
        """What the app does, and localsendd doesn't: takes some, takes a text without a file, and takes an empty file."""
        with self.receiver(files=lambda file: file["fileName"] != "two.txt") as receiver:
            paths = [self.make(name, name.encode() * 9) for name in ("one.txt", "two.txt", "three.txt")]
            given = self.give(*paths, to=receiver.alias)
            over = self.over(given, "taken")
            equal((over["files"], over["filesDone"], over["bytesDone"]), (2, 2, 144), "what was taken of three")
            equal([one["name"] for one in over["items"]], ["one.txt", "three.txt"], "the items that were taken")
            equal(receiver.files(), {"one.txt": b"one.txt" * 9, "three.txt": b"three.txt" * 9}, "some files")
            self.noted("one.txt", "three.txt", to=receiver.alias)
            document = receiver.offers[0]
            info = document["info"]
            expect(info["alias"] == self.host.list()["name"] and info["version"] and len(info["fingerprint"]) == 64 and info["port"] ==
                   self.host.list()["port"] and info["protocol"] == "https", f"the host says of itself {info}")
            for id, file in document["files"].items():
                expect(file["id"] == id and file["size"] > 0 and file["fileType"] and file.get("preview") is None, f"the offer has {file}")
            expect(all("origin" not in one.fields and one.version == "HTTP/1.1" for one in receiver.requests), "fields of a browser")
        with self.receiver(prepare=lambda line, request, document: line.answer(204)) as receiver:
            given = self.give(to=receiver.alias, text="Hello\n\u4e16\u754c")
            self.over(given, "taken")
            file = next(iter(receiver.offers[0]["files"].values()))
            equal((file["preview"], file["size"], file["fileType"]), ("Hello\n\u4e16\u754c", 12, "text/plain"), "a text in an offer")
            equal([one.path for one in receiver.requests if "upload" in one.path][1:], [], "more requests for a text that was taken")
            self.noted(text="Hello\n\u4e16\u754c", to=receiver.alias)
        with self.receiver() as receiver:
            given = self.give(self.make("empty.txt", b""), self.make("one.txt", b"one"), to=receiver.alias)
            self.over(given, "taken")
            equal(receiver.files(), {"empty.txt": b"", "one.txt": b"one"}, "an empty file")
            self.noted("empty.txt", "one.txt", to=receiver.alias)

    @contextlib.contextmanager
    def receiver(self, **how):
        """A polite device of our own on another host."""
        # It is the same one each time.
        self.pear = self.pear or Certificate(self.folder, "Pear")
        receiver = Receiver(3, address(3), self.pear, **how)
        try:
            receiver.seen_by(self.host)
            yield receiver
            equal(receiver.faults, [], "faults of the device")
        finally:
            receiver.close()

    # MARK: What is not wanted

    def declined(self):
        given = self.give(self.make("unwanted.txt", b"unwanted"))
        self.phone.answer(False)
        self.over(given, "declined")
        self.noted()
        self.arrived([])
        # Nothing keeps the user from offering it again.
        given = self.give(self.folder / "unwanted.txt")
        self.phone.answer()
        self.over(given, "taken")

    def pin(self):
        # A sign that means something in an address.
        right = "2&4 #6+%8\u00fc"
        self.phone.call("set_pin", pin=right)
        path = self.make("with a pin.txt", b"with a pin")
        for pin in ({}, {"pin": "1357"}):
            self.over(self.give(path, **pin), "failed", "wrong_passphrase")
        given = self.give(path, pin=right)
        self.phone.answer()
        self.over(given, "taken")
        self.arrived([b"with a pin"])
        for pin in ("1", "2", "3"):
            self.over(self.give(path, pin=pin), "failed", "wrong_passphrase")
        self.over(self.give(path, pin=right), "failed", "busy")
        self.noted()
        self.phone.call("set_pin", pin="")
        # One that isn't asked for is in nobody's way.
        given = self.give(path, pin="1357")
        self.phone.answer()
        self.over(given, "taken")

    def unanswered(self):
        given = self.give(self.make("unanswered.txt", b"unanswered"))
        self.over(given, "declined", patience=70)
        equal(self.phone.result()["kind"], "recv_timeout", "localsendd's result")
        self.noted()

    # MARK: Several devices, the same one again, and other ways

    def two(self):
        """Two at once; a third has to wait, and so has a second one for the same device."""
        other = Taker(3, "Second Phone")
        try:
            self.found("Second Phone")
            path = self.make("first.txt", b"first")
            first, second = self.give(path), self.give(self.make("second.txt", b"second"), to="Second Phone")
            self.phone.offered(), other.offered()
            self.refused("busy", "a third one at once", self.give, path)
            equal(len(self.host.givers), 2, "processes that give")
            other.answer()
            self.host.given_over(second["id"])
            # localsendd has one offer at a time.
            try:
                again = self.give(self.folder / "second.txt")
                equal(self.host.given_over(again["id"])["problem"], "busy", "a second offer to the same device")
            except kibo.Refused as refusal:
                equal(refusal.kind, "busy", "a second offer to the same device")
            self.phone.answer()
            self.host.given_over(first["id"])
            self.over(first, "taken")
            self.over(second, "taken")
            self.arrived([b"first"])
            equal(list(other.files().values()), [b"second"], "the other file")
            equal([note.get("givenTo") for note in self.host.notes()[-2:]], ["Second Phone", ALIAS], "whose the notes are")
        finally:
            other.end()

    def known(self):
        """A device is known by its certificate, whatever it calls itself, also after a crash."""
        given = self.give(self.make("known.txt", b"known"))
        self.phone.answer()
        self.over(given, "taken")
        before = self.host.device(ALIAS)
        expect(before["known"] and not before["namesake"], f"the host lists {before}")
        self.host.kill()
        self.host.start()
        after = self.found(ALIAS)
        equal((after["id"], after["known"]), (before["id"], True), "the device after a crash of the host")
        self.phone.call("set_alias", alias="Renamed Banana")
        equal((renamed := self.found("Renamed Banana"))["id"], before["id"], "the device under another name")
        expect(renamed["known"], "the device is not known under another name")
        self.phone.call("set_alias", alias=ALIAS)
        # Somebody else takes its name, at its address.
        self.phone.end()
        for one in self.phone.folder.rglob("*.pem"):
            one.unlink()
        self.phone = Taker(2, ALIAS)
        other = wait("the device's namesake", lambda: self.host.call("guest.list", look=True) and next(
            (one for one in self.host.list()["devices"] if one["name"] == ALIAS and one["id"] != before["id"]), None), 15, 0.5)
        expect(other["namesake"] and not other["known"], f"the host lists {other}")
        self.since = len(self.host.notes())
        given = self.host.give(other["id"], self.folder / "known.txt")
        expect(given["device"]["namesake"], "what is given to a namesake doesn't say so")
        self.phone.answer()
        self.over(given, "taken")
        # The one that was there before is not at its place any more.
        if any(one["id"] == before["id"] for one in self.host.list()["devices"]):
            self.over(self.host.give(before["id"], self.folder / "known.txt"), "failed", "key_changed")

    def unencrypted(self):
        self.phone.end()
        self.phone = Taker(2, ALIAS, plain=True)
        try:
            path = self.make("in the clear.txt", b"in the clear" * 100_000)
            self.host.on()
            expect(not self.found(ALIAS)["encrypted"], "the device is listed as encrypted")
            self.refused("not_allowed", "a device in the clear", self.give, path)
            equal(self.phone.call("get_state").get("incoming"), None, "what came to a device in the clear")
            self.fresh(plain=True)
            given = self.give(path)
            expect(not given["device"]["encrypted"], "what is given says that it is encrypted")
            self.phone.answer()
            self.over(given, "taken")
            self.arrived([path.read_bytes()])
            self.noted(path.name)
            self.slow()
            self.phone.clear()
            given = self.begin(self.make("large.txt", LARGE))
            self.host.decline(given["id"])
            self.over(given, "withdrawn")
            self.nothing_arrives("large.txt")
        finally:
            self.fast()
            self.phone.end()
            self.phone = Taker(2, ALIAS)
            self.host.on()

    def command(self):
        """By the command line."""
        path = self.make("by command.txt", b"by command")

        def run(*words):
            return subprocess.Popen(
                [LAN, "kibo", "1", "send", "--to-device", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True)

        for words, takes, wanted in (
            ((ALIAS, str(path)), True, 0), ((ALIAS, "just words"), True, 0), ((ALIAS, str(path)), False, None), (("Nobody", str(path)), None, None),
            ((ALIAS, str(path), "--pin", "1357"), None, None), ((ALIAS, str(path), "--no-wait"), True, 0),
        ):
            self.phone.clear()
            self.phone.call("set_pin", pin="2468" if "--pin" in words else "")
            process = run(*words)
            try:
                if takes is not None:
                    self.phone.answer(takes)
                said, _ = process.communicate(timeout=30)
            finally:
                process.kill()
            say(f"        {' '.join(words[1:]).replace(str(self.folder), '')} → {process.returncode}: {said.strip()[:160]!r}")
            expect(process.returncode == 0 if wanted == 0 else process.returncode, f"kibo send {words} ended with {process.returncode}: {said}")
            wait("the giver to end", lambda: not self.host.givers, 10)
            self.arrived([b"by command" if str(path) in words else b"just words"] if takes else [])


PARTS = [
    ("one file", "one_file", {"fresh": True}), ("what the settings don't let out", "types", {"fresh": True}),
    ("200 files, 32, and too many", "many", {"fresh": True}), ("folders", "tree", {"fresh": True}), ("texts", "text", {"fresh": True}),
    ("names in many scripts", "names", {"fresh": True}), ("a polite device of our own", "polite", {"fresh": True}),
    ("declined", "declined", {"fresh": True}), ("a PIN", "pin", {"fresh": True}), ("the user takes it back", "withdrawn", {"fresh": True}),
    ("the user ends it while it goes", "stopped", {"fresh": True, "slow": True}),
    ("the device ends it while it goes", "cancelled", {"fresh": True, "slow": True}), ("a large file", "large", {"fresh": True}),
    ("two devices", "two", {"fresh": True}), ("the device is killed", "killed_device", {"fresh": True, "slow": True}),
    ("the giver is killed", "killed_giver", {"fresh": True, "slow": True}), ("the cable is pulled", "pulled", {"fresh": True, "slow": True}),
    ("kibod is killed", "killed_host", {"fresh": True, "slow": True}), ("a full disk", "full", {"fresh": True}),
    ("files that change", "changed", {"fresh": True}), ("switched off while it goes", "off", {"fresh": True, "slow": True}),
    ("by the command line", "command", {"fresh": True}), ("known devices and namesakes", "known", {"fresh": True}),
    ("in the clear", "unencrypted", {}),
]
# It takes long.
PARTS += [("nobody answers", "unanswered", {"fresh": True})] if THOROUGH else []


def leave(story):
    """What a part that failed has left is in nobody's way."""
    for one in story.host.list()["given"] if failures else []:
        if one["state"] in ("waiting", "sending"):
            story.host.decline(one["id"])


if __name__ == "__main__":
    tell(Story, PARTS, sys.argv[1:], leave)
