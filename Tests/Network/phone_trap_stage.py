"""What the tests have in which devices with LocalSend are traps for those that give them something: the steps of such a device, and how a
giving to it is judged. phone_traps.py runs it.
"""

import contextlib
import itertools
import socket
import threading
import time

from phone_floods import ADDRESSES, AttackStage, Bystander
from phone_receiver import Certificate, Receiver
from phone_stage import (
    API, MIB, STATE, THOROUGH, TookTooLong, descriptors, equal, expect, kibo, noise, say, status_field, wait)

# How long an end may take of which a single answer is the reason, in seconds; of one that rests; and of one that waits for its user.
SOON, RESTS, WAITS = 15, 75, 620
# Devices that are seen at the same time.
SEEN = 8


def some(traps, each=3):
    """All of these; in a normal run one of so many of them."""
    traps = list(traps)
    return traps if THOROUGH else traps[::each]


class Onlooker(Bystander):
    """Asks kibod something all the time, and measures how long each answer takes."""

    def run(self):
        try:
            while not self.ends:
                begun = time.monotonic()
                self.control.call("guest.list")
                self.control.call("conversation.list")
                self.times.append(time.monotonic() - begun)
                time.sleep(0.02)
        except Exception as error:
            self.failure = error


class Trap:
    """What a device does, and how a giving to it may end: words such as `taken`, `failed`, or `failed:busy`.

    It ends within some seconds. `large` gives a large file, and `text` a text; `stops` has the user take it back, and `after` says whether
    the device has seen what it should have.
    """

    def __init__(self, what, ends, within=SOON, large=False, text=None, stops=False, after=None, **how):
        self.what, self.ends, self.within, self.large, self.text, self.how = what, ends, within, large, text, how
        self.stops, self.after = stops, after

    def fits(self, over):
        return any(
            over["state"] == state and problem in ("", over["problem"]) for state, _, problem in (one.partition(":") for one in self.ends.split()))


# MARK: Steps of a device


def read(request):
    """Reads the body of a file; that of an offer was read."""
    if request.path.endswith("/upload"):
        request.body()


def says(*pieces):
    """Says these bytes, and closes."""
    def act(line, request, *_):
        read(request)
        line.say(*pieces)
        return False
    return act


def drips(text, pause, again=False):
    """Says this byte by byte, with a pause before each; and again, without end."""
    def act(line, request, *_):
        read(request)
        line.say(*(bytes([one]) for one in text), pause=pause)
        while again:
            line.say(*(bytes([one]) for one in text), pause=pause)
        line.rest()
    return act


def body(content, status=200):
    """Answers with this content."""
    def act(line, request, *_):
        read(request)
        line.answer(status, content)
        return True
    return act


def endless(begin, piece):
    """Never stops to say something."""
    def act(line, request, *_):
        line.say(begin)
        while True:
            line.say(piece)
    return act


def accepts(**fields):
    """Takes everything that is offered, with these fields in the head of the answer."""
    def act(line, request, document):
        line.answer(200, {"sessionId": "s", "files": line.receiver.tokens(document)}, **fields)
        return fields.get("Connection") != "close"
    return act


def babbles(line, request, document):
    """Goes on after the answer."""
    Receiver.accept(line, request, document)
    while True:
        line.say(b"x" * 1000)


def goes(line, request, *_):
    return False


def resets(line, request, *_):
    line.reset()


def reads_and_goes(line, request, *_):
    read(request)
    return False


