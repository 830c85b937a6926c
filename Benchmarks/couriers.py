#!/usr/bin/env python3
"""Measures couriers: scripts/bench couriers.

    couriers.py [--rounds N] [--parcels N] [--seconds N] [PART...]     parts: killed, stopped, files, kept, large, flood, cost

Three daemons on loopback are friends: Anna, Ben, and Carl, whom Ben has named. Makers, recipients and flooders are the Python peer of
Tests/Interop, whose packages this needs. KIBO_BIN_DIR names the programs.
"""

import argparse
import contextlib
import json
import multiprocessing
import os
import pathlib
import select
import shutil
import signal
import socket
import statistics
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "examples"), str(HERE.parent / "Tests" / "Interop")]

import kibo  # noqa: E402
from figures import Table, fields, percentile  # noqa: E402
from loopback import Daemon, befriend, free_port, until  # noqa: E402
from kibo_couriers import CAPABILITY, LONGEST, TAG, WRAP, Mailbox, Note, parcel_body, seal_parcel  # noqa: E402
from kibo_identity import Identity, encode, new_id  # noqa: E402
from kibo_peer import (  # noqa: E402
    ANSWER, MAIL_NOTE, MESSAGE, PARCEL, REQUEST, STORED, ZERO_ID, Channel, Ended, Session, frame,
)

# How long before Anna's end a text is written, in seconds: a daemon leaves a parcel once the recipient was away for ten.
WRITTEN = 11
# A maker may leave so many parcels at once, and then one a second.
AT_ONCE = 60
# Texts that two write to each other beside a flood: so many a second, in turn.
PACE = 20
# Texts of a turn that measures what couriers cost: so many one at a time, then so many with a window of so many.
ALONE, TOGETHER, WINDOW = 300, 6_000, 500
# Bytes of a file that goes by a courier, and by a group; how often.
FILE, FILES = 64 << 20, 5
# Turns with a courier and without one.
TURNS = 8


class Peer:
    """A friend of a daemon that is no daemon: the Python peer, which keeps parcels for nobody."""

    def __init__(self, name, daemon, number):
        self.identity = Identity(name)
        self.identity.capabilities = [CAPABILITY]
        self.static = os.urandom(32)
        host, _, port = daemon.call("system.status")["listen"][0].rpartition(":")
        self.address = (host, int(port))
        # Each comes from an address of its own, as people do.
        self.source = f"127.1.{number // 250}.{1 + number % 250}"
        self.open()
        until("a stranger", lambda: any(
            peer.get("account") == self.identity.account_text for peer in daemon.call("peer.list")["peers"]))
        daemon.call("contact.request", id=self.identity.account_text)
        request, _ = self.session.expect(REQUEST)
        self.session.send_receipt(STORED, request)
        self.session.durable(ANSWER, {1: True, 2: request})
        until("a friend", lambda: daemon.friend(self.identity.account_text))

    def open(self):
        connection = socket.create_connection(self.address, 10, (self.source, 0))
        self.session = Session(Channel(connection, self.identity, self.static, True), self.identity)
        self.session.expect_card()

    def tell(self, *couriers):
        """Tells the daemon a mail note."""
        self.box = Mailbox(self.identity, couriers=couriers)
        self.box.tell(self.session)
        return Note(self.box.note)

    def text(self, notes, parcel, words):
        """The body of a parcel with one text."""
        message = (MESSAGE, new_id(), encode(self.session.message(words)))
        sealed = seal_parcel(self.box, notes, parcel, [message])
        return encode(parcel_body(self.identity.account, notes[0].account, 14, sealed))


