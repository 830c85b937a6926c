"""What devices with LocalSend may not do: a raw client, written from the protocol's document, against kibod between two network
namespaces, while a bystander measures how fast kibod does its other work.

Run by PhoneAttackNetworkTests, and by hand as root: python3 Tests/Network/phone_attacks.py [WORD…], where WORD chooses the parts with such
a name. KIBO_BIN_DIR names programs that are already built; KIBO_LAN_DIR and KIBO_LAN_NAME are those of scripts/lan. Each part prints
a line; what fails is said again at the end.
"""

import contextlib
import json
import os
import signal
import sys
import time

from phone_floods import Floods, chosen
from phone_stage import (
    API, PORT, STATE, THOROUGH, Phone, address, equal, expect, finish, kibo, lan, noise, say,
    taken, up, wait)


class Attacks(Floods):
    # MARK: What is polite

    def text(self):
        for text, wanted in (
            ("Hello, \u4e16\u754c\nsecond line", "Hello, \u4e16\u754c\nsecond line"), ("a\u202eb\u0000c\x1b[31m", "abc[31m"),
            ("x" * 8000, "x" * 8000), ("y" * 65_536, "y" * 65_536),
        ):
            phone = self.phone(alias="Text\u202e Phone\n")
            asking = phone.offer({"t": {
                "id": "t", "fileName": "t.txt", "size": len(text.encode()), "fileType": "text/plain", "preview": text}})
            offer = self.host.waiting()
            since = len(self.host.notes())
            self.host.take(offer["id"])
            equal(asking.answer(), (204, None), f"the answer to the text {text[:20]!r}")
            notes = self.host.notes()[since:]
            equal([(one["text"][:99], one.get("guest")) for one in notes], [(wanted[:99], "Text Phone")], "the note")
            equal(notes[0]["text"], wanted, "the text of the note")
            equal(self.host.over(offer["id"])["state"], "taken", "the offer of a text")
        # A text without anything to see is no note.
        for text in ("", "\u202e\x07", " \n "):
            phone = self.phone()
            since = len(self.host.notes())
            asking = phone.offer({"t": {
                "id": "t", "fileName": "t.txt", "size": len(text.encode()), "fileType": "text/plain", "preview": text}})
            wait("the offer or its refusal", lambda: not asking.is_alive() or self.host.offers("waiting"))
            for offer in self.host.offers("waiting"):
                with contextlib.suppress(kibo.Refused):
                    self.host.take(offer["id"])
            equal([one["text"] for one in self.host.notes()[since:]], [], f"notes of the text {text!r}")
            phone.ask("POST", f"{API}/cancel")
            for offer in self.host.offers("receiving"):
                self.host.decline(offer["id"])

    def names(self):
        names = [
            "../../../../etc/evil.txt", "..\\..\\evil.txt", "/etc/evil.txt", "C:\\Windows\\evil.txt", "..", ".", "/", "\\", "...",
            "a\u0000b.txt", "a\nb\tc\x1b[2J.txt", "\u202egpj.exe.txt", "\u2066x\u2069.txt", "  spaced  ", "\u00a0", "\u200b", "x" * 1024,
            "é" * 300 + ".txt", "👩‍👩‍👧‍👦" * 40 + ".txt", "e" + "\u0301" * 300, ".kibo-part", "a.KIBO-PART", ".guest-0011223344556677-1.kibo-part",
            "folder/inner/deep.txt", "folder/../../evil.txt", "//folder//./inner//deep.txt", "folder/inner", "./x/..", ".ssh/authorized_keys",
            "\u202e/\u200b/\u00a0/x", "../" * 340 + "x", "d/" * 500 + "x", ".kibo-part/.kibo-part", "con/nul/a:b?.txt", "a\u0000/\nb",
            "x" * 1022 + "/x", "\u202efolder/x", "folder\u202e/x", "~/x", "etc", "same.txt", "same.txt", "Same.txt", "~", "-rf", "$(id).txt", "%2e%2e%2fevil.txt", "con", "nul.txt", "空.txt",
            "अ.txt", "\ud7ff.txt", "\U0010ffff.txt", ".bashrc", "a" * 20 + "." + "b" * 300]
        contents = {f"f{number}": f"{number}: {name!r}".encode() for number, name in enumerate(names)}
        files = {
            f"f{number}": {"id": f"f{number}", "fileName": name, "size": len(contents[f"f{number}"]), "fileType": "x/y"}
            for number, name in enumerate(names)}
        phone = self.phone()
        before = set(STATE.rglob("*"))
        offer, session, tokens = taken(self.host, phone, files)
        shown = {one["number"]: "/".join(filter(None, (one["folder"], one["name"]))) for one in self.host.offer(offer)["items"]}
        for id, content in contents.items():
            status, answer = phone.upload(session, id, tokens[id], content)
            equal(status, 200, f"the upload of {files[id]['fileName']!r} ({answer})")
        over = self.host.over(offer)
        equal((over["state"], over["filesDone"]), ("taken", len(names)), f"the offer with names ({over['detail']})")
        got = {content: path for path, content in self.host.tree().items()}
        expect(None not in got, "an empty directory")
        expect(all(path.count("/") <= 16 for path in got.values()), "a file in more than 16 folders")
        for number, name in enumerate(names):
            found = got.get(contents[f"f{number}"])
            expect(found is not None, f"the file {name!r} is not in the folder")
            expect(found is None or not any(ord(sign) < 32 or sign in "\u202e\u2066\u2069" for sign in found), f"{name!r} has the name {found!r}")
            parts = found.split("/") if found else []
            expect(not any(one in ("\u200b", "\u00a0", ".", "..", "") for one in parts), f"{name!r} has a name that nobody sees: {found!r}")
            expect(not any(one.endswith(".kibo-part") for one in parts), f"{name!r} has the name {found!r}")
            expect(all(len(one.encode()) <= 255 for one in parts), f"{name!r} has a long name")
            equal(len(parts), len(shown[number].split("/")), f"the parts of {shown[number]!r}")
            for part, wanted in zip(parts, shown[number].split("/")):
                # With a number, if another had it first.
                stem = (wanted.rpartition(".")[0] or wanted)[:200]
                expect(part == wanted or " (" in part and part.startswith(stem), f"{shown[number]!r} was shown for {found!r}")
        new = [one for one in set(STATE.rglob("*")) - before if self.host.downloads not in one.parents and one.is_file()]
        equal([str(one) for one in new if (STATE / "1" / "data") not in one.parents], [], "new files elsewhere")
        equal(self.host.parts(), [], "parts")

    def offered(self, *names):
        """Offers files with these names, which have their numbers in them, and takes all: gives one, and the offer."""
        phone = self.phone()
        files = {f"f{number}": {"id": f"f{number}", "fileName": name, "size": len(str(number)), "fileType": "x/y"}
                 for number, name in enumerate(names)}
        offer, session, tokens = taken(self.host, phone, files)
        connection = [phone.connection()]

        def give(number):
            connection[0] = connection[0] if connection[0].sock else phone.connection()
            connection[0].request("POST", phone.target(session, f"f{number}", tokens[f"f{number}"]), body=str(number).encode())
            equal(phone.answer(connection[0])[0], 200, f"the upload of {names[number]!r}")
        return give, offer

    def folders(self):
        """Folders into which a device may not bring anything, and too many of them."""
        outside = STATE / "outside"
        outside.mkdir(exist_ok=True)
        downloads = self.host.downloads
        downloads.mkdir(parents=True, exist_ok=True)
        (downloads / "file").write_bytes(b"mine")
        (downloads / "mine").mkdir()
        (downloads / "link").symlink_to(outside)
        give, offer = self.offered("file/x", "mine/x", "link/x", "link/y/z", "both", "both/x", "in/both", "in/both/x")
        for number in range(8):
            give(number)
        over = self.host.over(offer)
        equal(over["state"], "taken", f"the offer of folders that are there ({over['detail']})")
        equal(self.host.tree(), {
            "file": b"mine", "mine": None, "file (1)/x": b"0", "mine (1)/x": b"1", "link (1)/x": b"2", "link (1)/y/z": b"3",
            "both": b"4", "both (1)/x": b"5", "in/both": b"6", "in/both (1)/x": b"7"}, "what is there")
        # Between two files something else comes into the place of a directory.
        self.host.clear()
        give, offer = self.offered("a/in/1", "a/in/2", "b/in/1", "b/in/2", "c/in/1", "c/in/2", "d/in/1", "d/in/2")
        for number in range(0, 8, 2):
            give(number)
        (outside / "in").mkdir(exist_ok=True)
        (downloads / "a").rename(downloads / "a aside")
        (downloads / "a").symlink_to(outside)
        (downloads / "b" / "in").rename(downloads / "b" / "in aside")
        (downloads / "b" / "in").symlink_to(outside)
        (downloads / "c").rename(downloads / "c aside")
        (downloads / "c" / "in").mkdir(parents=True)
        (downloads / "d").rename(downloads / "d aside")
        for number in range(1, 8, 2):
            give(number)
        over = self.host.over(offer)
        equal(over["filesDone"], 8, f"the offer whose directories are exchanged ({over['detail']})")
        equal([one.name for one in outside.rglob("*")], ["in"], "what came elsewhere")
        tree = self.host.tree()
        equal({name: tree.get(name) for name in ("a (1)/in/2", "b/in (1)/2", "c (1)/in/2", "c/in", "d/in/2")},
              {"a (1)/in/2": b"1", "b/in (1)/2": b"3", "c (1)/in/2": b"5", "c/in": None, "d/in/2": b"7"}, "what came after that")
        # Many folders, whose names are one once they are safe.
        count = 1000 if THOROUGH else 200
        self.host.clear()
        since = len(self.host.notes())
        give, offer = self.offered(*("r" + "".join("\u202e" if number >> bit & 1 else "\u202d" for bit in range(10)) + "/x" for number in range(count)))
        open_before = len(os.listdir(f"/proc/{self.host.pid}/fd"))
        begun = time.monotonic()
        for number in range(count):
            give(number)
        over = self.host.over(offer, 60)
        equal((over["state"], over["filesDone"]), ("taken", count), f"the offer of many folders ({over['detail']})")
        say(f"        {count} folders after {time.monotonic() - begun:.1f} s")
        tree = self.host.tree()
        equal(sorted(tree.values()), sorted(str(number).encode() for number in range(count)), "what came in many folders")
        equal(len({name.split("/")[0] for name in tree}), count, "folders")
        expect(len(os.listdir(f"/proc/{self.host.pid}/fd")) < open_before + 50, "descriptors stay open")
        equal([len(note["attachments"]) for note in self.host.notes()[since:]], [32] * (count // 32) + [count % 32], "files of the notes")
        equal(self.host.parts(), [], "parts")

    def ids(self):
        """What the device calls its files may be anything."""
        names = ["a&b=c", "ü+ %", "../x", "\u0001", "a\"b", "日", "e\u0301", "é2", "x" * 128]
        files = {name: {"id": name, "fileName": f"{number}.txt", "size": 3, "fileType": "text/plain"} for number, name in enumerate(names)}
        phone = self.phone()
        offer, session, tokens = taken(self.host, phone, files)
        equal(sorted(tokens), sorted(names), "the tokens")
        for name in names:
            equal(phone.upload(session, name, tokens[name], b"abc")[0], 200, f"the upload of {name!r}")
        over = self.host.over(offer)
        equal(over["state"], "taken", f"the offer with odd ids ({over['detail']})")

    def at_once(self):
        """Eight files come at the same time, mixed; a ninth waits."""
        phone = self.phone()
        files = {f"f{number}": {"id": f"f{number}", "fileName": f"{number}.bin", "size": 300_000, "fileType": "x/y"} for number in range(8)}
        offer, session, tokens = taken(self.host, phone, files)
        contents = {id: noise(300_000, hash(id)) for id in files}
        opened = {id: phone.begin_upload(session, id, tokens[id], 300_000) for id in files}
        for start in range(0, 300_000, 50_000):
            for id, made in opened.items():
                made.sendall(contents[id][start:start + 50_000])
        for id, made in opened.items():
            expect(made.recv(100).startswith(b"HTTP/1.1 200"), f"the upload of {id}")
            made.close()
        equal(self.host.over(offer)["state"], "taken", "the offer of eight at once")
        for id in files:
            name = files[id]["fileName"]
            expect((self.host.downloads / name).read_bytes() == contents[id], f"{name} has other bytes")

    def chunked(self):
        """Without a length: the body ends with its last chunk."""
        phone = self.phone()
        sizes = {"exact": 11, "short": 11, "long": 11}
        offer, session, tokens = taken(self.host, phone, phone.files(**sizes))
        bodies = {"exact": b"b\r\nhello world\r\n0\r\n\r\n", "short": b"5\r\nhello\r\n0\r\n\r\n", "long": b"10\r\nhello world and!\r\n0\r\n\r\n"}
        heads = {}
        for id in sizes:
            head = f"POST {phone.target(session, id, tokens[id])} HTTP/1.1\r\nHost: {address(1)}\r\nTransfer-Encoding: chunked\r\n\r\n"
            heads[id] = phone.raw(head.encode(), bodies[id])
        expect(heads["exact"].startswith(b"HTTP/1.1 200"), f"a whole file in chunks is answered {heads['exact']}")
        for id in ("short", "long"):
            expect(not heads[id].startswith(b"HTTP/1.1 200"), f"a {id} file in chunks is answered {heads[id]}")
        over = self.host.over(offer, 45)
        equal((over["state"], over["filesDone"]), ("failed", 1), "the offer in chunks")
        expect(not (self.host.downloads / "short.txt").exists() and not (self.host.downloads / "long.txt").exists(), "a file that isn't whole")
        equal(self.host.parts(), [], "parts")

    def lost(self):
        """Devices that break off, and one whose offer waits."""
        phone = self.phone()
        offer, session, tokens = taken(self.host, phone, phone.files(whole=5, half=100_000, none=5))
        equal(phone.upload(session, "whole", tokens["whole"], b"whole")[0], 200, "the whole file")
        made = phone.begin_upload(session, "half", tokens["half"], 100_000, b"x" * 5000)
        wait("the part", lambda: self.host.parts(), 5)
        made.close()
        wait("the part to go", lambda: not self.host.parts(), 5)
        equal(phone.upload(session, "half", tokens["half"], b"x" * 100_000)[0], 403, "a second try of the same file")
        status, _ = phone.ask("POST", f"{API}/cancel?sessionId={session}")
        equal(status, 200, "cancelling")
        over = self.host.over(offer)
        equal((over["state"], over["problem"], over["filesDone"]), ("failed", "cancelled", 1), "the offer that broke off")
        equal([file["name"] for file in self.host.notes()[-1].get("attachments") or []], ["whole.txt"], "the note of what came whole")
        # The connection of an offer that waits is closed.
        phone = self.phone()
        connection = phone.connection()
        body = json.dumps({"info": phone.info, "files": phone.files(a=1)}).encode()
        connection.request("POST", f"{API}/prepare-upload", body=body)
        offer = self.host.waiting()
        connection.sock.close()
        connection.close()
        begun = time.monotonic()
        over = self.host.over(offer["id"], 70)
        equal(over["state"], "withdrawn", "the offer of a connection that is gone")
        expect(time.monotonic() - begun < 10, f"it stays for {time.monotonic() - begun:.0f} s")
        # The device says that it takes its offer back.
        phone = self.phone()
        asking = phone.offer(phone.files(a=1))
        offer = self.host.waiting()
        equal(phone.ask("POST", f"{API}/cancel")[0], 200, "cancelling an offer")
        equal(self.host.over(offer["id"])["state"], "withdrawn", "the offer that was taken back")
        asking.answer()

    def expires(self):
        """The user doesn't answer."""
        phone = self.phone()
        asking = phone.offer(phone.files(a=1))
        offer = self.host.waiting()
        # Nobody else's offer is in its way meanwhile.
        other = self.phone()
        second, session, tokens = self._taken_beside(other, offer["id"])
        equal(other.upload(session, "b", tokens["b"], b"b")[0], 200, "a file beside an offer that waits")
        equal(self.host.over(second)["state"], "taken", "the offer beside it")
        equal(self.host.over(offer["id"], 70)["state"], "expired", "the offer that nobody answers")
        equal(asking.answer()[0], 403, "what the device is told")
        expect(55 < asking.took < 66, f"it was told after {asking.took:.0f} s")

    def _taken_beside(self, phone, other):
        asking = phone.offer(phone.files(b=1))
        offer = wait("a second offer", lambda: [one for one in self.host.offers("waiting") if one["id"] != other])[0]
        self.host.take(offer["id"])
        status, answer = asking.answer()
        equal(status, 200, "the second offer")
        return offer["id"], answer["sessionId"], answer["files"]

    # MARK: What is not

    def tokens(self):
        phone, other = self.phone(), self.phone()
        offer, session, tokens = taken(self.host, phone, phone.files(a=5, b=5))
        wrong = "0" * 32
        for what, who, words, status in (
            ("a wrong token", phone, (session, "a", wrong), 403), ("another file's token", phone, (session, "a", tokens["b"]), 403),
            ("an empty token", phone, (session, "a", ""), 403), ("a wrong session", phone, (wrong, "a", tokens["a"]), 403),
            ("a file that is none", phone, (session, "c", tokens["a"]), 403),
            ("another address", other, (session, "a", tokens["a"]), 403),
        ):
            equal(who.upload(*words, b"evil!")[0], status, what)
        equal(phone.ask("POST", f"{API}/upload?sessionId={session}&fileId=a", b"evil!")[0], 400, "without a token")
        twice = phone.target(session, "a", tokens["a"]) + f"&token={tokens['a']}"
        expect(phone.ask("POST", twice, b"evil!")[0] in (400, 404), "a token twice")
        equal(phone.upload(session, "a", tokens["a"], b"longer")[0], 400, "a file that is longer than was said")
        equal(phone.upload(session, "a", tokens["a"], b"less")[0], 400, "a file that is shorter than was said")
        head = f"POST {phone.target(session, 'a', tokens['a'])} HTTP/1.1\r\nHost: {address(1)}\r\nContent-Length: {10 << 30}\r\n\r\n"
        expect(phone.raw(head.encode(), b"x").startswith(b"HTTP/1.1 400"), "a file of 10 GiB in the place of one of five bytes")
        equal(other.ask("POST", f"{API}/cancel?sessionId={session}")[0], 200, "another address cancels")
        equal(self.host.offer(offer)["state"], "receiving", "the offer after all that")
        equal(phone.upload(session, "a", tokens["a"], b"right")[0], 200, "the right token")
        equal(phone.upload(session, "a", tokens["a"], b"again")[0], 403, "the right token for the second time")
        equal(phone.upload(session, "b", tokens["b"], b"right")[0], 200, "the other file")
        equal(self.host.over(offer)["state"], "taken", "the offer")
        equal(phone.upload(session, "b", tokens["b"], b"later")[0], 409, "an upload after the end")
        equal((self.host.downloads / "a.txt").read_bytes(), b"right", "the file")

    def kept_alive(self):
        """Many files by one connection, one that asks whether it may go on, and files that are larger than what is read at once."""
        for plain in (False, True):
            self.host.on(plain=plain)
            self.host.clear()
            phone = self.phone(plain=plain)
            sizes = {f"f{number}": size for number, size in enumerate((1, 0, 700_000, 3, 262_144, 5, 1_000_001, 0, 2))}
            contents = {id: noise(size, size) for id, size in sizes.items()}
            offer, session, tokens = taken(self.host, phone, phone.files(**sizes))
            connection = phone.connection()
            for id, content in contents.items():
                # It may be closed after an answer that says so, as after a file of no bytes.
                connection = connection if connection.sock else phone.connection()
                connection.request("POST", phone.target(session, id, tokens[id]), body=content)
                equal(phone.answer(connection)[0], 200, f"{id} by the same connection, {'in the clear' if plain else 'with TLS'}")
            connection.close()
            equal(self.host.over(offer)["state"], "taken", "the offer by one connection")
            for id, content in contents.items():
                expect((self.host.downloads / f"{id}.txt").read_bytes() == content, f"{id} has other bytes")
            phone = self.phone(plain=plain)
            offer, session, tokens = taken(self.host, phone, phone.files(asks=5))
            made = phone.socket()
            made.sendall((f"POST {phone.target(session, 'asks', tokens['asks'])} HTTP/1.1\r\nHost: {address(1)}\r\n"
                          "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n").encode())
            expect(made.recv(1000).startswith(b"HTTP/1.1 100"), "it may not go on")
            made.sendall(b"asked")
            expect(made.recv(1000).startswith(b"HTTP/1.1 200"), "it went on in vain")
            made.close()
            equal(self.host.over(offer)["state"], "taken", "the offer that asks")

    def bridge_killed(self):
        """The program that speaks with devices ends by violence; kibod goes on, and starts it again."""
        phone = self.phone()
        since = len(self.host.notes())
        offer, session, tokens = taken(self.host, phone, phone.files(whole=5, half=100_000))
        equal(phone.upload(session, "whole", tokens["whole"], b"whole")[0], 200, "the whole file")
        made = phone.begin_upload(session, "half", tokens["half"], 100_000, b"x" * 5000)
        wait("the part", lambda: self.host.parts(), 5)
        bridge = self.host.bridge
        os.kill(bridge, signal.SIGKILL)
        over = self.host.over(offer)
        equal((over["state"], over["filesDone"]), ("failed", 1), "the offer")
        wait("the part to go", lambda: not self.host.parts(), 5)
        equal([file["name"] for file in self.host.note_files(since)], ["whole.txt"], "what was here by then")
        wait("another bridge", lambda: self.host.bridge not in (None, bridge) and self.host.list()["port"], 10)
        made.close()
        self.serves()

    def requests(self):
        """Pages of browsers, other hosts' names, and requests that are none."""
        phone = self.phone()
        for headers, wanted in (
            ({}, 200), ({"Origin": "https://evil.example"}, 403), ({"Origin": "null"}, 403), ({"Sec-Fetch-Site": "cross-site"}, 403),
            ({"Host": "evil.example"}, 403), ({"Host": "localhost"}, 403), ({"Host": f"evil.example:{PORT}"}, 403),
            ({"Host": f"{address(1)}:{PORT}"}, 200), ({"Host": address(1)}, 200), ({"Host": "10.9.8.7"}, 200),
        ):
            status, answer = phone.ask("GET", f"{API}/info", headers=headers)
            equal(status, wanted, f"info with {headers}")
            expect(status == 200 or not answer or "Anna" not in str(answer), f"a refusal tells {answer}")
        for method, target, wanted in (
            ("GET", "/", 404), ("GET", "/api/localsend/v2/prepare-upload", 404), ("OPTIONS", f"{API}/info", 404), ("PUT", f"{API}/upload", 404),
            ("POST", f"{API}/prepare-download", 404), ("GET", f"{API}/download?sessionId=a&fileId=b", 404), ("POST", f"{API}/upload", 400),
            ("GET", f"{API}/info/", 404), ("GET", f"{API}/../v2/info", 404), ("GET", "/api/localsend/v1/info", 200),
            ("POST", f"{API}/show?token=x", 404), ("TRACE", f"{API}/info", 404), ("GET", f"{API}/info?fingerprint=" + "x" * 3000, 404),
        ):
            status, _ = phone.ask(method, target, body=b"" if method in ("POST", "PUT") else None)
            equal(status, wanted, f"{method} {target[:60]}")
        host = f"Host: {address(1)}\r\n".encode()
        for what, head, body in (
            ("two lengths", b"Content-Length: 5\r\nContent-Length: 6\r\n", b"hello!"),
            ("a length and chunks", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
            ("a negative length", b"Content-Length: -1\r\n", b""), ("a signed length", b"Content-Length: +5\r\n", b"hello"),
            ("a huge length", b"Content-Length: 99999999999999999999999\r\n", b""),
            ("another encoding", b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n"), ("a folded line", b"A: b\r\n c\r\n", b""),
            ("a field without a name", b": b\r\n", b""), ("a space before the colon", b"Content-Length : 2\r\n", b"{}"),
            ("a zero in the head", b"A: \x00\r\n", b""),
        ):
            first = self.phone().raw(b"POST " + API.encode() + b"/prepare-upload HTTP/1.1\r\n" + host + head + b"\r\n", body, 3)
            expect(not first.startswith(b"HTTP/1.1 2"), f"{what}: {first}")
        for what, bytes in (
            ("noise", noise(4000)), ("HTTP/0.9", b"GET /\r\n"), ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            ("a long line", b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n"),
            ("many fields", b"GET " + API.encode() + b"/info HTTP/1.1\r\n" + host + b"A: b\r\n" * 200 + b"\r\n"),
            ("a long field", b"GET " + API.encode() + b"/info HTTP/1.1\r\n" + host + b"A: " + b"b" * 200_000 + b"\r\n\r\n"),
        ):
            first = self.phone().raw(bytes, timeout=3)
            expect(not first.startswith(b"HTTP/1.1 2"), f"{what}: {first}")
        # However many fields there are, each counts.
        for number in (30, 40, 41, 42, 60, 200):
            evil = b"A: b\r\n" * number + b"Origin: https://evil.example\r\nHost: evil.example\r\n\r\n"
            first = self.phone().raw(b"GET " + API.encode() + b"/info HTTP/1.1\r\n" + evil)
            expect(not first.startswith(b"HTTP/1.1 2"), f"a page of evil.example with {number} fields more is answered {first}")
        made = self.phone().socket(shake=False)
        made.sendall(noise(2000, 2))
        made.close()
        self.serves()

    def documents(self):
        """Offers and names that are written otherwise than the protocol has it."""
        def offer(**changes):
            file = {"id": "a", "fileName": "a.txt", "size": 1, "fileType": "text/plain", **changes}
            return {"info": Phone(2, "x").info, "files": {"a": {name: value for name, value in file.items() if value is not ...}}}
        info = Phone(2, "x").info
        bad = [
            ("no JSON", b"{"), ("no object", b"[]"), ("a number", b"1"), ("nothing in it", {}), ("no files", {"info": info, "files": {}}),
            ("files as a list", {"info": info, "files": []}), ("no info", {"files": offer()["files"]}),
            ("another id", offer(id="b")), ("a size below nothing", offer(size=-1)), ("a size that is a text", offer(size="1")),
            ("a size with a fraction", offer(size=1.5)), ("a size beyond 64 bits", offer(size=1 << 64)), ("no name", offer(fileName="")),
            ("no name at all", offer(fileName=...)), ("a name of 1,025 bytes", offer(fileName="x" * 1025)), ("no type", offer(fileType=...)),
            ("a type of 1 KiB", offer(fileType="x" * 1024)), ("a preview that is none", offer(preview=1)),
            ("UTF-8 that is none", b'{"info":{"alias":"\xff"},"files":{}}'), ("a lone surrogate", b'{"info":{"alias":"\\ud800"},"files":{}}'),
            ("deep", b"[" * 100_000), ("deep objects", b'{"a":' * 60_000), ("a long number", b'{"info":' + b"9" * 400_000),
            ("an id twice", json.dumps(offer()).replace('"files": {', '"files": {' + json.dumps(offer()["files"])[1:-1] + ", ").encode()),
            ("1,001 files", {"info": info, "files": {str(number): {
                "id": str(number), "fileName": "a", "size": 1, "fileType": "x"} for number in range(1001)}}),
            ("an alias that is none", {"info": {**info, "alias": 5}, "files": offer()["files"]}),
            ("a port that is none", {"info": {**info, "port": 70000}, "files": offer()["files"]}),
        ]
        with self.watched():
            phone = None
            for number, (what, body) in enumerate(bad):
                # Five of one address are looked at. Two addresses may share that, because the bridge has a table of fixed size.
                phone = self.phone() if number % 2 == 0 else phone
                begun = time.monotonic()
                status, answer = phone.ask("POST", f"{API}/prepare-upload", body, timeout=10)
                equal(status, 400, f"an offer with {what}, which says {answer}")
                expect(time.monotonic() - begun < 3, f"an offer with {what} took {time.monotonic() - begun:.1f} s")
            phone = self.phone()
            for what, length in (("10 GB", 10_000_000_000), ("513 KiB", 513 << 10)):
                head = f"POST {API}/prepare-upload HTTP/1.1\r\nHost: {address(1)}\r\nContent-Length: {length}\r\n\r\n".encode()
                first = phone.raw(head, b"x" * 1000)
                expect(first.startswith(b"HTTP/1.1 400"), f"an offer of {what}: {first}")
            phone = self.phone()
            status, answer = phone.ask("POST", f"{API}/prepare-upload", b'{"a":"' + b"x" * (600 << 10) + b'"}')
            expect(status in (0, 400), f"an offer of 600 KiB: {status} {answer}")
            status, answer = phone.ask("POST", f"{API}/prepare-upload", iter([b"x" * 65536] * 20), {"Transfer-Encoding": "chunked"})
            expect(status in (0, 400), f"an offer of 1,280 KiB in chunks: {status} {answer}")
            status, answer = self.phone().ask("POST", f"{API}/register", b"x" * 5000)
            expect(status in (0, 400), f"a name of 5,000 bytes: {status} {answer}")
            equal(self.host.offers("waiting"), [], "offers of all that")
        # What is just small enough: a thousand files with long names.
        phone = self.phone()
        asking = phone.offer({str(number): {"id": str(number), "fileName": f"{number}" + "n" * 300, "size": 1 << 52, "fileType": "x"}
                              for number in range(1000)})
        found = self.host.waiting(5)
        equal(len(found["items"]), 1000, "files of a large offer")
        try:
            self.host.take(found["id"])
            expect(False, "an offer of 4 EiB was taken")
        except kibo.Refused as refusal:
            expect(refusal.kind in ("no_space", "too_large"), f"an offer of 4 EiB is refused: {refusal.kind}")
        self.host.decline(found["id"])
        equal(asking.answer()[0], 403, "the answer to a large offer that is declined")
        self.serves()

    def finishing(self):
        """A file has come whole, and the daemon takes longer than half a minute to look at it, as on a slow disk."""
        phone = self.phone()
        offer, session, tokens = taken(self.host, phone, phone.files(a=5))
        made = phone.begin_upload(session, "a", tokens["a"], 5, b"he")
        wait("the part", lambda: self.host.parts(), 5)
        os.kill(self.host.pid, signal.SIGSTOP)
        try:
            made.sendall(b"llo")
            time.sleep(36)
        finally:
            os.kill(self.host.pid, signal.SIGCONT)
        over = self.host.over(offer)
        equal((over["state"], over["filesDone"]), ("taken", 1), f"an offer that took long to look at ({over['problem']}, {over['detail']})")
        expect(made.recv(100).startswith(b"HTTP/1.1 200"), "the device is not told that its file is here")


PARTS = [
    ("texts", "text"), ("names", "names"), ("folders", "folders"), ("ids", "ids"), ("eight files at once", "at_once"), ("bodies in chunks", "chunked"),
    ("connections that are used again", "kept_alive"), ("devices that break off", "lost"), ("the bridge is killed", "bridge_killed"),
    ("tokens, sessions and addresses", "tokens"), ("requests", "requests"), ("documents", "documents"),
    ("many offers", "many_offers"), ("connections that say nothing", "idle_connections"), ("heads drop by drop", "drops"),
    ("a file that rests", "slow_upload"), ("datagrams", "datagrams"), ("names over and over", "registering"),
    ("addresses of the internet", "strangers"), ("plain HTTP to TLS", "mixed_tls"),
]
# They take long.
PARTS += [("nobody answers", "expires"), ("a slow disk", "finishing")] if THOROUGH else []


def main(words):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    up(2)
    try:
        attacks = Attacks()
        attacks.play(part for part in PARTS if not words or chosen(part, words))
    finally:
        lan("down", check=False)
    finish()


if __name__ == "__main__":
    main(sys.argv[1:])
