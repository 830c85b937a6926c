"""What other people write stays text, and everything is reached by keyboard."""

import re

from playwright.sync_api import expect

from checks import BrowserTest

MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
# A name may have 50 characters.
NAME = "<img src=x onerror=alert(1)>"
TURNED = "invoice\u202efdp.exe"


class Foreign(BrowserTest):
    def test_texts(self):
        """Names, notes, states, messages and file names are shown as they are written: no element, no script, no turned line"""
        anna, mallory = self.stage.person("Anna"), self.stage.person("Mallory")
        own, other = anna.line(), mallory.line()
        mine = own("account.create", displayName="Anna")["id"]
        theirs = other("account.create", displayName=NAME)["id"]
        other("account.update", statusText=MARKUP)
        self.wait("Anna nearby", lambda: any(peer["account"] == mine for peer in other("peer.list")["peers"]))
        other("contact.request", id=mine, note=MARKUP)
        window = self.window(anna)
        page = window.page
        dialogs = []
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        window.go("friends/requests")
        expect(page.get_by_text(NAME).first).to_be_visible()
        expect(page.get_by_text(MARKUP)).to_be_visible()
        window.button(f"Accept {NAME}").click()
        self.wait("the friend", lambda: other("contact.get", id=mine)["relation"] == "friend")
        window.go(f"friends/{theirs}")
        expect(page.get_by_role("main").get_by_text(MARKUP)).to_be_visible()
        conversation = other("conversation.open", contact=mine)["id"]
        file = mallory.home / "x<b>y.txt"
        file.write_text("hello\n")
        other("message.send", conversation=conversation, text=MARKUP, files=[str(file)])
        other("message.send", conversation=conversation, text=f"See {TURNED} and javascript:alert(3) and https://b\u0430nk.example/")
        window.button("Message").click()
        main = page.get_by_role("main")
        expect(main.get_by_role("listitem").get_by_text(MARKUP)).to_be_visible()
        expect(main.get_by_text("x<b>y.txt").first).to_be_visible()
        expect(main.get_by_text(re.compile(r"invoice\\u\{202e\}fdp\.exe"))).to_be_visible()
        links = main.get_by_role("link")
        hrefs = [links.nth(index).get_attribute("href") or "" for index in range(links.count())]
        self.assertEqual([href for href in hrefs if href.startswith("javascript")], [])
        self.assertTrue(any("xn--" in href for href in hrefs), hrefs)
        window.go("transfers")
        expect(page.get_by_text("x<b>y.txt")).to_be_visible()
        group = other("group.create", name=MARKUP, description=MARKUP, members=[mine])["id"]
        self.wait("the group", lambda: own("group.list")["groups"])
        window.go(f"groups/{group}")
        expect(page.get_by_role("main").get_by_text(MARKUP, exact=True).first).to_be_visible()
        own("account.update", displayName=NAME, statusText=MARKUP)
        window.go("settings")
        expect(page.get_by_role("list", name="Settings").get_by_text(NAME)).to_be_visible()
        window.go("me")
        expect(page.get_by_label("Your name")).to_have_value(NAME)
        self.assertEqual(page.locator("img[src='x']").count(), 0)
        self.assertEqual(dialogs, [])
        self.done()

    def test_long_texts(self):
        """Texts that were made to stop the page don't, and where a long one is folded no emoji is halved and no other link is made"""
        (anna, _), (own, other), (mine, _) = self.friends("Anna", "Ben")
        window = self.window(anna)
        page = window.page
        conversation = other("conversation.open", contact=mine)["id"]
        send = lambda text: other("message.send", conversation=conversation, text=text)
        # Each of these took a browser half a minute and more.
        for hostile in [")", "].", "!)", "'"]:
            send("https://a.example/" + hostile * ((65_500) // len(hostile)))
        send(" " * 65_000 + "x")
        send("\u0301\u0315" * 16_000)
        family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
        send("Families " + "w " * 1192 + family + " and more " * 100)
        target = "https://bank.example.evil.example/"
        send("Links " + "w " * 1188 + target + " and more " * 100)
        send("The last one")
        self.wait("the chat", lambda: own("conversation.list")["conversations"])
        window.go(f"chats/{own('conversation.list')['conversations'][0]['id']}")
        main = page.get_by_role("main")
        expect(main.get_by_text("The last one")).to_be_visible()
        # The page answers: a click is done at once.
        families = main.get_by_role("listitem").filter(has_text="Families")
        self.assertRegex(families.inner_text(), rf"w (?:{family})?\u2026")
        links = main.get_by_role("listitem").filter(has_text="Links")
        # The link that the cut goes through is there as a whole.
        expect(links.get_by_role("link")).to_have_attribute("href", target)
        links.get_by_role("button", name="Show all").click()
        expect(links.get_by_role("link")).to_have_attribute("href", target)
        self.done()

    def test_keyboard(self):
        """From nothing to a request without a pointer: the focus is where it should be, and comes back from a dialog"""
        anna, ben = self.stage.person("Anna"), self.stage.person("Ben")
        ben.line()("account.create", displayName="Ben Ito")
        window = self.window(anna)
        page, keys = window.page, window.page.keyboard
        expect(window.button("Create an account")).to_be_focused()
        keys.press("Enter")
        expect(page.get_by_label("Your name")).to_be_focused()
        keys.type("Anna Berg")
        keys.press("Enter")
        page.get_by_role("heading", name="First steps").wait_for()
        button = window.button("Add Ben Ito")
        button.wait_for()
        for _ in range(40):
            if button.evaluate("element => element === document.activeElement"):
                break
            keys.press("Tab")
        expect(button).to_be_focused()
        keys.press("Enter")
        dialog = page.get_by_role("dialog", name="Send a request")
        expect(dialog).to_be_visible()
        keys.press("Escape")
        expect(dialog).to_be_hidden()
        expect(button).to_be_focused()
        keys.press("Enter")
        dialog.get_by_label("Note").focus()
        keys.type("Hello")
        keys.press("Tab")
        keys.press("Tab")
        expect(dialog.get_by_role("button", name="Send request")).to_be_focused()
        keys.press("Enter")
        self.wait("the request", lambda: ben.line()("contact.list", relation="incoming")["contacts"])
        self.done()
