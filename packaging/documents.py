#!/usr/bin/env python3
"""Copies documents into a folder of a package, where all their links lead somewhere: documents.py FOLDER FILE…

What is in docs/ goes into the folder itself. A link to a file that is copied, too, leads to the copy. Of any other link
within the project only the words stay, and pictures are left out. It fails if a link leads to a heading that there isn't.
"""

import posixpath
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]*)\)")
PICTURE = re.compile(r"<picture>.*?</picture>|<img\b[^>]*>", re.S)
DECISION = re.compile(r"(?:docs/)?decisions/(\d{4})-")


def anchors(text: str) -> set[str]:
    """The names of a document's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def target(place: str) -> str:
    """Where a file of the project goes in the folder."""
    return place.removeprefix("docs/")


def copied(place: str, texts: dict[str, str]) -> str:
    """A document for the folder. `texts` has all files that go there, by their paths in the project."""

    def mended(found: re.Match[str]) -> str:
        words, link = found.groups()
        if re.match(r"[a-z]+:", link):
            return found.group(0)
        path, _, anchor = link.partition("#")
        where = posixpath.normpath(posixpath.join(posixpath.dirname(place), path)) if path else place
        if where in texts:
            if anchor and anchor not in anchors(texts[where]):
                sys.exit(f"documents.py: {place}: no heading #{anchor} in {where}")
            name = posixpath.relpath(target(where), posixpath.dirname(target(place)) or ".") if path else ""
            return f"[{words}]({name}{'#' if anchor else ''}{anchor})"
        decision = DECISION.match(link)
        return f"decision {words}" if decision and decision.group(1) == words else words

    text = PICTURE.sub("", texts[place])
    # What is left of a paragraph of pictures.
    text = re.sub(r"<p>\s*</p>\n*", "", text)
    text = re.sub(r"\n[ \t]*\n([ \t]*\n)+", "\n\n", text)
    return LINK.sub(mended, text)


def main(folder: str, places: list[str]) -> None:
    texts = {place: (ROOT / place).read_text(encoding="utf-8") for place in places}
    for place in texts:
        copy = Path(folder, target(place))
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / place, copy)
        if place.endswith(".md"):
            copy.write_text(copied(place, texts), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