def half(line, request):
    line.take(int(request.fields["content-length"]) // 2)
    return False


def half_resets(line, request):
    half(line, request)
    line.reset()


def half_closes(line, request, *_):
    """Says that nothing more will come, and reads on."""
    line.socket.shutdown(socket.SHUT_WR)
    line.rest()


def early(status, **fields):
    """Answers before all of a file is there, with these fields, and reads on."""
    def act(line, request):
        line.take(1)
        line.answer(status, **fields)
        line.rest()
    return act


def pauses(line, request):
    """Reads on after some seconds."""
    left = int(request.fields["content-length"]) - len(line.take(MIB))
    line.receiver.over.wait(5)
    line.take(left)
    line.answer(200)
    return True


def unread(line, request, *_):
    line.hold()


def stops(line, request):
    """Reads some of a file, and no more."""
    line.take(MIB)
    line.hold()


def unanswered(line, request, *_):
    read(request)
    line.rest()


class TrapStage(AttackStage):
    """A host that gives, and devices at many addresses of another one."""

    bystander = Onlooker

    def __init__(self):
        super().__init__()
        self.place = STATE / "traps"
        self.place.mkdir()
        self.small, self.big = self.place / "small.txt", self.place / "big.bin"
        self.small.write_bytes(b"small" * 2000)
        self.big.write_bytes(noise(48 * MIB))
        self.certificate, self.other = Certificate(self.place, "A Device"), Certificate(self.place, "Another Device")
        self.count = 0
        # What a giver has that nothing happens to.
        self.polite = 0
        # Givings to devices that rest meanwhile.
        self.resting = 0

    @staticmethod
    def addresses():
        return itertools.cycle(ADDRESSES)

    def receiver(self, at=None, alias=None, certificate=None, **how):
        self.count += 1
        return Receiver(2, at or next(self.free), certificate or self.certificate, alias or f"Trap {self.count}", **how)

    def given_notes(self, alias):
        return [note for note in self.host.notes() if note.get("givenTo") == alias]

    def watch(self, givings, until):
        """Waits, and looks at the giving processes meanwhile: the most memory that one has."""
        most, begun = 0, time.monotonic()
        while time.monotonic() - begun < until and any(
                self.host.given(one)["state"] in ("waiting", "sending") for one in givings):
            for pid in self.host.givers:
                with contextlib.suppress(OSError, KeyError, ValueError):
                    most = max(most, status_field(pid, "VmHWM"))
            time.sleep(0.05)
        return most

    def idle(self):
        """Waits until nothing is given, but to devices that rest."""
        wait("the givers to end", lambda: len(self.host.givers) <= self.resting, 10)

    def spring(self, *traps):
        """Gives something to each of these devices, two at a time, and looks how that ends."""
        # What kibod opens when something is given for the first time stays.
        if not self.polite:
            with contextlib.closing(self.receiver()) as receiver:
                given = self.host.give(receiver.seen_by(self.host)["id"], self.small)
                self.polite = self.watch([given["id"]], SOON) or status_field(self.host.bridge, "VmHWM")
                equal(self.host.given(given["id"])["state"], "taken", "what is given to a polite device")
                self.idle()
        before = descriptors(self.host.pid)
        most = 0
        lanes = 2 - self.resting
        with self.watched():
            for batch in (traps[start:start + SEEN] for start in range(0, len(traps), SEEN)):
                with contextlib.ExitStack() as stack:
                    devices = [(trap, stack.enter_context(contextlib.closing(self.receiver(**trap.how)))) for trap in batch]
                    # The host hears all of them while the first are given something.
                    for _, receiver in devices:
                        receiver.announce()
                    for start in range(0, len(devices), lanes):
                        pair = devices[start:start + lanes]
                        try:
                            most = max(most, self._give(pair))
                        except (kibo.Refused, TookTooLong) as error:
                            expect(False, f"{' and '.join(trap.what for trap, _ in pair)}: {error}")
        say(f"        {len(traps)} devices; a giver has {most / MIB:.1f} MiB at most, with a polite one {self.polite / MIB:.1f} MiB")
        expect(most < self.polite + 32 * MIB, f"a giver has {most / MIB:.1f} MiB")
        with contextlib.suppress(TookTooLong):
            wait("descriptors", lambda: descriptors(self.host.pid) <= before, 5)
        expect(descriptors(self.host.pid) <= before + 1, f"{descriptors(self.host.pid)} descriptors, before {before}")

    def begin(self, trap, receiver):
        """Gives something to a device, and returns the name of that."""
        device = receiver.seen_by(self.host)["id"]
        if trap.text:
            return self.host.give(device, text=trap.text)["id"]
        return self.host.give(device, self.big if trap.large else self.small)["id"]

    def _give(self, devices):
        givings = []
        try:
            for trap, receiver in devices:
                givings.append(self.begin(trap, receiver))
            if any(trap.stops for trap, _ in devices):
                time.sleep(4)
                for (trap, _), one in zip(devices, givings):
                    if trap.stops:
                        self.host.decline(one)
            begun = time.monotonic()
            most = self.watch(givings, max(trap.within for trap, _ in devices))
            took = time.monotonic() - begun
            for (trap, receiver), one in zip(devices, givings):
                self._judge(trap, receiver, self.host.given(one), took)
            # A process of it ends soon, whatever the device does.
            self.idle()
            return most
        finally:
            for one in givings:
                if self.host.given(one)["state"] in ("waiting", "sending"):
                    self.host.decline(one)
            for _, receiver in devices:
                receiver.close()
            with contextlib.suppress(TookTooLong):
                self.idle()

    @contextlib.contextmanager
    def beside(self, trap):
        """Gives something to a device that rests, while others are given something."""
        with contextlib.closing(self.receiver(**trap.how)) as receiver, contextlib.closing(
                kibo.Daemon(str(STATE / "1" / "kibod.sock"))) as control:
            begun, one = time.monotonic(), self.begin(trap, receiver)
            seen = []

            def follow():
                # What is over is forgotten some time.
                while time.monotonic() - begun < trap.within and not (seen and seen[-1][0]["state"] == "failed"):
                    if not (given := next((each for each in control.call("guest.list")["given"] if each["id"] == one), None)):
                        return
                    seen.append((given, time.monotonic() - begun))
                    time.sleep(0.5)
            thread = threading.Thread(target=follow, daemon=True)
            thread.start()
            self.resting = 1
            try:
                yield
                thread.join(trap.within)
                self._judge(trap, receiver, *seen[-1])
            finally:
                self.resting = 0
                if (given := self.host.given(one)) and given["state"] in ("waiting", "sending"):
                    self.host.decline(one)
        self.idle()

    def _judge(self, trap, receiver, over, took):
        expect(trap.fits(over), f"{trap.what}: {over['state']} {over['problem']} ({over['detail']}) after {took:.0f} s, not {trap.ends}")
        notes = self.given_notes(receiver.alias)
        equal(len(notes), 1 if over["state"] == "taken" else 0, f"{trap.what}: notes")
        # It never asks for something of which a device has made it ask.
        for request in receiver.requests:
            expect(request.path in (f"{API}/prepare-upload", f"{API}/upload", f"{API}/cancel"), f"{trap.what}: it asks for {request.target[:80]!r}")
            expect("x-evil" not in request.fields and "cookie" not in request.fields and "authorization" not in request.fields,
                   f"{trap.what}: it says {request.fields}")
        offered = {id for one in receiver.offers for id in one["files"]}
        expect(set(receiver.got) <= offered, f"{trap.what}: it uploads {set(receiver.got) - offered}")
        if over["state"] == "taken" and not trap.text and receiver.got:
            equal(list(receiver.got.values()), [(self.big if trap.large else self.small).read_bytes()], f"{trap.what}: bytes")
        expect(not receiver.faults, f"{trap.what}: {receiver.faults[:3]}")
        if trap.after:
            expect(trap.after(receiver), f"{trap.what}: it has {[one.target[:200] for one in receiver.requests]}")
