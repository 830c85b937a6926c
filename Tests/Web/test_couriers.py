"""Couriers: a friend keeps what is written to somebody who is away, and the page shows who does."""

import re

from playwright.sync_api import expect

from checks import BrowserTest, stands
from scene import png
from stage import befriend

#: Names within a sentence are isolated from the direction of the text around them.
NAMED = r"\W*{}\W*"
HELD = re.compile("Held by " + NAMED.format("Carl Lund") + r" until \d+ \w+")
SAID, MORE = "See you at the lake", "And bring the map"


class Couriers(BrowserTest):
    def trio(self):
        """Anna, Ben and Carl, each a friend of the two others. Ben has named Carl in his settings."""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito", "Carl Lund")
        anna, ben, carl = lines
        befriend(ben, carl)
        window = self.window(people[1])
        page = window.page
        window.go("settings/couriers")
        window.button("Choose friends").click()
        dialog = page.get_by_role("dialog", name="Choose couriers")
        dialog.get_by_role("checkbox", name=re.compile("Carl Lund")).check()
        self.accessible(window, "settings, couriers to choose")
        dialog.get_by_role("button", name="Choose", exact=True).click()
        expect(dialog).to_have_count(0)
        couriers = page.get_by_role("list", name="Who keeps messages for me")
        expect(couriers.get_by_role("listitem")).to_contain_text("Keeps messages for you")
        self.accessible(window, "settings, couriers")
        self.whole(window, page.get_by_text("Keeps messages for you"))
        self.wait("Carl to hear it", lambda: [one["id"] for one in carl("courier.list")["carriedFor"]] == [ids[1]])
        # What Ben says after it came to Anna after it, too.
        ben("message.send", to=ids[0], text="I'm off")
        self.wait("Anna to hear it", lambda: any(one["unread"] for one in anna("conversation.list")["conversations"]))
        return people, lines, ids, window

    def whole(self, window, words):
        """Words of ours are whole in a narrow window, with large letters, too."""
        session = window.context.new_cdp_session(window.page)
        size = window.page.viewport_size
        for width, letters in ((320, 100), (380, 200)):
            session.send("Page.setFontSizes", {"fontSizes": {"standard": 16 * letters // 100, "fixed": 13 * letters // 100}})
            window.page.set_viewport_size({"width": width, "height": 800})
            stands(window.page)
            cut = words.evaluate("(one) => [one, one.parentElement].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)")
            self.assertFalse(cut, f"{words}, {width} wide, letters of {letters} %")
        session.send("Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})
        window.page.set_viewport_size(size)

    def stop(self, person):
        """Ends a daemon as its service manager does."""
        person.daemon.terminate()
        person.daemon.wait(30)

    def open(self, window, name):
        window.go("chats")
        window.page.get_by_role("list", name="Chats").get_by_role("link", name=re.compile(name)).click()
        window.page.get_by_role("textbox", name="Write a message").wait_for()

    def row(self, window, text=SAID):
        return window.page.get_by_role("main").get_by_role("listitem").filter(has=window.page.get_by_text(text, exact=True))

    def write(self, window):
        """Anna writes to Ben, and Carl keeps it."""
        self.open(window, "Ben Ito")
        field = window.page.get_by_role("textbox", name="Write a message")
        field.fill(SAID)
        field.press("Enter")
        expect(self.row(window)).to_contain_text("Waiting to be sent")
        # Ten seconds after Ben has gone, and some for the way.
        expect(self.row(window)).to_contain_text(HELD, timeout=20_000)

    def told(self, window, text):
        """A message says in words that can be seen who keeps it, and says it once."""
        self.assertGreater(self.row(window, text).get_by_text(HELD).bounding_box()["width"], 100)

    def texts(self, line):
        return [message["text"] for chat in line("conversation.list")["conversations"] for message in line("message.list", conversation=chat["id"])["messages"]]

    def test_away(self):
        """Ben is away, Anna writes and goes; Ben has it from Carl, who can't read it, and Anna sees it delivered when she is back"""
        (anna, ben, carl), _, _, window = self.trio()
        own = self.window(anna)
        keeper = self.window(carl)
        keeper.go("settings/couriers")
        kept = keeper.page.get_by_role("list", name="What I keep for friends").get_by_role("listitem")
        expect(kept).to_contain_text("Nothing at the moment")
        self.stop(ben)
        self.write(own)
        tick = self.row(own).get_by_title(HELD)
        expect(tick).to_have_count(1)
        expect(own.page.get_by_role("list", name="Chats").get_by_role("link", name=re.compile("Ben Ito"))).to_contain_text(HELD)
        self.row(own).click(button="right")
        own.page.get_by_role("menuitem", name="Message info").click()
        story = own.page.get_by_role("dialog")
        keeps = NAMED.format("Carl Lund") + " keeps it for " + NAMED.format("Ben Ito") + r" until \d+ \w+\."
        expect(story).to_contain_text(re.compile(keeps))
        expect(story).to_contain_text(re.compile("It was left with " + NAMED.format("Carl Lund") + " for"))
        self.accessible(own, "the story of a message that is held")
        own.page.keyboard.press("Escape")
        expect(story).to_have_count(0)

        # What is kept shows by itself.
        expect(kept).to_contain_text("Ben Ito")
        expect(kept).to_contain_text(re.compile(r"You keep 1 parcel, [\d.]+"))
        self.accessible(keeper, "settings, what is kept for friends")
        self.whole(keeper, keeper.page.get_by_text("You keep 1 parcel"))
        plain = [path for path in (carl.home / "data").rglob("*") if path.is_file() and SAID.encode() in path.read_bytes()]
        self.assertEqual(plain, [])

        anna.kill()
        ben.start()
        line = ben.line()
        self.wait("the message with Ben", lambda: SAID in self.texts(line))
        expect(kept).to_contain_text("Nothing at the moment")
        self.open(window, "Anna Berg")
        expect(self.row(window)).to_be_visible()
        anna.start()
        expect(self.row(own)).to_contain_text(re.compile("Delivered|Read"), timeout=30_000)
        self.assertEqual(self.texts(line).count(SAID), 1)
        self.done()

    def test_dropped(self):
        """Carl keeps nothing for others any more and drops what he has; Anna's message waits as before, and Ben removes Carl"""
        (anna, ben, carl), lines, ids, window = self.trio()
        own = self.window(anna)
        self.stop(ben)
        self.write(own)
        self.told(own, SAID)
        # Of several that are held, the last one says it.
        field = own.page.get_by_role("textbox", name="Write a message")
        field.fill(MORE)
        field.press("Enter")
        expect(self.row(own, MORE)).to_contain_text(HELD, timeout=20_000)
        self.told(own, MORE)
        self.assertLess(self.row(own).get_by_text(HELD).bounding_box()["width"], 2)
        self.accessible(own, "a chat with messages that are held")
        keeper = self.window(carl)
        keeper.go("settings/couriers")
        keeper.page.get_by_role("radio", name="Nobody").check()
        self.wait("the setting", lambda: lines[2]("settings.get", key="courier.carry")["value"] == "off")
        keeper.button("Drop parcels for", exact=False).click()
        keeper.page.get_by_role("dialog").get_by_role("button", name="Drop", exact=True).click()
        expect(keeper.page.get_by_role("list", name="What I keep for friends")).to_contain_text("Nothing at the moment")
        self.assertEqual(lines[2]("courier.parcels")["parcels"], [])
        expect(self.row(own)).to_contain_text("Waiting to be sent")
        expect(self.row(own, MORE)).to_contain_text("Waiting to be sent")

        ben.start()
        expect(self.row(own)).to_contain_text(re.compile("Delivered|Read"), timeout=30_000)
        couriers = window.page.get_by_role("list", name="Who keeps messages for me")
        expect(couriers).to_contain_text("Keeps nothing for others at the moment")
        couriers.get_by_role("button", name=re.compile("Remove")).click()
        expect(couriers.get_by_role("listitem")).to_have_count(0)
        self.wait("Carl to hear it", lambda: lines[2]("courier.list")["carriedFor"] == [])
        self.assertEqual(ben.line()("courier.list")["couriers"], [])
        self.done()

    def test_picture(self):
        """Ben is away, Anna sends a picture and goes; Ben sees the picture from Carl, who has it no more then"""
        (anna, ben, carl), lines, _, window = self.trio()
        own = self.window(anna)
        keeper = self.window(carl)
        keeper.go("settings/couriers")
        kept = keeper.page.get_by_role("list", name="What I keep for friends").get_by_role("listitem")
        path = anna.home / "Sunset über dem See.png"
        png(path)
        lines[1]("settings.set", key="files.autoDownload", value="friends")
        self.stop(ben)
        self.open(own, "Ben Ito")
        with own.page.expect_file_chooser() as chooser:
            own.button("Attach files").click()
        chooser.value.set_files(path)
        field = own.page.get_by_role("textbox", name="Write a message")
        field.fill(SAID)
        field.press("Enter")
        expect(self.row(own)).to_contain_text(HELD, timeout=20_000)
        self.told(own, SAID)
        self.wait("the file with Carl", lambda: [one for one in (carl.home / "data" / "parcels").glob("[!.]*") if one.stat().st_size == path.stat().st_size])
        expect(kept).to_contain_text("You keep 1 parcel")
        self.whole(own, self.row(own).get_by_text(HELD))
        self.accessible(own, "a picture that is held")

        anna.kill()
        ben.start()
        self.open(window, "Anna Berg")
        picture = self.row(window).get_by_role("img", name=re.compile("Sunset"))
        expect(picture).to_be_visible(timeout=20_000)
        self.assertGreater(picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)"), 100)
        taken = next(one for one in ben.line()("transfer.list")["transfers"] if one["name"] == path.name)
        self.assertEqual(open(taken["path"], "rb").read(), path.read_bytes())
        expect(kept).to_contain_text("Nothing at the moment")
        self.assertEqual(list((carl.home / "data" / "parcels").iterdir()), [])
        anna.start()
        expect(self.row(own)).to_contain_text(re.compile("Delivered|Read"), timeout=30_000)
        self.done()
