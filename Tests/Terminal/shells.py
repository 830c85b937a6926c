"""Completes command lines in real shells, as a user would with the Tab key. A program named kibo stands in their path: it
lets `kibo completions` through, and writes the words of any other command line into a file, which are then compared."""

import argparse
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import time

TIMEOUT = 20  # Seconds for anything to happen.
PROMPT = b"ready> "
MORE = b"more> "  # A quote is still open.


class Wrong(Exception):
    """The shell is not as expected."""


class Shell:
    """A shell in a pseudo-terminal, with the completions of kibo loaded."""

    def __init__(self, name, options):
        self.name = name
        self.home = pathlib.Path(options.directory) / name
        self.home.mkdir()
        self.words = self.home / "words"
        programs = self.home / "bin"
        programs.mkdir()
        kibo = programs / "kibo"
        kibo.write_text(
            "#!/bin/sh\n"
            f'if [ "$1" = completions ]; then exec "{options.kibo}" "$@"; fi\n'
            f'for word in "$@"; do printf "%s\\n" "$word"; done >"{self.words}.new"\n'
            f'mv "{self.words}.new" "{self.words}"\n')
        kibo.chmod(0o755)
        self.environment = {
            "PATH": f"{programs}:/usr/bin:/bin", "KIBO_SOCKET": options.socket, "HOME": str(self.home),
            "ZDOTDIR": str(self.home), "TERM": "dumb", "LANG": "C.UTF-8"}
        script = os.popen(f'"{options.kibo}" completions {name}').read()
        if name == "zsh":
            (self.home / "_kibo").write_text(script)
            (self.home / ".zshrc").write_text(
                f"PS1='{PROMPT.decode()}' PS2='{MORE.decode()}'\nfpath=({self.home} $fpath)\nautoload -Uz compinit\ncompinit -u -D\n"
                "unset zle_bracketed_paste\nunsetopt prompt_sp\n")
            command = ["zsh", "-d", "-i"]
        else:
            (self.home / "rc").write_text(f". {self.home}/script\nPS1='{PROMPT.decode()}' PS2='{MORE.decode()}'\nbind 'set enable-bracketed-paste off'\n")
            (self.home / "script").write_text(script)
            command = ["bash", "--noprofile", "--rcfile", str(self.home / "rc"), "-i"]
        self.seen = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(self.home)
            os.execve(shutil.which(command[0], path="/usr/bin:/bin"), command, self.environment)

    def read(self, until):
        """Reads what the shell writes until the condition holds."""
        end = time.monotonic() + TIMEOUT
        while not until():
            if time.monotonic() > end:
                raise Wrong(f"{self.name} hangs:\n{self.seen.decode(errors='replace')}")
            if select.select([self.terminal], [], [], 0.05)[0]:
                self.seen += os.read(self.terminal, 4096)

    def complete(self, line):
        """The words of the command line that this becomes when it is typed, a Tab where it has one; None if it is not whole."""
        self.read(lambda: self.seen.endswith(PROMPT))
        self.seen = b""
        self.words.unlink(missing_ok=True)
        os.write(self.terminal, line.encode())
        os.write(self.terminal, b"\r")
        self.read(lambda: self.words.exists() or self.seen.endswith(MORE))
        if self.words.exists():
            return self.words.read_text().split("\n")[:-1]
        os.write(self.terminal, b"\x03")
        return None

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


