"""Parts of the page whose script does not come: that is said in their place, what was written stays, and they can be fetched again."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import expect

from checks import BrowserTest
from stage import BIN

SCRIPTS = re.compile(r"/assets/.*\.js$")
MISSING = "This part couldn’t be loaded"


class Later(BrowserTest):
    def test_missing_script(self):
        """Where a script can't be fetched, only the window or pane that it draws is missing, with a way to try again; the chat and the text in its field stay"""
        (anna, _), (own, ben), ids = self.friends("Anna Berg", "Ben Ito")
        ben("message.send", to=ids[0], text="Shall we go?")
        chat = own("conversation.open", contact=ids[1])["id"]
        window = self.window(anna)
        page = window.page
        window.go(f"chats/{chat}")
        main = page.get_by_role("main")
        field = page.get_by_role("textbox", name="Write a message")
        field.fill("Half of a")
        missing = page.get_by_role("dialog", name=MISSING)
        again = page.get_by_role("button", name="Try again")
        page.route(SCRIPTS, lambda route: route.abort())

        window.button("Emoji").click()
        expect(missing).to_be_visible()
        self.accessible(window, "a part that is missing")
        again.click()
        expect(again).to_be_disabled()
        expect(again).to_be_enabled()
        expect(field).to_have_value("Half of a")
        page.unroute(SCRIPTS)
        again.click()
        panel = page.get_by_role("dialog", name="Emoji")
        expect(panel).to_be_visible()
        expect(missing).to_have_count(0)
        panel.get_by_role("button", name="thumbs up", exact=True).first.click()
        expect(field).to_have_value("Half of a👍")

        # Other windows close by their own button, and leave what is below.
        page.route(SCRIPTS, lambda route: route.abort())
        main.get_by_role("listitem").get_by_text("Shall we go?", exact=True).click(button="right")
        page.get_by_role("menuitem", name="Forward").click()
        expect(missing).to_be_visible()
        missing.get_by_role("button", name="Close").click()
        expect(missing).to_have_count(0)
        page.keyboard.press("Control+k")
        expect(missing).to_be_visible()
        page.keyboard.press("Escape")
        expect(missing).to_have_count(0)
        expect(main.get_by_role("listitem").get_by_text("Shall we go?", exact=True)).to_be_visible()
        expect(field).to_have_value("Half of a👍")

        # A pane says it in its place; the other pane stays.
        window.go(f"chats/{chat}/details")
        aside = page.get_by_role("region", name="Details")
        expect(aside.get_by_text(MISSING)).to_be_visible()
        self.accessible(window, "a pane that is missing")
        expect(field).to_have_value("Half of a👍")
        page.unroute(SCRIPTS)
        aside.get_by_role("button", name="Try again").click()
        expect(aside.get_by_text("Account ID")).to_be_visible()

        # A page that is loaded again still has the text.
        page.route(SCRIPTS, lambda route: route.abort())
        field.fill("")
        window.button("Record a voice note").click()
        expect(missing).to_be_visible()
        missing.get_by_role("button", name="Close").click()
        field.fill("The whole sentence")
        page.keyboard.press("Control+k")
        expect(missing).to_be_visible()
        page.unroute(SCRIPTS)
        missing.get_by_role("button", name="Reload the page").click()
        expect(field).to_have_value("The whole sentence")
        expect(missing).to_have_count(0)
        self.done()

    def test_chat_ahead(self):
        """The script of chats comes with the first sign of the user: a chat opens also if no script can be fetched any more"""
        (anna, _), (own, ben), ids = self.friends("Anna Berg", "Ben Ito")
        ben("message.send", to=ids[0], text="Shall we go?")
        chat = own("conversation.open", contact=ids[1])["id"]
        window = self.window(anna)
        page = window.page
        page.get_by_role("list", name="Chats").get_by_role("link").wait_for()
        with page.expect_request_finished(lambda request: SCRIPTS.search(request.url) is not None):
            page.mouse.move(300, 300)
        page.route(SCRIPTS, lambda route: route.abort())
        window.go(f"chats/{chat}")
        expect(page.get_by_role("main").get_by_role("listitem").get_by_text("Shall we go?", exact=True)).to_be_visible()
        self.done()

    def test_late_emoji(self):
        """Enter in the search of emoji counts also where the list comes after it, and other words take it back"""
        (anna, _), (own, ben), ids = self.friends("Anna Berg", "Ben Ito")
        ben("message.send", to=ids[0], text="Shall we go?")
        window = self.window(anna)
        page = window.page
        held = []

        def hold_list(route):
            script = BIN / "share/kibo/web" / urlsplit(route.request.url).path.lstrip("/")
            held.append(route) if "grinning face" in script.read_text() else route.continue_()

        def search():
            """Types before the list is there; returns the field."""
            page.locator("[data-id]").first.focus()
            page.keyboard.press("+")
            field = page.get_by_role("dialog", name="React").get_by_role("searchbox")
            expect(field).to_be_focused()
            page.keyboard.type("thumbs up")
            page.keyboard.press("Enter")
            return field

        def release():
            while not held:
                page.wait_for_timeout(50)
            held.pop().continue_()

        page.route(SCRIPTS, hold_list)
        window.go(f"chats/{own('conversation.open', contact=ids[1])['id']}")
        field = search()
        release()
        expect(page.get_by_role("button", name=re.compile("👍 from You"))).to_be_visible()
        expect(field).to_have_count(0)
        page.reload()
        expect(page.get_by_role("button", name=re.compile("👍 from You"))).to_be_visible()
        field = search()
        page.keyboard.type(" or")
        release()
        expect(page.get_by_role("dialog", name="React").get_by_text("No emoji found")).to_be_visible()
        expect(field).to_have_value("thumbs up or")
        page.unroute(SCRIPTS)
        self.done()
