"""Where a call begins beside the head of a chat: the details of a friend."""

import re

from playwright.sync_api import expect

from calls import CallTest


class CallsStart(CallTest):
    def test_call_details(self):
        """A friend is called from their details, also before there was a chat, and with video; nobody else can be"""
        self.people, self.lines, self.ids = self.friends("Anna Berg", "Ben Ito")
        anna, ben = (self.caller(person) for person in self.people)
        self.assertIsNone(self.lines[0]("contact.get", id=self.ids[1])["conversation"])
        anna.go(f"friends/{self.ids[1]}")
        head = anna.page.get_by_role("main")
        expect(head.get_by_role("button", name="Call", exact=True)).to_be_visible()
        self.accessible(anna, "details of a friend who can be called")
        head.get_by_role("button", name="Call", exact=True).click()
        ben.button("Answer").click()
        for window in (anna, ben):
            self.talks(window)
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        self.record(self.lines[0], "answered")

        # The details stay where they were.
        head.get_by_role("button", name="Video call", exact=True).click()
        expect(ben.page.get_by_role("region", name="Anna Berg is calling with video")).to_be_visible()
        ben.button("Decline").click()
        expect(anna.page.get_by_role("alert").filter(has_text="Ben Ito declined.")).to_be_visible()
        anna.page.get_by_role("region", name="Call ended").get_by_role("button", name="Close").click()
        self.lines[1]("contact.remove", id=self.ids[0])
        expect(head.get_by_text("You are not friends.")).to_be_visible()
        expect(head.get_by_role("button", name=re.compile("[Cc]all"))).to_have_count(0)
        self.done()
