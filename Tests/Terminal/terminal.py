"""A program in a pseudo-terminal, with an emulated screen. Only the sequences that Kibo writes are understood;
anything else is an error, so that a control sequence in a stranger's text would be detected."""

import codecs
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unicodedata

TIMEOUT = 20  # Seconds for anything to be seen.

SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")
MODES = {"1049", "2004", "7", "25"}


class Wrong(Exception):
    """The screen or the program is not as expected."""


class Screen:
    """Rows of characters, drawn at absolute positions."""

    def __init__(self, columns, rows):
        self.modes = set()
        self.resize(columns, rows)
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.pending = ""
        self.bells = 0

    def resize(self, columns, rows):
        self.columns, self.height = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0

    def feed(self, data):
        text = self.pending + self.decoder.decode(data)
        self.pending = ""
        place = 0
        while place < len(text):
            if text[place] == "\x1b":
                found = SEQUENCE.match(text, place)
                if not found:
                    if len(text) - place > 32:
                        raise Wrong(f"a sequence that Kibo does not write: {text[place:place + 32]!r}")
                    self.pending = text[place:]
                    return
                self.obey(*found.groups())
                place = found.end()
            else:
                self.put(text[place])
                place += 1

    def obey(self, private, numbers, letter):
        if private and letter in "hl" and numbers in MODES:
            (self.modes.add if letter == "h" else self.modes.discard)(numbers)
        elif letter == "H" and not private:
            row, column = (int(number) for number in numbers.split(";"))
            self.row, self.column = row - 1, column - 1
        elif letter == "J" and numbers == "2":
            self.cells = [[" "] * self.columns for _ in range(self.height)]
        elif letter == "K" and numbers == "2":
            if self.row < self.height:
                self.cells[self.row] = [" "] * self.columns
        elif letter != "m" or private:
            raise Wrong(f"a sequence that Kibo does not write: {private}{numbers}{letter}")

    def put(self, character):
        if character == "\x07":
            self.bells += 1
            return
        if ord(character) < 0x20 or 0x7F <= ord(character) <= 0x9F:
            # Before and after the program the terminal is in its usual mode, in which it may print control characters.
            if "1049" in self.modes:
                raise Wrong(f"a control character on the screen: {character!r}")
            return
        width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if unicodedata.combining(character) or "1049" not in self.modes:
            return
        if self.row >= self.height or self.column + width > self.columns:
            # The program drew for the earlier size; it draws again at once.
            return
        self.cells[self.row][self.column] = character
        if width == 2:
            self.cells[self.row][self.column + 1] = ""
        self.column += width

    @property
    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    @property
    def text(self):
        return "\n".join(self.lines)


class Terminal:
    """A program that runs in a terminal."""

    def __init__(self, arguments, environment, columns=80, rows=24):
        self.master, self.slave = os.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.screen = Screen(columns, rows)
        self.set_size(columns, rows)
        self.process = subprocess.Popen(
            arguments, stdin=self.slave, stdout=self.slave, stderr=self.slave, env=environment, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def set_size(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        self.pump(0.2)
        self.screen.resize(columns, rows)
        self.set_size(columns, rows)

    def type(self, text):
        data = text.encode()
        while data:
            data = data[os.write(self.master, data):]

    def pump(self, seconds):
        """Reads the program's output for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.master], [], [], left)[0]:
                self.screen.feed(os.read(self.master, 65536))

    def see(self, what, condition):
        """Waits until the screen meets a condition."""
        end = time.monotonic() + TIMEOUT
        while not condition(self.screen):
            if time.monotonic() > end or self.process.poll() is not None:
                raise Wrong(f"not seen: {what}\n{self.screen.text}")
            self.pump(0.02)

    def see_text(self, *texts):
        self.see(" and ".join(repr(text) for text in texts), lambda screen: all(t in screen.text for t in texts))

    def signal(self, number):
        os.kill(self.process.pid, number)

    def end(self, code):
        """Checks that the program ends by itself with that code and restores the terminal."""
        try:
            self.pump(0.1)
            found = self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            raise Wrong(f"it does not end\n{self.screen.text}") from None
        finally:
            self.process.kill()
        self.pump(0.1)
        if found != code:
            raise Wrong(f"it ended with {found}, not {code}")
        if termios.tcgetattr(self.slave) != self.before:
            raise Wrong("the terminal's settings are not as they were")
        if self.screen.modes - {"7", "25"} or not {"7", "25"} <= self.screen.modes:
            raise Wrong(f"the terminal's modes are not as they were: {sorted(self.screen.modes)}")


def hang_up(terminal):
    """Sends the signal of a closed window."""
    terminal.signal(signal.SIGHUP)
