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
        page.get_by_role("dialog").get_by_role("button", name="Delete for me").click()
        expect(row("Never mind")).to_have_count(0)
        menu("Ben Ito", "Pin")
        menu("Ben Ito", "Mute")
        page.get_by_role("menuitem", name="Mute for 1 hour").click()
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

        def is_kept():
            kept = own("conversation.get", id=chat)
            return kept["pinned"] and kept["muted"] and "mutedUntil" in kept

        self.wait("the pin and the mute", is_kept)
        theirs = ben("conversation.list")["conversations"][0]["id"]
        self.wait("all of it with Ben", lambda: [(one["text"], len(one["reactions"])) for one in ben("message.list", conversation=theirs)["messages"]] == [
            ("We meet at ten", 0), ("Good", 0), ("Where?", 1), ("Never mind", 0), ("At the lake", 0)])
        self.assertEqual(ben("message.get", id=first)["text"], "We meet at ten")
        self.assertEqual(page.evaluate("Object.keys(localStorage).filter((name) => /change|outbox/.test(name))"), [])
        self.done()

    def test_delete_chat(self):
        """Chats that are deleted while the daemon is away go at once and stay away; one that got new messages meanwhile comes back with the reason"""
        (anna, _, _), (own, ben, cleo), ids = self.friends("Anna Berg", "Ben Ito", "Cleo Marin")
        chat = own("conversation.open", contact=ids[1])["id"]
        own("message.send", conversation=chat, text="Hello Ben")
        cleo("message.send", to=ids[0], text="Hello Anna")
        self.wait("the message", lambda: any(one["unread"] == 1 for one in own("conversation.list")["conversations"]))
        window = self.window(anna)
        page = window.page
        chats = page.get_by_role("list", name="Chats")
        chats.get_by_role("link", name=re.compile("Ben Ito")).click()
        field = page.get_by_role("textbox", name="Write a message")
        expect(page.get_by_role("main").get_by_text("Hello Ben")).to_be_visible()
        address = page.url
        anna.kill()
        expect(page.get_by_text("Kibo isn’t running on this computer.")).to_be_visible()
        cleo("message.send", to=ids[0], text="Are you there?")

        field.fill("The last word")
        field.press("Enter")
        for name in ("Ben Ito", "Cleo Marin"):
            row = chats.get_by_role("link", name=re.compile(name))
            row.click(button="right")
            page.get_by_role("menuitem", name="Delete chat").click()
            dialog = page.get_by_role("dialog", name="Delete chat")
            self.accessible(window, f"delete a chat, {name}")
            dialog.get_by_role("button", name="Delete").click()
            expect(dialog).to_have_count(0)
            expect(row).to_have_count(0)
        expect(page).to_have_title(re.compile("^Chats"))
        expect(page.get_by_text("No chats yet")).to_be_visible()
        self.assertEqual(page.evaluate("location.hash"), "#/chats")

        # Cleo's words come before the page is there again.
        page.goto("about:blank")
        anna.start()
        own = anna.line()
        self.wait("what Cleo has written", lambda: any(one["unread"] == 2 for one in own("conversation.list")["conversations"]))
        page.goto(address)
        expect(page.get_by_text("The chat wasn’t deleted, because new messages have arrived in it.")).to_be_visible()
        expect(chats.get_by_role("link", name=re.compile("Cleo Marin"))).to_contain_text("Are you there?")
        expect(chats.get_by_role("link", name=re.compile("Ben Ito"))).to_have_count(0)
        self.wait("Ben's chat to go", lambda: [one["title"] for one in own("conversation.list")["conversations"]] == ["Cleo Marin"])
        theirs = ben("conversation.list")["conversations"][0]["id"]
        self.wait("the text that was written before", lambda: [one["text"] for one in ben("message.list", conversation=theirs)["messages"]] == ["Hello Ben", "The last word"])
        self.assertEqual(page.evaluate("Object.keys(localStorage).filter((name) => /change|outbox|draft/.test(name))"), [])

        chats.get_by_role("link", name=re.compile("Cleo Marin")).click()
        self.wait("what was seen to be read", lambda: own("conversation.list")["conversations"][0]["unread"] == 0)
        window.button("More about this chat").click()
        page.get_by_role("menuitem", name="Delete chat").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        self.wait("no chat", lambda: own("conversation.list")["conversations"] == [])
        expect(page.get_by_text("No chats yet")).to_be_visible()
        self.done()

    def test_no_network(self):
        """A computer that is on no network says so on every screen, and writing goes on; once it is on one again, that is gone"""
        (anna, _), lines, ids = self.friends("Anna Berg", "Ben Ito")
        chat = lines[0]("conversation.open", contact=ids[1])["id"]
        window = self.window(anna)
        page = window.page
        window.go("chats/" + chat)
        words = page.get_by_text("This computer isn’t connected to a network. What you write is sent once it is.")
        usual = anna.network()
        anna.kill()
        # The only interface that the daemon may use isn't there.
        anna.network = lambda: ("--interface", "pulled0", *usual[4:])
        anna.start()
        expect(words).to_be_visible(timeout=30_000)
        page.get_by_role("textbox", name="Write a message").fill("Are you there?")
        page.keyboard.press("Enter")
        self.accessible(window, "no network")
        window.go("settings")
        expect(words).to_be_visible()
        anna.kill()
        anna.network = lambda: usual
        anna.start()
        self.wait("the message", lambda: [one for one in lines[1]("conversation.list")["conversations"] if one["lastMessage"] and one["lastMessage"]["text"] == "Are you there?"])
        expect(words).to_have_count(0, timeout=30_000)
        self.done()

    def test_refusals(self):
        """What can't wait for the daemon is refused at once, and says why and what to do, in the language of the page"""
        (anna, _), (own, _), ids = self.friends("Anna Berg", "Ben Ito")
        group = own("group.create", name="Hikers", members=ids[1:])["id"]
        window = self.window(anna)
        page = window.page
        window.go(f"friends/{ids[1]}")
        remove = window.button("Remove friend")
        remove.wait_for()
        window.go(f"groups/{group}")
        edit = window.button("Edit the group")
        edit.wait_for()
        anna.kill()
        expect(page.get_by_text("Kibo isn’t running on this computer.")).to_be_visible()
        edit.click()
        page.get_by_label("Group name").fill("Swimmers")
        window.button("Save").click()
        alert = page.get_by_role("dialog").get_by_role("alert")
        expect(alert).to_have_text("Kibo isn’t running. Try again when it is.")
        self.accessible(window, "refused while Kibo is away")
        page.keyboard.press("Escape")
        page.evaluate("localStorage.setItem('kibo.language', 'de')")
        page.evaluate("dispatchEvent(new StorageEvent('storage', { key: 'kibo.language', newValue: 'de' }))")
        window.go(f"friends/{ids[1]}")
        window.button("Freund entfernen").click()
        page.get_by_role("dialog").get_by_role("button", name="Entfernen").click()
        expect(alert).to_have_text("Kibo läuft gerade nicht. Versuche es wieder, sobald es läuft.")
        self.done()
