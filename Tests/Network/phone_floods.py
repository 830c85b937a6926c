"""What a crowd of devices with LocalSend may not do to kibod: offers, connections, datagrams and names without end, from addresses
between two network namespaces, while a bystander measures how fast kibod does its other work. phone_attacks.py runs it.
"""

import contextlib
import json
import socket
import subprocess
import threading
import time

from phone_stage import (
    API, GROUP, MIB, PORT, STATE, Asking, Host, Phone, TookTooLong, address, equal, expect, failures, inside, kibo, lan,
    namespace, noise, say, status_field, step, taken, wait)

# Addresses of the attacker's host, each with a measure of its own.
ADDRESSES = [f"10.73.0.{number}" for number in range(100, 240)]
# Messages may take so many times as long under an attack as at rest, and never a second.
SLOWER = 20
SECOND = 1.0


def chosen(part, words):
    """Whether one of these words names a part, which is a title with the name of a method."""
    return any(word in one for word in words for one in part)


class Bystander(threading.Thread):
    """Sends notes to oneself all the time, and measures how long each takes."""

    def __init__(self, own):
        super().__init__(daemon=True)
        self.own = own
        self.control = kibo.Daemon(str(STATE / "1" / "kibod.sock"))
        self.times, self.ends, self.failure = [], False, None
        self.start()

    def run(self):
        count = 0
        try:
            while not self.ends:
                begun = time.monotonic()
                self.control.call("message.send", to=self.own, text=f"note {count}")
                self.times.append(time.monotonic() - begun)
                count += 1
                time.sleep(0.02)
        except Exception as error:
            self.failure = error

    def result(self):
        """The median and the longest time."""
        self.ends = True
        self.join(30)
        self.control.close()
        if self.failure or self.is_alive() or not self.times:
            raise TookTooLong(f"a note was not sent: {self.failure}")
        times = sorted(self.times)
        return times[len(times) // 2], times[-1]


class AttackStage:
    """Two namespaces: kibod in one, and in the other addresses from which it is attacked."""

    bystander = Bystander

    def __init__(self):
        for one in ADDRESSES:
            subprocess.run(["ip", "-n", namespace(2), "addr", "add", f"{one}/24", "dev", "eth0"], check=True)
        self.host = Host()
        self.host.on()
        self.host.set("files.allowedTypes", ["*"])
        self.free = self.addresses()
        bystander = self.bystander(self.host.own)
        time.sleep(2)
        self.rest = bystander.result()
        say(f"a note at rest: {self.rest[0] * 1000:.1f} ms, at most {self.rest[1] * 1000:.1f} ms")

    @staticmethod
    def addresses():
        """Those of a part, one after the other."""
        return iter(ADDRESSES)

    def play(self, parts):
        """Runs these parts, and looks at the log at the end."""
        for title, name in parts:
            def part():
                # Addresses are few, and a new bridge knows nobody.
                self.free = self.addresses()
                self.host.on()
                self.host.clear()
                getattr(self, name)()
            step(title, part)
            if not self.host.bridge and not failures:
                expect(False, "the bridge has ended")
        lines = [line for line in lan("log", 1).splitlines() if " error " in line]
        expect(not lines, "errors in the log: " + "\n".join(lines[:5]))

    def phone(self, **options):
        """One at an address that nobody has used."""
        return Phone(2, next(self.free), **options)

    @contextlib.contextmanager
    def watched(self):
        """The bridge keeps running meanwhile, takes little memory, and kibod is as fast as before."""
        bridge, kibod = self.host.bridge, self.host.pid
        before = {pid: status_field(pid, "VmRSS") for pid in (bridge, kibod)}
        bystander = self.bystander(self.host.own)
        try:
            yield
        finally:
            median, longest = bystander.result()
        equal((self.host.bridge, self.host.pid), (bridge, kibod), "the processes after the attack")
        grown = {name: (status_field(pid, "VmRSS") - before[pid]) / MIB for name, pid in (("bridge", bridge), ("kibod", kibod))}
        say(f"        a note: {median * 1000:.1f} ms, at most {longest * 1000:.1f} ms; grown: "
            + ", ".join(f"{name} {size:.1f} MiB" for name, size in grown.items()))
        expect(longest < max(SECOND, SLOWER * self.rest[1]), f"a note took {longest:.2f} s during an attack")
        expect(median < max(0.1, SLOWER * self.rest[0]), f"a note took {median:.3f} s in the middle during an attack")
        expect(all(size < 24 for size in grown.values()), f"grown: {grown}")

    def serves(self, what="afterwards", within=10):
        """A device that does nothing wrong is served, soon."""
        begun = time.monotonic()
        status, answer = self.phone().ask("GET", f"{API}/info")
        expect(status == 200 and answer["alias"] == self.host.list()["name"], f"{what}, an honest device is answered {status} {answer}")
        expect(time.monotonic() - begun < within, f"{what}, an honest device waits {time.monotonic() - begun:.1f} s")

    def decline_all(self):
        for offer in self.host.offers("waiting"):
            self.host.decline(offer["id"])


class Floods(AttackStage):
    def many_offers(self):
        """A thousand offers of one address, as fast as they go, and then of a hundred."""
        phone = self.phone()
        counts = {}
        lock = threading.Lock()

        def offers(phone, number):
            for _ in range(number):
                status, _ = phone.prepare(phone.files(a=1), timeout=20)
                with lock:
                    counts[status] = counts.get(status, 0) + 1
        with self.watched():
            first = phone.offer(phone.files(a=1))
            offer = self.host.waiting()
            threads = [threading.Thread(target=offers, args=(phone, 125), daemon=True) for _ in range(8)]
            for one in threads:
                one.start()
            most = 0
            while any(one.is_alive() for one in threads):
                most = max(most, len(self.host.offers("waiting")))
                time.sleep(0.05)
            say(f"        a thousand more of the same address: {counts}")
            equal(most, 1, "offers that wait")
            expect(set(counts) <= {409, 429, 0}, f"answers: {counts}")
            expect(counts.get(0, 0) < 250, f"connections without an answer: {counts}")
            self.host.decline(offer["id"])
            equal(first.answer()[0], 403, "the first offer")
            # Another one is asked for, whatever the first did.
            self.offer_passes("after a thousand offers of another address")
            # Many addresses: four wait, and the others are refused.
            askings = [Asking(one, one.files(a=1), {"timeout": 80}) for one in [self.phone() for _ in range(20)]]
            wait("four offers", lambda: len(self.host.offers("waiting")) == 4)
            wait("the others to be refused", lambda: sum(not one.is_alive() for one in askings) == 16, 15)
            equal(len(self.host.offers("waiting")), 4, "offers of twenty addresses that wait")
            told = sorted(one.result[0] for one in askings if not one.is_alive())
            # One of the twenty may share the budget of the first address, because the bridge has a table of fixed size.
            expect(told[:-1] == [409] * (len(told) - 1) and told[-1] in (409, 429), f"what the others are told: {told}")
            self.decline_all()
            for one in askings:
                one.answer()
        self.serves()

    def offer_passes(self, when):
        phone = self.phone()
        asking = phone.offer(phone.files(a=1))
        try:
            offer = self.host.waiting(10)
        except TookTooLong:
            return expect(False, f"{when}, an honest offer does not come: {asking.answer()}")
        self.host.decline(offer["id"])
        asking.answer()

    def idle_connections(self):
        """Connections that say nothing, TLS that ends after the handshake, and heads that come drop by drop."""
        with self.watched():
            phone = self.phone()
            held = []
            for number in range(64):
                with contextlib.suppress(OSError):
                    held.append(phone.socket(timeout=2))
            say(f"        of 64 connections of one address {len(held)} got through TLS")
            expect(len(held) <= 10, f"one address has {len(held)} connections")
            self.serves("beside 64 connections of another address", 2)
            for one in held:
                one.close()
            # Of many addresses: sixteen with four each.
            held = []
            for other in [self.phone() for _ in range(16)]:
                for _ in range(4):
                    with contextlib.suppress(OSError):
                        held.append(other.socket(timeout=1))
            say(f"        of 64 connections of sixteen addresses {len(held)} got through TLS")
            self.serves("beside 64 silent connections of sixteen addresses", 5)
            for one in held:
                one.close()
            held = [self.phone().socket(shake=False) for _ in range(30)]
            self.serves("beside 30 connections without TLS", 5)
            for one in held:
                one.close()

    def drops(self):
        """Slowloris: a byte of a head each second."""
        with self.watched():
            held = [phone.socket() for phone in [self.phone() for _ in range(4)] for _ in range(8)]
            begun = time.monotonic()
            alive, served = list(held), 0
            text = b"GET /api/localsend/v2/info HTTP/1.1\r\nHost: 10.73.0.1\r\nX: " + b"a" * 1000
            number = 0
            while alive and time.monotonic() - begun < 30:
                for one in list(alive):
                    try:
                        one.send(text[number:number + 1])
                        one.setblocking(False)
                        with contextlib.suppress(BlockingIOError, OSError):
                            if one.recv(1) == b"":
                                alive.remove(one)
                        one.setblocking(True)
                    except OSError:
                        if one in alive:
                            alive.remove(one)
                number += 1
                if number == 3:
                    self.serves("beside 32 heads that come drop by drop", 15)
                time.sleep(1)
            took = time.monotonic() - begun
            say(f"        the last of 32 heads that come drop by drop was ended after {took:.0f} s")
            equal(len(alive), 0, "heads that still come")
            for one in held:
                one.close()
        self.serves()

    def slow_upload(self):
        """A file of which a byte comes now and then holds its place, and nothing else; without any, it ends after half a minute."""
        phone = self.phone()
        offer, session, tokens = taken(self.host, phone, phone.files(a=1000))
        made = phone.begin_upload(session, "a", tokens["a"], 1000, b"x")
        wait("the part", lambda: self.host.parts(), 5)
        with self.watched():
            begun = time.monotonic()
            over = self.host.over(offer, 45)
            took = time.monotonic() - begun
            equal((over["state"], over["problem"]), ("failed", "offline"), f"the upload that rests ({over['detail']})")
            expect(25 < took < 38, f"it was ended after {took:.0f} s")
        equal(self.host.parts(), [], "parts")
        made.close()

    def datagrams(self):
        """Thousands of announcements with made-up names, and some that are none."""
        before = len(self.host.list()["devices"])
        with self.watched():
            with inside(2):
                made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            heard.bind(("", PORT))
            heard.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + socket.inet_aton(address(2)))
            heard.settimeout(0.5)
            at = next(self.free)
            made.bind((at, PORT + 1))
            made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(at))
            for number in range(5000):
                text = json.dumps({
                    "alias": f"Forged {number}", "version": "2.1", "deviceType": "mobile", "fingerprint": f"{number:064x}",
                    "port": PORT, "protocol": "https", "announce": True}).encode()
                made.sendto(text, (GROUP, PORT))
                if number % 10 == 0:
                    made.sendto(noise(1000, number), (GROUP, PORT))
                    made.sendto(b"[" * 1400, (GROUP, PORT))
                    time.sleep(0.01)
            time.sleep(1)
            answers = 0
            with contextlib.suppress(TimeoutError):
                while True:
                    datagram, source = heard.recvfrom(9000)
                    answers += source[0] == address(1)
            forged = [one for one in self.host.list()["devices"] if one["name"].startswith("Forged")]
            expect(1 <= len(forged) <= 4, f"{len(forged)} devices of one address")
            expect(answers <= 60, f"{answers} answers to 5,000 datagrams")
            say(f"        {len(forged)} devices, {answers} answers")
            equal(len(self.host.list()["devices"]) - len(forged), before, "other devices")
            made.close()
            heard.close()
        # Those that don't speak for themselves.
        status, answer = self.phone().ask("POST", f"{API}/register", {**Phone(2, "x").info, "alias": "Honest", "fingerprint": ""})
        equal(status, 200, "register")
        wait("an honest device", lambda: self.host.device("Honest"))

    def registering(self):
        """Names, over and over, of one address."""
        phone = self.phone()
        statuses = {}
        with self.watched():
            for number in range(300):
                status, _ = phone.ask("POST", f"{API}/register", {**phone.info, "alias": f"Name {number}", "fingerprint": f"{number:064x}"})
                statuses[status] = statuses.get(status, 0) + 1
            say(f"        300 names of one address: {statuses}")
            expect(set(statuses) <= {200, 429}, f"answers: {statuses}")
            expect(sum(one["name"].startswith("Name ") for one in self.host.list()["devices"]) <= 4, "more than four devices of one address")

    def strangers(self):
        """Addresses that are not of a network of ours, nor private."""
        subprocess.run(["ip", "-n", namespace(2), "addr", "add", "8.8.4.4/32", "dev", "eth0"], check=True)
        subprocess.run(["ip", "-n", namespace(1), "route", "add", "8.8.4.4/32", "dev", "eth0"], check=True)
        status, answer = Phone(2, "8.8.4.4").ask("GET", f"{API}/info", timeout=5)
        equal(status, 0, f"an address of the internet is answered {answer}")

    def mixed_tls(self):
        """Plain HTTP to a port of TLS, and old versions of TLS."""
        plain = Phone(2, next(self.free), plain=True)
        status, answer = plain.ask("GET", f"{API}/info", timeout=5)
        equal(status, 0, f"plain HTTP is answered {answer}")
        self.serves()
