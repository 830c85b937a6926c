"""Several messages at once: selected by pointer, keyboard and touch; copied, forwarded and deleted here."""

from playwright.sync_api import expect

from chatting import Chatting


class Selecting(Chatting):
    def chat(self):
        people, lines, ids, window = self.pair(4)
        self.open(window)
        expect(self.row(window, "Message number 4")).to_be_visible()
        return people, lines, ids, window

    def texts(self, line):
        return [one["text"] for one in line("message.list", conversation=line("conversation.list")["conversations"][0]["id"])["messages"]]

    def bar(self, window):
        return window.page.get_by_role("toolbar", name="Selected messages")

    def test_select(self):
        """Messages are selected by their menu and a click each, and copied, forwarded in their order and deleted here; the text that was begun stays"""
        _, (own, ben), ids, window = self.chat()
        page, bar = window.page, self.bar(window)
        window.context.grant_permissions(["clipboard-read", "clipboard-write"])
        field = page.get_by_role("textbox", name="Write a message")
        field.fill("Half a thou")
        row = lambda number: self.row(window, f"Message number {number}")

        def select(*numbers):
            row(numbers[0]).click(button="right")
            page.get_by_role("menuitem", name="Select").click()
            for number in numbers[1:]:
                row(number).click()
            expect(bar.get_by_role("status")).to_have_text(f"{len(numbers)} selected")

        select(3, 1, 4)
        expect(field).to_be_hidden()
        expect(row(1).get_by_role("checkbox")).to_be_checked()
        expect(row(2).get_by_role("checkbox")).not_to_be_checked()
        self.accessible(window, "selected messages")
        # The last one that is taken back ends it.
        for number in (3, 1, 4):
            row(number).click()
        expect(bar).to_have_count(0)
        expect(field).to_have_value("Half a thou")
        select(2)
        bar.get_by_role("button", name="Copy").click()
        expect(bar).to_have_count(0)
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "Message number 2")
        select(3, 1)
        bar.get_by_role("button", name="Copy").click()
        expect(bar).to_have_count(0)
        self.assertRegex(page.evaluate("navigator.clipboard.readText()"), r"\d?\d:\d\d Ben Ito: Message number 1\n\d?\d:\d\d Ben Ito: Message number 3$")

        select(4, 2)
        bar.get_by_role("button", name="Forward").click()
        dialog = page.get_by_role("dialog", name="Forward")
        expect(dialog.locator(".quote")).to_have_text(["Message number 2", "Message number 4"])
        self.accessible(window, "forward several messages")
        # What is closed is not done: the messages stay selected.
        dialog.get_by_role("button", name="Cancel").click()
        expect(bar.get_by_role("status")).to_have_text("2 selected")
        bar.get_by_role("button", name="Forward").click()
        dialog.get_by_role("button", name="Ben Ito").click()
        dialog.get_by_role("button", name="Forward to 1 chat").click()
        expect(bar).to_have_count(0)
        self.wait("both in their order", lambda: self.texts(ben)[4:] == ["Message number 2", "Message number 4"])

        # One that its author deletes meanwhile isn't copied any more.
        select(1, 3)
        first = next(one for one in ben("message.list", conversation=ben("conversation.list")["conversations"][0]["id"])["messages"] if one["text"] == "Message number 1")
        ben("message.delete", id=first["id"], **{"for": "all"})
        expect(page.get_by_text("Message deleted").first).to_be_visible()
        bar.get_by_role("button", name="Copy").click()
        expect(bar).to_have_count(0)
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "Message number 3")
        select(3)
        row(2).first.click()
        bar.get_by_role("button", name="Delete for me").click()
        dialog = page.get_by_role("dialog", name="Delete 2 messages?")
        self.accessible(window, "delete several messages")
        dialog.get_by_role("button", name="Delete for me").click()
        expect(bar).to_have_count(0)
        self.wait("both to be gone here", lambda: self.texts(own) == ["", "Message number 4", "Message number 2", "Message number 4"])
        self.assertIn("Message number 3", self.texts(ben))
        expect(field).to_have_value("Half a thou")
        self.done()

    def test_select_keys(self):
        """The space bar selects the message with the focus, arrows go on, Escape ends the selection and nothing else; another chat begins without one"""
        _, (own, _), _, window = self.chat()
        page, bar = window.page, self.bar(window)
        press = page.keyboard.press
        chat = own("conversation.list")["conversations"][0]["id"]
        self.row(window, "Message number 4").focus()
        press("Space")
        press("ArrowUp")
        press("Enter")
        expect(bar.get_by_role("status")).to_have_text("2 selected")
        # Letters that do something to one message do nothing here.
        press("r")
        press("Delete")
        expect(page.get_by_role("dialog")).to_have_count(0)
        press("Escape")
        expect(bar).to_have_count(0)
        expect(self.row(window, "Message number 3")).to_be_focused()
        press("Space")
        bar.get_by_role("button", name="Delete for me").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(bar.get_by_role("status")).to_have_text("1 selected")
        bar.get_by_role("button", name="Cancel selection").click()
        expect(page.get_by_role("textbox", name="Write a message")).to_be_focused()
        self.row(window, "Message number 2").focus()
        press("Space")
        expect(bar).to_be_visible()
        notes = own("conversation.open", contact=own("account.get")["id"])["id"]
        window.go(f"chats/{notes}")
        page.get_by_role("textbox", name="Write a message").wait_for()
        expect(bar).to_have_count(0)
        self.assertEqual(len(own("message.list", conversation=chat)["messages"]), 4)
        self.done()

    def test_select_touch(self):
        """On a touch screen a long press leads to the selection, and a tap selects; links in selected messages lead nowhere"""
        (anna, ben), lines, ids, _ = self.pair(2)
        lines[1]("message.send", to=ids[0], text="See https://a.example/")
        window = self.window(anna, viewport={"width": 380, "height": 800}, has_touch=True)
        page, bar = window.page, self.bar(window)
        window.go("chats/" + lines[0]("conversation.list")["conversations"][0]["id"])
        row = lambda text: self.row(window, text)
        row("Message number 1").wait_for()
        # A long press is the browser's context menu.
        row("Message number 1").dispatch_event("contextmenu", {"clientX": 60, "clientY": 300, "bubbles": True, "cancelable": True})
        page.get_by_role("menuitem", name="Select").tap()
        row("Message number 2").tap()
        page.get_by_role("link", name="https://a.example/").tap()
        expect(bar.get_by_role("status")).to_have_text("3 selected")
        self.assertEqual(len(window.context.pages), 1)
        row("Message number 2").dispatch_event("contextmenu", {"clientX": 60, "clientY": 300, "bubbles": True, "cancelable": True})
        expect(bar.get_by_role("status")).to_have_text("2 selected")
        expect(page.get_by_role("menu")).to_have_count(0)
        self.done()
