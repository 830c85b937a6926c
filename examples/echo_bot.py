#!/usr/bin/env python3
"""Answers every text that a friend writes: echo_bot.py [SOCKET]

The daemon remembers by the consumer's name how far this program has come, and by the key of a message that it was sent
already. So an answer is neither missed nor sent twice, whatever is killed when.
"""

import json
import os
import pwd
import socket
import stat
import sys
import time

NAME = "echo-bot"


class Daemon:
    """A connection to kibod: requests go out, replies come back, events wait until they are asked for."""

    def __init__(self, path: str):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.events, self.last = [], 0

    def receive(self) -> dict:
        line = self.lines.readline()
        if not line:
            raise ConnectionError("the daemon has ended")
        return json.loads(line)

    def call(self, method: str, **params):
        self.last += 1
        request = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if answer.get("method") == "event":
                self.events.append(answer["params"])

    def event(self) -> dict:
        while not self.events:
            answer = self.receive()
            if answer.get("method") == "event":
                self.events.append(answer["params"])
        return self.events.pop(0)


def answer(daemon: Daemon, message: dict, own: str) -> None:
    # An answer is not answered: two such bots would never end.
    if message["sender"] == own or message["kind"] != "text" or message["replyTo"]:
        return
    if daemon.call("conversation.get", id=message["conversation"])["kind"] != "direct":
        return
    daemon.call(
        "message.send", conversation=message["conversation"], text=message["text"], replyTo=message["id"],
        key="echo-" + message["id"])


def run(path: str) -> None:
    daemon = Daemon(path)
    own = daemon.call("system.hello", client=NAME, version="1")["account"]
    epoch = daemon.call("events.subscribe", consumer=NAME, types=["message.added"])["epoch"]
    print("ready", flush=True)
    while True:
        event = daemon.event()
        if event["type"] == "message.added":
            try:
                answer(daemon, event["data"], own)
            except RuntimeError as error:
                print(f"not answered: {error}", file=sys.stderr)
        if event.get("seq") is not None:
            daemon.call("events.ack", consumer=NAME, seq=event["seq"], epoch=epoch)


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


if __name__ == "__main__":
    while True:
        try:
            run(sys.argv[1] if len(sys.argv) > 1 else place())
        except (ConnectionError, FileNotFoundError) as error:
            print(f"{error}; trying again", file=sys.stderr)
            time.sleep(1)
        except KeyboardInterrupt:
            break
