#!/usr/bin/env python3
"""Measures files from and to devices with LocalSend: scripts/bench localsend.

    localsend.py [--mebibytes N] [--rounds N] [--large N] [PART...]     parts: receives, gives, memory

Kibo, curl and localsendd, a LocalSend program of others, are on one host of their own (a network namespace, so it takes root), and all
bytes go over its loopback. KIBO_BIN_DIR names the programs; the Python needs the packages of Tests/Interop.
"""

import argparse
import contextlib
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "Network"))

from figures import Table  # noqa: E402
from phone_stage import (  # noqa: E402
    API, MIB, STATE, Host, LocalSendDaemon, address, digest, lan, namespace, noise, status_field, up, wait)

ALIAS = "Reference"
SERVER = 53400


def curl(*words, **how):
    return subprocess.Popen(
        ["ip", "netns", "exec", namespace(1), "curl", "-s", "-S", "-k", "-f", *map(str, words)], stdin=subprocess.DEVNULL, text=True, **how)


def done(process):
    """Waits for a program, which has to succeed."""
    said, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"{process.args[:9]} ended with {process.returncode}")
    return said


def settle():
    """What was written before is on the disk, so that it is in nobody's way."""
    os.sync()
    time.sleep(0.5)


class Bench:
    def __init__(self, options):
        self.options, self.table = options, Table()
        # It has the usual port, and Kibo the next one.
        self.device = LocalSendDaemon(1, ALIAS, unattended=True)
        self.host = Host()
        self.host.set("files.allowedTypes", ["*"])
        self.host.on()
        self.port = self.host.list()["port"]

    def make(self, mebibytes):
        path = STATE / f"{mebibytes}.bin"
        piece = noise(16 * MIB)
        with open(path, "wb") as file:
            for number in range(mebibytes):
                # A MiB of its own at each place.
                file.write(piece[number % 15 * MIB + number % 4096:][:MIB])
        return path

    # MARK: curl

    def offer(self, port, path, answered=lambda: None):
        """Offers a file by curl, and returns where it is to go."""
        info = {"alias": "curl", "version": "2.1", "deviceType": "headless", "fingerprint": "ab" * 32, "port": 1, "protocol": "https"}
        files = {"0": {"id": "0", "fileName": path.name, "size": path.stat().st_size, "fileType": "application/octet-stream"}}
        url = f"https://{address(1)}:{port}{API}"
        asked = curl("-d", json.dumps({"info": info, "files": files}), f"{url}/prepare-upload", stdout=subprocess.PIPE)
        answered()
        answer = json.loads(done(asked))
        return f"{url}/upload?" + urllib.parse.urlencode({"sessionId": answer["sessionId"], "fileId": "0", "token": answer["files"]["0"]})

    @staticmethod
    def upload(url, path):
        done(curl("-o", "/dev/null", "-X", "POST", "-H", "Expect:", "-H", "Content-Type: application/octet-stream", "-T", path, url))

    def take(self):
        """Takes what curl offers to Kibo."""
        self.taken = self.host.waiting()["id"]
        self.host.take(self.taken)

    @contextlib.contextmanager
    def idle(self):
        """localsendd with nobody who sees to it: then it takes everything at once."""
        time.sleep(0.3)
        yield
        for one in self.device.downloads.iterdir():
            one.unlink()

    def server(self, path):
        """OpenSSL's own server, which keeps what comes by TLS as it is. When all of it is there, the answer goes into its input."""
        got = STATE / "server"
        folder = next(self.device.folder.rglob("cert.pem")).parent
        with open(got, "wb") as kept:
            process = subprocess.Popen(
                ["ip", "netns", "exec", namespace(1), "openssl", "s_server", "-accept", str(SERVER), "-naccept", "1", "-quiet", "-cert",
                 folder / "cert.pem", "-key", folder / "key.pem"], stdin=subprocess.PIPE, stdout=kept, stderr=subprocess.DEVNULL)

        def answer():
            size = path.stat().st_size
            # The head has some 200 bytes before the file.
            while process.poll() is None and got.stat().st_size <= size + 50:
                time.sleep(0.002)
            with contextlib.suppress(OSError):
                process.stdin.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                process.stdin.flush()
        threading.Thread(target=answer, daemon=True).start()
        # It listens soon.
        wait("OpenSSL's server", lambda: f":{SERVER:04X} " in pathlib.Path(f"/proc/{process.pid}/net/tcp").read_text()
             + pathlib.Path(f"/proc/{process.pid}/net/tcp6").read_text())
        return process, got

    # MARK: The parts

    def compare(self, path, ways):
        """How fast a file goes by each of these ways, in turn; the first one is Kibo's."""
        rates = {name: [] for name in ways}
        for _ in range(self.options.rounds):
            for name, way in ways.items():
                settle()
                rates[name].append(path.stat().st_size / MIB / way(path))
        return rates

    def add(self, what, rates, bounds):
        mine, *others = rates
        for name, rate in rates.items():
            print(f"    {what} {name:44} {statistics.median(rate):7.0f} MiB/s   ({', '.join(f'{one:.0f}' for one in rate)})", flush=True)
        for other, bound in zip(others, bounds):
            ratio = statistics.median(one / theirs for one, theirs in zip(rates[mine], rates[other]))
            if bound:
                self.table.add(f"{what} {mine}, share of {other}", bound, ratio, "", least=True, note=f" ({ratio:.2f})")
            else:
                print(f"    {what} {mine}, share of {other}: {ratio:.2f}", flush=True)

    def receives(self):
        """A file from curl: until it is kept, with its sync."""
        path = self.make(self.options.mebibytes)

        def kibo(path):
            url = self.offer(self.port, path, self.take)
            begun = time.monotonic()
            self.upload(url, path)
            took = time.monotonic() - begun
            over = self.host.over(self.taken)
            if over["state"] != "taken" or digest(self.host.downloads / path.name) != digest(path):
                raise SystemExit(f"what curl gave is not here as it was: {over}")
            self.host.clear()
            return took

        def localsendd(path, synced=True):
            with self.idle():
                url = self.offer(53317, path)
                begun = time.monotonic()
                self.upload(url, path)
                if synced:
                    with open(self.device.downloads / path.name, "rb") as file:
                        os.fsync(file.fileno())
                return time.monotonic() - begun

        def openssl(path):
            process, got = self.server(path)
            begun = time.monotonic()
            self.upload(f"https://{address(1)}:{SERVER}/", path)
            with open(got, "rb") as file:
                os.fsync(file.fileno())
            took = time.monotonic() - begun
            process.stdin.close()
            process.wait(10)
            got.unlink()
            return took

        self.add("curl to", self.compare(path, {
            "Kibo": kibo, "localsendd, synced": localsendd, "openssl s_server, synced": openssl,
            "localsendd": lambda path: localsendd(path, False)}), (0.8, None, None))
        path.unlink()

    def give(self, path, watch=lambda: None):
        """Gives a file to localsendd: the seconds until it has it."""
        with self.idle():
            device = self.found()
            begun = time.monotonic()
            given = self.host.give(device, path)["id"]
            while (found := self.host.given(given))["state"] in ("waiting", "sending"):
                watch()
                time.sleep(0.005)
            took = time.monotonic() - begun
            if found["state"] != "taken" or digest(self.device.downloads / path.name) != digest(path):
                raise SystemExit(f"what Kibo gave is not there as it was: {found}")
            return took

    def found(self):
        def look():
            if device := self.host.device(ALIAS):
                return device["id"]
            self.host.call("guest.list", look=True)
        return wait("localsendd to be found", look, 20, 0.3)

    def gives(self):
        """A file to localsendd: with the offer, until it is there."""
        path = self.make(self.options.mebibytes)

        def reference(path):
            with self.idle():
                begun = time.monotonic()
                self.upload(self.offer(53317, path), path)
                return time.monotonic() - begun

        self.add("to localsendd by", self.compare(path, {"Kibo": self.give, "curl": reference}), (0.8,))
        path.unlink()

    def memory(self):
        """What a large file adds to what the processes have, both ways."""
        path = self.make(self.options.large)
        most = {}

        def rest():
            for name, pid in (("kibod", self.host.pid), ("the bridge", self.host.bridge)):
                most[name] = (pid, status_field(pid, "VmRSS"))
                # From here on the peak is that of what follows.
                pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")

        def say(what):
            for name, (pid, before) in most.items():
                self.table.add(
                    f"{what} {self.options.large} MiB, {name}, above idle", 32, max(0, (status_field(pid, "VmHWM") - before) / MIB), "MiB",
                    note=f", {before / MIB:.1f} before")

        rest()
        self.upload(self.offer(self.port, path, self.take), path)
        if self.host.over(self.taken)["state"] != "taken":
            raise SystemExit(f"what curl gave is not here: {self.host.offer(self.taken)}")
        self.host.clear()
        say("receiving")
        del most["the bridge"]
        rest()
        seen = []

        def watch():
            with contextlib.suppress(OSError, KeyError, IndexError):
                seen.append(status_field(self.host.givers[0], "VmHWM") / MIB)
        self.give(path, watch)
        say("giving")
        if seen:
            self.table.add(f"giving {self.options.large} MiB, the giving process, all of it", 48, max(seen), "MiB", note=f", {seen[0]:.1f} at first")
        path.unlink()

    def end(self):
        self.device.end()


def main():
    parts = ("receives", "gives", "memory")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    parser.add_argument("--mebibytes", type=int, default=1024, help="the size of the file that is timed")
    parser.add_argument("--rounds", type=int, default=3, help="how often it goes")
    parser.add_argument("--large", type=int, default=2048, help="the size of the file for the memory, in MiB")
    options = parser.parse_args()
    for part in options.parts:
        if part not in parts:
            parser.error(f"there is no part {part}")
    # The network goes with it, whoever ends it.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    bench = None
    try:
        up(1)
        bench = Bench(options)
        for part in options.parts or parts:
            print(f"\n  {part}; load {os.getloadavg()[0]:.2f}", flush=True)
            getattr(bench, part)()
    finally:
        if bench:
            bench.end()
        lan("down", check=False)


if __name__ == "__main__":
    main()
