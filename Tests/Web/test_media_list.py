"""Pictures, files, links and sound of a chat, in its details."""

import io
import wave

from playwright.sync_api import expect

from chatting import Chatting
from checks import picture


def sound():
    """A second of silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setparams((1, 2, 8000, 8000, "NONE", ""))
        out.writeframes(bytes(16000))
    return file.getvalue()


class MediaList(Chatting):
    def test_list(self):
        """The details of a chat lead to its pictures, files, links and sound, by month; a picture opens in the viewer, a file leads to its message, and what is deleted goes"""
        (anna, ben), lines, ids, window = self.pair()
        page = window.page
        hills = None
        for name, content in (("Lake.png", picture()), ("Hills.png", picture(80, 80)), ("Plan.pdf", b"%PDF-1.4 a plan"), ("Note.wav", sound())):
            (ben.home / name).write_bytes(content)
            sent = lines[1]("message.send", to=ids[0], files=[str(ben.home / name)], text="A file")
            hills = sent["id"] if name == "Hills.png" else hills
        lines[1]("message.send", to=ids[0], text="Look at https://example.org/lake, it is large")
        lines[1]("message.send", to=ids[0], text="Nothing of that kind")

        def there():
            return [one for one in lines[0]("transfer.list")["transfers"] if one["state"] == "done"]

        self.wait("all files", lambda: len(there()) == 4)
        self.open(window)
        window.button("More about this chat").click()
        page.get_by_role("menuitem", name="Details").click()
        window.button("Media").click()
        aside = page.get_by_role("region", name="Media").or_(page.get_by_role("main", name="Media"))
        tiles = aside.locator(".media-tile")
        expect(tiles).to_have_count(2)
        expect(aside.get_by_role("heading", level=3)).to_have_count(1)
        self.accessible(window, "pictures of a chat")
        aside.get_by_role("button", name="View Hills.png").click()
        viewer = page.get_by_role("dialog")
        expect(viewer).to_contain_text("Hills.png")
        page.keyboard.press("ArrowLeft")
        expect(viewer).to_contain_text("Lake.png")
        page.keyboard.press("Escape")
        # One tile is in the order of Tab, and arrows lead to the others.
        aside.get_by_role("button", name="View Hills.png").focus()
        page.keyboard.press("ArrowRight")
        expect(aside.get_by_role("button", name="View Lake.png")).to_be_focused()
        page.keyboard.press("Home")
        expect(aside.get_by_role("button", name="View Hills.png")).to_be_focused()
        expect(aside.locator("[data-tile][tabindex='0']")).to_have_count(1)
        lines[1]("message.delete", id=hills, **{"for": "all"})
        expect(tiles).to_have_count(1)
        window.button("Files").click()
        expect(aside.get_by_role("listitem")).to_have_count(1)
        expect(aside.get_by_role("listitem")).to_contain_text("Plan.pdf")
        self.accessible(window, "files of a chat")
        window.button("Links").click()
        expect(aside.get_by_role("link", name="https://example.org/lake")).to_have_attribute("href", "https://example.org/lake")
        window.button("Audio").click()
        expect(aside.get_by_role("button", name="Play Note.wav")).to_be_visible()
        window.button("Links").click()
        aside.get_by_title("Go to this message").click()
        expect(self.row(window, "Nothing of that kind")).to_be_visible()
        self.done()
