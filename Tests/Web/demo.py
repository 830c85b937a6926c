"""Two people in two windows, with something to talk about: scripts/demo --web.

    demo.py                        opens a window for each, where there is a display; else it prints the links
    demo.py --pictures DIRECTORY   takes the pictures of the documents instead; with "call" behind it, only those of a call
"""

import os
import pathlib
import sys

from playwright.sync_api import sync_playwright

import pictures
from call_pictures import take_call
from scene import talk
from stage import ARGUMENTS, CHROMIUM, Stage, Window


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
        wanted = sys.argv[1:2] == ["--pictures"]
        folder = pathlib.Path(sys.argv[2]) if wanted else None
        if sys.argv[3:] != ["call"]:
            stage = Stage(playwright)
            is_done = False
            try:
                if wanted:
                    pictures.take(stage, folder)
                else:
                    show(playwright, stage)
                is_done = True
            finally:
                stage.end(failed=not is_done)
        if wanted:
            take_call(playwright, folder)


main()
