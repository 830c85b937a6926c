"""What is done while the daemon is away: it shows at once, outlives a reload, and is done when the daemon is back."""

import re

from playwright.sync_api import expect

from checks import BrowserTest


class Away(BrowserTest):
    def test_changes(self):
        """Edits, reactions, deletions, pins, mutes and read marks are kept while the daemon is killed, and done once and in order"""
        (anna, _, _), lines, ids = self.friends("Anna Berg", "Ben Ito", "Cleo Marin")
        own, ben, cleo = lines
        chat = own("conversation.open", contact=ids[1])["id"]
        first = own("message.send", conversation=chat, text="We meet at nine")["id"]
        for text in ("Good", "Where?", "Never mind"):
            ben("message.send", to=ids[0], text=text)
        for number in (1, 2, 3):
            cleo("message.send", to=ids[0], text=f"Number {number}")

        def unread(line):
            return sum(one["unread"] for one in line("conversation.list")["conversations"])

        self.wait("all messages", lambda: unread(own) == 6)
        window = self.window(anna)
        page = window.page
        chats = page.get_by_role("list", name="Chats")

        def row(text):
            return page.get_by_role("main").get_by_role("listitem").filter(has=page.get_by_text(text, exact=True))

        def menu(person, entry):
            chats.get_by_role("link", name=re.compile(person)).click(button="right")
            page.get_by_role("menuitem", name=entry, exact=True).click()

        chats.get_by_role("link", name=re.compile("Ben Ito")).click()
        expect(row("Never mind")).to_be_visible()
        self.wait("what was seen to be read", lambda: unread(own) == 3)
        expect(page).to_have_title(re.compile(r"^\(3\)"))
        anna.kill()
        expect(page.get_by_text("Kibo isn’t running on this computer.")).to_be_visible(timeout=30_000)

        field = page.get_by_role("textbox", name="Write a message")
        field.press("ArrowUp")
        expect(field).to_have_value("We meet at nine")
        field.fill("We meet at ten")
        field.press("Enter")
        expect(row("We meet at ten")).to_contain_text("edited")
        field.fill("At the lake")
        field.press("Enter")
        row("Where?").hover()
        row("Where?").get_by_role("button", name="React").click()
        page.get_by_role("dialog", name="React").get_by_role("button", name="thumbs up", exact=True).first.click()
        expect(row("Where?").get_by_role("button", name=re.compile("👍 from You"))).to_be_visible()
        row("Never mind").click(button="right")
        page.get_by_role("menuitem", name="Delete message").click()
        page.get_by_role("dialog").get_by_role("button", name="For me").click()
        expect(row("Never mind")).to_have_count(0)
        menu("Ben Ito", "Pin")
        menu("Ben Ito", "Mute")
        expect(chats.get_by_text("Pinned")).to_be_attached()
        expect(chats.get_by_text("Muted")).to_be_attached()
        menu("Cleo Marin", "Mark as read")
        expect(chats.get_by_text(re.compile("unread message"))).to_have_count(0)
        expect(page).to_have_title(re.compile("^Chats"))

        page.reload()
        expect(page.get_by_text("Kibo isn’t running on this computer.")).to_be_visible(timeout=30_000)
        anna.start()
        expect(row("At the lake")).to_contain_text(re.compile("Delivered|Read"), timeout=30_000)
        expect(row("We meet at ten")).to_contain_text("edited")
        expect(row("Where?").get_by_role("button", name=re.compile("👍 from You"))).to_be_visible()
        expect(row("Never mind")).to_have_count(0)
        expect(chats.get_by_text("Pinned")).to_be_attached()
        own = anna.line()
        self.wait("nothing unread", lambda: unread(own) == 0)
        kept = next(one for one in own("conversation.list")["conversations"] if one["id"] == chat)
        self.assertEqual((kept["pinned"], kept["muted"]), (True, True))
        theirs = ben("conversation.list")["conversations"][0]["id"]
        self.wait("all of it with Ben", lambda: [(one["text"], len(one["reactions"])) for one in ben("message.list", conversation=theirs)["messages"]] == [
            ("We meet at ten", 0), ("Good", 0), ("Where?", 1), ("Never mind", 0), ("At the lake", 0)])
        self.assertEqual(ben("message.get", id=first)["text"], "We meet at ten")
        self.assertEqual(page.evaluate("Object.keys(localStorage).filter((name) => /change|outbox/.test(name))"), [])
        self.done()