class Bench:
    def __init__(self, options):
        self.options, self.table = options, Table()
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="kibo-couriers.", dir=os.environ.get("TMPDIR")))
        self.people = []

    def trio(self):
        """Three friends; Ben has named Carl, and both others know it."""
        place, port = pathlib.Path(tempfile.mkdtemp(dir=self.place)), free_port()
        people = [Daemon(self, place, name, port) for name in ("Anna", "Ben", "Carl")]
        anna, ben, carl = people
        befriend(anna, ben)
        befriend(anna, carl)
        befriend(ben, carl)
        ben.call("courier.add", contact=carl.id)
        until("a courier who knows it", lambda: carl.call("courier.list")["carriedFor"])
        # Anna is told at the same moment; one text behind it, and she has stored it.
        chat = ben.chat(anna)
        sent = ben.send(chat, "behind the note")
        until("the note", lambda: ben.call("message.get", id=sent)["state"] == "delivered")
        return people

    def end(self, people=()):
        for one in people or self.people:
            if one.process and one.process.poll() is None:
                one.kill()

    # From Anna's end until Ben has it

    def away(self, ends):
        """How long Ben's daemon runs until it has what Anna wrote before she went."""
        anna, ben, carl = people = self.trio()
        took, ready = [], []
        for number in range(self.options.rounds):
            words, chat = f"text {number}", anna.chat(ben)
            ben.stop()
            until("somebody away", lambda: not anna.online(ben.id))
            if ends == "killed":
                sent = anna.send(chat, words)
                time.sleep(WRITTEN)
                anna.kill()
            else:
                # In the same second: half of one before the end.
                sent = anna.send(chat, words)
                time.sleep(0.5)
                anna.stop()
            kept = carl.call("courier.parcels")["parcels"]
            if not kept:
                raise SystemExit(f"round {number}: Carl has nothing when Anna is gone")
            ben.start()
            ready.append(time.monotonic() - ben.begun)
            until("the text", lambda: any(
                (one.get("lastMessage") or {}).get("text") == words for one in ben.call("conversation.list")["conversations"]))
            took.append(time.monotonic() - ben.begun)
            anna.start()
            until("the answer", lambda: anna.call("message.get", id=sent)["state"] == "delivered")
            until("an empty courier", lambda: not carl.call("courier.parcels")["parcels"])
        self.end(people)
        what = "eleven seconds before a kill" if ends == "killed" else "in the second of a stop"
        self.table.add(f"written {what}, start of Ben until he has it, p50", 1000, 1000 * percentile(took, 50), "ms")
        self.table.add("the same, p99", 3000, 1000 * percentile(took, 99), "ms", note=f", the start alone p50 {1000 * percentile(ready, 50):.0f}")

    # A file that a courier keeps, beside one of a group

    def files(self):
        """How fast Ben has a file from Carl while Anna is off, and how fast one of a group from Anna, in turn."""
        anna, ben, carl = people = self.trio()
        anna.call("settings.set", key="courier.sendFileBytes", value=2 * FILE)
        for key, value in (("courier.fileBytes", 2 * FILE), ("courier.quotaBytes", 32 * FILE)):
            carl.call("settings.set", key=key, value=value)
        ben.call("settings.set", key="files.autoDownload", value="never")
        for one in (anna, ben):
            one.call("settings.set", key="files.allowedTypes", value=["*"])
        group = anna.call("group.create", name="Anna and Ben", members=[ben.id])["conversation"]
        chat = until("the group", lambda: next(
            (one["id"] for one in ben.call("conversation.list")["conversations"] if one["kind"] == "group"), None))
        rates = {"courier": [], "group": []}
        for number in range(FILES):
            path = self.place / f"file-{number}.bin"
            path.write_bytes(os.urandom(FILE))
            anna.call("message.send", conversation=group, files=[str(path)])
            rates["group"].append(self.fetch(ben, number, chat=chat))
            ben.stop()
            until("somebody away", lambda: not anna.online(ben.id))
            anna.call("transfer.send", to=ben.id, paths=[str(path)])
            until("a file at the courier", lambda: (carl.home / "data" / "parcels").is_dir() and any(
                one.stat().st_size == FILE for one in (carl.home / "data" / "parcels").iterdir() if one.name[0] != "."), 120)
            anna.kill()
            ben.start()
            rates["courier"].append(self.fetch(ben, number, peer=anna.id))
            until("an empty courier", lambda: not carl.call("courier.parcels")["bytes"])
            anna.start()
            until("a way", lambda: anna.online(ben.id))
        self.end(people)
        ratios = sorted(one / other for one, other in zip(rates["courier"], rates["group"]))
        self.table.add(
            "a file of 64 MiB from a courier, share of a group file's speed", 0.6, statistics.median(ratios), "", least=True,
            note=f", {statistics.median(rates['courier']):.0f} and {statistics.median(rates['group']):.0f} MiB/s")

    @staticmethod
    def fetch(ben, number, chat=None, peer=None):
        """MiB a second from Ben's word until his file is whole."""
        def offered():
            return next((one["id"] for one in ben.call("transfer.list", state="offered")["transfers"]
                         if (one.get("conversation") == chat if chat else one["peer"] == peer)), None)

        transfer = until("an offer", offered)
        begun = time.monotonic()
        ben.call("transfer.accept", id=transfer)
        until("a file", lambda: ben.call("transfer.get", id=transfer)["state"] == "done", 120)
        return FILE / 2**20 / (time.monotonic() - begun)

    # What parcels take at a courier

    def kept(self):
        """What a courier's daemon takes with many parcels, above the same friends without."""
        carl = Daemon(self, self.place, "Carl", free_port())
        wanted = self.options.parcels
        # Of 4,096 for a recipient, 2,048 of a maker, 1,024 of a pair; makers enough to be done in some two minutes.
        recipients = [Peer(f"Recipient {number}", carl, number) for number in range(max(1, -(-wanted // 3_500)))]
        makers = [Peer(f"Maker {number}", carl, 100 + number) for number in range(min(64, max(1, -(-wanted // 160))))]
        for one in makers:
            one.tell()
        notes = [one.tell(one.session.remote.account) for one in recipients]
        until("notes", lambda: len(carl.call("courier.list")["carriedFor"]) == len(recipients))
        for one in recipients:
            one.session.close()
        counts = [wanted // len(makers) + (number < wanted % len(makers)) for number in range(len(makers))]
        self.idle(makers, 8)
        before, disk = carl.resident(), carl.disk()
        begun = time.monotonic()
        self.leave(makers, notes, counts)
        took = time.monotonic() - begun
        kept = carl.call("courier.list")["carriedFor"]
        self.idle(makers, 8)
        after = carl.resident()
        peak = fields([carl.process.pid], "status", "VmHWM")
        carl.stop()
        full = carl.disk()
        carl.start()
        time.sleep(8)
        anew = carl.resident()
        there, sealed = (sum(one[name] for one in kept) for name in ("parcels", "bytes"))
        if there != wanted:
            raise SystemExit(f"{there} of {wanted} parcels are there")
        print(f"    {wanted} parcels of {len(makers)} makers for {len(recipients)} recipients in {took:.0f} s: {sealed / 2**20:.1f} MiB as "
              f"courier.list counts, {full - disk:.1f} MiB of disk once the daemon has stopped, {1024 * (full - disk) / wanted:.1f} KiB each")
        print(f"    resident {before:.1f} MiB before, {after:.1f} after, {peak:.1f} at most, {anew:.1f} after a start")
        self.table.add(f"memory of a courier with {wanted} parcels, above idle", 8, after - before, "MiB")
        carl.kill()

    @staticmethod
    def idle(peers, seconds):
        """Keeps sessions for a while in which nothing happens."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for one in peers:
                one.session.pump(time.monotonic() + 0.01, None)

    @staticmethod
    def leave(makers, notes, counts):
        """Each maker leaves so many parcels, as fast as the courier lets it."""
        left, turn, begun = [0] * len(makers), 0, time.monotonic()
        while sum(left) < sum(counts):
            # A little less than is allowed, so that nothing is refused.
            allowed = AT_ONCE - 5 + int((time.monotonic() - begun) * 0.95)
            for number, maker in enumerate(makers):
                if left[number] < min(counts[number], allowed):
                    parcel = new_id()
                    maker.session.send(PARCEL, parcel, maker.text([notes[turn % len(notes)]], parcel, f"text {turn}"))
                    maker.session.expect_receipt(parcel)
                    left[number] += 1
                    turn += 1
                else:
                    maker.session.pump(time.monotonic() + 0.002, None)

    def large(self):
        """Texts from Carl to Ben before and after Carl keeps many parcels of the largest size, as nothing keeps friends from leaving."""
        anna, ben, carl = people = self.trio()
        recipients = [Peer(f"Recipient {number}", carl, number) for number in range(2)]
        makers = [Peer(f"Maker {number}", carl, 100 + number) for number in range(4)]
        notes = [one.tell(one.session.remote.account) for one in recipients]
        until("notes", lambda: len(carl.call("courier.list")["carriedFor"]) == 1 + len(notes))
        for one in recipients + makers:
            one.session.close()
        with Wire(carl, events=False) as writer, Wire(ben, "message.added") as reader:
            chat = carl.chat(ben)
            before = [exchange(writer, reader, chat) for _ in range(3)]
            for maker in makers:
                maker.open()
                maker.tell()
                for number in range(56):
                    parcel, note = new_id(), notes[number % 2]
                    maker.session.send(PARCEL, parcel, largest(maker.identity, note))
                    maker.session.expect_receipt(parcel)
                maker.session.close()
            kept = sum(one["bytes"] for one in carl.call("courier.list")["carriedFor"]) / 2**20
            after = [exchange(writer, reader, chat) for _ in range(3)]
        self.end(people)
        for words, place, turned in (("p50 of a text alone", 0, False), ("texts a second", 1, True)):
            then, now = (statistics.median(one[place] for one in figures) for figures in (before, after))
            self.table.add(
                f"{words}, a courier with {kept:.0f} MiB in large parcels, times", 1.1, then / now if turned else now / then, "times",
                note=f", {then:.{0 if turned else 2}f} before, {now:.{0 if turned else 2}f} after")

    # A friend who floods

    def flood(self):
        """Texts between Ben and Carl while a friend of Carl, whom Carl has named too, floods him in one way after another."""
        anna, ben, carl = people = self.trio()
        away, flooder = Peer("Away", carl, 1), Peer("Mallory", carl, 2)
        account = away.session.remote.account
        note = away.tell(account)
        until("notes", lambda: len(carl.call("courier.list")["carriedFor"]) == 2)
        away.session.close()
        carl.call("courier.add", contact=flooder.identity.account_text)
        own = Note(encode(flooder.session.expect(
            MAIL_NOTE, where=lambda _, body: flooder.identity.account in Note(encode(body)).couriers)[1]))
        flooder.tell()
        small = flooder.text([note], new_id(), "x")
        large = largest(flooder.identity, note)
        closed = flooder.text([own], new_id(), "sealed under another id, so it doesn't open")
        floods = (
            ("mail notes", MAIL_NOTE, flooder.box.note, 50), ("parcels of a KiB", PARCEL, small, 30),
            ("parcels that don't open", PARCEL, closed, 30), ("parcels of 512 KiB", PARCEL, large, 1))
        with Wire(ben) as left, Wire(carl) as right:
            sides = ((left, ben.chat(carl)), (right, carl.chat(ben)))
            alone = talk(sides, self.options.seconds)
            print(f"    nothing else: p50 {1000 * percentile(alone, 50):.1f}, p99 {1000 * percentile(alone, 99):.1f} ms, {len(alone)} texts")
            for words, kind, body, together in floods:
                sent = multiprocessing.Array("Q", 3)
                process = multiprocessing.Process(target=drown, args=(flooder, kind, body, together, self.options.seconds, sent))
                process.start()
                time.sleep(1)
                begun, worked = time.monotonic(), threads(carl)
                took = talk(sides, self.options.seconds - 2)
                lasted, worked = time.monotonic() - begun, {name: ran - worked.get(name, 0) for name, ran in threads(carl).items()}
                process.join()
                # What came last is still on its way to the disk.
                time.sleep(2)
                frames, records, sessions = sent
                self.table.add(
                    f"texts of two beside a friend's {words}, p99", 50, 1000 * percentile(took, 99), "ms",
                    note=f", p50 {1000 * percentile(took, 50):.1f}, {frames / self.options.seconds:.0f} a second")
                busiest = sorted(worked.items(), key=lambda one: -one[1])[:3]
                print(f"        shares of a core: {', '.join(f'{name} {100 * ran / lasted:.0f} %' for name, ran in busiest)}; "
                      f"{records} records came back, {sessions} sessions, at most {fields([carl.process.pid], 'status', 'VmHWM'):.1f} MiB")
                flooder.open()
        self.end(people)

    # What naming a courier costs messages that need none

    def cost(self):
        """Texts from Anna to Ben, both here, in turn with Carl named and not named."""
        anna, ben, carl = people = self.trio()
        chat = anna.chat(ben)
        figures = {True: [], False: []}
        with Wire(anna, events=False) as writer, Wire(ben, "message.added") as reader:
            exchange(writer, reader, chat)
            for turn in range(2 * self.options.turns):
                # Twice the same in a row, then twice the other: what grows with time falls on both alike.
                named = turn % 4 in (0, 3)
                if named != bool(ben.call("courier.list")["couriers"]):
                    ben.call("courier.add" if named else "courier.remove", contact=carl.id)
                time.sleep(1.5)
                figures[named].append(exchange(writer, reader, chat))
        self.end(people)
        for words, place, digits in (("p50 of a text alone, ms", 0, 3), ("texts a second", 1, 0)):
            there, none = (statistics.median(one[place] for one in figures[named]) for named in (True, False))
            ratios = sorted(one[place] / other[place] for one, other in zip(figures[True], figures[False]))
            print(f"    {words}: {there:.{digits}f} with a courier named, {none:.{digits}f} without; "
                  f"ratios of turns {', '.join(f'{one:.3f}' for one in ratios)}")
            slower = statistics.median(ratios) - 1 if place == 0 else 1 - statistics.median(ratios)
            self.table.add(f"{words}: worse with a courier by", 3, 100 * slower, "%")


def largest(maker, note):
    """The body of a parcel of the largest size. Nobody can open it; a courier doesn't know that."""
    sealed = encode({1: [[note.device, note.made, bytes(WRAP)]], 2: os.urandom(LONGEST + TAG)})
    return encode(parcel_body(maker.account, note.account, 14, sealed))


class Wire:
    """A connection to a daemon's socket, read by a thread of its own with the time of each line."""

    def __init__(self, daemon, *types, events=True):
        self.line = kibo.Daemon(str(daemon.socket))
        self.line.call("system.hello", client="bench", version="1")
        if events:
            self.line.call("events.subscribe", types=list(types or ("message.changed",)), ephemeral=False)
        self.socket, self.last = self.line.socket, 1_000

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.line.close()

    def request(self, chat, text):
        """The bytes of a request to send a text."""
        self.last += 1
        return json.dumps({
            "jsonrpc": "2.0", "id": self.last, "method": "message.send", "params": {"conversation": chat, "text": text}}).encode() + b"\n"


def talk(sides, seconds):
    """Texts in turn at fixed times, whether earlier ones have arrived or not; for each the seconds from its request until its sender has
    heard that it is delivered."""
    begun, asked, took, buffers = time.monotonic(), {}, [], {wire: b"" for wire, _ in sides}
    identifiers, number, count = {}, 0, int(seconds * PACE)
    while len(took) < count:
        due = begun + number / PACE
        now = time.monotonic()
        if now > begun + seconds + 30:
            raise SystemExit(f"{count - len(took)} of {count} texts were not delivered")
        if number < count and now >= due:
            wire, chat = sides[number % 2]
            line = wire.request(chat, f"text {number}")
            asked[wire, wire.last] = time.monotonic()
            wire.socket.sendall(line)
            number += 1
            continue
        ready, _, _ = select.select([wire.socket for wire, _ in sides], [], [], max(0, due - now) if number < count else 1)
        for wire in (wire for wire, _ in sides if wire.socket in ready):
            *lines, buffers[wire] = (buffers[wire] + wire.socket.recv(1 << 20)).split(b"\n")
            heard = time.monotonic()
            for one in map(json.loads, lines):
                if "id" in one:
                    identifiers[one["result"]["id"]] = asked.pop((wire, one["id"]))
                else:
                    message = one["params"]["data"]
                    # The answer to the request comes first on the same connection.
                    if message["state"] == "delivered" and message["id"] in identifiers:
                        took.append(heard - identifiers.pop(message["id"]))
    return took


def threads(daemon):
    """Processor time of a daemon's threads so far, in seconds, by their names."""
    ran = {}
    for task in pathlib.Path(f"/proc/{daemon.process.pid}/task").iterdir():
        with contextlib.suppress(OSError):
            name = (task / "comm").read_text().strip()
            ran[name] = ran.get(name, 0) + int((task / "schedstat").read_text().split()[0]) / 1e9
    return ran


def exchange(writer, reader, chat):
    """The p50 of texts one at a time, in milliseconds from request to event, and how many a second go with a window."""
    alone = []
    for number in range(ALONE):
        begun = time.monotonic()
        writer.socket.sendall(writer.request(chat, f"text {number}"))
        while not reader.socket.recv(1 << 16).endswith(b"\n"):
            pass
        alone.append(1000 * (time.monotonic() - begun))
        while not writer.socket.recv(1 << 16).endswith(b"\n"):
            pass
    lines = [writer.request(chat, f"text {number}") for number in range(TOGETHER)]
    sent = answered = heard = 0
    begun = time.monotonic()
    while heard < TOGETHER:
        room = min(TOGETHER, answered + WINDOW)
        if sent < room:
            writer.socket.sendall(b"".join(lines[sent:room]))
            sent = room
        ready, _, _ = select.select([writer.socket, reader.socket], [], [], 30)
        if not ready:
            raise SystemExit(f"{TOGETHER - heard} of {TOGETHER} texts did not come")
        if writer.socket in ready:
            answered += writer.socket.recv(1 << 20).count(b"\n")
        if reader.socket in ready:
            heard += reader.socket.recv(1 << 20).count(b"\n")
    rate = TOGETHER / (time.monotonic() - begun)
    while answered < TOGETHER:
        answered += writer.socket.recv(1 << 20).count(b"\n")
    return statistics.median(alone), rate


def drown(peer, kind, body, together, seconds, sent):
    """Floods a daemon with frames in a process of its own; `sent` has the frames sent, the records that came, the sessions."""
    # Else the figure would say how programs share a core.
    os.nice(19)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        channel = peer.session.channel
        sent[2] += 1

        def read():
            try:
                while channel.receive():
                    sent[1] += 1
            except (Ended, OSError):
                pass

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            while time.monotonic() < end:
                channel.send(b"".join(frame(kind, ZERO_ID if kind == MAIL_NOTE else new_id(), body) for _ in range(together)))
                sent[0] += together
        except (Ended, OSError):
            pass
        # This ends the reader, too.
        with contextlib.suppress(OSError):
            channel.socket.shutdown(socket.SHUT_RDWR)
        reader.join()
        channel.close()
        if time.monotonic() < end:
            try:
                peer.open()
            except (Ended, OSError):
                time.sleep(0.2)


def main():
    parts = ("killed", "stopped", "files", "kept", "large", "flood", "cost")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    parser.add_argument("--rounds", type=int, default=20, help="how often Ben comes back")
    parser.add_argument("--parcels", type=int, default=10_000, help="how many a courier keeps")
    parser.add_argument("--seconds", type=int, default=15, help="how long each flood lasts")
    parser.add_argument("--turns", type=int, default=TURNS, help="how often messages go with and without a courier")
    options = parser.parse_args()
    for part in options.parts:
        if part not in parts:
            parser.error(f"there is no part {part}")
    # The daemons end with it, whoever ends it.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    bench = Bench(options)
    try:
        for part in options.parts or parts:
            print(f"\n  {part}; load {os.getloadavg()[0]:.2f}", flush=True)
            bench.away(part) if part in ("killed", "stopped") else getattr(bench, part)()
    finally:
        bench.end()
        shutil.rmtree(bench.place, ignore_errors=True)


if __name__ == "__main__":
    main()
