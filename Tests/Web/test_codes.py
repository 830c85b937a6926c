"""Codes before a camera: the video that the browser takes for its camera shows the other person's real code."""

import pathlib
import struct
import zlib

from playwright.sync_api import expect

from checks import BrowserTest
from stage import launch

WIDTH, HEIGHT = 640, 480
# Makes the page's world one without a camera, or with a user who refuses it.
REFUSES = "name => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', name)); }"


def squares(blocks):
    """The rows of a code that is written in half blocks, two rows in each line."""
    return [[sign in signs for sign in line] for line in blocks.split("\n") if line for signs in ("▀█", "▄█")]


def drawn(blocks, width, height, scale):
    """A code in the middle of a grey picture: rows of bytes."""
    code = squares(blocks)
    left, top = (width - len(code[0]) * scale) // 2, (height - len(code) * scale) // 2
    rows = [bytearray([170]) * width for _ in range(height)]
    for row, line in enumerate(code):
        for column, is_dark in enumerate(line):
            for y in range(top + row * scale, top + (row + 1) * scale):
                x = left + column * scale
                rows[y][x:x + scale] = bytearray([20 if is_dark else 235]) * scale
    return rows


def film(path, *pictures):
    """Writes a video of these pictures without compression (YUV4MPEG2), each shown for a second."""
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F5:1 Ip A1:1 C420jpeg\n".encode())
        for rows in pictures:
            for _ in range(5):
                file.write(b"FRAME\n" + b"".join(rows) + bytes([128]) * (WIDTH * HEIGHT // 2))


def png(path, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(b"\x00" + bytes(row) for row in rows))
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


EMPTY = [bytearray([170]) * WIDTH for _ in range(HEIGHT)]


class Codes(BrowserTest):
    def camera(self, *pictures):
        """Takes the place of the stage's browser: its camera shows these pictures."""
        path = self.stage.folder / "camera.y4m"
        film(path, *pictures)
        self.stage.own = launch(self.playwright, self.program, f"--use-file-for-fake-video-capture={path}")

    def watched(self, window):
        """Keeps what the page was given as cameras, to see whether it gives them back."""
        window.page.evaluate("""() => {
            window.cameras = [];
            const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
            navigator.mediaDevices.getUserMedia = async (wish) => { const stream = await open(wish); window.cameras.push(...stream.getTracks()); return stream; };
        }""")

    def given_back(self, window, count):
        self.wait("the camera to be given back", lambda: window.page.evaluate("() => window.cameras.map((track) => track.readyState)") == ["ended"] * count)

    def test_ask(self):
        """Anna holds the camera on Ben's code: she sees whom it means, and asks him; other codes and none are told apart"""
        anna, ben = self.stage.person("Anna"), self.stage.person("Ben")
        own, other = anna.line(), ben.line()
        first = own("account.create", displayName="Anna Berg")["id"]
        other("account.create", displayName="Ben Ito")
        self.camera(EMPTY, drawn(other("account.link")["qr"], WIDTH, HEIGHT, 7))
        window = self.window(anna)
        page = window.page
        window.go("friends/address")
        window.button("Use the camera").wait_for()
        self.watched(window)
        window.button("Use the camera").click()
        dialog = page.get_by_role("dialog", name="Scan a code")
        expect(dialog.get_by_text("Hold the code in front of the camera")).to_be_visible()
        card = page.get_by_role("region", name="The link leads to this account")
        expect(card).to_contain_text("Ben Ito")
        expect(dialog).to_be_hidden()
        self.given_back(window, 1)
        self.assertEqual(other("contact.list", relation="incoming")["contacts"], [])
        card.get_by_role("button", name="Add").click()
        window.button("Send request").click()
        page.get_by_role("heading", name="Details").wait_for()
        self.wait("the request", lambda: [one["id"] for one in other("contact.list", relation="incoming")["contacts"]] == [first])
        self.done()

    def test_stop(self):
        """The camera stops by its button, by Esc, when the page goes elsewhere and when it is hidden; what is in the way is said"""
        anna = self.stage.person("Anna")
        anna.line()("account.create", displayName="Anna Berg")
        self.camera(EMPTY)
        window = self.window(anna)
        page = window.page
        window.go("friends/address")
        window.button("Use the camera").wait_for()
        self.watched(window)
        dialog = page.get_by_role("dialog", name="Scan a code")

        def begin():
            window.button("Use the camera").click()
            expect(dialog.get_by_text("Hold the code in front of the camera")).to_be_visible()

        begin()
        self.accessible(window, "camera")
        window.button("Turn the camera off").click()
        expect(dialog).to_be_hidden()
        expect(window.button("Use the camera")).to_be_focused()
        self.given_back(window, 1)
        begin()
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        self.given_back(window, 2)
        begin()
        page.evaluate("() => { Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }")
        expect(dialog).to_be_hidden()
        page.evaluate("() => { delete document.visibilityState; }")
        self.given_back(window, 3)
        begin()
        window.go("friends")
        expect(dialog).to_be_hidden()
        self.given_back(window, 4)

        window.go("friends/address")
        for name, words in (("NotAllowedError", "blocks the camera"), ("NotFoundError", "No camera found"), ("NotReadableError", "can’t be used")):
            page.evaluate(REFUSES, name)
            window.button("Use the camera").click()
            expect(page.get_by_role("alert")).to_contain_text(words)
        self.accessible(window, "no camera")
        self.done()

    def test_picture(self):
        """Without a camera a picture of the code does: a large one with a small code, and one without a code; the keyboard is enough"""
        anna, ben = self.stage.person("Anna"), self.stage.person("Ben")
        anna.line()("account.create", displayName="Anna Berg")
        other = ben.line()
        other("account.create", displayName="Ben Ito")
        qr = other("account.link")["qr"]
        large, none, text = (self.stage.folder / name for name in ("large.png", "none.png", "text.png"))
        png(large, drawn(qr, 2000, 1500, 3))
        png(none, EMPTY)
        text.write_text("no picture")
        window = self.window(anna)
        page = window.page
        window.go("friends/address")

        def choose(path):
            with page.expect_file_chooser() as chooser:
                window.button("Choose a picture of the code").press("Enter")
            chooser.value.set_files(path)

        choose(none)
        expect(page.get_by_role("alert")).to_contain_text("No Kibo code found in this picture")
        choose(text)
        expect(page.get_by_role("alert")).to_contain_text("can’t be read")
        choose(large)
        expect(page.get_by_role("region", name="The link leads to this account")).to_contain_text("Ben Ito")
        expect(page.get_by_role("alert")).to_have_count(0)
        self.done()

    def test_verify(self):
        """The camera on Ben's code verifies Ben once Anna says so; the code of another person is named and refused"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito", "Cleo Marin")
        befriended = lines[0]("contact.list", relation="friend")["contacts"]
        self.assertEqual(len(befriended), 2)
        self.camera(drawn(lines[1]("contact.safetyNumber", id=ids[0])["qr"], WIDTH, HEIGHT, 7))
        window = self.window(people[0])
        page = window.page
        window.go(f"friends/{ids[2]}/verify")
        window.button("Use the camera").click()
        expect(page.get_by_text("This is the code of Ben Ito, not of Cleo Marin.")).to_be_visible()
        window.button("Compare").click()
        expect(page.get_by_role("alert")).to_contain_text("somebody may be reading your messages")
        self.assertEqual(lines[0]("contact.get", id=ids[2])["trust"], "unverified")

        window.go(f"friends/{ids[1]}/verify")
        page.get_by_label("Number or link of Ben Ito").wait_for()
        window.button("Use the camera").click()
        expect(page.get_by_text("This is the code of Ben Ito. Compare it now.")).to_be_visible()
        self.assertEqual(lines[0]("contact.get", id=ids[1])["trust"], "unverified")
        expect(window.button("Compare")).to_be_focused()
        self.accessible(window, "code of a friend")
        page.keyboard.press("Enter")
        expect(page.get_by_text("They match: this really is")).to_be_visible()
        self.assertEqual(lines[0]("contact.get", id=ids[1])["trust"], "verified")
        self.done()
