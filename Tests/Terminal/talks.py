"""Drives kibo chat as a user at a terminal would, with real daemons of Anna, whose terminal it is, and Ben."""

import argparse
import json
import os
import pathlib
import signal
import socket
import sys
import time

from terminal import TIMEOUT, Terminal, Wrong

PASTE = "\x1b[200~{}\x1b[201~"


class Control:
    """JSON-RPC, one request after the other."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")
        self.number = 0
        self.events = []

    def event(self):
        """The object of the next event."""
        return self.events.pop(0) if self.events else json.loads(self.lines.readline())["params"]["data"]

    def call(self, method, **params):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while "id" not in (reply := json.loads(self.lines.readline())):
            self.events.append(reply["params"]["data"])
        if "error" in reply:
            raise Wrong(f"{method}: {reply['error']}")
        return reply["result"]


def wait(what, condition):
    end = time.monotonic() + TIMEOUT
    while not condition():
        if time.monotonic() > end:
            raise Wrong(f"did not happen: {what}")
        time.sleep(0.02)


class Talk:
    def __init__(self, options):
        self.options = options
        self.ben = Control(options.other)
        self.anna = self.ben.call("contact.list")["contacts"][0]["id"]
        self.chat = self.ben.call("conversation.open", contact=self.anna)["id"]

    def start(self, **size):
        environment = {"PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
        command = [self.options.kibo, "--socket", self.options.socket, "chat", "Ben"]
        terminal = Terminal(command, environment, **size)
        terminal.see("the bar with Ben's name", lambda screen: screen.lines[0].startswith(" Ben"))
        return terminal

    def say(self, text):
        """Sends a message from Ben."""
        return self.ben.call("message.send", conversation=self.chat, text=text)

    def texts(self):
        """The texts that Ben has."""
        return [m["text"] for m in self.ben.call("message.list", conversation=self.chat, limit=500)["messages"]]

    def run(self):
        for step in (self.converse, self.scroll, self.restart, self.leave):
            print(f"* {step.__doc__}", flush=True)
            step()

    def converse(self):
        """A message is sent and delivered, one comes in while another is being written, and both change later."""
        terminal = self.start()
        terminal.see_text("Ben · online")
        events = Control(self.options.other)
        events.call("events.subscribe", types=["typing.changed"])
        terminal.type("Hello, 日本\r")
        terminal.see_text("Hello, 日本  delivered")
        self.ben.call("typing.set", conversation=self.chat, typing=True)
        terminal.see_text("Ben is typing")
        terminal.type("half a li")
        while not events.event()["typing"]:
            pass  # This skips the end of typing of the previous line.
        first = self.say("right in between")
        terminal.see("what came in, above the line that is half written",
                     lambda s: "right in between" in s.text and s.lines[-1] == "> half a li")
        if terminal.screen.column != len("> half a li"):
            raise Wrong(f"the cursor is at {terminal.screen.column}")
        terminal.type("ne\x01A \x05!\r")
        terminal.see_text("A half a line!  delivered")
        # The text on the screen has been read.
        wait("Ben's message to be read", lambda: self.ben.call("message.get", id=first["id"])["state"] == "read")
        self.ben.call("message.edit", id=first["id"], text="right after all")
        terminal.see_text("right after all  (edited)")
        self.ben.call("message.react", id=first["id"], emoji="🎉")
        terminal.see_text("🎉 Ben")
        self.ben.call("message.delete", id=first["id"], **{"for": "all"})
        terminal.see_text("(deleted)")
        terminal.resize(50, 14)
        terminal.see("a picture that fits", lambda s: s.lines[0].startswith(" Ben") and s.lines[-1] == ">"
                     and "A half a line!" in s.text)
        terminal.resize(100, 30)
        terminal.see("a picture that fits", lambda s: s.lines[0].endswith("/help") and s.lines[-1] == ">")
        # A paste of several lines is one message, and not a command.
        terminal.type(PASTE.format("one\r\n/quit\rthree"))
        terminal.see("the paste", lambda s: s.lines[-3:] == ["> one", "  /quit", "  three"])
        terminal.type("\r")
        wait("the paste to be one message", lambda: "one\n/quit\nthree" in self.texts())
        # A stranger's text has no effect here; the emulated screen would refuse it.
        self.say("\x1b]0;gotcha\x07\x1b[2J\x9b2J\r\nforged\u202e")
        terminal.see_text("\\u{1b}]0;gotcha\\u{7}", "forged\\u{202e}")
        # It does not stop, because no shell could continue it.
        terminal.type("\x1a")
        terminal.see_text("A half a line!")
        terminal.type("still here\r")
        terminal.see_text("still here  delivered")
        terminal.type("\x04")
        terminal.end(0)

    def scroll(self):
        """Older messages come in pages, and new ones don't move the visible part."""
        for number in range(250):
            self.say(f"number {number}.")
        terminal = self.start(columns=60, rows=20)
        terminal.see_text("number 249.")
        for _ in range(40):
            terminal.type("\x1b[5~")
            terminal.pump(0.05)
        terminal.see_text("the beginning", "Hello, 日本")
        self.say("further down")
        terminal.see_text("1 new below", "the beginning")
        terminal.type("\x1b")
        terminal.see_text("further down")
        terminal.type("\x03")
        terminal.end(0)

    def restart(self):
        """The daemon is killed and restarted: messages written meanwhile are sent once, and each is shown once."""
        terminal = self.start()
        terminal.see_text("further down")
        terminal.type("half")
        folder = pathlib.Path(self.options.directory)
        (folder / "kill").touch()
        terminal.see_text("The daemon isn't running")
        terminal.type(" and half\r")
        self.say("said while away")
        (folder / "start").touch()
        terminal.see_text("half and half  delivered", "said while away")
        terminal.pump(0.5)
        for text in ("half and half", "said while away"):
            if terminal.screen.text.count(text) != 1 or self.texts().count(text) != 1:
                raise Wrong(f"not once: {text}\n{terminal.screen.text}")
        terminal.type("/quit\r")
        terminal.end(0)

    def leave(self):
        """Signals end the chat and restore the terminal, even with a half-written line."""
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE):
            terminal = self.start()
            terminal.type("half a li")
            terminal.see("the line", lambda s: s.lines[-1] == "> half a li")
            terminal.signal(number)
            terminal.end(0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kibo", required=True, help="the command line")
    parser.add_argument("--socket", required=True, help="Anna's daemon")
    parser.add_argument("--other", required=True, help="Ben's daemon")
    parser.add_argument("--directory", required=True, help="where files ask for Anna's daemon to be killed and started")
    try:
        Talk(parser.parse_args()).run()
    except Wrong as error:
        sys.exit(str(error))
