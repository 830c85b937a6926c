"""Two people in two windows, with something to talk about: scripts/demo --web.

    demo.py                        opens a window for each, where there is a display; else it prints the links
    demo.py --pictures DIRECTORY   takes the pictures of the documents instead
"""

import math
import os
import pathlib
import random
import struct
import sys
import time
import zlib

from playwright.sync_api import sync_playwright

import pictures
from stage import ARGUMENTS, CHROMIUM, Stage, Window, befriend


def png(path, width=640, height=300):
    """Draws hills under an evening sky: a picture to send."""
    rows = bytearray()
    ridges = [[0.0] * width for _ in range(3)]
    generator = random.Random(4)
    for depth, ridge in enumerate(ridges):
        waves = [(generator.uniform(0.004, 0.02), generator.uniform(0, 6), generator.uniform(8, 30)) for _ in range(5)]
        for x in range(width):
            ridge[x] = height * (0.5 + 0.13 * depth) + sum(math.sin(x * step + phase) * size for step, phase, size in waves) / 2.2
    colours = [(96, 122, 150), (58, 88, 112), (24, 46, 62)]
    for y in range(height):
        rows.append(0)
        share = y / height
        sky = (int(250 - 40 * share), int(170 + 40 * share), int(120 + 90 * share))
        for x in range(width):
            colour = sky
            for ridge, shade in zip(ridges, colours):
                if y > ridge[x]:
                    colour = shade
            rows.extend(colour)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))


def talk(stage):
    """Anna and Ben, with two more friends of Anna's; the result is Anna, Ben, their conversation in each daemon, and everybody's line."""
    people = {name: stage.person(name) for name in ("Anna Berg", "Ben Ito", "Cléo Martin", "Dora Novák")}
    lines = {name: person.line() for name, person in people.items()}
    for name, line in lines.items():
        line("account.create", displayName=name, **({"passphrase": "lake in the hills"} if name == "Ben Ito" else {}))
    anna, ben, cleo, dora = lines.values()
    ben("account.update", statusText="In the lab until six")
    cleo("account.update", email="cleo@example.org")
    with_ben = befriend(anna, ben)
    own = anna("account.get")["id"]
    for line in (cleo, dora):
        befriend(line, anna)
    chat = anna("conversation.open", contact=with_ben)["id"]
    theirs = ben("conversation.open", contact=own)["id"]
    picture = people["Ben Ito"].home / "Saturday.png"
    png(picture)
    said = {}

    def say(line, conversation, text, **more):
        said[text] = line("message.send", conversation=conversation, text=text, **more)["id"]
        time.sleep(0.4)

    say(cleo, cleo("conversation.open", contact=own)["id"], "Can you send me the slides?")
    say(dora, dora("conversation.open", contact=own)["id"], "Thank you! 🎉")
    say(ben, theirs, "Good morning! Did the backup of the lab go through?")
    say(anna, chat, "It did, at 03:10: 214 GB and no errors.")
    say(ben, theirs, "Great, then I take the old disks out today.")
    say(ben, theirs, "And this was Saturday, above the lake", files=[str(picture)])
    say(anna, chat, "Beautiful! Next time I come along")
    ids = {message["text"]: message["id"] for message in ben("message.list", conversation=theirs)["messages"]}
    ben("message.react", id=ids["It did, at 03:10: 214 GB and no errors."], emoji="👍")
    say(ben, theirs, "The weather should hold until Sunday", replyTo=ids["Beautiful! Next time I come along"])
    group = anna("group.create", name="Hikers", members=[with_ben, cleo("account.get")["id"]], description="Every second Sunday")
    time.sleep(1)
    say(anna, group["conversation"], "The lake on Sunday? 9:00 at the station")
    time.sleep(1.5)
    return people["Anna Berg"], people["Ben Ito"], chat, theirs, lines


def beside(window, number):
    """Puts a window into its half of the screen."""
    width, height = window.page.evaluate("[screen.availWidth, screen.availHeight]")
    session = window.context.new_cdp_session(window.page)
    shown = session.send("Browser.getWindowForTarget")["windowId"]
    bounds = {"left": number * width // 2, "top": 0, "width": width // 2, "height": height}
    session.send("Browser.setWindowBounds", {"windowId": shown, "bounds": bounds})


def show(playwright, stage):
    anna, ben, chat, theirs, _ = talk(stage)
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        for person in (anna, ben):
            print(f"    {person.name}: {person.link()}    (within a minute, in a browser of this host)")
        input("    Enter ends the demo. ")
        return
    stage.browser.close()
    stage.browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=False, args=ARGUMENTS)
    for number, (person, conversation) in enumerate(((anna, chat), (ben, theirs))):
        window = Window(stage.browser.new_context(no_viewport=True), person.link())
        window.go(f"chats/{conversation}")
        beside(window, number)
    input("    Anna and Ben have a window each. Enter ends the demo. ")


def main():
    with sync_playwright() as playwright:
        stage = Stage(playwright)
        is_done = False
        try:
            if sys.argv[1:2] == ["--pictures"]:
                pictures.take(stage, pathlib.Path(sys.argv[2]), talk)
            else:
                show(playwright, stage)
            is_done = True
        finally:
            stage.end(failed=not is_done)


main()
