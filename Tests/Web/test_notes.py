"""Notes to oneself: a chat that goes to nobody, found where chats are begun and forwarded to."""

import re

from playwright.sync_api import expect

from checks import BrowserTest


class Notes(BrowserTest):
    def notes(self, line):
        return next((one for one in line("conversation.list")["conversations"] if one["kind"] == "notes"), None)

    def test_notes(self):
        """Notes are begun in a new chat, take text and files of any type, show no ticks and no calls, and go with one press"""
        (anna, ben), lines, ids = self.friends("Anna Berg", "Ben Ito")
        own = lines[0]
        window = self.window(anna)
        page = window.page
        window.go("chats/new")
        page.get_by_label("Search friends").fill("notes")
        self.accessible(window, "a new chat with notes")
        page.get_by_role("list", name="New chat").get_by_role("button").click()
        main = page.get_by_role("main")
        expect(main.get_by_text("Only for you")).to_be_visible()
        expect(main.get_by_text("No notes yet")).to_be_visible()
        expect(main.get_by_role("button", name="Call", exact=True)).to_have_count(0)
        field = page.get_by_role("textbox", name="Write a message")
        field.fill("Return the map")
        field.press("Enter")
        row = main.get_by_role("listitem").filter(has_text="Return the map")
        expect(row).to_be_visible()
        self.wait("the note", lambda: (self.notes(own) or {}).get("lastMessage"))
        for word in ("Sent", "Delivered", "Waiting to be sent"):
            expect(row.get_by_text(word, exact=True)).to_have_count(0)
        chats = page.get_by_role("list", name="Chats")
        expect(chats.get_by_role("link", name=re.compile("Notes.*Return the map"))).to_be_visible()
        expect(chats.get_by_role("link", name=re.compile("You:"))).to_have_count(0)
        self.accessible(window, "notes")

        # A file whose type would be asked about is taken at once, can be opened from here, and stays as long as the note.
        odd = anna.home / "plan.weird"
        odd.write_bytes(b"\x00\x01" * 700)
        with page.expect_file_chooser() as chooser:
            window.button("Attach files").click()
        chooser.value.set_files(odd)
        window.button("Send").click()
        file = main.get_by_role("listitem").filter(has_text="plan.weird")
        expect(file.get_by_role("button", name=re.compile("^Save plan.weird"))).to_be_visible()
        kept = self.notes(own)["lastMessage"]["attachments"][0]
        self.assertEqual((kept["state"], open(kept["path"], "rb").read()), ("done", odd.read_bytes()))
        with page.expect_download() as download:
            file.get_by_role("button", name=re.compile("^Save plan.weird")).click()
        self.assertEqual(download.value.path().read_bytes(), odd.read_bytes())

        # It is deleted with one question, and leaves no mark.
        row.click(button="right")
        page.get_by_role("menuitem", name="Delete message").click()
        dialog = page.get_by_role("dialog", name="Delete message")
        expect(dialog).to_contain_text("This deletes the note from this computer.")
        expect(dialog.get_by_role("button", name="Delete for everyone")).to_have_count(0)
        dialog.get_by_role("button", name="Delete").click()
        expect(row).to_have_count(0)
        expect(main.get_by_text("Message deleted")).to_have_count(0)
        page.get_by_role("link", name=re.compile("Notes Only for you")).click()
        expect(page.get_by_text("Nobody else gets it")).to_be_visible()
        self.assertEqual(own("contact.list")["contacts"][0]["id"], ids[1])
        self.done()

    def test_forward_into_notes(self):
        """A friend's message goes on into the notes, which begin with it; a search finds it there, in German, too"""
        (anna, ben), lines, ids = self.friends("Anna Berg", "Ben Ito")
        own = lines[0]
        lines[1]("message.send", to=ids[0], text="The key is under the stone")
        chat = self.wait("the message", lambda: next((one["id"] for one in own("conversation.list")["conversations"] if one["lastMessage"]), None))
        window = self.window(anna)
        page = window.page
        window.go(f"chats/{chat}")
        page.get_by_role("main").get_by_role("listitem").get_by_text("The key is under the stone").click(button="right")
        page.get_by_role("menuitem", name="Forward").click()
        dialog = page.get_by_role("dialog", name="Forward")
        dialog.get_by_label("Search chats and friends").fill("note")
        dialog.get_by_role("button", name="Notes to yourself").click()
        dialog.get_by_role("button", name="Forward to 1 chat").click()
        self.wait("the note", lambda: self.notes(own) and self.notes(own)["lastMessage"])
        self.assertEqual(self.notes(own)["lastMessage"]["text"], "The key is under the stone")
        self.assertEqual(self.notes(own)["lastMessage"]["recipients"], [])
        self.assertEqual(len(lines[1]("message.list", conversation=lines[1]("conversation.list")["conversations"][0]["id"])["messages"]), 1)
        page.keyboard.press("Control+k")
        page.get_by_role("combobox").fill("notes")
        page.get_by_role("option", name=re.compile("Notes")).first.click()
        expect(page.get_by_role("main").get_by_text("Only for you")).to_be_visible()
        german = self.window(anna, locale="de-DE")
        german.go("search")
        german.page.get_by_label("Alles durchsuchen").fill("stone")
        expect(german.page.get_by_role("list", name="Nachrichten").get_by_text("Notizen")).to_be_visible()
        self.done()
