"""Members of a group are mentioned by name: completed while it is typed, and lit where it is read."""

import re

from playwright.sync_api import expect

from checks import BrowserTest


class Mentions(BrowserTest):
    def group(self, *names):
        """A group of these people; the windows of the first and the second show its chat."""
        people, lines, ids = self.friends(*names)
        lines[0]("group.create", name="Hikers", members=ids[1:])
        chats = [self.wait("the group", lambda line=line: [one for one in line("group.list")["groups"] if one["state"] == "member" and one["conversation"] and len(one["members"]) == len(names)])[0]["conversation"] for line in lines]
        windows = [self.window(person) for person in people[:2]]
        for window, chat in zip(windows, chats):
            window.go("chats/" + chat)
        return windows, lines, ids, chats

    def test_completed(self):
        """After @ the members' names are offered, by any word of them and in all scripts; keys and the pointer choose, Escape closes, and the text is what was typed"""
        (window, other), lines, ids, chats = self.group("Anna Berg", "Ben Ito", "דנה לוי", "山田太郎")
        page = window.page
        field = page.get_by_role("textbox", name="Write a message")
        names = page.get_by_role("listbox", name="Mention somebody")
        options = names.get_by_role("option")
        field.click()
        page.keyboard.type("Hello @")
        expect(options).to_have_count(3)
        expect(names.get_by_role("option", name="Anna Berg")).to_have_count(0)
        self.accessible(window, "mention somebody")
        page.keyboard.type("it")
        expect(options.locator(".name")).to_have_text(["Ben Ito"])
        self.assertEqual(field.evaluate("(field) => document.getElementById(field.getAttribute('aria-activedescendant')).textContent"), options.first.text_content())
        page.keyboard.press("Enter")
        expect(field).to_have_value("Hello @Ben Ito ")
        expect(names).to_have_count(0)
        # An alias finds the name that everybody knows.
        lines[0]("contact.update", id=ids[2], alias="Sister")
        page.keyboard.type("@Sis")
        options.first.click()
        expect(field).to_have_value("Hello @Ben Ito @דנה לוי ")
        expect(field).to_be_focused()
        page.keyboard.type("@")
        page.keyboard.press("ArrowUp")
        expect(names.get_by_role("option", selected=True)).to_have_text(options.last.text_content())
        page.keyboard.press("ArrowDown")
        expect(names.get_by_role("option", selected=True)).to_have_text(options.first.text_content())
        page.keyboard.press("Escape")
        expect(names).to_have_count(0)
        page.keyboard.type("山")
        expect(names).to_have_count(0)
        page.keyboard.press("Backspace")
        page.keyboard.press("Backspace")
        page.keyboard.type("こんにちは@山")
        page.keyboard.press("Tab")
        expect(field).to_have_value("Hello @Ben Ito @דנה לוי こんにちは@山田太郎 ")
        # An address mentions nobody, and Enter sends.
        page.keyboard.type("and anna@be")
        expect(names).to_have_count(0)
        page.keyboard.press("Enter")
        text = "Hello @Ben Ito @דנה לוי こんにちは@山田太郎 and anna@be"
        found = self.wait("the message", lambda: [one for one in lines[1]("message.list", conversation=chats[1])["messages"] if one["kind"] == "text"])
        self.assertEqual([one["text"] for one in found], [text])

        # It is lit for all, and for the one who is meant most of all.
        for view, own in ((window, []), (other, ["@Ben Ito"])):
            row = view.page.get_by_role("main").get_by_role("listitem").filter(has_text="Hello").last
            expect(row.locator(".mention")).to_have_text(["@Ben Ito", "@דנה לוי", "@山田太郎"])
            expect(row.locator(".mention-own")).to_have_text(own)
        self.accessible(other, "mentioned")
        self.done()

    def test_found_line(self):
        """A search that finds what Kibo says in a group shows it as the group does, and not as somebody's words"""
        (window, _), lines, ids, chats = self.group("Anna Berg", "Ben Ito")
        page = window.page
        window.go("chats")
        page.get_by_role("searchbox", name="Search everything").fill("ito")
        found = page.get_by_role("list", name="Messages").get_by_role("link")
        expect(found).to_contain_text("You created the group “Hikers” with Ben Ito.")
        expect(found).not_to_contain_text("You:")
        self.done()

    def test_muted(self):
        """In a muted group a mention counts, with a sign in the list; it ends with reading, or when mentions are muted, too"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito")
        lines[0]("group.create", name="Hikers", members=ids[1:])
        anna, ben = [self.wait("the group", lambda line=line: [one for one in line("group.list")["groups"] if one["state"] == "member" and one["conversation"]])[0]["conversation"] for line in lines]
        lines[1]("conversation.update", id=ben, muted=True)
        window = self.window(people[1])
        page = window.page
        row = page.get_by_role("list", name="Chats").get_by_role("link", name=re.compile("Hikers"))
        sign = row.get_by_text("You were mentioned")
        expect(row).to_be_visible()
        before = page.title()
        lines[0]("message.send", conversation=anna, text="rain again")
        expect(row).to_contain_text("rain again")
        expect(sign).to_have_count(0)
        self.assertEqual(page.title(), before)
        lines[0]("message.send", conversation=anna, text="@ben ito, do you come?")
        expect(sign).to_have_count(1)
        self.wait("the title", lambda: "1" in page.title())
        self.accessible(window, "a mention in a muted group")
        row.click(button="right")
        page.get_by_role("menuitem", name="Mute mentions too").click()
        expect(sign).to_have_count(0)
        self.wait("the title", lambda: page.title() == before)
        self.wait("the daemon", lambda: lines[1]("conversation.get", id=ben)["mentionsMuted"])
        row.click(button="right")
        page.get_by_role("menuitem", name="Unmute mentions").click()
        expect(sign).to_have_count(1)
        row.click()
        expect(page.get_by_role("main")).to_contain_text("do you come?")
        expect(sign).to_have_count(0)
        self.wait("the count", lambda: lines[1]("conversation.get", id=ben)["mentions"] == 0)
        self.done()

    def test_friend(self):
        """In a chat with a friend @ is a sign like others"""
        _, lines, ids = (found := self.friends("Anna Berg", "Ben Ito"))
        window = self.window(found[0][0])
        window.go("chats/" + lines[0]("conversation.open", contact=ids[1])["id"])
        field = window.page.get_by_role("textbox", name="Write a message")
        field.click()
        window.page.keyboard.type("@Ben")
        window.page.keyboard.press("Enter")
        row = window.page.get_by_role("main").get_by_role("listitem").filter(has_text="@Ben")
        expect(row).to_have_count(1)
        expect(row.locator(".mention")).to_have_count(0)
        self.done()
