#!/usr/bin/env python3
"""Mirrors two groups into each other, with edits and deletions: bridge.py STATE GROUP GROUP

Its account is a member of both. STATE is a file, made at the first start, that holds which message stands for which. GROUP is a name
with a colon before it, or an id. Two bridges must not join the same groups: they would mirror each other.
"""

import sqlite3
import sys
import time

import kibo

NAME = "bridge"


class Bridge:
    def __init__(self, state: str, groups: list):
        self.groups = groups
        self.other = {}
        self.state = sqlite3.connect(state, isolation_level=None)
        self.state.execute("CREATE TABLE IF NOT EXISTS begin (at INTEGER)")
        self.state.execute("CREATE TABLE IF NOT EXISTS mirror (source TEXT PRIMARY KEY, copy TEXT, text TEXT)")
        if not self.state.execute("SELECT at FROM begin").fetchone():
            self.state.execute("INSERT INTO begin VALUES (?)", (int(time.time() * 1000),))
        self.begin = self.state.execute("SELECT at FROM begin").fetchone()[0]

    def open(self, daemon: kibo.Daemon) -> None:
        """Finds the two conversations. A name is looked up once: a group that takes the same name later means nothing."""
        if self.other:
            return
        ids = []
        for group in self.groups:
            named = daemon.call("name.resolve", name=group, strict=True, **{"for": "group"})
            ids.append(named.get("conversation") or daemon.call("conversation.open", group=named["id"])["id"])
        self.other = {ids[0]: ids[1], ids[1]: ids[0]}

    def copy(self, message: str):
        """The message that stands for another one in the other group, and its text; the text is null if it is deleted."""
        return self.state.execute("SELECT copy, text FROM mirror WHERE source = ?", (message,)).fetchone()

    def note(self, source: str, copy: str, text) -> None:
        self.state.execute("INSERT OR REPLACE INTO mirror VALUES (?, ?, ?)", (source, copy, text))

    def text(self, message: dict) -> str:
        files = [f"[{file['name']}]" for file in message["attachments"]]
        return f"{message['senderName']}: " + " ".join(files + [message["text"]]).rstrip()

    def mirror(self, daemon: kibo.Daemon, message: dict) -> None:
        """Makes the other group show what this message says now. It may be called again at any time."""
        self.open(daemon)
        target = self.other.get(message["conversation"])
        # What came before the bridge did stays where it is, and its own messages are the copies. What Kibo itself says of
        # one group is no news in the other.
        if target is None or message["kind"] == "system" or message["receivedAt"] is None or message["receivedAt"] < self.begin:
            return
        known = self.copy(message["id"])
        if message["deleted"]:
            if known and known[1] is not None:
                daemon.call("message.delete", id=known[0], **{"for": "all"})
                self.note(message["id"], known[0], None)
            return
        text = self.text(message)
        if known is None:
            answered = self.answered(message["replyTo"]) if message["replyTo"] else {}
            sent = daemon.call(
                "message.send", conversation=target, text=text, key="bridge-" + message["id"], **answered)
            # The state may be older than the copy, if the bridge was killed in between.
            known = (sent["id"], sent["text"])
            self.note(message["id"], *known)
        if known[1] is not None and known[1] != text:
            daemon.call("message.edit", id=known[0], text=text)
            self.note(message["id"], known[0], text)

    def answered(self, message: str) -> dict:
        """What a copy answers: a copy, or what a copy stands for."""
        known = self.copy(message)
        source = self.state.execute("SELECT source FROM mirror WHERE copy = ?", (message,)).fetchone()
        found = known or source
        return {"replyTo": found[0]} if found else {}

    def handle(self, daemon: kibo.Daemon, event: dict) -> None:
        # Receipts and reactions change a message, too.
        if event["type"] == "message.added" or {"text", "deleted"} & set(event.get("changed", ["text"])):
            self.mirror(daemon, event["data"])

    def missed(self, daemon: kibo.Daemon) -> None:
        for message in daemon.recent():
            kibo.insist(self.mirror, daemon, message)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: bridge.py STATE GROUP GROUP")
    bridge = Bridge(sys.argv[1], sys.argv[2:])
    kibo.serve(NAME, ["message.added", "message.changed"], bridge.handle, bridge.missed)
