"""A list of very many friends: only what is in sight is drawn, and all of it is reached."""

from playwright.sync_api import expect

from checks import BrowserTest
from crowd import befriend_many, name


class Crowd(BrowserTest):
    def test_many_friends(self):
        """Of 1,300 friends few rows are drawn; keys reach the last and come back; a search finds one; a new chat with them opens"""
        (anna, _), _, _ = self.friends("Anna Berg", "Aaron First")
        befriend_many(anna, 1300)
        window = self.window(anna)
        page = window.page
        window.go("friends")
        expect(page.get_by_text("1,301 friends")).to_be_visible()
        rows = page.get_by_role("list", name="Friends").get_by_role("link")
        focused = page.locator("[data-row]:focus")
        self.assertLess(rows.count(), 200)
        rows.first.focus()
        expect(focused).to_contain_text("Aaron First")
        last = sorted((name(number) for number in range(1300)), key=lambda one: [*one.split()[:2], int(one.split()[2])])[-1]
        self.assertIn("Zoe", last)
        page.keyboard.press("End")
        expect(focused).to_contain_text(last)
        expect(focused).to_be_in_viewport()
        self.assertEqual(focused.locator("xpath=..").get_attribute("aria-posinset"), "1301")
        self.assertLess(rows.count(), 200)
        for _ in range(70):
            page.keyboard.press("ArrowUp")
        self.assertEqual(focused.locator("xpath=..").get_attribute("aria-posinset"), "1231")
        expect(focused).to_be_in_viewport()
        self.accessible(window, "many friends")
        page.keyboard.press("Home")
        expect(focused).to_contain_text("Aaron First")
        page.get_by_label("Search friends").fill(name(777))
        expect(rows).to_have_count(1)
        window.go("chats/new")
        page.get_by_label("Search friends").fill(name(42))
        page.get_by_role("list", name="Friends").get_by_role("button").click()
        window.button("Open chat").click()
        page.get_by_role("textbox", name="Write a message").wait_for()
        self.done()
