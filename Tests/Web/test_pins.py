"""Messages are pinned for all who are in the chat."""

from playwright.sync_api import expect

from checks import BrowserTest


class Pins(BrowserTest):
    def test_pins(self):
        """A message is pinned from its menu, stands over both chats, leads to where it is, and is unpinned by whoever pinned it"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito")
        chats = [lines[0]("conversation.open", contact=ids[1])["id"], lines[1]("conversation.open", contact=ids[0])["id"]]
        lines[0]("message.send", conversation=chats[0], text="the code of the gate is 4711")
        for number in range(60):
            lines[0]("message.send", conversation=chats[0], text=f"line {number}")
        self.wait("all", lambda: lines[1]("conversation.get", id=chats[1])["unread"] == 61)
        last = lines[1]("message.list", conversation=chats[1], limit=1)["messages"][0]
        lines[1]("conversation.markRead", id=chats[1], upTo=last["id"])
        lines[1]("message.send", conversation=chats[1], text="thanks for that")
        self.wait("the answer", lambda: lines[0]("conversation.get", id=chats[0])["unread"] == 1)
        anna, ben = [self.window(person) for person in people]
        for window, chat in zip((anna, ben), chats):
            window.go("chats/" + chat)
        page = anna.page
        bar = page.get_by_role("button", name="Pinned message")
        expect(page.get_by_role("main")).to_contain_text("thanks for that")
        expect(bar).to_have_count(0)

        def row(window, text):
            return window.page.get_by_role("main").get_by_role("listitem").filter(has_text=text).last

        def menu(window, text, entry):
            row(window, text).click(button="right")
            window.page.get_by_role("menuitem", name=entry, exact=True).click()

        menu(anna, "thanks for that", "Pin")
        expect(bar).to_contain_text("thanks for that")
        theirs = ben.page.get_by_role("button", name="Pinned message")
        expect(theirs).to_contain_text("thanks for that")
        # An edit is seen there, too.
        said = lines[1]("message.list", conversation=chats[1], limit=1)["messages"][0]
        lines[1]("message.edit", id=said["id"], text="thanks for that, all")
        expect(bar).to_contain_text("thanks for that, all")
        lines[1]("message.edit", id=said["id"], text="thanks for that")
        # Who has not pinned it can't unpin it.
        row(ben, "thanks for that").click(button="right")
        expect(ben.page.get_by_role("menuitem", name="Reply")).to_be_visible()
        for entry in ("Pin", "Unpin"):
            expect(ben.page.get_by_role("menuitem", name=entry, exact=True)).to_have_count(0)
        ben.page.keyboard.press("Escape")

        gate = [one for one in lines[1]("message.list", conversation=chats[1], limit=100)["messages"] if "gate" in one["text"]][0]
        lines[1]("message.react", id=gate["id"], emoji="📌")
        expect(bar).to_have_accessible_name("Pinned message 1 of 2: thanks for that")
        self.accessible(anna, "pinned messages")
        bar.click()
        expect(bar).to_have_accessible_name("Pinned message 2 of 2: the code of the gate is 4711")
        bar.click()
        expect(row(anna, "code of the gate")).to_be_in_viewport()
        expect(bar).to_have_accessible_name("Pinned message 1 of 2: thanks for that")

        bar.click()
        expect(row(anna, "thanks for that")).to_be_in_viewport()
        menu(anna, "thanks for that", "Unpin")
        expect(bar).to_have_accessible_name("Pinned message 1 of 1: the code of the gate is 4711")
        lines[1]("message.react", id=gate["id"], emoji="📌", remove=True)
        expect(bar).to_have_count(0)
        expect(theirs).to_have_count(0)
        self.done()
