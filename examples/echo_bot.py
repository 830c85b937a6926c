#!/usr/bin/env python3
"""Answers every text that a friend writes: echo_bot.py [SOCKET]

An answer has a key that is made of the message's id. So it is neither missed nor sent twice, whatever is killed when.
"""

import sys

import kibo


def answer(daemon: kibo.Daemon, message: dict) -> None:
    own = daemon.call("account.get")["id"]
    # An answer is not answered: two such bots would never end.
    if message["sender"] == own or message["kind"] != "text" or message["replyTo"] or message["deleted"]:
        return
    if daemon.call("conversation.get", id=message["conversation"])["kind"] != "direct":
        return
    daemon.call(
        "message.send", conversation=message["conversation"], text=message["text"], replyTo=message["id"],
        key="echo-" + message["id"])


def missed(daemon: kibo.Daemon) -> None:
    for message in daemon.recent():
        kibo.insist(answer, daemon, message)


if __name__ == "__main__":
    kibo.serve(
        "echo-bot", ["message.added"], lambda daemon, event: answer(daemon, event["data"]), missed,
        path=sys.argv[1] if len(sys.argv) > 1 else None)
