"""A device with LocalSend gives files to a host: localsendd, which is not ours, speaks with kibod between two network namespaces.

Run by PhoneNetworkTests, and by hand as root: KIBO_PYTHON Tests/Network/phones.py [WORD…], where WORD chooses the parts with such a name.
KIBO_BIN_DIR names programs that are already built; KIBO_LAN_DIR and KIBO_LAN_NAME are those of scripts/lan. The Python needs the
package localsendd (Tests/Interop/requirements.txt). It makes the network by scripts/lan, and takes it away at the end. With
KIBO_THOROUGH a file has 2 GiB instead of 256 MiB. Each part prints a line; what fails is said again at the end.
"""

import hashlib
import os
import subprocess
import sys
import time

from phone_stage import (
    API, MIB, STATE, THOROUGH, Host, LocalSendDaemon, Phone, TookTooLong, add_route, address, digest, equal, expect, kibo, lan,
    namespace, noise, say, status_field, taken, wait)
from phone_story import tell
from phone_walls import Walls

ALIAS = "Strange Banana"
KIBO = "Anna’s Kibo"
# Kilobits a second of a cable on which a file takes long enough to do something meanwhile: 2 MB a second.
SLOW = 16000


class Story(Walls):
    def __init__(self):
        self.folder = STATE / "phone"
        self.folder.mkdir()
        # What is mounted later, a daemon in a network namespace doesn't see.
        self.tiny = STATE / "tiny"
        self.tiny.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", self.tiny], check=True)
        self.host = Host()
        self.phone = LocalSendDaemon(2, ALIAS)

    def fresh(self, **how):
        """A new bridge, which localsendd has found."""
        self.host.on(**how)
        wait("the devices to find each other", lambda: self.found(), 15)
        self.host.clear()

    def found(self):
        # Neither asks again before half a minute is over, unless it is told to.
        peer = self.phone.peer(KIBO)
        protocol = "http" if self.host.call("settings.get", key="localsend.plain")["value"] else "https"
        if peer and peer["protocol"] == protocol and self.host.device(ALIAS):
            return True
        self.host.call("guest.list", look=True)
        time.sleep(0.3)
        return False

    def make(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def send(self, *paths, pin=""):
        self.phone.send(KIBO, paths, pin)
        return self.host.waiting()

    def slow(self):
        lan("cable", "--rate", SLOW)

    def fast(self):
        lan("cable")

    def coming(self, offer, least=1):
        """Waits until bytes of an offer have come, and returns the offer."""
        def came():
            found = self.host.offer(offer)
            if found["state"] not in ("waiting", "receiving"):
                raise TookTooLong(f"the offer ended before its time: {found}")
            return found if found["bytesDone"] >= least else None
        return wait("bytes to come", came)

    def nothing_is_left(self, since):
        wait("the part to go", lambda: not self.host.parts(), 5)
        equal(self.host.files(), [], "files in the folder")
        equal(len(self.host.notes()) - since, 0, "new notes")

    # MARK: The parts

    def discovery(self):
        self.host.on()
        peer = wait("localsendd to list the host by multicast", lambda: self.phone.peer(KIBO), 15)
        expect(peer["ip"] == address(1) and peer["port"] == 53317 and peer["protocol"] == "https", f"localsendd lists {peer}")
        equal(peer["deviceType"], "desktop", "what localsendd takes the host for")
        device = wait("the host to list localsendd", lambda: self.host.device(ALIAS), 15)
        expect(device["address"] == address(2) and device["encrypted"], f"the host lists {device}")
        # Devices refuse to speak if what is told differs from the certificate's in a single letter.
        certificate = Phone(2, address(2)).socket().getpeercert(binary_form=True)
        equal(peer["fingerprint"], hashlib.sha256(certificate).hexdigest().upper(), "the fingerprint")
        equal(self.host.list()["name"], KIBO, "the host's name")
        found, advice, ok = self.doctor()
        expect(ok and "localsend_heard" in found and "localsend_alone" not in found and not advice, f"the doctor: {found}, {advice}")

    def one_file(self):
        content = noise(300_000, 3)
        path = self.make("the lake.txt", b"Text\n" + content.hex().encode())
        offer = self.send(path)
        equal([(one["name"], one["size"]) for one in offer["items"]], [(path.name, path.stat().st_size)], "what is offered")
        equal(offer["device"]["name"], ALIAS, "who offers")
        since = len(self.host.notes())
        self.host.take(offer["id"])
        equal(self.phone.result()["kind"], "sent", "localsendd's result")
        over = self.host.over(offer["id"])
        equal((over["state"], over["filesDone"], over["bytesDone"]), ("taken", 1, path.stat().st_size), "the offer")
        got = self.host.downloads / path.name
        expect(got.read_bytes() == path.read_bytes(), "the file has other bytes")
        notes = self.host.notes()[since:]
        equal([(one.get("guest"), [file["name"] for file in one["attachments"]]) for one in notes], [(ALIAS, [path.name])], "the note")
        equal(notes[0]["attachments"][0].get("path"), str(got), "the path in the note")
        equal(self.host.parts(), [], "parts")
        # The same again gets another name.
        offer = self.send(path)
        self.host.take(offer["id"])
        equal(self.phone.result()["kind"], "sent", "localsendd's result for the second time")
        self.host.over(offer["id"])
        equal(self.host.files(), ["the lake (1).txt", "the lake.txt"], "the files after the second time")

    def types(self):
        """What the settings for files don't let in is not taken."""
        good, bad, lie = self.make("good.txt", b"good"), self.make("bad.sh", b"#!/bin/sh\n"), self.make("lie.png", b"#!/bin/sh\nls\n")
        offer = self.send(good, bad, lie)
        equal([one["refusal"] for one in offer["items"]], [None, "type_not_allowed", None], "refusals")
        self.host.take(offer["id"])
        self.phone.result()
        over = self.host.over(offer["id"])
        equal((over["state"], over["problem"], over["filesDone"]), ("failed", "type_not_allowed", 1), "the offer with a false picture")
        equal(self.host.files(), ["good.txt"], "the files")
        equal(self.host.parts(), [], "parts")

    def many(self):
        paths = [self.make(f"{number:03}.txt", f"file {number}\n".encode() * (number + 1)) for number in range(200)]
        offer = self.send(*paths)
        equal(len(offer["items"]), 200, "files in the offer")
        since = len(self.host.notes())
        self.host.take(offer["id"])
        over = self.host.over(offer["id"], 120)
        equal((over["state"], over["filesDone"]), ("taken", 200), "the offer of 200 files")
        equal(self.phone.result()["kind"], "sent", "localsendd's result")
        expect(all((self.host.downloads / path.name).read_bytes() == path.read_bytes() for path in paths), "a file has other bytes")
        notes = self.host.notes()[since:]
        equal([file["name"] for note in notes for file in note["attachments"]], [path.name for path in paths], "the files in the notes")
        expect(all(note.get("guest") == ALIAS for note in notes), "a note without the device's name")
        # Some of them.
        self.host.clear()
        offer = self.send(*paths)
        self.host.take(offer["id"], [0, 7, 199])
        over = self.host.over(offer["id"])
        equal((over["state"], over["filesDone"]), ("taken", 3), "the offer of which some are taken")
        self.phone.result()
        equal(self.host.files(), ["000.txt", "007.txt", "199.txt"], "the files that were chosen")

    def names(self):
        """Names that a disk can have; phone_attacks.py has the others."""
        names = [
            "空の写真.txt", "Ёлка и ёж.txt", "صورة.txt", "תמונה.txt", "हिन्दी.txt", "👩‍👩‍👧‍👦.txt", "cafe\u0301.txt", "a\u202egnp.txt",
            "tab\tand\nline.txt", " outer .txt", "." + "hidden.txt", "-rf.txt", "..txt", "back\\slash.txt", "x" * 251 + ".txt",
            "a.kibo-part", "percent%2e%2e%2f.txt", "quote\"'.txt"]
        self.host.set("files.allowedTypes", ["*"])
        try:
            paths = [self.make(name, f"the file {name!r}".encode()) for name in names]
            offer = self.send(*paths)
            self.host.take(offer["id"])
            over = self.host.over(offer["id"])
            equal((over["state"], over["filesDone"]), ("taken", len(names)), f"the offer with names: {over['detail']}")
            self.phone.result()
        finally:
            self.host.set("files.allowedTypes", None)
        got = {one.read_bytes(): one.name for one in self.host.downloads.iterdir()}
        for path in paths:
            name = got.get(path.read_bytes())
            expect(name is not None, f"the file {path.name!r} is not there")
            if name is not None and path.name.isprintable() and path.name.strip() == path.name and "\\" not in path.name:
                if not path.name.endswith(".kibo-part"):
                    equal(name, path.name, "a name that can be kept")
            expect(name is None or not any(ord(sign) < 32 or sign == "\u202e" for sign in name), f"the name {name!r}")

    def folders(self):
        """Folders, as the app gives them: localsendd sends names without folders."""
        contents = {"Holiday/Day 1/1.txt": b"one", "Holiday/Day 2/1.txt": b"two", "beside.txt": b"beside", "Holiday/2.txt": b"above",
                    "\u7a7a/\u05d0/3.txt": b"three"}
        files = {f"f{number}": {"id": f"f{number}", "fileName": name, "size": len(content), "fileType": "text/plain"}
                 for number, (name, content) in enumerate(contents.items())}
        ids = dict(zip(contents, files))
        for number, root in enumerate(("Holiday", "Holiday (1)")):
            phone = Phone(2, address(2), ALIAS)
            since = len(self.host.notes())
            offer, session, tokens = taken(self.host, phone, files)
            equal([(one["folder"], one["name"]) for one in self.host.offer(offer)["items"]],
                  [("Holiday/Day 1", "1.txt"), ("Holiday/Day 2", "1.txt"), (None, "beside.txt"), ("Holiday", "2.txt"),
                   ("\u7a7a/\u05d0", "3.txt")], "what is offered")
            for name, content in contents.items():
                equal(phone.upload(session, ids[name], tokens[ids[name]], content)[0], 200, f"the upload of {name}")
            equal(self.host.over(offer)["state"], "taken", "the offer of folders")
            more = " (1)" if number else ""
            wanted = {name.replace("Holiday", root).replace("beside", "beside" + more).replace("\u7a7a", "\u7a7a" + more): content
                      for name, content in contents.items()}
            got = self.host.tree()
            equal({name: got.get(name) for name in wanted}, wanted, "what came")
            equal([(note.get("guest"), [(file["name"], file["kind"] == "folder", file["path"]) for file in note["attachments"]])
                   for note in self.host.notes()[since:]],
                  [(ALIAS, [(name, is_folder, str(self.host.downloads / name)) for name, is_folder in (
                      (root, True), (f"beside{more}.txt", False), ("\u7a7a" + more, True))])], "the note")
        equal(len(self.host.tree()), 10, "all files")
        # Some of it, and the rest breaks off.
        self.fresh()
        since = len(self.host.notes())
        phone = Phone(2, address(2), ALIAS)
        offer, session, tokens = taken(self.host, phone, files, [0, 1])
        equal(phone.upload(session, "f1", tokens["f1"], b"two")[0], 200, "one of two files")
        phone.ask("POST", f"{API}/cancel?sessionId={session}")
        equal(self.host.over(offer)["state"], "failed", "the offer that broke off")
        equal(self.host.tree(), {"Holiday/Day 2/1.txt": b"two"}, "what came of it")
        equal([file["path"] for file in self.host.note_files(since)], [str(self.host.downloads / "Holiday")], "its note")

    def killed_in_folder(self):
        """kibod is killed while files come into a folder, and while it makes a directory."""
        phone = Phone(2, address(2), ALIAS)
        files = phone.files(whole=5, half=100_000)
        for file in files.values():
            file["fileName"] = "Holiday/Day 1/" + file["fileName"]
        _, session, tokens = taken(self.host, phone, files)
        equal(phone.upload(session, "whole", tokens["whole"], b"whole")[0], 200, "the whole file")
        made = phone.begin_upload(session, "half", tokens["half"], 100_000, b"x" * 5000)
        part = wait("the part", lambda: self.host.parts(), 5)[0]
        self.host.kill()
        made.close()
        stage = self.host.downloads / part.replace(".kibo-part", "-folder.kibo-part") / "Day 2"
        stage.mkdir(parents=True)
        (stage / "late.txt").write_bytes(b"late")
        self.host.start()
        wait("the bridge to serve", lambda: self.host.list()["port"])
        wait("the parts to go", lambda: not self.host.parts(), 5)
        equal(self.host.tree(), {"Holiday/Day 1/whole.txt": b"whole"}, "what stays after a crash")

    def empty(self):
        path = self.make("empty.txt", b"")
        offer = self.send(path)
        self.host.take(offer["id"])
        equal(self.host.over(offer["id"])["state"], "taken", "the offer of an empty file")
        equal(self.phone.result()["kind"], "sent", "localsendd's result")
        equal((self.host.downloads / path.name).stat().st_size, 0, "its length")

    def declined(self):
        path = self.make("unwanted.txt", b"unwanted")
        offer = self.send(path)
        self.host.decline(offer["id"])
        equal(self.phone.result()["kind"], "declined", "localsendd's result")
        equal(self.host.over(offer["id"])["state"], "declined", "the offer")
        # It is quiet for a while, and the user is not asked.
        self.phone.send(KIBO, [path])
        equal(self.phone.result()["kind"], "declined", "localsendd's result for the second time")
        equal(self.host.offers("waiting"), [], "offers that wait after one was declined")

    def pin(self):
        self.fresh(pin="2468")
        path = self.make("with a pin.txt", b"with a pin")
        for pin in ("", "1357"):
            self.phone.send(KIBO, [path], pin)
            equal(self.phone.result()["kind"], "pin_required", f"localsendd's result with the PIN {pin!r}")
        equal(self.host.offers("waiting"), [], "offers without the PIN")
        offer = self.send(path, pin="2468")
        self.host.take(offer["id"])
        equal(self.phone.result()["kind"], "sent", "localsendd's result with the PIN")
        self.fresh(pin="2468")
        for pin, kind in (("1", "pin_required"), ("2", "pin_required"), ("3", "rate_limited"), ("2468", "rate_limited")):
            self.phone.send(KIBO, [path], pin)
            equal(self.phone.result()["kind"], kind, f"localsendd's result with the PIN {pin}")

    def withdrawn(self):
        """The device goes while the user is asked."""
        offer = self.send(self.make("withdrawn.txt", b"withdrawn"))
        self.phone.call("cancel")
        begun = time.monotonic()
        equal(self.host.over(offer["id"], 70)["state"], "withdrawn", "the offer")
        expect(time.monotonic() - begun < 10, f"the offer of a device that has gone stays for {time.monotonic() - begun:.0f} s")

    def cancelled(self):
        since = len(self.host.notes())
        offer = self.send(self.make("large.txt", b"abcdefgh" * MIB))
        self.host.take(offer["id"])
        self.coming(offer["id"], MIB // 2)
        equal(len(self.host.parts()), 1, "parts while it comes")
        self.phone.call("cancel")
        equal(self.phone.result()["kind"], "cancelled", "localsendd's result")
        over = self.host.over(offer["id"])
        equal((over["state"], over["problem"]), ("failed", "cancelled"), "the offer that the device has ended")
        self.nothing_is_left(since)

    def ended_here(self):
        since = len(self.host.notes())
        offer = self.send(self.make("small.txt", b"small"), self.make("large.txt", b"abcdefgh" * MIB))
        self.host.take(offer["id"])
        self.coming(offer["id"], MIB // 2)
        begun = time.monotonic()
        self.host.decline(offer["id"])
        over = self.host.over(offer["id"])
        equal(over["state"], "declined", "the offer that the user has ended")
        equal(self.phone.result()["kind"], "remote_cancelled", "localsendd's result")
        expect(time.monotonic() - begun < 5, f"localsendd heard of it after {time.monotonic() - begun:.1f} s")
        equal(self.host.files(), ["small.txt"], "what was here by then")
        equal([file["name"] for file in self.host.note_files(since)], ["small.txt"], "what was here by then, in the notes")
        equal(self.host.parts(), [], "parts")

    def large(self):
        size = (2048 if THOROUGH else 256) * MIB
        path = self.folder / "large.bin"
        with open(path, "wb") as file:
            for number in range(size // MIB):
                file.write(noise(MIB, number))
        self.host.set("files.allowedTypes", ["*"])
        try:
            pids = {"kibod": self.host.pid, "kibo-localsend": self.host.bridge}
            idle = {}
            for name, pid in pids.items():
                idle[name] = status_field(pid, "VmRSS")
                # From here on the peak is that of what follows.
                with open(f"/proc/{pid}/clear_refs", "w") as file:
                    file.write("5")
            self.phone.send(KIBO, [path])
            offer = self.host.waiting(60)
            begun = time.monotonic()
            self.host.take(offer["id"])
            over = self.host.over(offer["id"], 60 + size // MIB)
            took = time.monotonic() - begun
            equal(over["state"], "taken", f"the offer of a large file: {over['detail']}")
            for name, pid in pids.items():
                more = (status_field(pid, "VmHWM") - idle[name]) / MIB
                say(f"        {name}: {idle[name] / MIB:.1f} MiB at rest, {more:.1f} MiB more at most")
                expect(more <= 32, f"{name} has taken {more:.1f} MiB for a file")
            say(f"        {size / MIB / took:.0f} MiB/s")
            equal(self.phone.result()["kind"], "sent", "localsendd's result")
            equal(digest(self.host.downloads / path.name), digest(path), "the SHA-256")
        finally:
            self.host.set("files.allowedTypes", None)
            path.unlink()

    def killed_sender(self):
        since = len(self.host.notes())
        offer = self.send(self.make("large.txt", b"abcdefgh" * MIB))
        self.host.take(offer["id"])
        self.coming(offer["id"], MIB // 2)
        self.phone.kill()
        begun = time.monotonic()
        over = self.host.over(offer["id"], 40)
        equal((over["state"], over["problem"]), ("failed", "cancelled"), "the offer of a device that was killed")
        say(f"        after {time.monotonic() - begun:.1f} s: {over['detail']}")
        self.nothing_is_left(since)
        self.phone = LocalSendDaemon(2, ALIAS)

    def pulled(self):
        since = len(self.host.notes())
        offer = self.send(self.make("large.txt", b"abcdefgh" * MIB))
        self.host.take(offer["id"])
        self.coming(offer["id"], MIB // 2)
        lan("pull", 2)
        try:
            begun = time.monotonic()
            over = self.host.over(offer["id"], 45)
            took = time.monotonic() - begun
            expect(took < 38, f"the offer of a device whose cable is out stays for {took:.0f} s")
            equal((over["state"], over["problem"]), ("failed", "offline"), f"the offer: {over['detail']}")
            self.nothing_is_left(since)
        finally:
            lan("plug", 2)
        self.phone.result(60)

    def killed_host(self):
        since = len(self.host.notes())
        offer = self.send(self.make("large.txt", b"abcdefgh" * MIB))
        self.host.take(offer["id"])
        self.coming(offer["id"], MIB // 2)
        bridge = self.host.bridge
        self.host.kill()
        wait("the bridge to end with kibod", lambda: not os.path.exists(f"/proc/{bridge}"), 5)
        equal(len(self.host.parts()), 1, "parts that a crash leaves")
        self.host.start()
        wait("the bridge to serve", lambda: self.host.list()["port"])
        self.nothing_is_left(since)
        equal(self.host.offers(), [], "offers after a crash")
        self.phone.result(60)

    def full(self):
        tiny, usual = self.tiny, self.host.downloads
        try:
            self.host.downloads = tiny
            self.host.set("files.downloadDirectory", str(tiny))
            since = len(self.host.notes())
            small, large = self.make("small.txt", b"small"), self.make("large.txt", b"abcdefgh" * (2 * MIB))
            offer = self.send(small)
            self.refused(offer, "no_space", "beyond what stays free")
            # It waits on, and can be taken when there is room.
            self.host.set("files.freeSpaceFloorBytes", 0)
            self.host.take(offer["id"])
            equal(self.host.over(offer["id"])["state"], "taken", "the offer once there is room")
            self.phone.result()
            offer = self.send(large)
            self.refused(offer, "no_space", "larger than the disk")
            self.host.decline(offer["id"])
            self.phone.result()
            # The disk becomes full while it comes.
            self.fresh()
            self.slow()
            since = len(self.host.notes())
            offer = self.send(self.make("large.txt", b"abcdefgh" * (MIB * 3 // 4)))
            self.host.take(offer["id"])
            self.coming(offer["id"], MIB // 2)
            try:
                with open(tiny / "filler", "wb") as filler:
                    filler.write(bytes(16 * MIB))
            except OSError:
                pass
            over = self.host.over(offer["id"])
            equal((over["state"], over["problem"]), ("failed", "no_space"), f"the offer on a full disk: {over['detail']}")
            (tiny / "filler").unlink()
            self.nothing_is_left(since)
            self.phone.result()
        finally:
            self.fast()
            self.host.downloads = usual
            self.host.set("files.downloadDirectory", str(usual))
            self.host.set("files.freeSpaceFloorBytes", None)

    def refused(self, offer, kind, what):
        try:
            self.host.take(offer["id"])
            expect(False, f"an offer {what} was taken")
        except kibo.Refused as refusal:
            equal(refusal.kind, kind, f"taking what is {what}")

    def two(self):
        """Two devices, one after the other."""
        other = LocalSendDaemon(3, "Second Phone")
        try:
            wait("the second device", lambda: other.peer(KIBO) and self.host.device("Second Phone"), 15)
            self.slow()
            first = self.send(self.make("first.txt", b"abcdefgh" * (MIB // 4)))
            other.send(KIBO, [self.make("second.txt", b"second")])
            second = wait("both offers", lambda: [one for one in self.host.offers("waiting") if one["id"] != first["id"]])[0]
            self.host.take(first["id"])
            try:
                self.host.take(second["id"])
                expect(False, "two offers come at once")
            except kibo.Refused as refusal:
                equal(refusal.kind, "busy", "taking a second offer")
            self.host.over(first["id"])
            self.host.take(second["id"])
            equal(self.host.over(second["id"])["state"], "taken", "the second offer")
            equal((self.phone.result()["kind"], other.result()["kind"]), ("sent", "sent"), "both results")
            equal(self.host.files(), ["first.txt", "second.txt"], "the files")
            guests = [note.get("guest") for note in self.host.notes()[-2:]]
            equal(guests, [ALIAS, "Second Phone"], "whose the notes are")
        finally:
            self.fast()
            other.end()

    def readdressed(self):
        """The host gets another address while nothing comes."""
        subprocess.run(["ip", "-n", namespace(1), "addr", "flush", "dev", "eth0"], check=True)
        time.sleep(1)
        subprocess.run(["ip", "-n", namespace(1), "addr", "add", "10.73.0.77/24", "broadcast", "+", "dev", "eth0"], check=True)
        try:
            def moved():
                peer = self.phone.peer(KIBO)
                return peer and peer["ip"] == "10.73.0.77"
            wait("localsendd to know the new address", moved, 40)
            offer = self.send(self.make("moved.txt", b"moved"))
            self.host.take(offer["id"])
            equal(self.phone.result()["kind"], "sent", "localsendd's result at the new address")
        finally:
            subprocess.run(["ip", "-n", namespace(1), "addr", "flush", "dev", "eth0"], check=True)
            subprocess.run(["ip", "-n", namespace(1), "addr", "add", f"{address(1)}/24", "broadcast", "+", "dev", "eth0"], check=True)
            add_route(1)

    def six(self):
        """Addresses of IPv6, which LocalSend doesn't know, go and come while the user is asked."""
        offer = self.send(self.make("patient.txt", b"patient"))
        bridge = self.host.bridge
        subprocess.run(["ip", "-n", namespace(1), "-6", "addr", "flush", "dev", "eth0"], check=True)
        time.sleep(2)
        subprocess.run(["ip", "-n", namespace(1), "addr", "add", "fe80::77/64", "dev", "eth0", "nodad"], check=True)
        time.sleep(2)
        equal(self.host.offer(offer["id"])["state"], "waiting", "the offer after addresses of IPv6 have gone and come")
        equal(self.host.bridge, bridge, "the bridge")
        self.host.take(offer["id"])
        equal(self.phone.result()["kind"], "sent", "localsendd's result")

    def neighbour(self):
        """Another program for LocalSend on the same host has the usual port."""
        self.host.set("localsend.enabled", False)
        wait("the port to close", lambda: self.host.bridge is None, 5)
        other = LocalSendDaemon(1, "The Other Program")
        try:
            self.host.on()
            equal(self.host.list()["port"], 53318, "the port")
            wait("localsendd to know both", lambda: (self.host.list() and self.phone.call("scan")) and self.phone.peer("The Other Program")
                 and (self.phone.peer(KIBO) or {}).get("port") == 53318, 15, 0.5)
            offer = self.send(self.make("neighbour.txt", b"neighbour"))
            self.host.take(offer["id"])
            equal(self.phone.result()["kind"], "sent", "localsendd's result")
            equal((self.host.downloads / "neighbour.txt").read_bytes(), b"neighbour", "the file")
            wait("the host to list its neighbour", lambda: self.host.device("The Other Program"), 10)
        finally:
            other.end()

    def off(self):
        """Switched off while a file comes."""
        since = len(self.host.notes())
        offer = self.send(self.make("large.txt", b"abcdefgh" * MIB))
        self.host.take(offer["id"])
        self.coming(offer["id"], MIB // 2)
        self.host.set("localsend.enabled", False)
        over = self.host.over(offer["id"])
        equal(over["state"], "failed", "the offer when LocalSend is switched off")
        self.nothing_is_left(since)
        wait("the port to close", lambda: self.host.bridge is None, 5)
        self.phone.result(60)

    def unencrypted(self):
        self.phone.end()
        self.host.on(plain=True)
        self.phone = LocalSendDaemon(2, ALIAS, plain=True)
        wait("the devices to find each other in the clear", self.found, 15)
        expect(not self.host.device(ALIAS)["encrypted"], f"the host lists {self.host.device(ALIAS)}")
        self.host.clear()
        path = self.make("in the clear.txt", b"in the clear" * 100_000)
        offer = self.send(path)
        expect(not offer["device"]["encrypted"], "the offer says that it is encrypted")
        self.host.take(offer["id"])
        equal(self.phone.result()["kind"], "sent", "localsendd's result")
        equal(self.host.over(offer["id"])["state"], "taken", "the offer")
        expect((self.host.downloads / path.name).read_bytes() == path.read_bytes(), "the file has other bytes")
        self.slow()
        try:
            since = len(self.host.notes())
            self.host.clear()
            offer = self.send(self.make("large.txt", b"abcdefgh" * MIB))
            self.host.take(offer["id"])
            self.coming(offer["id"], MIB // 2)
            self.phone.call("cancel")
            equal(self.host.over(offer["id"])["state"], "failed", "the offer that the device has ended")
            self.nothing_is_left(since)
        finally:
            self.fast()


PARTS = [
    ("they find each other by multicast", "discovery", {}),
    ("the doctor and a device that connects", "reach", {"fresh": True}),
    ("one file, taken", "one_file", {"fresh": True}),
    ("what the settings don't let in", "types", {"fresh": True}),
    ("200 files, and some of them", "many", {"fresh": True}),
    ("names in many scripts", "names", {"fresh": True}),
    ("folders", "folders", {"fresh": True}),
    ("an empty file", "empty", {}),
    ("declined", "declined", {"fresh": True}),
    ("a PIN", "pin", {}),
    ("the device takes its offer back", "withdrawn", {"fresh": True}),
    ("the device ends it while it comes", "cancelled", {"fresh": True, "slow": True}),
    ("the user ends it while it comes", "ended_here", {"fresh": True, "slow": True}),
    ("a large file", "large", {"fresh": True}),
    ("two devices", "two", {"fresh": True}),
    ("the device is killed", "killed_sender", {"fresh": True, "slow": True}),
    ("the device's cable is pulled", "pulled", {"fresh": True, "slow": True}),
    ("kibod is killed", "killed_host", {"fresh": True, "slow": True}),
    ("kibod is killed while a folder comes", "killed_in_folder", {"fresh": True}),
    ("a full disk", "full", {"fresh": True}),
    ("switched off while it comes", "off", {"fresh": True, "slow": True}),
    ("another address", "readdressed", {"fresh": True}),
    ("addresses of IPv6", "six", {"fresh": True}),
    ("another program on the same host", "neighbour", {}),
    ("in the clear", "unencrypted", {}),
]


if __name__ == "__main__":
    tell(Story, PARTS, sys.argv[1:])
