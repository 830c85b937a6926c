"""Takes pictures of kibo in a terminal, as SVG: pictures.py PROGRAMS FOLDER

Two real daemons run on loopback; tmux is the terminal, and what it shows is written as text with colours. Run by
scripts/pictures, which gives it a network of its own.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS = 86
# The size of a cell, in the units of the picture.
WIDTH, HEIGHT = 8.4, 18
COLOURS = ["#3b4048", "#e06c75", "#7fbf6a", "#d9b25f", "#61afef", "#c678dd", "#4fb5c0", "#d7dae0"]
BRIGHT = ["#7f848e", "#ff7b86", "#98d982", "#f0cb78", "#7cc4ff", "#da96ee", "#67d3de", "#ffffff"]
PAPER, INK = "#1e2127", "#d7dae0"


class Style:
    def __init__(self):
        self.ink, self.paper, self.bold, self.dim, self.reverse, self.italic, self.line = None, None, False, False, False, False, False

    def apply(self, codes: list[int]) -> None:
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.__init__()
            elif code in (1, 2, 3, 4, 7):
                setattr(self, {1: "bold", 2: "dim", 3: "italic", 4: "line", 7: "reverse"}[code], True)
            elif code == 22:
                self.bold = self.dim = False
            elif code in (23, 24, 27):
                setattr(self, {23: "italic", 24: "line", 27: "reverse"}[code], False)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.ink = (BRIGHT if code >= 90 else COLOURS)[code % 10]
            elif 40 <= code <= 47:
                self.paper = COLOURS[code - 40]
            elif code in (39, 49):
                setattr(self, "ink" if code == 39 else "paper", None)
            elif code in (38, 48) and codes[:1] == [5]:
                number = codes[1]
                del codes[:2]
                colour = (COLOURS + BRIGHT)[number] if number < 16 else "#8a8f98" if number >= 232 else INK
                setattr(self, "ink" if code == 38 else "paper", colour)

    def attributes(self) -> tuple[str, str | None]:
        ink, paper = self.ink or INK, self.paper
        if self.reverse:
            ink, paper = paper or PAPER, ink
        out = f'fill="{ink}"'
        out += ' font-weight="bold"' if self.bold else ""
        out += ' opacity="0.6"' if self.dim else ""
        out += ' font-style="italic"' if self.italic else ""
        out += ' text-decoration="underline"' if self.line else ""
        return out, paper


def cells(character: str) -> int:
    point = ord(character)
    if 0x300 <= point <= 0x36F or point in (0x200D, 0xFE0E, 0xFE0F):
        return 0
    return 2 if 0x1100 <= point <= 0x115F or 0x2E80 <= point <= 0xA4CF or 0xAC00 <= point <= 0xD7A3 or 0x1F300 <= point <= 0x1FAFF else 1


def svg(screen: str, title: str) -> str:
    lines = screen.rstrip("\n").split("\n")
    width, height = COLUMNS * WIDTH + 24, len(lines) * HEIGHT + 54
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="ui-monospace, \'DejaVu Sans Mono\', '
        f'Menlo, Consolas, monospace" font-size="14" role="img" aria-label="{html.escape(title)}">',
        f'<rect width="{width:g}" height="{height:g}" rx="9" fill="{PAPER}"/>',
        *(f'<circle cx="{20 + 18 * index}" cy="18" r="6" fill="{colour}"/>' for index, colour in enumerate(["#e06c75", "#d9b25f", "#7fbf6a"])),
        f'<text x="{width / 2:g}" y="23" fill="#8a8f98" text-anchor="middle">{html.escape(title)}</text>',
    ]
    style = Style()
    for row, line in enumerate(lines):
        column, y = 0, 56 + row * HEIGHT
        for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
            if piece.startswith("\x1b["):
                style.apply([int(code or 0) for code in piece[2:-1].split(";")])
                continue
            # A terminal may turn to its character set for lines and back.
            piece = re.sub(r"\x1b[()][0-9A-Z]|[\x0e\x0f]", "", piece)
            size = sum(cells(character) for character in piece)
            if not piece:
                continue
            attributes, paper = style.attributes()
            x = 12 + column * WIDTH
            if paper:
                out.append(f'<rect x="{x:g}" y="{y - 14}" width="{size * WIDTH:g}" height="{HEIGHT}" fill="{paper}"/>')
            if piece.strip():
                lead = len(piece) - len(piece.lstrip())
                text = piece.strip()
                length = sum(cells(character) for character in text) * WIDTH
                out.append(
                    f'<text x="{x + lead * WIDTH:g}" y="{y}" textLength="{length:g}" lengthAdjust="spacingAndGlyphs" '
                    f'xml:space="preserve" {attributes}>{html.escape(text)}</text>')
            column += size
    return "\n".join(out + ["</svg>", ""])


class Stage:
    """Anna and Ben, each with a daemon, and a terminal."""

    def __init__(self, programs: Path, folder: Path):
        self.programs, self.folder, self.daemons, self.terminals = programs, folder, [], 0
        for name in ("anna", "ben"):
            home = folder / name
            (home / "Downloads").mkdir(parents=True)
            self.daemons.append(subprocess.Popen(
                [str(programs / "kibod"), "--data", str(home / "data"), "--socket", str(home / "s"), "--interface", "lo",
                 "--listen", "127.0.0.1:0", "--discovery-port", "23426"],
                env={"HOME": str(home), "PATH": "/usr/bin:/bin", "XDG_DOWNLOAD_DIR": str(home / "Downloads"), "XDG_RUNTIME_DIR": str(home)},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def kibo(self, name: str, *words: str, check: bool = True) -> str:
        done = subprocess.run(
            [str(self.programs / "kibo"), "--socket", str(self.folder / name / "s"), *words], capture_output=True, text=True, timeout=60,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(self.folder / name)})
        if check and done.returncode:
            raise RuntimeError(f"kibo {words}: {done.stderr}")
        return done.stdout

    def until(self, name: str, words: list[str], wanted: str) -> None:
        for _ in range(200):
            if wanted in self.kibo(name, *words, check=False):
                return
            time.sleep(0.1)
        raise RuntimeError(f"{wanted} does not show in kibo {words}:\n{self.shown()}")

    def open(self, rows: int) -> None:
        """A terminal in which kibo is Anna's."""
        home = self.folder / "anna"
        environment = [
            "env", "-i", f"HOME={home}", f"PATH={self.programs}:/usr/bin:/bin", "LANG=C.UTF-8", "TERM=screen-256color", f"KIBO_SOCKET={home}/s",
            "PS1=\\[\\e[1;32m\\]anna@desk\\[\\e[0m\\]:~$ ",
        ]
        if self.terminals:
            subprocess.run(self.tmux + ["kill-server"], capture_output=True)
        self.terminals += 1
        self.tmux = ["tmux", "-S", f"{self.folder}/tmux{self.terminals}", "-f", "/dev/null"]
        subprocess.run(
            self.tmux + ["new-session", "-d", "-x", str(COLUMNS), "-y", str(rows), *environment, "bash", "--norc", "--noprofile"], check=True, cwd=home)
        subprocess.run(self.tmux + ["set", "-g", "status", "off"], check=True)
        self.until_shown("~$")

    def shown(self) -> str:
        return subprocess.run(self.tmux + ["capture-pane", "-p"], capture_output=True, text=True, check=True).stdout

    def until_shown(self, wanted: str) -> None:
        for _ in range(300):
            if wanted in self.shown():
                return
            time.sleep(0.1)
        raise RuntimeError(f"the terminal does not show {wanted}:\n{self.shown()}")

    def type(self, text: str, wanted: str = "$ ") -> None:
        subprocess.run(self.tmux + ["send-keys", "-l", text], check=True)
        subprocess.run(self.tmux + ["send-keys", "Enter"], check=True)
        time.sleep(0.4)
        for _ in range(300):
            lines = self.shown().rstrip().split("\n")
            is_typed = text == "clear" or any(text[:40] in line for line in lines)
            if is_typed and (lines[-1].endswith("~$") if wanted == "$ " else any(wanted in line for line in lines)):
                return
            time.sleep(0.1)
        raise RuntimeError(f"the terminal does not show {wanted}:\n{self.shown()}")

    def picture(self, path: Path, title: str) -> None:
        time.sleep(0.5)
        screen = subprocess.run(self.tmux + ["capture-pane", "-p", "-e"], capture_output=True, text=True, check=True).stdout
        path.write_text(svg(screen, title), encoding="utf-8")
        print(path)

    def close(self) -> None:
        if self.terminals:
            subprocess.run(self.tmux + ["kill-server"], capture_output=True)
        for daemon in self.daemons:
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait(30)


