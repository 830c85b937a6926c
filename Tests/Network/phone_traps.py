"""What devices with LocalSend may not do when something is given to them: receivers that lie, stall, flood and break off, between two
network namespaces, while a bystander measures how fast kibod does its other work.

Run by PhoneTrapNetworkTests, and by hand as root: KIBO_PYTHON Tests/Network/phone_traps.py [WORD…], where WORD chooses the parts with such a
name. KIBO_BIN_DIR names programs that are already built; KIBO_LAN_DIR and KIBO_LAN_NAME are those of scripts/lan. The Python needs the
packages of Tests/Interop/requirements.txt. With KIBO_THOROUGH all traps, also what takes ten minutes. Each part prints a line; what fails is said
again at the end.
"""

import contextlib
import json
import signal
import ssl
import subprocess
import sys
import time
import warnings

from phone_floods import ADDRESSES, chosen
from phone_receiver import Certificate, Line, Receiver
from phone_stage import (
    API, THOROUGH, Phone, address, equal, expect, finish, kibo, lan, namespace, noise, step, say, up, wait)
from phone_trap_stage import (
    RESTS, SOON, WAITS, Trap, TrapStage, accepts, babbles, body, drips, early, endless, goes, half, half_closes, half_resets, pauses,
    reads_and_goes, resets, says, some, stops, unanswered, unread)

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
# Different bytes than the protocol has, for the places where a device says a text.
ODD = ["a&b=c", "a#b", "a b+c%", "../x", "a/b?c", "\u00fc\u65e5", "\"';", "x" * 300]
SPLIT = "a\r\nX-Evil: yes\r\n\r\nGET /evil HTTP/1.1\r\nHost: a"


