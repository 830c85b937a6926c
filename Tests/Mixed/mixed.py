"""A network of two versions: they talk, one daemon is upgraded in place, and the older program refuses a newer database.

Run by scripts/mixed. Three daemons are on loopback: Olga runs the older version, Nina this one, and Uwe the older one until he is
upgraded. Each step prints a line; the first that fails ends it, with the logs kept.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# How long a step may take, in seconds: generous, since the machine may be busy.
PATIENCE = 60
# A file of several chunks and a bit.
FILE_BYTES = 3 * 1024 * 1024 + 17


class Refused(Exception):
    """A request that the daemon has refused."""


def until(what: str, condition):
    """Waits until the condition gives something, and returns that."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.1)


class Daemon:
    """A daemon with a home of its own, and the programs of one version."""

    def __init__(self, name: str, folder: Path, programs: Path, port: int):
        self.name, self.home, self.programs, self.port = name, folder / name.lower(), programs, port
        self.home.mkdir()
        self.place = str(self.home / "s")
        self.environment = {
            "HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "NO_COLOR": "1",
            "XDG_RUNTIME_DIR": str(self.home), "XDG_DOWNLOAD_DIR": str(self.home / "Downloads"),
            "KIBOD_HOST_CONFIG": str(self.home / "host.json5"),
        }
        self.process = None
        self.start()
        self.id = self("account.create", displayName=name)["id"]

    def command(self, programs: Path | None = None) -> list[str]:
        return [
            str((programs or self.programs) / "kibod"), "--data", str(self.home / "data"), "--socket", self.place,
            "--interface", "lo", "--listen", "127.0.0.1:0", "--discovery-port", str(self.port), "--log-level", "info",
        ]

    def start(self, programs: Path | None = None) -> None:
        """Starts the daemon, and returns when it answers. From then on it is of that version."""
        self.programs = programs or self.programs
        with open(self.home / "log", "ab") as log:
            self.process = subprocess.Popen(
                self.command(), env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

        def answers():
            if self.process.poll() is not None:
                raise AssertionError(f"{self.name} has ended with {self.process.returncode}")
            try:
                return self("system.hello", client="mixed", version="1")
            except (OSError, ValueError):
                return None

        until(f"{self.name} to answer", answers)

    def end(self, with_signal: int = signal.SIGTERM) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(with_signal)
            self.process.wait(30)

    def __call__(self, method: str, **params):
        """One request on a connection of its own."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE)
            line.connect(self.place)
            line.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
            answer = json.loads(line.makefile("rb").readline())
        if "error" in answer:
            raise Refused(f"{method} at {self.name}: {answer['error']}")
        return answer["result"]

    def kibo(self, *words: str, programs: Path | None = None) -> str:
        """The command line, by default of the daemon's own version."""
        done = subprocess.run(
            [str((programs or self.programs) / "kibo"), "--socket", self.place, *words], env=self.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0:
            raise AssertionError(f"kibo {' '.join(words)} at {self.name}: {done.returncode} {done.stdout}{done.stderr}")
        return done.stdout

    # What it knows

    def chat(self, other: "Daemon") -> str:
        return self("conversation.open", contact=other.id)["id"]

    def messages(self, conversation: str) -> list[dict]:
        return self("message.list", conversation=conversation, limit=500)["messages"]

    def group(self, name: str) -> dict | None:
        return next((one for one in self("group.list")["groups"] if one["name"] == name), None)

    def everything(self) -> dict:
        """What a user would miss if it were gone, in words that both versions have."""
        chats = []
        for chat in sorted(self("conversation.list")["conversations"], key=lambda one: one["id"]):
            said = [
                {key: one[key] for key in ("id", "sender", "text", "sentAt", "state", "deleted", "editedAt", "replyTo", "reactions")}
                for one in self.messages(chat["id"])
            ]
            chats.append({**{key: chat[key] for key in ("id", "kind", "title", "unread", "pinned")}, "messages": said})
        return {
            "account": {key: self("account.get")[key] for key in ("id", "displayName", "device", "createdAt")},
            "contacts": sorted((one["id"], one["displayName"], one["relation"], one["trust"]) for one in self("contact.list")["contacts"]),
            "groups": sorted((one["id"], one["name"], sorted(m["id"] for m in one["members"])) for one in self("group.list")["groups"]),
            "transfers": sorted((one["id"], one["name"], one["size"], one["state"], one["path"]) for one in self("transfer.list")["transfers"]),
            "setting": self("settings.get", key="messages.readReceipts")["value"],
            "chats": chats,
        }


def step(text: str) -> None:
    print(f"  ✔ {text}", flush=True)


# The story, in pieces

def befriend(asker: Daemon, asked: Daemon) -> None:
    until(f"{asked.name} near {asker.name}", lambda: any(one["account"] == asked.id for one in asker("peer.list")["peers"]))
    asker("contact.request", id=asked.id)
    until("the request", lambda: any(one["id"] == asker.id for one in asked("contact.list", relation="incoming")["contacts"]))
    asked("contact.accept", id=asker.id)
    for one, other in ((asker, asked), (asked, asker)):
        until("the friendship", lambda one=one, other=other: one("contact.get", id=other.id)["relation"] == "friend")


def say(sender: Daemon, receiver: Daemon, text: str) -> str:
    """A message that arrives, is changed, answered, and gets a reaction."""
    chat, theirs = sender.chat(receiver), receiver.chat(sender)
    first = sender("message.send", conversation=chat, text=text)["id"]
    find = lambda daemon, place, id: next((one for one in daemon.messages(place) if one["id"] == id), None)
    until("the receipt", lambda: find(sender, chat, first)["state"] in ("delivered", "read"))
    assert find(receiver, theirs, first)["text"] == text
    sender("message.edit", id=first, text=f"{text}, changed")
    until("the edit", lambda: find(receiver, theirs, first)["text"] == f"{text}, changed")
    receiver("message.react", id=first, emoji="👍")
    until("the reaction", lambda: [one["emoji"] for one in find(sender, chat, first)["reactions"]] == ["👍"])
    answer = receiver("message.send", conversation=theirs, text="An answer", replyTo=first)["id"]
    until("the answer", lambda: (find(sender, chat, answer) or {}).get("replyTo") == first)
    receiver("conversation.markRead", id=theirs, upTo=first)
    until("that it was read", lambda: find(sender, chat, first)["state"] == "read")
    gone = sender("message.send", conversation=chat, text="Not for long")["id"]
    until("the message", lambda: find(receiver, theirs, gone))
    sender("message.delete", id=gone, **{"for": "all"})
    until("the deletion", lambda: find(receiver, theirs, gone)["deleted"])
    return first


def give(sender: Daemon, receiver: Daemon, seed: int, group: str | None = None) -> None:
    """A file that arrives, byte for byte."""
    name = f"from-{sender.name}-{seed}.txt"
    # A text, because only its name tells what it is where there is no kibo-media.
    content = bytes(random.Random(seed).choices(b"abcdefgh \n", k=FILE_BYTES))
    (sender.home / name).write_bytes(content)
    place = {"conversation": group} if group else {"to": receiver.id}
    sender("message.send", files=[str(sender.home / name)], **place)

    def offer():
        return next((one for one in receiver("transfer.list", direction="in")["transfers"] if one["name"] == name), None)

    found = until("the offer", offer)
    if found["state"] == "offered":
        receiver("transfer.accept", id=found["id"])
    done = until("the file", lambda: offer() if offer()["state"] in ("done", "failed") else None)
    assert done["state"] == "done", done
    assert Path(done["path"]).read_bytes() == content, "the file has another content"


def meet(owner: Daemon, others: list[Daemon], name: str) -> None:
    """A group in which each writes to all."""
    made = owner("group.create", name=name, members=[one.id for one in others])
    for one in others:
        until(f"{one.name} in {name}", lambda one=one: (one.group(name) or {}).get("state") == "member")
    del made
    write_in(name, [owner, *others], "Hello from")


def write_in(name: str, members: list[Daemon], word: str) -> None:
    def place(one):
        return one.group(name)["conversation"] or one("conversation.open", group=one.group(name)["id"])["id"]

    for writer in members:
        text = f"{word} {writer.name}"
        writer("message.send", conversation=place(writer), text=text)
        for one in members:
            until(f"“{text}” at {one.name}", lambda one=one, text=text: any(m["text"] == text for m in one.messages(place(one))))


def fingerprints(folder: Path) -> dict:
    """What is in a data folder, but for `lock`, which names the process that had it last."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink() and path.name != "lock"
    }


def version(programs: Path) -> str:
    return subprocess.run([str(programs / "kibod"), "--version"], capture_output=True, text=True, timeout=20).stdout.strip()


def database_version(daemon: Daemon) -> int:
    """The version of the database of a daemon that has ended in good order: SQLite has it in the header."""
    header = (daemon.home / "data" / "kibo.sqlite").read_bytes()[:100]
    return int.from_bytes(header[60:64], "big")


def story(folder: Path, old: Path, new: Path, daemons: list[Daemon]) -> None:
    port = random.randint(20000, 32000)
    print(f"==> Two versions: {version(old)} (older) and {version(new)} (this one)")
    olga, nina, uwe = (Daemon(name, folder, programs, port) for name, programs in (("Olga", old), ("Nina", new), ("Uwe", old)))
    daemons += [olga, nina, uwe]
    befriend(nina, olga)
    befriend(uwe, nina)
    befriend(olga, uwe)
    step("they find each other; each side's request is answered by the other")
    say(olga, nina, "From the older one")
    say(nina, olga, "From the newer one")
    step("messages both ways: receipts, edits, reactions, answers, read marks, deletions for all")
    give(olga, nina, 1)
    give(nina, olga, 2)
    step(f"files of {FILE_BYTES:,} bytes both ways")
    meet(nina, [olga, uwe], "Made by the newer")
    meet(olga, [nina, uwe], "Made by the older")
    step("a group made by either, in which all three write")
    give(nina, olga, 3, group=nina.group("Made by the older")["conversation"])
    give(olga, nina, 4, group=olga.group("Made by the newer")["conversation"])
    step("files in both groups")
    for daemon, programs in ((nina, old), (olga, new)):
        daemon.kibo("status", programs=programs)
        other = olga if daemon is nina else nina
        text = f"By the other command line, at {daemon.name}"
        daemon.kibo("send", other.name, text, "--wait", "delivered", programs=programs)
        assert text in daemon.kibo("read", other.name, programs=programs)
        assert other.name in daemon.kibo("contacts", programs=programs)
    step("each command line with the other version's daemon: status, send, read, contacts")

    print("==> Uwe is upgraded: the new programs on the same data, after kill -9")
    say(uwe, nina, "Before the upgrade")
    give(nina, uwe, 5)
    uwe("conversation.update", id=uwe.chat(nina), pinned=True)
    uwe("settings.set", key="messages.readReceipts", value=False)
    # What waits for a friend who is away has to go out by the newer version.
    olga.end()
    older = database_version(olga)
    late = uwe("message.send", to=olga.id, text="Written before, sent after")["id"]
    before = uwe.everything()
    uwe.end(signal.SIGKILL)
    uwe.start(new)
    after = uwe.everything()
    for key, value in before.items():
        assert after[key] == value, f"{key} is another after the upgrade:\n{value}\n{after[key]}"
    step("account, contacts, groups, messages with their states, transfers and settings are what they were")
    olga.start()
    until("the message from before", lambda: any(one["id"] == late for one in olga.messages(olga.chat(uwe))))
    step("what waited in the older version's outbox has gone out")
    uwe("settings.set", key="messages.readReceipts", value=True)
    say(uwe, olga, "After the upgrade")
    say(olga, uwe, "Good to see you")
    say(nina, uwe, "Welcome")
    give(uwe, olga, 6)
    give(olga, uwe, 7)
    for name in ("Made by the newer", "Made by the older"):
        write_in(name, [uwe, olga, nina], "After it:")
    step("it goes on with both: messages, files, both groups")

    uwe.end()
    newer = database_version(uwe)
    if older == newer:
        print(f"==> The way back: both versions have database {newer}, so there is nothing to be refused")
        return
    print(f"==> The way back, from database {newer} to {older}, is refused")
    data = uwe.home / "data"
    untouched = fingerprints(data)
    refused = subprocess.run(uwe.command(old), env=uwe.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    said = (refused.stdout + refused.stderr).strip().splitlines()
    assert refused.returncode != 0, "the older program has taken the newer data"
    assert any("newer" in line for line in said), f"it doesn't say why: {said}"
    assert fingerprints(data) == untouched, "it has changed the data"
    step(f"the older kibod ends with {refused.returncode}: {said[-1]}")
    uwe.start(new)
    assert {key: uwe.everything()[key] for key in ("account", "contacts", "groups")} == {
        key: after[key] for key in ("account", "contacts", "groups")}
    say(uwe, olga, "Still here")
    step("no file was changed, and the newer one goes on")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--old", required=True, type=Path, help="where the older kibod and kibo are")
    parser.add_argument("--new", required=True, type=Path, help="where those of this version are")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="kibo-mixed."))
    daemons: list[Daemon] = []
    begin = time.monotonic()
    try:
        story(folder, chosen.old.resolve(), chosen.new.resolve(), daemons)
    except BaseException:
        print(f"    kept: {folder}", file=sys.stderr)
        raise
    finally:
        for daemon in daemons:
            daemon.end(signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)
    print(f"    All of it took {time.monotonic() - begin:.0f} s.")


if __name__ == "__main__":
    main()
