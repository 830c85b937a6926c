"""Chats of two friends, for the tests that look at them."""

import re

from checks import BrowserTest


class Chatting(BrowserTest):
    def pair(self, count=0):
        """Anna and Ben are friends; Ben has written `count` messages. Anna's window shows her chats."""
        (anna, ben), lines, ids = self.friends("Anna Berg", "Ben Ito")
        for number in range(1, count + 1):
            lines[1]("message.send", to=ids[0], text=f"Message number {number}")
        if count > 0:
            self.wait("the messages", lambda: self.unread(lines[0]) == count)
        else:
            lines[0]("conversation.open", contact=ids[1])
        window = self.window(anna)
        window.go("chats")
        return (anna, ben), lines, ids, window

    def unread(self, line):
        return sum(one["unread"] for one in line("conversation.list")["conversations"])

    def open(self, window, name="Ben Ito"):
        window.page.get_by_role("list", name="Chats").get_by_role("link", name=re.compile(name)).click()
        field = window.page.get_by_role("textbox", name="Write a message")
        field.wait_for()
        return field

    def row(self, window, text):
        return window.page.get_by_role("main").get_by_role("listitem").filter(has=window.page.get_by_text(text, exact=True))

    def menu(self, window, entry):
        window.page.get_by_role("list", name="Chats").get_by_role("link", name=re.compile("Ben Ito")).click(button="right")
        window.page.get_by_role("menuitem", name=entry, exact=True).click()
