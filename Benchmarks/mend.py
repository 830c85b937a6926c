#!/usr/bin/env python3
"""Measures how soon everything resumes after a cut: two hosts of scripts/lan on a bad cable, one cut off repeatedly.

    sudo python3 Benchmarks/mend.py [--rounds N] [--cut SECONDS] [--delay MS] [--loss PERCENT] [--rate KBIT]

While the cable is cut, the sides write a message in turn, and a file is under way. The output has the times from the
mend to the message's arrival and to the first new byte of the file. KIBO_BIN_DIR names programs that are already built.
The network is made of namespaces and never touches the machine's own.
"""

import argparse
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import time

LAN = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "lan"


class Client:
    """A connection to a daemon's control socket that keeps every event with the time of its arrival."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.news = threading.Condition()
        self.events, self.replies, self.last = [], {}, 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.socket.makefile():
            now, message = time.monotonic(), json.loads(line)
            with self.news:
                if "id" in message:
                    self.replies[message["id"]] = message
                else:
                    self.events.append((now, message["params"]))
                self.news.notify_all()

    def call(self, method, **parameters):
        self.last += 1
        number = self.last
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        self.socket.sendall((json.dumps(request) + "\n").encode())
        with self.news:
            if not self.news.wait_for(lambda: number in self.replies, 30):
                raise SystemExit(f"no answer to {method}")
            reply = self.replies.pop(number)
        if "error" in reply:
            raise SystemExit(f"{method}: {reply['error']['message']}")
        return reply["result"]

    def wait(self, start, fits, seconds):
        """When the first matching event from `start` on came; None if none does in time."""
        end = time.monotonic() + seconds
        with self.news:
            while True:
                for moment, event in self.events[start:]:
                    if fits(event):
                        return moment
                start = len(self.events)
                left = end - time.monotonic()
                if left <= 0:
                    return None
                self.news.wait(left)


def until(what, test, seconds=60):
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            raise SystemExit(f"{what} takes too long")
        time.sleep(0.1)


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    for name, value in (("rounds", 7), ("cut", 60), ("delay", 200), ("loss", 5), ("rate", 40000)):
        options.add_argument(f"--{name}", type=int, default=value)
    options = options.parse_args()

    with tempfile.TemporaryDirectory(prefix="kibo-mend-") as work:
        environment = dict(os.environ, KIBO_LAN_DIR=f"{work}/lan")

        def lan(*words):
            subprocess.run([LAN, *map(str, words)], env=environment, check=True, stdout=subprocess.DEVNULL)

        try:
            lan("up", 2, "--delay", 1)
            hosts = {number: Client(f"{work}/lan/{number}/kibod.sock") for number in (1, 2)}
            accounts = {}
            for number, client in hosts.items():
                client.call("events.subscribe")
                accounts[number] = client.call("account.get")["id"]
            until("discovery", lambda: any(peer.get("account") == accounts[2] for peer in hosts[1].call("peer.list")["peers"]))
            lan("kibo", 1, "add", "Host 2")
            until("the request", lambda: hosts[2].call("contact.list", relation="incoming")["contacts"])
            lan("kibo", 2, "accept", "Host 1")
            until("friendship", lambda: hosts[1].call("contact.list", relation="friend")["contacts"])
            with open(f"{work}/film.txt", "wb") as film:
                # The film is larger than what the cable carries meanwhile.
                seconds = 10 * (options.rounds + 2)
                for _ in range(options.rate * seconds // 8000 + 1):
                    film.write(os.urandom(500).hex().encode() * 1000)
            lan("kibo", 1, "send", "Host 2", "look", "--file", f"{work}/film.txt")
            until("the offer", lambda: hosts[2].call("transfer.list")["transfers"])
            transfer = hosts[2].call("transfer.list")["transfers"][0]["id"]
            lan("cable", "--delay", options.delay, "--loss", options.loss, "--rate", options.rate)
            if hosts[2].call("transfer.get", id=transfer)["state"] == "offered":
                hosts[2].call("transfer.accept", id=transfer)
            until("the file", lambda: hosts[2].call("transfer.get", id=transfer)["bytesDone"] > 0)

            print(f"{options.delay} ms each way, {options.loss} % loss, cut for {options.cut} s; seconds after the mend")
            print(f"{'':>6}  {'message':>8}  {'file':>8}")
            times = []
            for number in range(options.rounds):
                writer, reader = (1, 2) if number % 2 == 0 else (2, 1)
                lan("cut", 2)
                time.sleep(options.cut)
                before = hosts[2].call("transfer.get", id=transfer)["bytesDone"]
                starts = {number: len(client.events) for number, client in hosts.items()}
                lan("kibo", writer, "send", f"Host {reader}", f"number {number}")
                lan("mend", 2)
                mended = time.monotonic()
                moments = (
                    hosts[reader].wait(starts[reader], lambda event: event["type"] == "message.added", 60),
                    hosts[2].wait(
                        starts[2],
                        lambda event: event["type"] == "transfer.progress" and event["data"]["bytesDone"] > before, 60),
                )
                times.append([float("inf") if moment is None else moment - mended for moment in moments])
                print(f"{number + 1:>6}  {times[-1][0]:8.2f}  {times[-1][1]:8.2f}", flush=True)
                time.sleep(5)
            for word, choose in (("median", lambda column: column[len(column) // 2]), ("most", max)):
                print(f"{word:>6}  " + "  ".join(f"{choose(sorted(column)):8.2f}" for column in zip(*times)))
        finally:
            lan("down")


if __name__ == "__main__":
    main()
