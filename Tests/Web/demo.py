"""Two people in two windows, with something to talk about: scripts/demo --web.

    demo.py                        opens a window for each, where there is a display; else it takes pictures and prints links
    demo.py --pictures DIRECTORY   takes the pictures of the documents instead; with "call" behind it, only those of a call
"""

import os
import pathlib
import sys
import tempfile

from playwright.sync_api import Error, sync_playwright

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


def browser_with_windows(playwright):
    """A browser on the display; None where there is none that works."""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return None
    try:
        return playwright.chromium.launch(executable_path=CHROMIUM, headless=False, args=ARGUMENTS)
    except Error:
        return None


def open_windows(browser, people):
    windows = []
    for number, (person, conversation) in enumerate(people):
        window = Window(browser.new_context(no_viewport=True), person.link())
        window.go(f"chats/{conversation}")
        beside(window, number)
        windows.append(window)
    return windows


def take_pictures(stage, people):
    """What each of them sees, taken in a browser that nobody sees."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kibo-demo-pictures-"))
    print("    There is no display here. These are pictures of their windows:")
    for person, conversation in people:
        camera = pictures.Camera(stage, person, folder)
        name = person.name.split()[0].lower()
        camera.take(name, path=f"chats/{conversation}", settle=2 * pictures.CALM)
        print(f"      {folder}/web-{name}.png")


def show(playwright, stage):
    anna, ben, chat, theirs, _ = talk(stage)
    people = ((anna, chat), (ben, theirs))
    has_terminal = sys.stdin is not None and sys.stdin.isatty()
    browser = browser_with_windows(playwright)
    if browser is None:
        take_pictures(stage, people)
        if has_terminal:
            print("    To play with them yourself, open these within a minute, in a browser of this host:")
            for person, _ in people:
                print(f"      {person.name}: {person.link()}")
            wait_for_enter("")
        return
    stage.own = browser
    windows = open_windows(browser, people)
    if has_terminal:
        wait_for_enter("Anna and Ben have a window each. ")
        return
    print("    Anna and Ben have a window each. The demo ends when both are closed.", flush=True)
    for window in windows:
        if not window.page.is_closed():
            window.page.wait_for_event("close", timeout=0)


def wait_for_enter(before):
    try:
        input(f"    {before}Enter ends the demo. ")
    except EOFError:
        print()


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
