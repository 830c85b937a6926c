"""Files that are looked at and listened to: the viewer, folders, sounds with their bar, voice notes."""

import base64
import math
import re
import struct
import wave

from playwright.sync_api import expect

from checks import BrowserTest
from stage import CHROMIUM

# The browser draws a picture or a short video itself: tests need no file that somebody has made.
PICTURE = """async ([width, height]) => {
  const canvas = new OffscreenCanvas(width, height);
  const brush = canvas.getContext("2d");
  brush.fillStyle = "#3a7"; brush.fillRect(0, 0, width, height);
  brush.fillStyle = "#fff"; brush.fillRect(width / 4, height / 4, width / 2, height / 2);
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}"""
FILM = """async () => {
  const canvas = document.createElement("canvas");
  canvas.width = 320; canvas.height = 180;
  const brush = canvas.getContext("2d");
  const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: "video/mp4" });
  const pieces = [];
  recorder.ondataavailable = (event) => pieces.push(event.data);
  recorder.start();
  for (let frame = 0; frame < 40; frame += 1) {
    brush.fillStyle = `hsl(${frame * 9} 60% 50%)`; brush.fillRect(0, 0, 320, 180);
    await new Promise((done) => setTimeout(done, 50));
  }
  await new Promise((done) => { recorder.onstop = done; recorder.stop(); });
  const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}"""


def tone(path, seconds):
    """A sound of that length."""
    rate = 24_000
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(b"".join(struct.pack("<h", int(8000 * math.sin(2 * math.pi * 330 * at / rate))) for at in range(seconds * rate)))


