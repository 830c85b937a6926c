"""Bold, italic and code in what people write: shown so, and kept as it was typed."""

from playwright.sync_api import expect

from chatting import Chatting

TEXT = """*Tomorrow* at _ten_: `2*3*4`
```
let a = *b*;
```
See *https://a.example/a_b* and <b>this</b>, not snake_case_name"""


class Formatted(Chatting):
    def test_formatted(self):
        """Marks of bold, italic and code are shown as what they mean, in lists and quotes they are left out, and copies, edits and forwarded messages have what was typed"""
        _, (own, ben), ids, window = self.pair()
        page = window.page
        window.context.grant_permissions(["clipboard-read", "clipboard-write"])
        ben("message.send", to=ids[0], text=TEXT)
        mine = own("message.send", to=ids[1], text="_Good_ *שלום לכם* 2*3*4")
        chats = page.get_by_role("list", name="Chats")
        expect(chats.get_by_text("Good שלום לכם 2*3*4", exact=True)).to_be_visible()
        self.open(window)
        rows = page.get_by_role("main").get_by_role("listitem")
        row = rows.filter(has_text="Tomorrow").last
        text = row.locator(".text")
        expect(text.get_by_role("strong")).to_have_text(["*Tomorrow*", "*https://a.example/a_b*"])
        expect(text.get_by_role("emphasis")).to_have_text(["_ten_"])
        expect(text.get_by_role("code")).to_have_text(["`2*3*4`", "```let a = *b*;```"])
        expect(text.get_by_role("strong").get_by_role("link")).to_have_attribute("href", "https://a.example/a_b")
        self.assertEqual(text.locator("b").count(), 0)
        # Nobody sees or hears the marks.
        self.assertEqual(text.evaluate("(text) => [...text.querySelectorAll('.typed')].map((mark) => [mark.getBoundingClientRect().width * mark.getBoundingClientRect().height, mark.ariaHidden])"), [[0, "true"]] * 10)
        self.accessible(window, "formatted text")

        # What is copied is what was typed: by the pointer and by the menu.
        self.assertEqual(text.evaluate("(text) => { getSelection().selectAllChildren(text); return getSelection().toString(); }").splitlines(), TEXT.splitlines())
        page.evaluate("getSelection().removeAllRanges()")
        row.click(button="right", position={"x": 80, "y": 12})
        page.get_by_role("menuitem", name="Copy", exact=True).click()
        self.wait("the copy", lambda: page.evaluate("navigator.clipboard.readText()") == TEXT)
        row.click(button="right", position={"x": 80, "y": 12})
        page.get_by_role("menuitem", name="Forward").click()
        dialog = page.get_by_role("dialog", name="Forward")
        dialog.get_by_role("button", name="Ben Ito").click()
        dialog.get_by_role("button", name="Forward to 1 chat").click()
        self.wait("the forwarded text", lambda: [one for one in ben("message.list", conversation=ben("conversation.list")["conversations"][0]["id"])["messages"] if one["text"] == TEXT and one["sender"] == ids[0]])
        page.locator(f"[data-id='{mine['id']}']").focus()
        page.keyboard.press("e")
        expect(page.get_by_role("textbox", name="Write a message")).to_have_value("_Good_ *שלום לכם* 2*3*4")
        page.keyboard.press("Escape")
        # A quote leaves the marks out, and a search finds the words.
        ben("message.send", to=ids[0], text="Yes", replyTo=mine["id"])
        expect(rows.filter(has_text="Yes").locator(".quote-text")).to_have_text("Good שלום לכם 2*3*4")
        window.go("chats")
        page.get_by_role("searchbox", name="Search everything").fill("tomorrow")
        expect(page.get_by_role("list", name="Messages").get_by_role("link").first).to_contain_text("Tomorrow at ten: 2*3*4")
        page.get_by_role("list", name="Messages").get_by_role("link").first.click()
        self.wait("the word to be lit", lambda: page.evaluate("[...(CSS.highlights.get('found') ?? [])].map(String)") == ["Tomorrow"])
        self.done()
