"""A long history of which only what is near is drawn: the edge of that is never taken for the end, and what is in use stays."""

from playwright.sync_api import expect

from chatting import Chatting

# The number of the message at the top of the view.
TOP = """() => {
    const area = document.querySelector('.history');
    const top = area.getBoundingClientRect().top;
    const row = [...area.querySelectorAll('[data-id]')].find((one) => one.getBoundingClientRect().bottom > top + 1);
    return Number(row.querySelector('.text').textContent.replace(/\\D/g, ''));
}"""


class History(Chatting):
    def long(self, count, read=True):
        """Anna's window on a chat in which Ben has written so many messages."""
        people, lines, ids, window = self.pair(count)
        chat = lines[0]("conversation.list")["conversations"][0]
        if read:
            lines[0]("conversation.markRead", id=chat["id"], upTo=chat["lastMessage"]["id"])
            self.wait("all to be read", lambda: self.unread(lines[0]) == 0)
        messages = lines[0]("message.list", conversation=chat["id"], limit=count)["messages"]
        return lines, ids, window, chat["id"], {int(one["text"].split()[-1]): one["id"] for one in messages}

    def settle(self, window):
        """Waits until nothing is drawn any more."""
        window.page.evaluate("""async () => {
            const area = document.querySelector('.history');
            for (let quiet = 0, last = '', end = Date.now() + 20_000; quiet < 12; quiet += 1) {
                if (Date.now() > end) throw new Error('the history comes to no rest');
                await new Promise((done) => setTimeout(done, 50));
                const now = `${area.scrollTop} ${area.scrollHeight}`;
                if (now !== last) quiet = 0;
                last = now;
            }
        }""")

    def test_jumps(self):
        """A message that is jumped to stands in the middle and stays there, however far it is from the edge of what is drawn; in high windows, too"""
        _, _, window, chat, ids = self.long(470)
        page = window.page
        for height in (720, 1600):
            page.set_viewport_size({"width": 1100, "height": height})
            at = 100
            # Each time from where the last one has led: near rows are drawn already, those at the edge with little below them.
            for step in (150, -30, 10, 24, 28, 32, 36, 40, 44, -20, -28, -36, -44, -60, 70):
                at += step
                window.go(f"search/{chat}/{ids[at]}")
                row = self.row(window, f"Message number {at}")
                expect(row).to_be_in_viewport()
                self.settle(window)
                box, area = row.bounding_box(), page.locator(".history").bounding_box()
                self.assertLess(abs(box["y"] + box["height"] / 2 - area["y"] - area["height"] / 2), 40, (height, step))
        self.done()

    def test_unread_high(self):
        """In a high window a chat with many unread messages begins where they do, and doesn't go on to the end by itself"""
        lines, _, window, _, _ = self.long(260, read=False)
        page = window.page
        page.set_viewport_size({"width": 1100, "height": 1900})
        self.open(window)
        expect(page.get_by_text("New", exact=True)).to_be_in_viewport()
        self.settle(window)
        expect(page.get_by_text("New", exact=True)).to_be_in_viewport()
        expect(page.get_by_role("button", name="To the newest message")).to_be_visible()
        self.assertLess(page.evaluate(TOP), 3)
        self.assertGreater(self.unread(lines[0]), 150)
        self.done()

    def test_edge(self):
        """What is scrolled to the edge of what is drawn goes on from there, and not to the end; what is written comes at the end"""
        lines, ids, window, chat, numbers = self.long(400)
        page = window.page
        window.go(f"search/{chat}/{numbers[100]}")
        expect(self.row(window, "Message number 100")).to_be_in_viewport()
        self.settle(window)
        before = page.evaluate(TOP)
        drawn = page.evaluate("document.querySelectorAll('.history [data-id]').length")
        page.evaluate("() => { const area = document.querySelector('.history'); area.scrollTop = area.scrollHeight; }")
        self.settle(window)
        after = page.evaluate(TOP)
        self.assertGreater(after, before)
        self.assertLess(after, before + drawn)
        expect(page.get_by_role("button", name="To the newest message")).to_be_visible()
        # It comes in far below, and moves nothing.
        lines[1]("message.send", to=ids[0], text="From far below")
        self.wait("it to be here", lambda: lines[0]("conversation.list")["conversations"][0]["lastMessage"]["text"] == "From far below")
        page.wait_for_timeout(300)
        self.assertEqual(page.evaluate(TOP), after)
        field = page.get_by_role("textbox", name="Write a message")
        field.fill("At the end")
        field.press("Enter")
        expect(self.row(window, "At the end")).to_be_in_viewport()
        expect(self.row(window, "From far below")).to_be_in_viewport()
        expect(page.get_by_role("button", name="To the newest message")).to_have_count(0)
        self.done()

    def test_in_use(self):
        """A row with the focus of the keyboard, and one in which a text is selected, are there when many others have come and gone; a text that was shown in full is when it comes back"""
        lines, ids, window, _, _ = self.long(400)
        page = window.page
        field = self.open(window)
        expect(self.row(window, "Message number 400")).to_be_in_viewport()
        lines[1]("message.send", to=ids[0], text="A long story. " * 300 + "The end.")
        window.button("Show all").click()
        told = page.get_by_text("The end.")
        expect(told).to_be_visible()
        self.settle(window)
        away = """async (steps) => {
            const area = document.querySelector('.history');
            for (let step = 0; step < steps; step += 1) {
                area.scrollTop -= 300;
                await new Promise((done) => setTimeout(done, 60));
            }
        }"""
        page.keyboard.press("Shift+Tab")
        for _ in range(40):
            if page.evaluate("document.activeElement.dataset.id !== undefined"):
                break
            page.keyboard.press("Shift+Tab")
        page.keyboard.press("ArrowUp")
        focused = page.evaluate("document.activeElement.dataset.id")
        self.assertIsNotNone(focused)
        page.evaluate(away, 24)
        self.assertEqual(page.evaluate("document.activeElement.dataset.id"), focused)
        expect(page.locator(f"[data-id='{focused}']")).not_to_be_in_viewport()
        # Without it, what is far below goes.
        field.focus()
        page.evaluate(away, 6)
        expect(page.locator(f"[data-id='{focused}']")).to_have_count(0)
        words = page.evaluate("""() => {
            const area = document.querySelector('.history').getBoundingClientRect();
            const row = [...document.querySelectorAll('.history [data-id]')].find((one) => one.getBoundingClientRect().top > area.top + 100);
            getSelection().selectAllChildren(row.querySelector('.text'));
            return String(getSelection());
        }""")
        self.assertRegex(words, "^Message number")
        page.evaluate(away, 12)
        self.assertLess(page.evaluate(TOP), int(words.split()[-1]) - 30)
        self.assertEqual(page.evaluate("String(getSelection())"), words)
        expect(told).to_have_count(0)
        window.button("To the newest message").click()
        expect(told).to_be_in_viewport()
        expect(window.button("Show all")).to_have_count(0)
        self.done()
