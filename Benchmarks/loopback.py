"""Daemons on loopback, each with an account, and their friendships. KIBO_BIN_DIR names the programs."""

import os
import pathlib
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "examples"))

import kibo  # noqa: E402
from figures import fields  # noqa: E402


class Daemon:
    """A daemon on loopback with an account."""

    def __init__(self, bench, place, name, port):
        bench.people.append(self)
        self.home = place / name
        (self.home / "home").mkdir(parents=True)
        self.socket, self.port, self.process = self.home / "s", port, None
        self.start()
        self.id = self.call("account.create", displayName=name)["id"]

    def start(self, connects=True):
        self.begun = time.monotonic()
        environment = {
            "PATH": os.environ["PATH"], "HOME": self.home / "home", "XDG_CONFIG_HOME": self.home / "config", "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": self.home, "KIBOD_HOST_CONFIG": self.home / "host.json5"}
        self.process = subprocess.Popen(
            [pathlib.Path(os.environ["KIBO_BIN_DIR"]) / "kibod", "--data", self.home / "data", "--socket", self.socket,
             "--interface", "lo", "--listen", "127.0.0.1:0", "--discovery-port", str(self.port), "--log-level", "warning"],
            env=environment, stdout=(log := (self.home / "log").open("a")), stderr=log)
        until("a daemon that answers", self.connect)

    def connect(self):
        try:
            self.line = kibo.Daemon(str(self.socket))
            self.line.socket.settimeout(30)
            return self.call("system.hello", client="bench", version="1")
        except OSError:
            return None

    def call(self, method, **parameters):
        return self.line.call(method, **parameters)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)

    def chat(self, other):
        return self.call("conversation.open", contact=other.id)["id"]

    def send(self, chat, text):
        return self.call("message.send", conversation=chat, text=text)["id"]

    def friend(self, account):
        return any(one["id"] == account and one["relation"] == "friend" for one in self.call("contact.list")["contacts"])

    def online(self, account):
        return any(one["id"] == account and one["presence"] != "offline" for one in self.call("contact.list")["contacts"])

    def resident(self):
        return fields([self.process.pid], "status", "VmRSS")

    def disk(self):
        return sum(file.stat().st_blocks * 512 for file in (self.home / "data").rglob("*") if file.is_file()) / 2**20


def until(what, condition, seconds=30, pause=0.005):
    """Waits for a condition, looked for every few milliseconds, and returns its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise SystemExit(f"there was not {what} in {seconds} s")
        time.sleep(pause)
    return value


def free_port():
    """A UDP port of loopback that nobody has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.255.255.255", 0))
        return probe.getsockname()[1]


def befriend(one, other):
    until("a way to each other", lambda: any(peer.get("account") == other.id for peer in one.call("peer.list")["peers"]))
    one.call("contact.request", id=other.id)
    until("a request", lambda: any(
        contact["id"] == one.id and contact["relation"] == "incoming" for contact in other.call("contact.list")["contacts"]))
    other.call("contact.accept", id=one.id)
    until("a friend", lambda: one.friend(other.id))
