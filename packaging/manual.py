#!/usr/bin/env python3
"""Writes manual pages from docs/HANDBOOK.md.

manual.py HANDBOOK VERSION            kibod.json5(5), from the section "Configuration"
manual.py --service HANDBOOK <PAGE    kibod(8): the page that kibod --manual prints, with the section "As a service"
"""

import re
import sys


def escaped(words: str) -> str:
    return words.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")


def plain(words: str) -> str:
    """Markdown's bold and code as troff's fonts; of a link its words."""
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", words)
    pieces = re.split(r"(\*\*.*?\*\*|`.*?`)", words)
    out = ""
    for piece in pieces:
        if piece.startswith("**") or piece.startswith("`"):
            out += f"\\fB{escaped(piece.strip('*`'))}\\fR"
        else:
            out += escaped(piece)
    return f"\\&{out}" if out[:1] in (".", "'") else out


def section(handbook: str, title: str) -> list[str]:
    """A section of the handbook in the language of troff."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## )", handbook, re.M | re.S)
    if not found:
        sys.exit(f'manual.py: the handbook has no section "{title}"')
    out: list[str] = []
    is_code = False
    for line in found.group(1).strip().split("\n"):
        if line.startswith("```"):
            is_code = not is_code
            out += [".PP", ".nf"] if is_code else [".fi"]
        elif is_code:
            out.append("\\&" + escaped(line))
        elif line.startswith("### "):
            out += [f".SH {escaped(line[4:].upper())}"]
        elif line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            # The head of a table and the line below it say nothing here.
            if set("".join(cells)) <= set("-: ") or cells[0] in ("Name", "Word", "To"):
                continue
            title = " ".join([cells[0], *cells[1:2]] if len(cells) > 2 else cells[:1])
            rest = [cell for cell in (cells[2:] if len(cells) > 2 else cells[1:]) if cell]
            out += [".TP", plain(title), plain(rest[0] if rest else "")]
            if len(rest) > 1:
                out += [".br", plain("(" + ", ".join(rest[1:]) + ")")]
        elif line:
            out.append(plain(line))
        else:
            out.append(".PP")
    return out


def text(lines: list[str]) -> str:
    """The page; two paragraphs' beginnings in a row, or one before or behind another request, say nothing."""
    joined = "\n".join(lines) + "\n"
    joined = re.sub(r"(\.PP\n)+(?=\.(PP|TP|SH))", "", joined)
    return re.sub(r"(?<=\n)(\.SH [^\n]*\n)\.PP\n", r"\1", joined)


def configuration(handbook: str, version: str) -> str:
    head = [
        f'.TH KIBOD.JSON5 5 "" "Kibo {version}"', ".SH NAME", "kibod.json5 \\- what belongs to the host, for kibod(8)",
        ".SH DESCRIPTION",
    ]
    files = [
        ".SH FILES", ".TP", "\\fB/etc/kibo/kibod.json5\\fR", "for all users of the host", ".TP",
        "\\fB~/.config/kibo/kibod.json5\\fR", "the user\\(cqs own, for the user\\(cqs unit kibod.service", ".TP",
        "\\fB/var/lib/kibo/USER/.config/kibo/kibod.json5\\fR", "the user\\(cqs own, for the system unit kibod@USER.service",
    ]
    return text(head + section(handbook, "Configuration") + files + [".SH SEE ALSO", "kibod(8), kibo(1)"])


def daemon(page: str, handbook: str) -> str:
    before, mark, rest = page.partition(".SH SEE ALSO")
    if not mark:
        sys.exit("manual.py: the page has no SEE ALSO")
    return text([before.rstrip("\n"), ".SH AS A SERVICE", *section(handbook, "As a service"), (mark + rest).rstrip("\n")])


def main(words: list[str]) -> None:
    is_service = words[0] == "--service"
    with open(words[1] if is_service else words[0], encoding="utf-8") as file:
        handbook = file.read()
    sys.stdout.write(daemon(sys.stdin.read(), handbook) if is_service else configuration(handbook, words[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
