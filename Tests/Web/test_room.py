"""Room on the screen: narrow windows, large letters, long names."""

from playwright.sync_api import expect

from chatting import Chatting


class Room(Chatting):
    def test_room(self):
        """A narrow window keeps the name of a chat; a usual reaction takes one press; tools and notices change and cover no message; the day fades; a Hebrew preview is cut at its end"""
        (anna, _), lines, ids, window = self.pair()
        page = window.page
        long = "A bubble that is as wide as a bubble may be, and goes on in a second line, because it has very much to tell"
        for text in [*(f"Line {number}" for number in range(30)), long, "שלום! ניפגש ביום ראשון ליד האגם, ואל תשכחי להביא את המפה החדשה ואת הסנדוויצ'ים"]:
            lines[1]("message.send", to=ids[0], text=text)
        page.set_viewport_size({"width": 380, "height": 700})
        preview = page.get_by_role("list", name="Chats").locator(".row-sub bdi")
        expect(preview).to_contain_text("שלום")
        # The first letter stands at the right edge of the preview, and is in sight.
        first = preview.evaluate("""(one) => {
            const range = document.createRange();
            range.setStart(one.firstChild, 0);
            range.setEnd(one.firstChild, 1);
            return one.getBoundingClientRect().right - range.getBoundingClientRect().right;
        }""")
        self.assertLess(abs(first), 3)

        self.open(window)
        name = page.locator(".chat-head bdi")
        self.assertEqual(name.evaluate("(one) => one.scrollWidth - one.clientWidth"), 0)
        expect(page.get_by_role("main").get_by_role("banner").or_(page.locator(".pane-main > .pane-head")).get_by_role("button")).to_have_count(3)
        # A list beside the chat takes as much room as a narrow window does.
        buttons = page.locator(".pane-main > .pane-head").get_by_role("button")
        page.set_viewport_size({"width": 740, "height": 700})
        expect(buttons).to_have_count(2)
        self.assertEqual(name.evaluate("(one) => one.scrollWidth - one.clientWidth"), 0)
        page.set_viewport_size({"width": 1280, "height": 700})
        expect(buttons).to_have_count(5)
        page.set_viewport_size({"width": 380, "height": 700})
        window.button("More about this chat").click()
        for entry in ("Video call", "Search in this chat", "Go to a day"):
            expect(page.get_by_role("menuitem", name=entry)).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="To the newest message").or_(self.row(window, long)).last.click()
        bubble = self.row(window, long).locator(".bubble")
        page.mouse.move(0, 0)
        before = bubble.bounding_box()["width"]
        bubble.hover()
        expect(self.row(window, long).get_by_role("button", name="React")).to_be_visible()
        self.assertEqual(bubble.bounding_box()["width"], before)
        self.row(window, long).get_by_role("button", name="React").hover()
        self.row(window, long).get_by_role("button", name="❤️", exact=True).click()
        expect(self.row(window, long).get_by_role("button", name="❤️ from")).to_be_visible()
        self.row(window, long).click(button="right")
        page.get_by_role("menuitem", name="❤️", exact=True).click()
        expect(self.row(window, long).get_by_role("button", name="❤️ from")).to_have_count(0)
        page.mouse.move(190, 300)
        day = page.locator(".day")
        expect(day).to_have_css("opacity", "0")
        page.mouse.wheel(0, -200)
        expect(day).to_have_css("opacity", "1")
        expect(day).to_have_css("opacity", "0")

        window.button("More about this chat").click()
        page.get_by_role("menuitem", name="Archive").click()
        notice = page.get_by_role("status").filter(has_text="Chat archived.")
        notice.get_by_role("button", name="Undo").wait_for()
        self.assertLess(notice.bounding_box()["y"] + notice.bounding_box()["height"], 200)
        self.done()