CASES = [
    # What is typed; the words that come of it.
    ("kibo stat\t", ["status"]),
    ("kibo send Cl\t", ["send", "Cleo Ünal"]),
    ("kibo send cl\t", ["send", "Cleo Ünal"]),
    ("kibo send 'Cl\t", ["send", "Cleo Ünal"]),
    ('kibo send "Cl\t', ["send", "Cleo Ünal"]),
    ("kibo send Cleo\\ \t", ["send", "Cleo Ünal"]),
    ("kibo read Evil\t", ["read", "Evil $(touch pwned)"]),
    ("kibo send :Hi\t", ["send", ":Hikers"]),
    ("kibo mute :Big\t", ["mute", ":Big Walk"]),
    ("kibo group show Hi\t", ["group", "show", "Hikers"]),
    ("kibo group show :Hi\t", ["group", "show", ":Hikers"]),
    ("kibo react last thumbsu\t", ["react", "last", "thumbsup"]),
    ("kibo react last :thumbsu\t", ["react", "last", ":thumbsup:"]),
    ("kibo send Cl\t --wait=de\t", ["send", "Cleo Ünal", "--wait=delivered"]),
    ("kibo group add Hikers Cl\t", ["group", "add", "Hikers", "Cleo Ünal"]),
    ("kibo group role Hikers Cleo\\ Ünal adm\t", ["group", "role", "Hikers", "Cleo Ünal", "admin"]),
    ("kibo send Cl\t --wait de\t", ["send", "Cleo Ünal", "--wait", "delivered"]),
    ("kibo presence aw\t", ["presence", "away"]),
    ("kibo settings messages.or\t arr\t", ["settings", "messages.order", "arrival"]),
    ("kibo settings presence.typing n\t", ["settings", "presence.typing", "no"]),
    ("kibo edit la\t", ["edit", "last"]),
    ("kibo get pl\t", ["get", "plan.txt"]),
    ("kibo get no\t", ["get", "no"]),
    ("kibo transfers --state off\t", ["transfers", "--state", "offered"]),
    ("kibo accept Do\t", ["accept", "Dora"]),
    ("kibo accept Cl\t", ["accept", "Cl"]),
    ("kibo help pee\t", ["help", "peers"]),
    ("kibo --json pee\t", ["--json", "peers"]),
    # Another daemon than the usual one, which knows other people.
    ("kibo --socket {other} send An\t", ["--socket", "{other}", "send", "Anna"]),
    ("kibo send --socket {other} An\t", ["send", "--socket", "{other}", "Anna"]),
    ("kibo send --socket={other} An\t", ["send", "--socket={other}", "Anna"]),
    ("kibo --socket {other} pee\t", ["--socket", "{other}", "peers"]),
    ("kibo auto-download Cl\t ne\t", ["auto-download", "Cleo Ünal", "never"]),
]

OFFERS = [
    # What is typed; all that fish offers for its last word.
    ("kibo stat", ["status"]),
    ("kibo send Cl", ["Cleo Ünal"]),
    ("kibo send :Hi", [":Hikers"]),
    ("kibo settings messages.order ", ["arrival", "sent"]),
    ("kibo group role Hikers 'Cleo Ünal' ", ["admin", "member", "owner"]),
    ("kibo group show :Hi", [":Hikers"]),
    ("kibo react last :thumbsu", [":thumbsup:"]),
    ("kibo mute :Hikers 1", ["1d", "1h", "1w"]),
    ("kibo get ", ["plan.txt"]),
    ("kibo --socket {other} send An", ["Anna"]),
    ("kibo send --socket {other} An", ["Anna"]),
    ("kibo --socket {other} pee", ["peers"]),
    ("kibo transfers --state off", ["offered"]),
    ("kibo accept ", ["Dora"]),
]


def fish(options):
    """What fish offers otherwise than it should."""
    home = pathlib.Path(options.directory) / "fish"
    programs = home / "bin"
    programs.mkdir(parents=True)
    (programs / "kibo").symlink_to(options.kibo)
    script = home / "kibo.fish"
    script.write_text(os.popen(f'"{options.kibo}" completions fish').read())
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "KIBO_SOCKET": options.socket, "HOME": str(home), "LANG": "C.UTF-8"}
    for line, words in OFFERS:
        line = line.replace("{other}", options.other)
        command = ["fish", "--no-config", "-c", f"source {script}; complete -C (cat)"]
        done = subprocess.run(command, env=environment, input=line, capture_output=True, text=True, timeout=TIMEOUT)
        found = sorted(offer.split("\t")[0].replace("\\", "") for offer in done.stdout.splitlines())
        if found != words:
            yield f"fish: {line!r} offers {found}, not {words}{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ["--kibo", "--socket", "--other", "--directory"]:
        parser.add_argument(option, required=True)
    parser.add_argument("shells", nargs="+")
    options = parser.parse_args()
    wrong = []
    if "fish" in options.shells:
        options.shells.remove("fish")
        wrong += fish(options)
    for name in options.shells:
        shell = Shell(name, options)
        try:
            for line, words in CASES:
                line, words = line.replace("{other}", options.other), [word.replace("{other}", options.other) for word in words]
                found = shell.complete(line)
                if found != words:
                    wrong.append(f"{name}: {line!r} became {found}, not {words}")
            if (shell.home / "pwned").exists():
                wrong.append(f"{name}: a name was run")
        finally:
            shell.end()
    if wrong:
        raise Wrong("\n" + "\n".join(wrong))


try:
    main()
except Wrong as problem:
    sys.exit(f"shells.py: {problem}")
