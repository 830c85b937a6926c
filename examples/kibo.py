"""Speaks with kibod: what a bot in Python needs, in one file without anything to install. echo_bot.py and bridge.py use it.

A bot calls serve() with a name. The daemon remembers by that name how far the bot has come, so that it misses nothing while it does not
run. An event may come a second time, if the bot or the daemon was killed before it was acknowledged: a handler sends with a key of its
own (message.send, `key`), and nothing is sent twice.
"""

import json
import os
import pwd
import socket
import stat
import sys
import time
from typing import Callable, Iterator, Optional

PAUSE = 1.0


class Refused(Exception):
    """The daemon has refused a request. docs/CONTROL-API.md lists the kinds."""

    def __init__(self, method: str, error: dict):
        super().__init__(f"{method}: {error['message']}")
        data = error.get("data") or {}
        self.kind = data.get("kind")
        # Whether the same request may succeed later: the account is locked, the disk is full.
        self.retryable = bool(data.get("retryable"))


class Daemon:
    """A connection to kibod: requests go out, replies come back, events wait until they are asked for."""

    def __init__(self, path: Optional[str] = None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path or place())
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.events, self.last = [], 0

    def close(self) -> None:
        self.lines.close()
        self.socket.close()

    def receive(self) -> dict:
        line = self.lines.readline()
        if not line.endswith("\n"):
            raise ConnectionError("the daemon has ended")
        return json.loads(line)

    def call(self, method: str, **params):
        """The result of a request; raises Refused."""
        self.last += 1
        request = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise Refused(method, answer["error"])
                return answer["result"]
            if answer.get("method") == "event":
                self.events.append(answer["params"])

    def event(self) -> dict:
        """The next event of the subscriptions of this connection."""
        while not self.events:
            answer = self.receive()
            if answer.get("method") == "event":
                self.events.append(answer["params"])
        return self.events.pop(0)

    def pages(self, method: str, field: str, **params) -> Iterator[dict]:
        """All objects of a list that goes on with `next`."""
        before = {}
        while True:
            page = self.call(method, limit=500, **before, **params)
            yield from page[field]
            if "next" not in page:
                return
            before = {"before": page["next"]}

    def recent(self, days: int = 30) -> Iterator[dict]:
        """The messages that came in the last days, the oldest first: what a bot looks at again after a gap. Keys are remembered for 90
        days, so that nothing is sent twice."""
        since = (time.time() - days * 86400) * 1000
        found = []
        for message in self.pages("message.recent", "messages"):
            if (message["receivedAt"] or message["sentAt"]) < since:
                break
            found.append(message)
        yield from reversed(found)


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def insist(action: Callable, *arguments) -> None:
    """Does something until it succeeds, or until the daemon refuses it for good: that is logged."""
    while True:
        try:
            return action(*arguments)
        except Refused as refusal:
            if not refusal.retryable:
                return log(f"left out: {refusal}")
            log(f"{refusal}; trying again")
            time.sleep(PAUSE)


def serve(
        consumer: str, types: list, handle: Callable[[Daemon, dict], None], missed: Callable[[Daemon], None],
        path: Optional[str] = None) -> None:
    """Hands each event of these types to `handle`, in order, and acknowledges it then. It ends with Ctrl-C only.

    After a gap (the bot was away for more than 30 days, or an old copy of the data was put back) the daemon can't say what was missed:
    `missed` looks at what came lately instead, see Daemon.recent(). Whatever both raise but Refused ends the bot.
    """
    try:
        while True:
            daemon = None
            try:
                daemon = Daemon(path)
                follow(daemon, consumer, types, handle, missed)
            except (OSError, Refused) as error:
                log(f"{error}; trying again")
                time.sleep(PAUSE)
            finally:
                if daemon:
                    daemon.close()
    except KeyboardInterrupt:
        pass


def follow(daemon: Daemon, consumer: str, types: list, handle: Callable, missed: Callable) -> None:
    epoch = daemon.call("events.subscribe", consumer=consumer, types=types, ephemeral=False)["epoch"]
    print("ready", flush=True)
    while True:
        event = daemon.event()
        if event["type"] == "gap":
            insist(missed, daemon)
            last = event["data"]["to"]
        else:
            insist(handle, daemon, event)
            last = event["seq"]
        try:
            daemon.call("events.ack", consumer=consumer, seq=last, epoch=epoch)
        except Refused as refusal:
            # The end of a gap may be a number of another log. Then it comes again at the next start.
            log(f"not acknowledged: {refusal}")


def is_own(directory: str, others: int) -> bool:
    """Whether it is there, belongs to this user, and has none of these permissions for others."""
    try:
        found = os.lstat(directory)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & others


def place() -> str:
    """The daemon's socket, where docs/CONTROL-API.md says that a client looks for it."""
    if named := os.environ.get("KIBO_SOCKET"):
        return named
    uid = os.getuid()
    usual, chosen = f"/run/user/{uid}", os.environ.get("XDG_RUNTIME_DIR", "")
    # Where everybody may write, and in the folder of another user, somebody else may answer.
    is_chosen = chosen.startswith("/") and (not os.path.exists(chosen) or is_own(os.path.realpath(chosen), 0o002))
    runtime = chosen if is_chosen else usual
    folders = [f"{runtime}/kibo"]
    if runtime == usual and uid != 0 and is_own(f"/tmp/kibo-{uid}", 0o077):
        folders.append(f"/tmp/kibo-{uid}")
    folders += ["/run/kibo-0"] if uid == 0 else []
    folders.append(f"/run/kibo/{pwd.getpwuid(uid).pw_name}")
    sockets = [f"{folder}/kibod.sock" for folder in folders]
    return next(filter(os.path.exists, sockets), sockets[0])
