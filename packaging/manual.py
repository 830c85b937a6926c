#!/usr/bin/env python3
"""Writes kibod.json5(5) from the section "Configuration" of docs/HANDBOOK.md: manual.py HANDBOOK VERSION"""

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


def page(handbook: str, version: str) -> str:
    found = re.search(r"^## Configuration\n(.*?)(?=^## )", handbook, re.M | re.S)
    if not found:
        sys.exit("manual.py: the handbook has no section \"Configuration\"")
    out = [
        f'.TH KIBOD.JSON5 5 "" "Kibo {version}"', ".SH NAME", "kibod.json5 \\- what belongs to the host, for kibod(8)",
        ".SH DESCRIPTION",
    ]
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
            if set("".join(cells)) <= set("-: ") or cells[0] in ("Name", "Word"):
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
    out += [".SH FILES", ".TP", "\\fB~/.config/kibo/kibod.json5\\fR", "for the user\\(cqs unit kibod.service"]
    out += [".TP", "\\fB/etc/kibo/kibod.json5\\fR", "for the system units kibod@USER.service"]
    out += [".SH SEE ALSO", "kibod(8), kibo(1)"]
    # Two paragraphs' beginnings in a row, or one before another request, say nothing.
    text = "\n".join(out) + "\n"
    return re.sub(r"(\.PP\n)+(?=\.(PP|TP|SH))", "", text).replace(".SH DESCRIPTION\n.PP\n", ".SH DESCRIPTION\n")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(page(file.read(), sys.argv[2]))
