"""The keyboard rules of all screens, one by one."""

import re

from playwright.sync_api import expect

from checks import BrowserTest


class Keyboard(BrowserTest):
    def test_rules(self):
        """Landmarks and headings are named; each key of the list does what the list says: everywhere, in lists, on a message, while writing; letters typed stay letters"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito", "Cleo Marin", "Dora Vitek")
        own = lines[0]
        chats = [own("conversation.open", contact=id)["id"] for id in ids[1:]]
        for line, name in zip(lines[1:], ("Ben", "Cleo", "Dora")):
            line("message.send", to=ids[0], text=f"Hello from {name}")
            self.wait("the message", lambda: any(
                one["lastMessage"] and one["lastMessage"]["text"] == f"Hello from {name}" for one in own("conversation.list")["conversations"]))
        own("message.send", conversation=chats[2], text="My own words")
        window = self.window(people[0])
        page, press = window.page, window.page.keyboard.press
        list_, main = page.get_by_role("list", name="Chats"), page.get_by_role("main")
        field = page.get_by_role("textbox", name="Write a message")
        focused = page.locator(":focus")

        # Lists: one row is in the order of Tab; arrows, Home and End move, and the window goes with them.
        rows = list_.get_by_role("link")
        expect(rows).to_have_count(3)
        rows.first.focus()
        press("ArrowDown")
        expect(rows.nth(1)).to_be_focused()
        press("End")
        expect(rows.nth(2)).to_be_focused()
        press("ArrowDown")
        expect(rows.nth(2)).to_be_focused()
        press("Home")
        expect(rows.first).to_be_focused()
        self.assertEqual(page.locator(".pane-list [data-row][tabindex='0']").count(), 1)
        press("Shift+F10")
        expect(page.get_by_role("menuitem", name="Pin")).to_be_visible()
        press("ArrowDown")
        press("Escape")
        expect(rows.first).to_be_focused()
        press("Enter")
        expect(field).to_be_focused()
        expect(main.get_by_role("heading", level=1)).to_contain_text("Dora Vitek")

        # The landmarks say what they are, nothing is said twice, and Tab goes on in the page after the last button of the chat.
        expect(page.get_by_role("main", name="Chat with Dora Vitek", exact=True)).to_be_visible()
        expect(page.get_by_role("region", name="Chats", exact=True)).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        # Before any script has run, too.
        self.assertIn("<h1", page.evaluate("fetch('/').then((answer) => answer.text())"))
        expect(main.get_by_role("heading", level=1).get_by_role("link", name="Dora Vitek Online", exact=True)).to_be_visible()
        main.get_by_role("button", name="Record a voice note").focus()
        press("Tab")
        expect(page.get_by_role("link", name="Back to the top")).to_be_focused()
        press("Enter")
        expect(page.locator(".rail-link").first).to_be_focused()
        field.focus()

        # Alt with arrows: the next chat and the one before.
        press("Alt+ArrowDown")
        expect(main.get_by_role("heading", level=1)).to_contain_text("Cleo Marin")
        press("Alt+ArrowDown")
        expect(main.get_by_role("heading", level=1)).to_contain_text("Ben Ito")
        press("Alt+ArrowUp")
        press("Alt+ArrowUp")
        expect(main.get_by_role("heading", level=1)).to_contain_text("Dora Vitek")

        # Letters that are typed stay letters.
        expect(field).to_be_focused()
        page.keyboard.type("r? e+")
        expect(field).to_have_value("r? e+")
        expect(page.get_by_role("dialog")).to_have_count(0)
        field.fill("")
        press("Shift+Enter")
        page.keyboard.type("x")
        expect(field).to_have_value("\nx")
        field.fill("")

        # In an empty field the arrow edits the last own message; Escape takes that back and nothing else.
        press("ArrowUp")
        expect(field).to_have_value("My own words")
        press("Escape")
        expect(field).to_have_value("")
        expect(main.get_by_role("heading", level=1)).to_contain_text("Dora Vitek")

        # On a focused message: arrows, R, E, +, Del, Enter.
        message = page.locator("[data-id]:focus")
        page.locator("[data-id][tabindex='0']").focus()
        expect(message).to_contain_text("My own words")
        press("e")
        expect(field).to_have_value("My own words")
        press("Escape")
        page.locator("[data-id][tabindex='0']").focus()
        press("Home")
        expect(message).to_contain_text("Hello from Dora")
        press("e")
        expect(field).to_have_value("")
        press("r")
        expect(page.get_by_role("form", name="Write a message")).to_contain_text("Hello from Dora")
        press("Escape")
        page.locator("[data-id]").first.focus()
        press("+")
        panel = page.get_by_role("dialog", name="React")
        expect(panel.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type("thumbs up")
        press("Enter")
        expect(page.get_by_role("button", name=re.compile("👍 from You"))).to_be_visible()
        expect(message).to_contain_text("Hello from Dora")
        press("ArrowDown")
        expect(message).to_contain_text("My own words")
        press("Delete")
        expect(page.get_by_role("dialog", name="Delete message")).to_be_visible()
        press("Escape")
        expect(message).to_contain_text("My own words")
        press("Enter")
        expect(page.get_by_role("menu")).to_be_visible()
        press("Escape")
        expect(message).to_contain_text("My own words")

        # Regions: F6 goes through all of them and comes back, with Shift the other way.
        def region():
            return page.evaluate("['rail', 'pane-list', 'pane-main', 'pane-aside'].find((name) => document.querySelector('.' + name)?.contains(document.activeElement))")

        begun = region()
        seen = []
        for _ in range(3):
            press("F6")
            seen.append(region())
        self.assertEqual(sorted(seen), ["pane-list", "pane-main", "rail"])
        self.assertEqual(seen[-1], begun)
        press("Shift+F6")
        self.assertEqual(region(), seen[-2])

        # Searching here and in all chats, going anywhere, the list of keys; Escape is one step back each time.
        page.locator("[data-id][tabindex='0']").focus()
        press("Control+f")
        search = page.get_by_role("searchbox", name=re.compile("^Search (everything|in this chat)$"))
        expect(search).to_be_focused()
        expect(page.get_by_role("button", name="Dora Vitek", exact=True)).to_have_attribute("aria-pressed", "true")
        press("Escape")
        expect(list_).to_be_visible()
        expect(main.get_by_role("heading", level=1)).to_contain_text("Dora Vitek")
        press("Control+Shift+F")
        expect(search).to_be_focused()
        expect(page.get_by_role("button", name="In all chats")).to_have_count(0)
        press("Escape")
        expect(list_).to_be_visible()
        press("Control+k")
        expect(page.get_by_role("combobox", name="Go to")).to_be_focused()
        press("Escape")
        expect(page.get_by_role("combobox", name="Go to")).to_have_count(0)
        list_.get_by_role("link").first.focus()
        press("?")
        expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
        press("Escape")
        expect(focused).to_have_attribute("data-row", re.compile("."))
        self.done()

    def test_reach(self):
        """In each screen of people Tab reaches all that can be pressed, and what has the focus is in sight and marked"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito")
        window = self.window(people[0])
        page = window.page
        for path in ("friends", "friends/nearby", "friends/requests", "friends/address", "friends/blocked", f"friends/{ids[1]}", "transfers", "chats/new", "start"):
            window.go(path)
            page.get_by_role("heading", level=1).first.wait_for()
            page.wait_for_timeout(200)
            wanted = page.evaluate("""() => [...document.querySelectorAll("a[href], button:not(:disabled), input:not([type=file]), select, textarea, summary")]
                .filter((one) => one.tabIndex >= 0 && one.checkVisibility() && !one.classList.contains("skip")).map((one, index) => (one.dataset.reach = index, index))""")
            page.evaluate("document.activeElement.blur()")
            reached, hidden = set(), []
            for _ in range(len(wanted) + 4):
                page.keyboard.press("Tab")
                state = page.evaluate("""() => {
                    const one = document.activeElement, box = one.getBoundingClientRect();
                    const marked = [one, one.parentElement, one.nextElementSibling].some((near) => {
                        const style = near && getComputedStyle(near);
                        return style && (style.outlineStyle !== "none" || style.boxShadow !== "none");
                    });
                    return { reach: one.dataset.reach, sight: box.bottom > 0 && box.top < innerHeight, marked, what: one.outerHTML.slice(0, 80) };
                }""")
                if state["reach"] is not None:
                    reached.add(int(state["reach"]))
                    if not state["sight"] or not state["marked"]:
                        hidden.append(state["what"])
            self.assertEqual((sorted(set(wanted) - reached), hidden), ([], []), path)
        self.done()

    def test_palette(self):
        """Ctrl+K goes to single settings and screens, does what can be done with the open chat, and finds what is inside of words after what begins so"""
        people, (own, *_), ids = self.friends("Anna Berg", "Ruben Marin", "Ben Ito")
        chat = own("conversation.open", contact=ids[2])["id"]
        own("conversation.open", contact=ids[1])
        window = self.window(people[0])
        page, press = window.page, window.page.keyboard.press
        options = page.get_by_role("dialog").get_by_role("option")

        def find(words):
            press("Control+k")
            expect(page.get_by_role("combobox", name="Go to")).to_be_focused()
            page.keyboard.type(words)

        window.go(f"chats/{chat}")
        page.get_by_role("textbox", name="Write a message").wait_for()
        find("ben")
        expect(options).to_have_count(2)
        expect(options.first).to_contain_text("Ben Ito")
        expect(options.last).to_contain_text("Ruben Marin")
        press("Escape")
        find("have read")
        expect(options.first).to_contain_text("Let friends see when I have read their messages")
        self.accessible(window, "go to a setting")
        press("Enter")
        expect(page.get_by_role("main").get_by_role("checkbox", name="Let friends see when I have read their messages")).to_be_in_viewport()
        # What a setting is for and its key count, too, after all names.
        find("readreceipts")
        expect(options.first).to_contain_text("Let friends see when I have read their messages")
        press("Escape")
        for words, heading in (("prof", "Profile"), ("doct", "Doctor")):
            find(words)
            press("Enter")
            expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
        # Beyond a chat there is nothing of it to do.
        find("mute")
        expect(options.filter(has_text="This chat")).to_have_count(0)
        press("Escape")
        window.go(f"chats/{chat}")
        page.get_by_role("textbox", name="Write a message").wait_for()
        find("mute")
        expect(options.first).to_contain_text("Mute for 1 hour")
        expect(options.first).to_contain_text("This chat")
        press("Enter")
        self.wait("the chat to be muted", lambda: own("conversation.get", id=chat)["muted"])
        find("mute")
        expect(options.first).to_contain_text("Unmute")
        press("Enter")
        self.wait("the chat to be heard", lambda: not own("conversation.get", id=chat)["muted"])
        self.done()
