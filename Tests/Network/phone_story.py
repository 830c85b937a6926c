"""How phones.py and phone_gifts.py go through their parts: three hosts on a network of their own, with localsendd on one of them."""

import signal
import subprocess
import sys

from phone_stage import STATE, expect, finish, lan, step, up


def tell(make, parts, words, leave=lambda story: None):
    """Runs the parts whose title or method has one of the words, or all of them, and takes the network away. `make` makes the story
    once the network is there; `leave` gets it after each part, also after one that failed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    up(3)
    story = None
    try:
        story = make()
        for title, name, how in parts:
            if words and not any(word in title or word in name for word in words):
                continue

            def part():
                if how.get("fresh"):
                    story.fresh()
                if how.get("slow"):
                    story.slow()
                try:
                    getattr(story, name)()
                finally:
                    if how.get("slow"):
                        story.fast()
                    leave(story)
            step(title, part)
        lines = [line for line in lan("log", 1).splitlines() if " error " in line]
        expect(not lines, "errors in the log: " + "\n".join(lines[:5]))
    finally:
        if story:
            story.phone.end()
        subprocess.run(["umount", "-l", STATE / "tiny"], check=False, capture_output=True)
        lan("down", check=False)
    finish()
