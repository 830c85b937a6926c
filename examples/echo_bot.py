#!/usr/bin/env python3
"""Answers every text that a friend writes: echo_bot.py [SOCKET]

The daemon remembers by the consumer's name how far this program has come, and by the key of a message that it was sent
already. So an answer is neither missed nor sent twice, whatever is killed when.
"""

import json
import os
import socket
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


if __name__ == "__main__":
    runtime = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    place = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("KIBO_SOCKET", f"{runtime}/kibo/kibod.sock")
    while True:
        try:
            run(place)
        except (ConnectionError, FileNotFoundError) as error:
            print(f"{error}; trying again", file=sys.stderr)
            time.sleep(1)
        except KeyboardInterrupt:
            break