class Media(BrowserTest):
    def chat(self):
        """Anna and Ben are friends, and Anna's window shows their chat."""
        (anna, ben), lines, ids = self.friends("Anna Berg", "Ben Ito")
        conversation = lines[0]("conversation.open", contact=ids[1])["id"]
        window = self.window(anna)
        window.go(f"chats/{conversation}")
        window.page.get_by_role("textbox", name="Write a message").wait_for()
        return (anna, ben), lines, ids, window

    def send(self, people, lines, ids, path):
        """Ben sends a file, and Anna takes it."""
        lines[1]("message.send", to=ids[0], files=[str(path)])
        own = lines[0]

        def arrived():
            found = [one for one in own("transfer.list")["transfers"] if one["name"] == path.name]
            if found and found[0]["state"] == "offered":
                own("transfer.accept", id=found[0]["id"])
            return found and found[0]["state"] == "done"

        self.wait(path.name, arrived)

    def made(self, window, script, argument, path):
        path.write_bytes(base64.b64decode(window.page.evaluate(script, argument)))
        return path

    def test_viewer(self):
        """Pictures and videos of a chat are looked at one after another, by pointer and keys; an original is fetched when it is wanted; the menu saves one"""
        people, lines, ids, window = self.chat()
        page, home = window.page, people[1].home
        originals = []
        for name, size in (("first.png", (1600, 900)), ("second.png", (300, 700))):
            self.send(people, lines, ids, self.made(window, PICTURE, size, home / name))
        parts = []
        page.on("request", lambda request: "range" in request.headers and parts.append(request.headers["range"]))
        self.send(people, lines, ids, self.made(window, FILM, None, home / "film.mp4"))
        films = [one["id"] for one in lines[0]("transfer.list")["transfers"] if one["name"] == "film.mp4"]
        page.on("request", lambda request: "/file/" in request.url and films[0] not in request.url and originals.append(request.headers.get("range", "whole")))
        window.button("View second.png").click(button="right")
        with page.expect_download() as download:
            page.get_by_role("menuitem", name="Download").click()
        self.assertEqual(download.value.suggested_filename, "second.png")
        originals.clear()
        window.button("View first.png").click()
        viewer = page.get_by_role("dialog", name=re.compile("first.png"))
        expect(viewer).to_contain_text("1 of 3")
        expect(viewer.get_by_role("img", name="first.png")).to_be_visible()
        self.accessible(window, "a picture")
        self.assertEqual(originals, [])
        before = viewer.get_by_role("img").bounding_box()["width"]
        viewer.get_by_role("button", name="Larger").click()
        self.wait("a larger picture", lambda: viewer.get_by_role("img").bounding_box()["width"] > 1.4 * before)
        self.wait("the original", lambda: originals == ["whole"])
        page.keyboard.press("0")
        page.keyboard.press("ArrowRight")
        viewer = page.get_by_role("dialog", name=re.compile("second.png"))
        expect(viewer.get_by_role("img", name="second.png")).to_be_visible()
        page.keyboard.press("ArrowRight")
        film = page.get_by_role("dialog", name=re.compile("film.mp4")).locator("video")
        self.wait("the film to play", lambda: film.evaluate("film => film.currentTime > 0 && film.duration > 1"))
        film.evaluate("film => { film.pause(); film.currentTime = 1; }")
        self.wait("the place in the film", lambda: film.evaluate("film => !film.seeking && film.currentTime === 1"))
        self.assertTrue(any(one.startswith("bytes=") for one in parts), parts)
        self.accessible(window, "a film")
        window.button("Show film.mp4 in its folder").last.click()
        expect(page.get_by_role("alert")).to_contain_text("Kibo couldn’t open a file manager")
        page.keyboard.press("PageUp")
        viewer = page.get_by_role("dialog", name=re.compile("second.png"))
        with page.expect_download() as download:
            viewer.get_by_role("button", name="Save second.png").click()
        self.assertEqual(download.value.suggested_filename, "second.png")
        page.keyboard.press("Escape")
        expect(viewer).to_be_hidden()
        expect(window.button("View first.png")).to_be_focused()
        # Where no program is installed that takes a picture out of a video that is sent, its offer has no preview.
        window.said = [line for line in window.said if not re.search("status of 40[04]", line)]
        self.done()

    def test_album(self):
        """Pictures that are here stand without a row: those of one message side by side, over its words; one that can't be drawn has its row"""
        people, lines, ids, window = self.chat()
        page, home = window.page, people[1].home
        long = "three of the many that I took there"
        files = [self.made(window, PICTURE, size, home / f"{name}.png") for name, size in (("one", (800, 400)), ("two", (300, 700)), (long, (500, 500)))]
        lines[1]("message.send", to=ids[0], text="From the lake", files=[str(file) for file in files])

        def taken():
            for one in lines[0]("transfer.list", state="offered")["transfers"]:
                lines[0]("transfer.accept", id=one["id"])
            found = lines[0]("transfer.list")["transfers"]
            return len(found) == 3 and all(one["state"] == "done" for one in found)

        self.wait("the pictures", taken)
        row = page.get_by_role("main").get_by_role("listitem").filter(has=page.get_by_text("From the lake", exact=True))
        expect(row.locator(".album").get_by_role("button")).to_have_count(3)
        expect(row.get_by_text("one.png")).to_have_count(0)
        first, second, third = (row.get_by_role("button", name=f"View {name}.png").bounding_box() for name in ("one", "two", long))
        self.assertGreater(first["width"], 1.9 * second["width"])
        self.assertEqual(second["y"], third["y"])
        self.assertAlmostEqual(second["height"], third["height"], delta=1)
        self.assertGreater(row.get_by_text("From the lake").bounding_box()["y"], third["y"] + third["height"] - 1)
        self.accessible(window, "an album")
        # A search names the files as far as there is room.
        page.get_by_role("searchbox", name="Search everything").fill("lake")
        names = page.get_by_role("list", name="Messages").locator(".row-body bdi").filter(has_text="one.png")
        expect(names).to_be_visible()
        self.assertLessEqual(*names.evaluate("(one) => [one, one.closest('.row-body')].map((part) => part.getBoundingClientRect().right)"))
        page.get_by_role("searchbox", name="Search everything").fill("")
        page.route(re.compile("/thumb/"), lambda route: route.fulfill(status=404) if route.request.url in broken else route.continue_())
        broken = [row.get_by_role("img", name="two.png").evaluate("(image) => image.src")]
        page.reload()
        expect(row.get_by_text("two.png")).to_be_visible()
        expect(row.locator(".album").get_by_role("button")).to_have_count(2)
        window.said = [line for line in window.said if not re.search("status of 40[04]", line)]
        self.done()

    def test_stills(self):
        """A video that has come, and one of one's own, show a still that the browser draws: nothing here makes one, and no video stays open; one that can't be played shows its words"""
        # The shell draws no still of a video that it has loaded before.
        self.stage.program = CHROMIUM
        people, lines, ids, window = self.chat()
        page, home = window.page, people[1].home
        asked = []
        page.on("request", lambda request: "/thumb/" in request.url and asked.append(request.url))
        film = self.made(window, FILM, None, home / "film.mp4")
        # It waits, and its offer has no picture to show.
        with page.expect_response(lambda answer: "/thumb/" in answer.url and answer.status == 404):
            lines[1]("message.send", to=ids[0], files=[str(film)])
        window.button("Accept").click()
        lines[0]("message.send", to=ids[1], files=[str(film)])
        # What the canvas of a video shows in its middle, if anything.
        # Chromium warns of a canvas that is read often, as one that is waited for here.
        shown = """(canvas) => {
            if (canvas.width <= 1) return false;
            const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
            copy.drawImage(canvas, canvas.width / 2, canvas.height / 2, 1, 1, 0, 0, 1, 1);
            return [...copy.getImageData(0, 0, 1, 1).data].join(" ");
        }"""
        for film in window.button("Play film.mp4").all():
            still = film.get_by_role("img", name="film.mp4")
            self.wait("a still", lambda: re.fullmatch(r"\d+ \d+ \d+ 255", still.evaluate(shown) or ""))
            self.assertEqual(still.evaluate("(canvas) => [canvas.width, canvas.height]"), [320, 180])
        expect(window.button("Play film.mp4")).to_have_count(2)
        # Once it is here it is shown as any other, without the row of its file.
        expect(page.locator(".message-other .file-name")).to_have_count(0)
        self.accessible(window, "stills")
        chat = page.evaluate("location.hash").lstrip("#/")
        window.go(f"{chat}/media")
        for tile in page.locator(".media-tile").all():
            self.wait("a still among the media", lambda: re.fullmatch(r"\d+ \d+ \d+ 255", tile.get_by_role("img", name="film.mp4").evaluate(shown) or ""))
        expect(page.locator(".media-tile canvas")).to_have_count(2)
        window.go(chat)
        # Before they were here, the previews of the offers were asked for; there is none, for nothing here could make one.
        here = [one["id"] for one in lines[0]("transfer.list")["transfers"]]
        asked.clear()
        page.reload()
        expect(window.button("Play film.mp4")).to_have_count(2)
        for film in window.button("Play film.mp4").all():
            self.wait("a still again", lambda: re.fullmatch(r"\d+ \d+ \d+ 255", film.get_by_role("img").evaluate(shown) or ""))
        self.assertEqual([url for url in asked if any(one in url for one in here)], [])
        # A video of that type that is none.
        broken = home / "broken.mp4"
        broken.write_bytes((home / "film.mp4").read_bytes()[:64] + bytes(4000))
        self.send(people, lines, ids, broken)
        expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
        window.said = [line for line in window.said if not re.search("status of 40[04]", line)]
        self.done()

    def test_folder(self):
        """The files of a folder that has come are listed, looked at and saved; what was left out stands there with the reason"""
        people, lines, ids, window = self.chat()
        page, root = window.page, people[1].home / "Trip"
        (root / "days").mkdir(parents=True)
        self.made(window, PICTURE, (600, 400), root / "days" / "lake.png")
        (root / "list.txt").write_text("one\n")
        (root / "run.exe").write_bytes(b"MZ" + bytes(9000))
        self.send(people, lines, ids, root)
        window.button("Show files").click()
        dialog = page.get_by_role("dialog", name="Trip")
        files = dialog.get_by_role("list", name="Files in the folder")
        expect(files.get_by_role("listitem")).to_have_count(2)
        expect(dialog.get_by_role("region", name="What was left out")).to_contain_text("run.exe")
        self.accessible(window, "a folder")
        with page.expect_download() as download:
            dialog.get_by_role("button", name="Save list.txt").click()
        self.assertEqual(download.value.path().read_text(), "one\n")
        dialog.get_by_role("button", name="days/lake.png", exact=True).click()
        viewer = page.get_by_role("dialog", name="lake.png")
        expect(viewer.get_by_role("img", name="lake.png")).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_be_visible()
        expect(dialog.get_by_role("button", name="days/lake.png", exact=True)).to_be_focused()
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        self.done()

    def test_sound(self):
        """A sound is played in the chat, sought by its bar with keys, and made faster; another that is played stops it, and is as fast"""
        people, lines, ids, window = self.chat()
        page, home = window.page, people[1].home
        for name in ("one.wav", "two.wav"):
            tone(home / name, 30)
            self.send(people, lines, ids, home / name)
        window.button("Play one.wav").click()
        window.button("Pause one.wav").wait_for()
        bar = page.get_by_role("slider", name="Position in one.wav")
        bar.focus()
        for _ in range(8):
            page.keyboard.press("ArrowRight")
        self.wait("the new place", lambda: float(bar.input_value()) >= 8)
        expect(bar).to_have_attribute("aria-valuetext", re.compile("of 0:30"))
        page.get_by_role("button", name="Speed: 1 times").first.click()
        expect(page.get_by_role("button", name="Speed: 1.5 times")).to_have_count(2)
        window.button("Play two.wav").click()
        window.button("Pause two.wav").wait_for()
        window.button("Play one.wav").wait_for()
        self.assertEqual(page.evaluate("[...document.querySelectorAll('audio')].map((one) => one.playbackRate)"), [1.5, 1.5])
        self.accessible(window, "sounds")
        self.done()

    def test_narrow(self):
        """On a phone the name of a file keeps its room, also with large letters; a sound has its name above it, and its menu saves it"""
        people, lines, ids, window = self.chat()
        page, home = window.page, people[1].home
        page.set_viewport_size({"width": 380, "height": 800})
        letters = window.context.new_cdp_session(page)
        plan, note = home / "The minutes of the annual meeting.pdf", home / "Voice note 2026-11-27 23.45.wav"
        plan.write_bytes(b"%PDF-1.4 the minutes")
        tone(note, 3)
        for path in (plan, note):
            self.send(people, lines, ids, path)
        name = page.locator(".file-name").get_by_text(plan.name)
        for percent in (100, 200):
            letters.send("Page.setFontSizes", {"fontSizes": {"standard": 16 * percent // 100, "fixed": 13}})
            self.wait(f"room for the name with letters of {percent} %", lambda: name.evaluate("(one) => one.closest('.file-body').clientWidth / parseFloat(getComputedStyle(document.documentElement).fontSize)") >= 9)
            expect(window.button(f"Save {plan.name}")).to_be_visible()
            self.accessible(window, f"files on a phone, {percent} %")
        letters.send("Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})
        expect(window.button(f"Save {note.name}")).to_have_count(0)
        page.get_by_role("main").get_by_text(note.name).click(button="right")
        with page.expect_download() as saved:
            page.get_by_role("menuitem", name="Download").click()
        self.assertEqual(saved.value.suggested_filename, note.name)
        self.done()

    def test_voice(self):
        """A voice note is recorded, paused, heard, gone on with and sent as a WAV of 24 kHz; another is discarded; a refusal is worded"""
        people, lines, ids, window = self.chat()
        page = window.page
        field = page.get_by_role("textbox", name="Write a message")
        window.button("Record a voice note").click()
        note = page.get_by_role("group", name="Voice note", exact=True).first
        expect(window.button("Pause")).to_be_focused()
        expect(note.get_by_text("0:02")).to_be_visible()
        self.accessible(window, "recording")
        # Escape pauses instead of leaving the chat.
        page.keyboard.press("Escape")
        expect(window.button("Continue recording")).to_be_focused()
        self.accessible(window, "a recorded note")
        window.button("Play Voice note").click()
        window.button("Pause Voice note").wait_for()
        window.button("Continue recording").click()
        expect(window.button("Pause")).to_be_focused()
        window.button("Send the voice note").click()
        expect(field).to_be_focused()
        expect(page.get_by_role("button", name=re.compile("Play Voice note 20.*wav"))).to_be_visible()

        def arrived():
            found = lines[1]("transfer.list")["transfers"]
            return found[0] if found and found[0]["state"] == "done" else None

        sound = self.wait("the voice note", arrived)
        with wave.open(sound["path"], "rb") as file:
            self.assertEqual((file.getnchannels(), file.getsampwidth(), file.getframerate()), (1, 2, 24_000))
            self.assertGreater(file.getnframes(), 2 * 24_000)
            samples = struct.unpack(f"<{file.getnframes()}h", file.readframes(file.getnframes()))
        self.assertGreater(max(samples), 3000, "nothing was recorded")

        # It shows how loud it is, and what was heard of it already.
        player = page.get_by_role("group", name=re.compile("Voice note 20.*wav"))
        expect(player.locator(".player-wave")).to_be_visible()
        heard = lambda: player.locator(".player-past").get_attribute("d").count("M")
        parts = "(paths) => paths.map((path) => path.getAttribute('d').split('M').length - 1)"
        self.wait("how loud it is", lambda: player.locator(".player-wave path").evaluate_all(parts) == [0, 48])
        self.assertGreater(len(set(re.findall(r"v([\d.]+)", player.locator(".player-wave path").last.get_attribute("d")))), 5)
        player.get_by_role("slider").focus()
        page.keyboard.press("End")
        self.wait("all of it to be past", lambda: heard() == 48)
        page.keyboard.press("Home")
        self.wait("nothing of it to be past", lambda: heard() == 0)
        self.accessible(window, "a voice note")

        window.button("Record a voice note").click()
        window.button("Pause").wait_for()
        window.button("Discard the voice note").click()
        expect(field).to_be_focused()
        page.evaluate("() => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError')); }")
        window.button("Record a voice note").click()
        expect(page.get_by_role("alert")).to_contain_text("blocks the microphone")
        note.get_by_role("button", name="Close").click()
        expect(field).to_be_focused()
        self.assertEqual(len(lines[1]("transfer.list")["transfers"]), 1)
        self.done()

    def test_voice_draft(self):
        """A voice note is kept when the chat is left: it stands in the list as a draft, is paused there, heard, gone on with and sent; the page asks before it is closed"""
        people, lines, ids, window = self.chat()
        page = window.page
        # Another chat to go to.
        lines[0]("group.create", name="Hikers", members=[])
        chats = page.get_by_role("list", name="Chats")
        ben, hikers = (chats.get_by_role("link", name=re.compile(name)) for name in ("Ben Ito", "Hikers"))
        hikers.wait_for()
        window.button("Record a voice note").click()
        note = page.get_by_role("group", name="Voice note", exact=True).first
        expect(note.get_by_text("0:02")).to_be_visible()
        hikers.click()
        expect(page.get_by_role("textbox", name="Write a message")).to_be_visible()
        expect(note).to_have_count(0)
        expect(ben).to_contain_text("Draft: Voice note")
        # The microphone was given back.
        page.wait_for_timeout(1200)
        ben.click()
        expect(window.button("Continue recording")).to_be_visible()
        self.accessible(window, "a kept voice note")
        window.button("Play Voice note").click()
        window.button("Pause Voice note").wait_for()
        asked = []
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
        page.close(run_before_unload=True)
        self.wait("the question", lambda: page.wait_for_timeout(50) or asked == ["beforeunload"])
        window.button("Continue recording").click()
        expect(note.get_by_text("0:03")).to_be_visible()
        window.button("Send the voice note").click()
        expect(page.get_by_role("button", name=re.compile("Play Voice note 20.*wav"))).to_be_visible()
        expect(ben).not_to_contain_text("Draft")

        def arrived():
            found = lines[1]("transfer.list")["transfers"]
            return found[0] if found and found[0]["state"] == "done" else None

        with wave.open(self.wait("the voice note", arrived)["path"], "rb") as file:
            self.assertGreater(file.getnframes(), 3 * 24_000)
        window.button("Record a voice note").click()
        expect(note.get_by_text("0:01")).to_be_visible()
        hikers.click()
        ben.click()
        window.button("Discard the voice note").click()
        hikers.click()
        expect(ben).not_to_contain_text("Draft")
        self.assertEqual(len(lines[1]("transfer.list")["transfers"]), 1)
        self.done()

    def test_forward(self):
        """A message with a picture and a folder goes on to a group and to a friend without a chat; the copies are equal; a chat is saved as text"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito", "Cleo Marin")
        (anna, ben, cleo), own = people, lines[0]
        own("group.create", name="Hikers", members=ids[1:])
        (ben.home / "Trip" / "days").mkdir(parents=True)
        (ben.home / "Trip" / "days" / "one.txt").write_text("one\n" * 500)
        tone(ben.home / "song.wav", 2)
        lines[1]("message.send", to=ids[0], text="Listen", files=[str(ben.home / "song.wav"), str(ben.home / "Trip")])
        self.wait("the offers", lambda: len(own("transfer.list")["transfers"]) == 2)

        def taken():
            for one in own("transfer.list", state="offered")["transfers"]:
                own("transfer.accept", id=one["id"])
            return all(one["state"] == "done" for one in own("transfer.list")["transfers"])

        self.wait("the files", taken)
        window = self.window(anna)
        page = window.page
        window.go("chats/" + next(one["id"] for one in own("conversation.list")["conversations"] if one["title"] == "Ben Ito"))
        page.get_by_role("main").get_by_role("listitem").get_by_text("Listen", exact=True).click(button="right")
        page.get_by_role("menuitem", name="Forward").click()
        dialog = page.get_by_role("dialog", name="Forward")
        dialog.get_by_label("Search chats and friends").fill("hik")
        dialog.get_by_role("button", name="Hikers").click()
        dialog.get_by_label("Search chats and friends").fill("")
        dialog.get_by_role("button", name="Cleo Marin").click()
        self.accessible(window, "forward")
        dialog.get_by_role("button", name="Forward to 2 chats").click()
        expect(page.get_by_text("Forwarded to 2 chats.")).to_be_visible()

        def arrived():
            found = [one for one in lines[2]("conversation.list")["conversations"] if one["lastMessage"] and one["lastMessage"]["text"] == "Listen"]
            for one in lines[2]("transfer.list", state="offered")["transfers"]:
                lines[2]("transfer.accept", id=one["id"])
            copies = [one for one in lines[2]("transfer.list")["transfers"] if one["state"] == "done"]
            return copies if len(found) == 2 and len(copies) == 4 else None

        for copy in self.wait("the copies with Cleo", arrived):
            with open(copy["path"] if copy["name"] != "Trip" else copy["path"] + "/days/one.txt", "rb") as file:
                wanted = ben.home / ("song.wav" if copy["name"] != "Trip" else "Trip/days/one.txt")
                self.assertEqual(file.read(), wanted.read_bytes())
        window.button("More about this chat").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name="Save as text").click()
        self.assertRegex(download.value.suggested_filename, r"^Kibo – Ben Ito – \d{4}-\d\d-\d\d\.txt$")
        text = download.value.path().read_text()
        self.assertRegex(text, r"(?m)^\d+:\d\d Ben Ito: Listen\n    \[song\.wav, 93\.8 KiB\]\n    \[Trip, 2 KiB\]\n")
        expect(page.get_by_text("Saved as “Kibo – Ben Ito")).to_be_visible()

        # What takes long says how far it is, and can be cancelled; one that breaks off says so. Neither saves anything.
        saved = []
        page.on("download", lambda file: saved.append(file))
        page.route("**/export/*", lambda route: None)
        window.button("More about this chat").click()
        page.get_by_role("menuitem", name="Save as text").click()
        progress = page.locator(".notice").filter(has_text="Saving the chat with Ben Ito: 0%")
        progress.get_by_role("button", name="Cancel").click()
        expect(progress).to_have_count(0)
        page.unroute("**/export/*")
        page.route("**/export/*", lambda route: route.abort())
        window.button("More about this chat").click()
        page.get_by_role("menuitem", name="Save as text").click()
        expect(page.get_by_text("The chat with Ben Ito couldn’t be saved. This page can’t reach Kibo")).to_be_visible()
        self.assertEqual(saved, [])
        self.done()

    def test_emoji(self):
        """Emoji stand in groups that can be jumped to, in a chosen tone, and those that were used are at hand with their names"""
        _, lines, _, window = self.chat()
        page = window.page
        window.button("Emoji").click()
        panel = page.get_by_role("dialog", name="Emoji")
        panel.get_by_role("button", name="Skin tone: none").click()
        panel.get_by_role("button", name="Skin tone: light").wait_for()
        panel.get_by_role("toolbar", name="Groups of emoji").get_by_role("button", name="Food and drink").click()
        expect(panel.get_by_role("button", name="grapes")).to_be_focused()
        expect(panel.get_by_role("button", name="grapes")).to_be_in_viewport()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        field = page.get_by_role("textbox", name="Write a message")
        expect(field).to_have_value("🍈")
        window.button("Emoji").click()
        expect(panel.get_by_role("button", name="melon", exact=True).first).to_be_in_viewport()
        self.done()