def main() -> None:
    programs, images = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    folder = Path(tempfile.mkdtemp(dir="/tmp", prefix="k."))
    stage = Stage(programs, folder)
    try:
        for name in ("anna", "ben"):
            for _ in range(100):
                if (folder / name / "s").exists():
                    break
                time.sleep(0.1)
        stage.kibo("ben", "setup", "--name", "Ben")
        stage.open(22)
        stage.type("clear")
        stage.type('kibo setup --name Anna')
        stage.until("anna", ["peers"], "Ben")
        stage.type("kibo peers")
        stage.type("kibo add Ben")
        stage.until("ben", ["requests"], "Anna")
        stage.kibo("ben", "accept", "Anna")
        stage.until("anna", ["contacts"], "friend")
        stage.type('kibo send Ben "Are you coming to lunch?" --wait delivered')
        stage.picture(images / "terminal-first.svg", "The first message")

        stage.kibo("ben", "send", "Anna", "In five minutes. Did the drawings come through?")
        drawing = folder / "anna" / "ground-floor.pdf"
        drawing.write_bytes(b"%PDF-1.4\n% a drawing\n" + b"0" * 240_000 + b"\n%%EOF\n")
        stage.kibo("anna", "send", "Ben", "Here they are, with the stairs moved.", "--file", str(drawing))
        stage.until("ben", ["transfers"], "done")
        stage.kibo("ben", "send", "Anna", "Got them, thank you! The stairs look much better there.")
        page = json.loads(stage.kibo("ben", "--json", "read", "Anna"))
        last = [message for message in page["messages"] if "stairs moved" in message["text"]][0]
        stage.kibo("ben", "react", last["id"], "👍")
        stage.open(15)
        subprocess.run(stage.tmux + ["send-keys", "-l", "kibo chat Ben"], check=True)
        subprocess.run(stage.tmux + ["send-keys", "Enter"], check=True)
        stage.until_shown("much better there")
        subprocess.run(stage.tmux + ["send-keys", "-l", "See you at the"], check=True)
        stage.picture(images / "terminal-chat.svg", "kibo chat Ben")

        # How many lines its findings take depends on the paths in them.
        stage.open(20)
        stage.type("clear")
        stage.type("kibo doctor", "seems to be")
        stage.picture(images / "terminal-doctor.svg", "kibo doctor")
    finally:
        stage.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    os.umask(0o077)
    main()