class Traps(TrapStage):
    # MARK: Who it is

    def certificates(self):
        """One that was not announced gets nothing: neither a name, nor a PIN, nor a file."""
        def silent(receiver):
            return receiver.connections >= 1 and receiver.bytes == 0

        lower = self.certificate.fingerprint
        self.spring(
            Trap("another certificate than was announced", "failed:key_changed", announced=self.other.fingerprint, after=silent),
            Trap("the fingerprint of nothing", "failed:key_changed", announced="0" * 64, after=silent),
            Trap("one that differs in a letter", "failed:key_changed", announced=lower[:-1] + ("0" if lower[-1] != "0" else "1"), after=silent),
            Trap("capital letters", "taken", announced=lower.upper()),
            Trap("a certificate of another century", "taken", certificate=Certificate(self.place, "Old", 1999)),
            Trap("the name of somebody else in it", "taken", certificate=Certificate(self.place, address(1))),
        )
        # What is no fingerprint: such a device is not listed, or nothing is given to it.
        with contextlib.ExitStack() as stack:
            odd = [stack.enter_context(contextlib.closing(self.receiver(announced=announced))) for announced in (
                "", "x", "0" * 63, lower[:32], lower + "00")]
            for _ in range(4):
                for receiver in odd:
                    receiver.announce()
                time.sleep(0.25)
            for receiver in odd:
                device = next((one for one in self.host.list()["devices"] if one["name"] == receiver.alias), None)
                if device:
                    with contextlib.suppress(kibo.Refused):
                        over = self.host.given_over(self.host.give(device["id"], self.small)["id"], SOON)
                        equal((over["state"], over["problem"]), ("failed", "key_changed"), f"the fingerprint {receiver.fingerprint!r}")
                equal(receiver.bytes, 0, f"bytes that went to a device with the fingerprint {receiver.fingerprint!r}")

    def between(self):
        """A machine in between: the address of a device that is known answers with another certificate."""
        at, mine = next(self.free), Certificate(self.place, "My Phone")
        with contextlib.closing(self.receiver(at=at, alias="My Phone", certificate=mine)) as receiver:
            first = receiver.seen_by(self.host)
            over = self.host.given_over(self.host.give(first["id"], self.small)["id"], SOON)
            equal(over["state"], "taken", "the first time")
            expect(receiver.seen_by(self.host)["known"], "the device is not known")
        with contextlib.closing(self.receiver(at=at, alias="My Phone", certificate=self.other, announced=mine.fingerprint)) as receiver:
            over = self.host.given_over(self.host.give(first["id"], self.small)["id"], SOON)
            equal((over["state"], over["problem"], receiver.bytes), ("failed", "key_changed", 0), "another certificate at the same address")
        # It says that it has another one, here and elsewhere: that is another device.
        for where in (at, next(self.free)):
            with contextlib.closing(self.receiver(at=where, alias="My Phone", certificate=self.other)) as receiver:
                device = wait("the other device", lambda: receiver.announce() or next((
                    one for one in self.host.list()["devices"] if (one["name"], one["address"]) == ("My Phone", where) and
                    one["id"] != first["id"]), None), 15, 0.6)
                expect(device["namesake"] and not device["known"], f"another device of the same name at {where} is {device}")
        # One with another name takes that of one that is known, later.
        other = Certificate(self.place, "Third")
        with contextlib.closing(self.receiver(certificate=other, alias="Innocent")) as receiver:
            device = receiver.seen_by(self.host)
            expect(not device["namesake"] and not device["known"], f"a stranger is {device}")
            receiver.alias = "My Phone"
            renamed = receiver.seen_by(self.host)
            expect(renamed["namesake"] and not renamed["known"], f"a stranger who takes a name is {renamed}")
            for alias in some(("my phone", "My\u200b Phone", "My  Phone", "M\u0443 Phone"), 2):
                receiver.alias = alias
                receiver.announce()
                time.sleep(0.6)
                found = [one for one in self.host.list()["devices"] if one["id"] == renamed["id"]]
                say(f"        {alias!r}: {[(one['name'], one['namesake']) for one in found]}")
                # A letter of another alphabet is not told from its like.
                expect(not alias.isascii() or found and found[0]["namesake"], f"{alias!r} is not told from My Phone")
            # One that is known, too, and takes the name of another one.
            receiver.alias = "Innocent"
            over = self.host.given_over(self.host.give(receiver.seen_by(self.host)["id"], self.small)["id"], SOON)
            equal(over["state"], "taken", "what Innocent is given")
            found = receiver.seen_by(self.host)
            expect(found["known"] and not found["namesake"], f"Innocent is {found}")
            receiver.alias = "My Phone"
            found = receiver.seen_by(self.host)
            expect(found["known"] and found["namesake"], f"one that is known and takes a name is {found}")
        # The real one is still what it was, also elsewhere under another name.
        with contextlib.closing(self.receiver(at=at, alias="My Phone", certificate=mine)) as receiver:
            receiver.announce()
            receiver.seen_by(self.host)
            found = next(one for one in self.host.list()["devices"] if one["id"] == first["id"])
            expect(found["known"] and not found["namesake"], f"the device that is known is {found}")

    def handshakes(self):
        """What comes in place of TLS, or of the TLS that there should be."""
        def context(change):
            made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            made.load_cert_chain(self.certificate.path)
            change(made)
            return made

        def old(made):
            made.set_ciphers("ALL:@SECLEVEL=0")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made.minimum_version, made.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1

        def weak(made):
            made.maximum_version = ssl.TLSVersion.TLSv1_2
            made.set_ciphers("ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0")

        def nameless(made):
            made.maximum_version = ssl.TLSVersion.TLSv1_2
            made.set_ciphers("ADH:AECDH:@SECLEVEL=0")

        def asks(made):
            # Whoever has a certificate may show it: that of this host is one that the device trusts.
            made.verify_mode = ssl.CERT_OPTIONAL
            made.load_verify_locations(self.own_certificate())

        def only(version):
            return context(lambda made: (setattr(made, "minimum_version", version), setattr(made, "maximum_version", version)))

        def shake(*pieces, reads=1, holds=False, resets=False):
            def act(receiver, made):
                line = Line(receiver, made)
                if reads:
                    line.take(reads)
                line.say(*pieces)
                # What comes in the clear here is the client's part of the handshake.
                receiver.bytes = 0
                if resets:
                    line.reset()
                if holds:
                    line.hold()
                return None
            return act

        def cut(receiver, made):
            """The handshake, half of it: the rest never comes."""
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = context(lambda made: None).wrap_bio(incoming, outgoing, server_side=True)
            incoming.write(made.recv(1 << 16))
            with contextlib.suppress(ssl.SSLError):
                tls.do_handshake()
            made.sendall(outgoing.read()[:200])
            Line(receiver, made).hold()

        def clear(receiver, made):
            return made
        alert = b"\x15\x03\x03\x00\x02\x02\x28"
        self.spring(
            # These wait for ten seconds, two at a time.
            Trap("it says nothing", "failed:offline", 30, shake=shake(holds=True)),
            Trap("plain HTTP", "failed:offline", shake=clear, after=lambda receiver: not receiver.requests),
            *([
                Trap("half of a handshake", "failed:offline", shake=cut),
                Trap("noise that goes on", "failed", shake=shake(noise(50), holds=True))] if THOROUGH else []),
            Trap("it closes at once", "failed", shake=shake(reads=0)), Trap("it closes after the hello", "failed", shake=shake()),
            Trap("it resets at once", "failed", shake=shake(reads=0, resets=True)),
            Trap("it resets after the hello", "failed", shake=shake(resets=True)),
            Trap("noise", "failed", shake=shake(noise(5000))),
            Trap("an alert", "failed", shake=shake(alert)), Trap("a record of 64 KiB", "failed", shake=shake(b"\x16\x03\x03\xff\xff" + bytes(65535))),
            Trap("plain HTTP, unasked", "failed", shake=shake(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")),
            Trap("TLS 1.1", "failed", context=context(old), after=lambda receiver: not receiver.requests),
            Trap("TLS without a certificate", "failed", context=context(nameless), after=lambda receiver: not receiver.requests),
            Trap("weak ciphers", "failed taken", context=context(weak)),
            Trap("TLS 1.2", "taken", context=only(ssl.TLSVersion.TLSv1_2)), Trap("TLS 1.3", "taken", context=only(ssl.TLSVersion.TLSv1_3)),
            Trap("it asks for a certificate", "taken", context=context(asks)),
            Trap("nothing listens", "failed:offline", listens=False),
        )
        # It has gone from the network, and is still listed.
        with contextlib.closing(self.receiver(listens=False)) as receiver:
            device = receiver.seen_by(self.host)["id"]
            words = [f"{receiver.at}/24", "dev", "eth0"]
            subprocess.run(["ip", "-n", namespace(2), "addr", "del", *words], check=True)
            try:
                over = self.host.given_over(self.host.give(device, self.small)["id"], 60)
                equal((over["state"], over["problem"]), ("failed", "offline"), "what is given to a device that is gone")
            finally:
                subprocess.run(["ip", "-n", namespace(2), "addr", "add", *words], check=True)

    def own_certificate(self):
        """The host's own certificate without its key, as a device has seen it."""
        path = self.place / "own.pem"
        path.write_text(ssl.DER_cert_to_PEM_cert(Phone(2, ADDRESSES[0]).socket().getpeercert(binary_form=True)))
        return path

    # MARK: Answers to an offer

    def statuses(self):
        wanted = {
            204: "declined failed", 400: "failed", 401: "failed:wrong_passphrase", 402: "failed", 403: "declined", 404: "failed",
            405: "failed", 408: "failed", 409: "failed:busy", 413: "failed", 418: "failed", 422: "failed", 429: "failed:busy", 500: "failed",
            501: "failed", 502: "failed", 503: "failed", 507: "failed:no_space", 599: "failed", 201: "failed taken", 206: "failed taken",
            226: "failed taken"}
        self.spring(*(
            Trap(f"{status} to an offer", ends, prepare=body(b"" if status == 204 else {"message": "no"}, status),
                 after=lambda receiver: not receiver.got)
            for status, ends in wanted.items() if THOROUGH or status in (204, 401, 403, 409, 429, 500, 507, 206)))
        self.spring(
            *some(Trap(f"{status} to a file", ends, upload=body(b"", status)) for status, ends in {
                204: "taken failed", 400: "failed", 401: "failed", 403: "failed", 404: "failed", 409: "failed", 507: "failed:no_space",
                413: "failed", 418: "failed", 422: "failed", 429: "failed", 500: "failed", 503: "failed"}.items()),
            Trap("204 to a text", "taken", text="a text", prepare=body(b"", 204)),
            Trap("403 to a text", "declined", text="a text", prepare=body(b"", 403)),
            Trap("it asks for a password", "failed:wrong_passphrase", prepare=lambda line, *_: line.answer(
                401, b"", WWW_Authenticate='Basic realm="a"') or True, after=lambda receiver: len(receiver.requests) == 1),
            Trap("it asks for more of the user", "failed:wrong_passphrase", prepare=lambda line, *_: line.answer(
                401, b"", WWW_Authenticate="Negotiate, NTLM, Digest realm=a, nonce=b") or True, after=lambda receiver: len(receiver.requests) == 1),
            Trap("it gives a cookie", "taken", prepare=accepts(Set_Cookie="a=b; Path=/")),
        )

    def redirects(self):
        """Nothing follows a device elsewhere."""
        elsewhere = Receiver(2, ADDRESSES[-1], self.certificate, alias="Elsewhere", shake=lambda receiver, made: None)
        try:
            there = f"https://{elsewhere.at}:{elsewhere.port}{API}/prepare-upload"
            steps = [(status, where) for status in (301, 302, 303, 307, 308) for where in (there, f"{API}/info")]
            steps += [(302, where) for where in ("file:///etc/passwd", f"http://{address(1)}:1/", "//" + elsewhere.at, "x" * 10_000)]
            self.spring(
                *some(Trap(f"{status} to {where[:30]}", "failed", prepare=lambda line, *_, status=status, where=where: line.answer(
                    status, b"", Location=where) or True, after=lambda receiver: len(receiver.requests) == 1) for status, where in steps),
                *(Trap(f"{status} of a file", "failed", upload=lambda line, request, status=status: (request.body(), line.answer(
                    status, b"", Location=there)) and True) for status in (301, 307, 308)),
                Trap("another way", "taken", prepare=accepts(Alt_Svc=f'h2="{elsewhere.at}:{elsewhere.port}"')),
                Trap("another place", "taken", prepare=accepts(Content_Location=there, Refresh=f"0; url={there}")))
            equal(elsewhere.connections, 0, "connections to the other place")
        finally:
            elsewhere.close()

    def floods(self):
        """Answers that don't end, or that are too long."""
        length = b"Content-Length: %d\r\n\r\n"
        good = json.dumps({"sessionId": "s", "files": {"x": "y"}}).encode()
        chunk = b"Transfer-Encoding: chunked\r\n\r\n"
        self.spring(
            Trap("10 MB of head", "failed", prepare=says(OK, b"A: " + b"b" * 10_000_000 + b"\r\n", length % 2, b"{}")),
            Trap("a head without end", "failed", prepare=endless(OK, b"A: b\r\n" * 100)),
            Trap("10 MB of body", "failed", prepare=says(OK, length % (10_000_000 + len(good)), good, b" " * 10_000_000)),
            Trap("a body without end", "failed", prepare=endless(OK + b"\r\n", b" " * 1000)),
            Trap("a chunk without end", "failed", prepare=endless(OK + chunk + b"ffffffffffff\r\n", b" " * 1000)),
            Trap("an extension without end", "failed", prepare=endless(OK + chunk + b"2;", b"a" * 1000)),
            Trap("a trailer without end", "failed", prepare=endless(OK + chunk + b"2\r\n{}\r\n0\r\n", b"A: b\r\n" * 100)),
            Trap("it says again and again that it goes on", "failed", prepare=endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 50)),
            Trap("a refusal without end", "failed declined", prepare=endless(b"HTTP/1.1 403 No\r\n\r\n", b" " * 1000)),
            Trap("an answer to a file without end", "failed taken", upload=endless(OK + b"\r\n", b" " * 1000)),
            Trap("it goes on after an answer", "failed taken", prepare=babbles),
            *([
                Trap("100,000 fields", "failed", prepare=says(OK, b"A: b\r\n" * 100_000, length % 2, b"{}")),
                Trap("a line without end", "failed", prepare=endless(OK + b"A: ", b"b" * 1000)),
                Trap("a first line without end", "failed", prepare=endless(b"HTTP/1.1 200 ", b"b" * 1000)),
                Trap("10 MB of body for a text", "failed", text="a text", prepare=says(OK, length % (10_000_000 + len(good)), good, b" " * 10_000_000)),
                Trap("chunks without end", "failed", prepare=endless(OK + chunk, b"a\r\n" + b" " * 10 + b"\r\n")),
                Trap("early hints without end", "failed", prepare=endless(b"", b"HTTP/1.1 103 Early\r\nA: b\r\n\r\n" * 50)),
                Trap("a head to a file without end", "failed", upload=endless(OK, b"A: b\r\n" * 100)),
            ] if THOROUGH else []),
        )

    def nonsense(self):
        """What is no HTTP."""
        chunk, host = OK + b"Transfer-Encoding: chunked\r\n\r\n", OK + b"Content-Length: "
        self.spring(*some(
            Trap(f"{said[:60]!r} to {where}", ends, **{step: says(said)})
            for where, ends, step in (("an offer", "failed", "prepare"), ("a file", "failed taken", "upload")) for said in (
                chunk + b"zz\r\n{}\r\n0\r\n\r\n", chunk + b"-2\r\n{}\r\n", chunk + b"2\r\n{}xx\r\n0\r\n\r\n", chunk + b"fffffffffffffffff\r\n{}",
                chunk + b"2\r\n{}\r\n", host + b"-1\r\n\r\n{}", host + b"99999999999999999999999\r\n\r\n{}", host + b"x\r\n\r\n{}",
                host + b"100\r\n\r\n{}",
                host + b"2\r\nContent-Length: 3\r\n\r\n{} ", OK + b"Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n" + noise(20), b"\r\n" * 2000,
                b"HTTP/1.1 999 x\r\n\r\n", b"HTTP/1.1 -1 x\r\n\r\n", b"HTTP/1.1 20 x\r\n\r\n", b"HTTP/3.0 200 x\r\n\r\n", b"HTTP/1.1\r\n\r\n",
                b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(200), b"ICY 200 OK\r\n\r\n{}", b"{}", noise(3000), OK.replace(b"\r\n", b"\n") + b"\n{}",
                OK + b": b\r\n\r\n{}", OK + b"A\x00: b\r\n\r\n{}", OK + b" folded\r\n\r\n{}",
                b"HTTP/1.1 101 Upgrade\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n")))

    def documents(self):
        """Answers in which something else is written than the protocol has."""
        deep = b"[" * 200_000
        bad = [
            b"", b"{", b"[]", b"1", b"null", b'"text"', b"\xff\xfe", b"{}", deep, b'{"sessionId":' * 50_000, b'{"sessionId":"s","files":' + deep,
            b'{"sessionId":"s"}', b'{"files":{}}', b'{"sessionId":"s","files":[]}', b'{"sessionId":"s","files":null}',
            b'{"sessionId":"s","files":"x"}',
            b'{"sessionId":"s","files":{"a":', b'{"sessionId":"s\\ud800","files":{"a":"b"}}',
            b'{"sessionId":"' + b"9" * 5_000_000 + b'","files":{"a":"b"}}',
            b'{"sessionId":"s","files":{' + b",".join(b'"%d":"t"' % number for number in range(100_000)) + b"}}"]
        kinds = [1, None, True, [], {}, 1.5, ""]
        self.spring(
            *some(Trap(f"the answer {content[:40]!r}", "failed declined", prepare=body(content)) for content in bad),
            *some(Trap(f"a session that is {kind!r}", "failed", names=(lambda answer, kind=kind: {**answer, "sessionId": kind})) for kind in kinds),
            Trap("no session", "failed", names=(lambda answer: {"files": answer["files"]})),
            *some(Trap(f"a token that is {kind!r}", "failed declined", names=(lambda answer, kind=kind: {
                **answer, "files": {id: kind for id in answer["files"]}})) for kind in kinds),
            *(Trap(f"the status that goes with a text, but {status}", "failed declined taken", text="a text", prepare=body(b"{}", status))
              for status in (200, 202)),
            # What is more than the protocol has is left alone.
            Trap("more than there should be", "taken", names=(lambda answer: {**answer, "more": [1, {"a": None}], "info": {}})),
            Trap("the same twice", "failed taken", prepare=lambda line, request, document: line.answer(200, (
                '{"sessionId":"a","sessionId":"s","files":' + json.dumps(line.receiver.tokens(document)) + "}").encode()) or True),
        )

    def tokens(self):
        """Whatever a device calls its sessions and files, it gets that back, in one request."""
        def same(place, text):
            def holds(receiver):
                uploads = [one for one in receiver.requests if one.path.endswith("/upload")]
                return len(uploads) == 1 and uploads[0].query.get(place) == text and len(uploads[0].query) == 3
            return holds

        def changed(place, text):
            if place == "sessionId":
                return (lambda answer: {**answer, "sessionId": text})
            return (lambda answer: {**answer, "files": {id: text for id in answer["files"]}})

        def whole(receiver):
            return all(one.method == "POST" and len(one.query) in (0, 1, 3) for one in receiver.requests)

        self.spring(*some(
            Trap(f"a {place} {text[:20]!r}", "taken", names=changed(place, text), after=same(place, text))
            for place in ("token", "sessionId") for text in ODD))
        self.spring(*some(
            Trap(f"a {place} of {len(text)} signs, {text[:20]!r}", "failed taken", names=changed(place, text), after=whole)
            for place in ("token", "sessionId") for text in (SPLIT, "\x00", "a\u0000b", "x" * 5_000, "x" * 100_000, "\n", "\u202e",
                                                             "%0d%0aX-Evil: yes")))
        self.spring(
            Trap("no file is wanted", "declined failed", files=lambda file: False),
            Trap("files that were not offered", "declined failed", names=(lambda answer: {**answer, "files": {"nothing": "token"}})),
            Trap("more files than were offered", "failed taken", names=(lambda answer: {
                **answer, "files": {**{f"more{number}": "t" for number in range(2000)}, **answer["files"]}})),
            Trap("a file outside", "declined failed", names=(lambda answer: {**answer, "files": {"../../etc/passwd": "t", "/etc/passwd": "t"}})),
        )

    # MARK: Ends, and no ends

    def ends(self):
        """It closes at each step."""
        self.spring(*some([
            Trap("it closes after the offer", "failed:offline failed:cancelled", prepare=goes),
            Trap("it resets after the offer", "failed:offline failed:cancelled", prepare=resets),
            Trap("it closes in the head", "failed", prepare=says(OK[:30])), Trap("it closes in the document", "failed", prepare=says(
                OK + b'Content-Length: 50\r\n\r\n{"sessionId":"s","fi')),
            Trap("it half-closes after the offer", "failed", prepare=half_closes),
            Trap("it closes after each answer", "failed taken", upload=lambda line, request: Receiver.keep(line, request) and False,
                 prepare=lambda *words: Receiver.accept(*words) and False),
            Trap("it says that it closes", "taken", prepare=accepts(Connection="close")),
            Trap("it speaks HTTP 1.0", "taken", prepare=lambda line, request, document: line.say(b"HTTP/1.0 200 OK\r\n\r\n" + json.dumps(
                {"sessionId": "s", "files": line.receiver.tokens(document)}).encode()) and False),
            Trap("it closes before a file", "failed", upload=goes), Trap("it resets before a file", "failed", upload=resets),
            Trap("it closes in a file", "failed", large=True, upload=half), Trap("it resets in a file", "failed", large=True, upload=half_resets),
            Trap("it closes after a file", "failed", upload=reads_and_goes), Trap("it half-closes at a file", "failed", upload=half_closes),
            Trap("it has a file before that was sent", "failed", large=True, upload=early(200, Connection="close")),
            Trap("it refuses a file in the middle", "failed", large=True, upload=early(403)),
        ], 2))

    def rests(self):
        """It does nothing more: what rests ends after a minute, and what the user takes back ends at once."""
        long = [
            Trap("it stops in the middle of a file", "failed:offline", RESTS, large=True, upload=stops),
            Trap("it never answers a file", "failed:offline", RESTS, upload=unanswered),
            Trap("it never reads a file", "failed:offline", RESTS, large=True, upload=unread),
            Trap("an answer to a file, byte by byte", "failed", 2 * RESTS, upload=drips(b"HTTP/1.1 200 OK\r\nA: b\r\n", 5, again=True))]
        short = [
            Trap("it never answers the offer, and is taken back", "withdrawn", stops=True, prepare=unanswered),
            Trap("it never reads a file, and that is ended", "withdrawn", stops=True, large=True, upload=unread),
            Trap("an answer byte by byte, and is taken back", "withdrawn", stops=True, prepare=drips(OK, 1)),
            Trap("it says nothing at all, and is taken back", "withdrawn", stops=True, shake=lambda receiver, made: receiver.over.wait(60) and None)]
        if THOROUGH:
            return self.spring(*long, *short)
        with self.beside(long[0]):
            self.spring(*some(short, 2))
            for title, name in MEANWHILE:
                step(title, getattr(self, name))

    def patient(self):
        """It doesn't answer for ten minutes."""
        self.spring(
            Trap("it never answers the offer", "expired", WAITS, prepare=unanswered),
            Trap("an answer of one byte a minute", "expired failed", WAITS, prepare=drips(OK, 60)))

    def strangers(self):
        """Nobody else ends what is given, or takes something of it."""
        with contextlib.closing(self.receiver(upload=pauses)) as receiver:
            given = self.host.give(receiver.seen_by(self.host)["id"], self.big)
            wait("the upload", lambda: any(one.path.endswith("/upload") for one in receiver.requests))
            stranger = self.phone()
            for query in ("", f"?sessionId={receiver.session}", "?sessionId="):
                stranger.ask("POST", f"{API}/cancel{query}")
            equal(self.host.given(given["id"])["state"], "sending", "what is given, after a stranger has cancelled it")
            # The device itself, by the request that the app makes.
            Phone(2, receiver.at).ask("POST", f"{API}/cancel?sessionId={receiver.session}")
            time.sleep(1)
            over = self.host.given(given["id"])
            say(f"        after the device itself has: {over['state']} {over['problem']}")
            if over["state"] == "sending":
                receiver.over.set()
                equal(self.host.given_over(given["id"])["state"], "taken", "what is given after that")
            else:
                equal((over["state"], over["problem"]), ("failed", "cancelled"), "what the device has ended")


# What a normal run does while a device rests.
MEANWHILE = [
    ("machines in between, and namesakes", "between"), ("statuses", "statuses"),
    ("answers without end", "floods"), ("what is no HTTP", "nonsense"), ("documents", "documents"), ("tokens and sessions", "tokens"),
    ("it closes", "ends"), ("redirects", "redirects"), ("strangers", "strangers")]
PARTS = [("certificates", "certificates"), ("handshakes", "handshakes"), ("it rests", "rests"), *MEANWHILE]
# It takes long.
PARTS += [("nobody answers", "patient")] if THOROUGH else []


def main(words):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    up(2)
    try:
        traps = Traps()
        traps.play(part for part in PARTS if (chosen(part, words) if words else THOROUGH or part not in MEANWHILE))
    finally:
        lan("down", check=False)
    finish()


if __name__ == "__main__":
    main(sys.argv[1:])
