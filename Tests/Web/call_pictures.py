"""The pictures of a call: two hosts with a browser each, and somebody whom we have drawn before each camera."""

import base64
import pathlib
import time

from hosts import missing
from pictures import Camera, shrink
from stage import befriend
from studio import Studio

HERE = pathlib.Path(__file__).parent
# They stand in one row: as high as each other.
WIDE, WIDER, NARROW = (1000, 660), (1300, 858), (390, 660)
# Two seconds, played again and again.
FRAMES, RATE = 60, 30
FILM = """([who, frames, rate]) => {
  const canvas = new OffscreenCanvas(1280, 720);
  const context = canvas.getContext("2d");
  const read = (blob) => new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.split(",")[1]);
    reader.readAsDataURL(blob);
  });
  return (async () => {
    const all = [];
    for (let frame = 0; frame < frames; frame += 1) {
      draw(context, who, frame / rate);
      all.push(await read(await canvas.convertToBlob({ type: "image/jpeg", quality: 0.92 })));
    }
    return all;
  })();
}"""


def film(browser, who, path):
    """Draws a video of a person, as a camera gives it."""
    page = browser.new_page()
    page.add_script_tag(path=HERE / "faces.js")
    path.write_bytes(b"".join(map(base64.b64decode, page.evaluate(FILM, [who, FRAMES, RATE]))))
    page.close()
    return path


class Cameras(Studio):
    """Hosts whose cameras show people, and whose screens show a page that we have made."""

    def devices(self, person):
        shown = film(self.browser, person.name, person.home / "film.mjpeg")
        return [*super().devices(person), f"--use-file-for-fake-video-capture={shown}", "--auto-select-tab-capture-source-by-title=The way to the lake"]


def talk(anna, ben):
    """What Anna and Ben have said before the call; the result is their conversation in each daemon."""
    lines = {"Anna Berg": anna.line(), "Ben Ito": ben.line()}
    for name, line in lines.items():
        line("account.create", displayName=name)
    first, second = lines.values()
    befriend(first, second)
    chats = []
    for line, other in ((first, second), (second, first)):
        friend = other("account.get")["id"]
        # They have compared their numbers.
        line("contact.verify", id=friend)
        chats.append(line("conversation.open", contact=friend)["id"])
    for line, chat, text in (
        (second, chats[1], "Good morning! Are you coming along on Sunday?"), (first, chats[0], "Yes! Which way do we go this time?"),
        (second, chats[1], "To the lake, by the old mill. I have a map"), (first, chats[0], "Show me! I'll call you in a minute"),
    ):
        line("message.send", conversation=chat, text=text)
        time.sleep(0.4)
    return chats


def take_call(playwright, folder):
    """Takes them, where there can be hosts."""
    if missing():
        print(f"No pictures of a call: {missing()}")
        return
    folder.mkdir(parents=True, exist_ok=True)
    stage = Cameras(playwright, 2)
    is_done = False
    try:
        tell(stage, folder)
        is_done = True
    finally:
        stage.end(failed=not is_done)
    shrink(folder, "web-call-*.png")


def tell(stage, folder):
    people = stage.person("Anna Berg"), stage.person("Ben Ito")
    chats = talk(*people)
    anna, ben = (Camera(stage, person, folder, permissions=["microphone", "camera", "notifications"]) for person in people)
    for camera, chat in zip((anna, ben), chats):
        camera.window.go(f"chats/{chat}")
        camera.page.get_by_role("textbox", name="Write a message").wait_for()
    ben.look(NARROW, "light")
    ben.page.wait_for_timeout(1500)
    anna.press("Video call")
    ben.page.get_by_role("button", name="Answer with video").wait_for()
    for theme in ("light", "dark"):
        ben.take(f"call-rings-{theme}", NARROW, theme)
    ben.press("Answer with video")
    for camera in (anna, ben):
        camera.page.wait_for_function("() => [...document.querySelectorAll('video')].filter((film) => film.videoWidth >= 640).length === 2")
    # The picture has found its size by then.
    anna.page.wait_for_timeout(8000)
    for theme in ("light", "dark"):
        anna.take(f"call-talk-{theme}", WIDE, theme)
    map_of = ben.window.context.new_page()
    map_of.set_viewport_size({"width": 1280, "height": 720})
    map_of.set_content((HERE / "screen.html").read_text())
    ben.page.bring_to_front()
    ben.press("Share screen")
    anna.page.get_by_label("Screen of Ben Ito").wait_for()
    anna.look(WIDER, "light")
    anna.page.get_by_role("button", name="Chat", exact=True).click()
    lines = [person.line() for person in people]
    for name, text in (
        ("Ben", "The train goes at 9:00, from platform 2"), ("Anna", "Is there coffee at the old mill?"), ("Ben", "There is. But bring water, it will be hot up there"),
    ):
        line, chat = (lines[1], chats[1]) if name == "Ben" else (lines[0], chats[0])
        line("message.send", conversation=chat, text=text)
        time.sleep(0.4)
    anna.page.wait_for_timeout(6000)
    for theme in ("light", "dark"):
        anna.take(f"call-screen-{theme}", WIDER, theme)
    ben.press("End call")
    anna.page.get_by_role("button", name="End call").wait_for(state="hidden")
