"""Who people are outside of Kibo: verifying a friend, the address book, invitations."""

import re

from playwright.sync_api import expect

from checks import BrowserTest


class Book(BrowserTest):
    def test_verify(self):
        """Both sides see the same sixty digits; a wrong number is refused, the right one makes the friend verified, and so does a word"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito")
        first, second = self.window(people[0]), self.window(people[1])
        first.go(f"friends/{ids[1]}")
        first.button("Verify").click()
        second.go(f"friends/{ids[0]}/verify")
        seen = []
        for window in (first, second):
            groups = window.page.get_by_role("list", name="The number of you two").get_by_role("listitem")
            expect(groups).to_have_count(12)
            seen.append(groups.all_inner_texts())
            expect(window.page.get_by_role("img", name="Your code for verifying")).to_be_visible()
        self.assertEqual(seen[0], seen[1])
        self.assertTrue(all(re.fullmatch(r"\d{5}", group) for group in seen[0]))
        self.accessible(first, "verify")

        field = first.page.get_by_label("Number or link of Ben Ito")
        field.fill("12345 " * 12)
        first.button("Compare").click()
        expect(first.page.get_by_role("alert")).to_contain_text("another person may sit between you")
        self.accessible(first, "another number")
        self.assertEqual(lines[0]("contact.get", id=ids[1])["trust"], "unverified")
        field.fill(" ".join(seen[1]))
        first.button("Compare").click()
        expect(first.page.get_by_text("It is the same: this is really the key")).to_be_visible()
        expect(first.page.get_by_role("main").get_by_text("Verified: the numbers were compared").last).to_be_visible()
        self.assertEqual(lines[0]("contact.get", id=ids[1])["trust"], "verified")

        second.button("It is different").click()
        expect(second.page.get_by_role("alert")).to_contain_text("another person may sit between you")
        second.button("It is the same").click()
        expect(second.button("It is the same")).to_have_count(0)
        self.assertEqual(lines[1]("contact.get", id=ids[0])["trust"], "verified")
        self.done()
