"""The slider of days in a chat: it leads through a long history by keyboard and by buttons, in all widths and directions."""

import re

from playwright.sync_api import expect

from checks import BrowserTest
from crowd import spread_over_days


class Days(BrowserTest):
    def test_days(self):
        """A slider of days leads to the first day, on by a day, and back to the newest message; buttons skip days without one"""
        (anna, _), lines, ids = self.friends("Anna Berg", "Ben Ito")
        own, ben = lines
        for number in range(1, 421):
            ben("message.send", to=ids[0], text=f"Message number {number}")
        self.wait("the messages", lambda: own("conversation.list")["conversations"][0]["unread"] == 420)
        chat = own("conversation.list")["conversations"][0]["id"]
        own("conversation.markRead", id=chat, upTo=own("conversation.list")["conversations"][0]["lastMessage"]["id"])
        spread_over_days(anna, 5)
        window = self.window(anna)
        page = window.page

        def row(number):
            return page.get_by_role("main").get_by_role("listitem").filter(has=page.get_by_text(f"Message number {number}", exact=True))

        window.go(f"chats/{chat}")
        expect(row(420)).to_be_in_viewport()
        window.button("Go to a day").click()
        slider = page.get_by_role("slider", name="Day")
        expect(slider).to_be_focused()
        expect(slider).to_have_attribute("aria-valuetext", re.compile("Today|Yesterday"))
        self.accessible(window, "the slider of days")
        page.keyboard.press("Home")
        expect(row(1)).to_be_in_viewport()
        expect(row(420)).to_have_count(0)
        first = slider.get_attribute("aria-valuetext")
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        expect(row(16)).to_be_in_viewport()
        self.assertNotEqual(slider.get_attribute("aria-valuetext"), first)
        expect(slider).to_have_value("3")
        window.button("Next day").click()
        expect(row(21)).to_be_in_viewport()
        # Twice before the daemon has said which day the first click leads to.
        window.button("Previous day").evaluate("(button) => { button.click(); button.click(); }")
        expect(row(11)).to_be_in_viewport()
        expect(slider).to_have_value("2")
        slider.focus()
        page.keyboard.press("End")
        expect(row(420)).to_be_in_viewport()
        # What is scrolled to moves the slider.
        slider.focus()
        page.locator(".history").hover()
        page.mouse.wheel(0, -3000)
        expect(slider).not_to_have_value("83")
        slider.press("Escape")
        expect(slider).to_have_count(0)
        expect(page.get_by_role("textbox", name="Write a message")).to_be_focused()

        page.set_viewport_size({"width": 320, "height": 640})
        window.button("More about this chat").click()
        page.get_by_role("menuitem", name="Go to a day").click()
        expect(slider).to_be_focused()
        page.keyboard.press("PageDown")
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 320)
        page.evaluate("localStorage.setItem('kibo.language', 'mirrored')")
        page.reload()
        page.set_viewport_size({"width": 1100, "height": 640})
        page.locator("button[aria-expanded]:has(.icon-calendar)").click()
        slider = page.get_by_role("slider")
        expect(slider).to_be_focused()
        now = int(slider.input_value())
        page.keyboard.press("ArrowRight")
        expect(slider).to_have_value(str(now - 1))
        self.accessible(window, "the slider of days from the right")
        self.done()
