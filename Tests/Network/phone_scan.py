"""A host looks for devices with LocalSend at their addresses, on a network that keeps multicast away: localsendd, which is not ours, a
polite device of our own, and many that are not polite.

Run by PhoneScanNetworkTests, and by hand as root: KIBO_PYTHON Tests/Network/phone_scan.py [WORD…], where WORD chooses the parts with such a
name. The rest is as in phone_gifts.py.
"""

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time

from phone_floods import ADDRESSES, chosen
from phone_stage import (
    GROUP, LAN, STATE, THOROUGH, Taker, address, descriptors, equal, expect, finish, kibo, lan, say, up, wait)
from phone_trap_stage import TrapStage, body, drips, endless, resets, says
from phone_walls import NFT, nft

ALIAS = "Strange Banana"
# Addresses around a host, without its own.
AROUND = 253
SOCKET = str(STATE / "1" / "kibod.sock")
# How long a scan may take, in seconds, whoever answers.
LONGEST = 64


class Scans(TrapStage):
    def __init__(self):
        super().__init__()
        self.silence()
        self.phone = Taker(3, ALIAS)

    @staticmethod
    def silence():
        """The network keeps multicast away."""
        for host in (1, 2, 3) if NFT else ():
            nft("add", "table", "inet", "silence", host=host)
            nft("add", "chain", "inet", "silence", "out", "{ type filter hook output priority 0 ; }", host=host)
            nft("add", "rule", "inet", "silence", "out", "ip", "daddr", GROUP, "drop", host=host)

    def scan(self, **how):
        begun = time.monotonic()
        found = self.host.call("guest.scan", **how)
        took = time.monotonic() - begun
        expect(took < LONGEST, f"a scan took {took:.1f} s")
        say(f"        {found['found']} of {found['asked']} addresses in {took:.1f} s")
        return found

    def devices(self):
        return {one["name"]: one for one in self.host.list()["devices"]}

    def gone(self):
        """No process and no connection is left."""
        wait("the processes to end", lambda: not self.host.givers, 10)

    # MARK: Parts

    def found(self):
        """localsendd, which nobody hears, is found, finds this host thereby, and gets a file."""
        self.host.call("guest.list", look=True)
        time.sleep(2)
        if NFT:
            equal(self.devices(), {}, "devices that are heard without multicast")
        equal(self.scan(), {"asked": AROUND, "found": 1}, "a scan")
        device = self.devices().get(ALIAS)
        if not expect(device and device["address"] == address(3) and device["encrypted"], f"the devices are {self.devices()}"):
            return
        expect(self.phone.peer(self.host.list()["name"]), "localsendd has not heard of the host")
        self.gone()
        given = self.host.give(device["id"], self.small)
        self.phone.answer()
        equal(self.host.given_over(given["id"])["state"], "taken", "what is given to it")
        equal(list(self.phone.files().values()), [self.small.read_bytes()], "what it has")

    def one(self):
        """One address is asked; what is none, or is elsewhere, is refused."""
        equal(self.scan(address=address(3)), {"asked": 1, "found": 1}, "a scan of one address")
        equal(list(self.devices()), [ALIAS], "the devices")
        equal(self.scan(address=address(1)), {"asked": 1, "found": 0}, "a scan of our own address")
        equal(self.scan(address=ADDRESSES[-1]), {"asked": 1, "found": 0}, "a scan of an address without a device")
        equal(self.scan(address="10.73.0.250"), {"asked": 1, "found": 0}, "a scan of an address without a host")
        for kind, where in (
                ("not_allowed", "8.8.8.8"), ("not_allowed", "127.0.0.1"), ("invalid", "::1"), ("invalid", "localhost"), ("invalid", ""),
                ("invalid", "10.73.0.3:53317"), ("invalid", "10.73.0.3/24")):
            try:
                equal(self.host.call("guest.scan", address=where), kind, f"a scan of {where}")
            except kibo.Refused as refused:
                equal(refused.kind, kind, f"a scan of {where}")

    def command(self):
        """The command line says who was found."""
        def localsend(*words):
            done = subprocess.run([LAN, "kibo", "1", "localsend", *words], capture_output=True, text=True)
            return done.returncode, done.stdout, done.stderr
        code, output, errors = localsend("scan", address(3))
        expect(code == 0 and "1 device found." in output and ALIAS in output and address(3) in output, f"{code} {output} {errors}")
        code, output, errors = localsend("scan", "10.73.0.250")
        expect(code != 0 and "No device with LocalSend answers at 10.73.0.250" in errors, f"{code} {output} {errors}")
        code, output, errors = localsend("scan", "--json")
        found = json.loads(output)
        equal((code, found["asked"], found["found"], [one["name"] for one in found["devices"]]), (0, AROUND, 1, [ALIAS]), "in JSON")
        code, output, errors = localsend("scan", "x", "y")
        expect(code == 2, f"two addresses: {code} {output} {errors}")

    def together(self):
        """Whoever asks the same meanwhile gets the same answer; another scan is refused."""
        answers = []

        def ask(**how):
            control = kibo.Daemon(SOCKET)
            try:
                answers.append(control.call("guest.scan", **how))
            except kibo.Refused as refused:
                answers.append(refused.kind)
            finally:
                control.close()
        threads = [threading.Thread(target=ask, daemon=True) for _ in range(20)]
        for one in threads:
            one.start()
        time.sleep(0.5)
        ask(address=address(3))
        equal(answers, ["busy"], "another scan meanwhile")
        for one in threads:
            one.join(LONGEST)
        equal(answers[1:], [{"asked": AROUND, "found": 1}] * 20, "twenty who ask the same")
        # The device was asked once.
        with contextlib.closing(self.receiver(alias="Asked Once")) as receiver:
            equal(self.scan()["found"], 2, "devices")
            equal(len(receiver.met), 1, "how often a device was asked")
            equal(receiver.met[0]["alias"], self.host.list()["name"], "by whom")

    def ends(self):
        """A scan ends when LocalSend is switched off."""
        result = []

        def ask():
            try:
                result.append(self.host.call("guest.scan"))
            except kibo.Refused as refused:
                result.append(refused.kind)
        silent = [self.receiver(shake=lambda receiver, made: receiver.over.wait(90) and None) for _ in range(4)]
        with contextlib.ExitStack() as stack:
            for one in silent:
                stack.enter_context(contextlib.closing(one))
            other = kibo.Daemon(SOCKET)
            stack.callback(other.close)
            thread = threading.Thread(target=ask, daemon=True)
            thread.start()
            wait("a device to be asked", lambda: self.host.givers)
            other.call("settings.set", key="localsend.enabled", value=False)
            thread.join(5)
            equal(result, ["offline"], "a scan when LocalSend is switched off")
            self.gone()
            try:
                equal(self.host.call("guest.scan"), "offline", "a scan while it is off")
            except kibo.Refused as refused:
                equal(refused.kind, "offline", "a scan while it is off")
        self.host.on()

    def plain(self):
        """A device without TLS is found only if the user lets it be spoken with."""
        with contextlib.closing(self.receiver(alias="Plain Plum", plain=True, announced="a random word")) as receiver:
            equal(self.scan(address=receiver.at), {"asked": 1, "found": 0}, "a device without TLS")
            expect(not receiver.met, "it was told who we are in the open")
            self.host.on(plain=True)
            equal(self.scan(address=receiver.at), {"asked": 1, "found": 1}, "a device without TLS that may be spoken with")
            expect(not self.devices()["Plain Plum"]["encrypted"], "it counts as encrypted")
            given = self.host.give(self.devices()["Plain Plum"]["id"], self.small)
            equal(self.host.given_over(given["id"])["state"], "taken", "what is given to it")
            # One with TLS is found, too.
            equal(self.scan(address=address(3))["found"], 1, "a device with TLS")
            expect(self.devices()[ALIAS]["encrypted"], "TLS was left out")

    def liars(self):
        """Whatever devices answer, the honest ones are found, and nobody has a certificate that it doesn't show."""
        other = self.other.fingerprint

        def info(**more):
            def act(line, request, document):
                line.answer(200, {**line.receiver.info, **more})
                return True
            return act
        own = []

        def mirror(line, request, document):
            own.append(document)
            line.answer(200, document)
            return True
        ways = {
            "another's certificate": dict(announced=other), "no fingerprint": dict(announced=""),
            "another port": dict(greet=info(port=1)), "plain HTTP": dict(greet=info(protocol="http")),
            "our own words": dict(greet=mirror), "no name": dict(greet=body(b'{"fingerprint":"ab"}')),
            "a name of signs": dict(greet=info(alias="\u202e\x1b[31m\n\u200b")), "a long name": dict(greet=info(alias="x" * 3000)),
            "too long": dict(greet=info(alias="x" * 5000)), "nothing": dict(greet=body(b"")), "no JSON": dict(greet=body(b"{")),
            "a list": dict(greet=body(b"[]")), "404": dict(greet=body(b"{}", 404)), "elsewhere": dict(
                greet=says(b"HTTP/1.1 302 Found\r\nLocation: https://10.73.0.1:53317/\r\nContent-Length: 0\r\n\r\n")),
            "a head without end": dict(greet=endless(b"HTTP/1.1 200 OK\r\n", b"X: " + b"y" * 4000 + b"\r\n")),
            "a body without end": dict(greet=endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"fa0\r\n" + b" " * 4000 + b"\r\n")),
            "byte by byte": dict(greet=drips(b"HTTP/1.1 200 OK\r\n", 0.5, again=True)), "resets": dict(greet=resets),
            "no TLS": dict(plain=True), "silent TLS": dict(shake=lambda receiver, made: receiver.over.wait(90) and None),
            "closes": dict(shake=lambda receiver, made: None),
        }
        before = descriptors(self.host.pid)
        with contextlib.ExitStack() as stack:
            devices = {}
            for number, (what, how) in enumerate(ways.items()):
                devices[what] = stack.enter_context(contextlib.closing(self.receiver(alias=f"Liar {number}", **how)))
            honest = stack.enter_context(contextlib.closing(self.receiver(alias="Honest Pear")))
            with self.watched():
                self.scan()
            shown = {one["address"]: one for one in self.host.list()["devices"]}
            expect(honest.at in shown and address(3) in shown, f"the honest ones are not found: {list(shown)}")
            named = {what for what, one in devices.items() if one.at in shown}
            equal(named, {"another's certificate", "no fingerprint", "another port", "plain HTTP", "our own words", "a name of signs",
                          "a long name"}, "who is shown")
            equal(len(own), 1, "how often the mirror was asked")
            for what in ("another's certificate", "another port", "plain HTTP"):
                given = self.host.give(shown[devices[what].at]["id"], self.small)
                equal(self.host.given_over(given["id"])["state"], "taken", f"what is given to one that said {what}")
            expect(all(one["name"].isprintable() and len(one["name"]) <= 64 for one in shown.values()), f"names: {[one['name'] for one in shown.values()]}")
        self.gone()
        expect(descriptors(self.host.pid) <= before + 1, f"{descriptors(self.host.pid)} descriptors, before {before}")

    def tarpits(self):
        """Many addresses take a connection and say nothing: the scan ends, and so do its processes. With all of them its minute is over
        before each has had its time.
        """
        before, most = descriptors(self.host.pid), [0, 0]
        with contextlib.ExitStack() as stack:
            for at in ADDRESSES if THOROUGH else ADDRESSES[:40]:
                stack.enter_context(contextlib.closing(
                    self.receiver(at=at, shake=lambda receiver, made: receiver.over.wait(120) and None)))
            done = []

            def ask():
                done.append(self.scan())
            with self.watched():
                thread = threading.Thread(target=ask, daemon=True)
                thread.start()
                while thread.is_alive():
                    most = [max(most[0], len(self.host.givers)), max(most[1], descriptors(self.host.pid))]
                    time.sleep(0.2)
            equal(len(done), 1, "scans that ended")
            expect(done[0]["asked"] < AROUND if THOROUGH else done[0]["asked"] == AROUND, f"asked: {done[0]}")
            say(f"        {most[0]} processes and {most[1] - before} descriptors at most")
            # While a process is being started it takes five: both ends of its socket, its standard error, and a pipe.
            expect(0 < most[0] <= 8 and most[1] - before < 64 + 8 * 5 + 8, "more than a scan may have")
            expect(ALIAS in self.devices(), "the only device is hidden by those that say nothing")
        self.gone()
        wait("descriptors", lambda: descriptors(self.host.pid) <= before + 1, 5)


PARTS = [
    ("a device that multicast does not find is found by its address, and gets a file", "found"),
    ("one address is asked", "one"), ("the command line", "command"), ("several ask at once", "together"),
    ("a scan is ended", "ends"), ("devices without TLS", "plain"), ("devices that lie", "liars"), ("devices that say nothing", "tarpits"),
]


def main(words):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    up(3)
    scans = None
    try:
        scans = Scans()
        scans.play(part for part in PARTS if not words or chosen(part, words))
    finally:
        if scans:
            scans.phone.end()
        lan("down", check=False)
    finish()


if __name__ == "__main__":
    main(sys.argv[1:])
