"""What is written and chosen for a message: nothing of it is cut, lost or left behind without a word."""

from playwright.sync_api import expect

from checks import BrowserTest

LIMIT = 65_536

PASTE = """([text, html]) => new Promise((done) => document.createElement('canvas').toBlob((blob) => {
  const data = new DataTransfer();
  if (text !== '') data.setData('text/plain', text);
  if (html !== '') data.setData('text/html', html);
  data.items.add(new File([blob], 'image.png', { type: 'image/png' }));
  done(document.querySelector('textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })));
}))"""


class Composing(BrowserTest):
    def chat(self):
        (anna, _), lines, ids = self.friends("Anna Berg", "Ben Ito")
        self.conversation = lines[0]("conversation.open", contact=ids[1])["id"]
        self.lines = lines
        window = self.window(anna)
        window.go("chats/" + self.conversation)
        field = window.page.get_by_role("textbox", name="Write a message")
        field.wait_for()
        return anna, window, field

    def messages(self):
        return self.lines[0]("message.list", conversation=self.conversation)["messages"]

    def texts(self):
        return [message["text"] for message in self.messages() if message["kind"] == "text"]

    def choose(self, window, button, paths):
        with window.page.expect_file_chooser() as chooser:
            window.button(button).click()
        chooser.value.set_files(paths)

    def test_many_files(self):
        """More files than a message may have go in several, all of them and in their order, and this is said before; a text after them comes after them"""
        anna, window, field = self.chat()
        paths = []
        for number in range(70):
            paths.append(anna.home / f"note {number:02}.txt")
            paths[-1].write_text(f"note {number}")
        self.choose(window, "Attach files", paths)
        window.page.get_by_text("70 files will be sent in 3 messages, at most 32 in each.").wait_for()
        self.accessible(window, "many files")
        chips = window.page.get_by_role("list", name="Files to send").get_by_role("listitem")
        expect(chips).to_have_count(70)
        field.fill("The notes")
        window.button("Send").click()
        field.fill("That was all")
        field.press("Enter")
        self.wait("all", lambda: any(message["text"] == "That was all" for message in self.messages()))
        sent = [message for message in sorted(self.messages(), key=lambda message: message["sentAt"]) if message["attachments"]]
        self.assertEqual([len(message["attachments"]) for message in sent], [32, 32, 6])
        self.assertEqual([one["name"] for message in sent for one in message["attachments"]], [path.name for path in paths])
        self.assertEqual([message["text"] for message in sent], ["The notes", "", ""])
        self.assertEqual(max(self.messages(), key=lambda message: message["sentAt"])["text"], "That was all")
        # A long message shows its first files, and the others when they are asked for.
        first = window.page.get_by_role("list").get_by_role("listitem").filter(has_text="The notes")
        files = first.get_by_text("note ", exact=False).filter(has_text=".txt")
        expect(files).to_have_count(10)
        first.get_by_role("button", name="Show 22 more files").click()
        expect(files).to_have_count(32)
        self.done()

    def test_long_text(self):
        """A text with too many bytes is kept whole, says its size and the limit, is not sent, and goes as a file with all of it"""
        _, window, field = self.chat()
        page, send = window.page, window.button("Send")
        field.fill("漢" * (LIMIT // 3) + "a")
        expect(send).to_be_enabled()
        field.fill("漢" * (LIMIT // 3) + "ab")
        alert = page.get_by_role("main").get_by_role("alert")
        expect(alert).to_contain_text("This message is too long: it has 65,537 bytes, and the limit is 65,536.")
        expect(send).to_be_disabled()
        self.accessible(window, "a text that is too long")
        text = "x" * 300_000 + "THE END"
        field.fill(text)
        field.press("Enter")
        expect(field).to_have_value(text)
        expect(alert).to_contain_text("300,007 bytes")
        window.button("Turn it into a file").click()
        expect(field).to_have_value("")
        expect(alert).to_have_count(0)
        field.fill("The log")
        send.click()
        found = self.wait("the file", lambda: next((message for message in self.messages() if message["attachments"]), None))
        self.assertEqual((found["text"], found["attachments"][0]["size"]), ("The log", 300_007))
        self.done()

    def test_pasted(self):
        """Cells of a spreadsheet are pasted as the text that they are; a picture that was copied in a page is a picture"""
        _, window, field = self.chat()
        field.click()
        self.assertTrue(window.page.evaluate(PASTE, ["Name\tPrice\nApples\t3.20\n", "<table><tr><td>Name</td></tr></table>"]))
        chips = window.page.get_by_role("list", name="Files to send").get_by_role("listitem")
        expect(chips).to_have_count(0)
        self.assertFalse(window.page.evaluate(PASTE, ["", "<img src='https://a.example/b.png'>"]))
        expect(chips).to_have_count(1)
        self.done()

    def test_odd_names(self):
        """A folder goes without the files whose names are not taken, and they are named; a file of such a name is named, and gives its text back to be changed"""
        anna, window, field = self.chat()
        folder = anna.home / "plans"
        (folder / "old").mkdir(parents=True)
        for name in ("one.txt", "two.txt", "three.txt ", "old/four\\.txt"):
            (folder / name).write_text(name)
        self.choose(window, "Attach a folder", folder)
        window.button("Send").click()
        notice = window.page.get_by_role("status").filter(has_text="plans will be sent without")
        expect(notice).to_contain_text("“three.txt ”")
        window.button("Close").click()
        found = self.wait("the folder", lambda: next((message for message in self.messages() if message["attachments"]), None))
        entries = self.lines[0]("transfer.entries", id=found["attachments"][0]["transfer"])["entries"]
        self.assertEqual(sorted(one["path"] for one in entries), ["one.txt", "two.txt"])

        odd = anna.home / "list.txt "
        odd.write_text("list")
        self.choose(window, "Attach files", [odd])
        field.fill("Here it is")
        window.button("Send").click()
        alert = window.page.get_by_role("main").get_by_role("alert")
        expect(alert).to_contain_text("can’t be sent under this name.")
        alert.get_by_role("button", name="Edit").click()
        expect(field).to_have_value("Here it is")
        expect(alert).to_have_count(0)
        window.button("Don’t send list.txt").click()
        field.press("Enter")
        self.wait("the text", lambda: "Here it is" in self.texts())
        self.done()

    def test_many_small_files(self):
        """A folder with a thousand small files and a large one is copied in a few requests, and all of it is there"""
        anna, window, _ = self.chat()
        folder = anna.home / "notes"
        for number in range(1000):
            path = folder / f"{number % 7}" / f"note {number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x" * (number * 13 % 1500))
        (folder / "large.txt").write_text("y" * 200_000)
        requests = []
        window.page.on("request", lambda request: requests.append(request.url))
        self.choose(window, "Attach a folder", folder)
        window.button("Send").click()
        found = self.wait("the folder", lambda: next((message for message in self.messages() if message["attachments"]), None))
        # The events of the browser come with the next word to it.
        window.page.evaluate("1")
        made = len([url for url in requests if "/rpc" in url or "/upload/" in url])
        self.assertGreater(made, 3)
        self.assertLess(made, 40)
        files = [path for path in folder.rglob("*") if path.is_file()]
        self.assertEqual(found["attachments"][0]["size"], sum(path.stat().st_size for path in files))
        transfer = self.lines[0]("transfer.get", id=found["attachments"][0]["transfer"])
        self.assertEqual(transfer["files"], len(files))
        self.done()

    def test_kept(self):
        """The first line keeps its indentation; half a character, a blank text and an edit to nothing are refused, and stay to be changed"""
        _, window, field = self.chat()
        alert = window.page.get_by_role("main").get_by_role("alert")
        field.fill("\n   \n    if x:\n        return 1\n\n")
        field.press("Enter")
        self.wait("the code", lambda: "    if x:\n        return 1" in self.texts())
        before = len(self.messages())

        window.page.evaluate("""() => { const field = document.querySelector('textarea'); field.focus();
          Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(field, 'ab\\ud83dcd'); field.dispatchEvent(new Event('input', { bubbles: true })); }""")
        field.press("Enter")
        expect(alert).to_contain_text("half a character")
        self.accessible(window, "half a character")
        field.press("x")
        expect(field).to_have_value("abxcd")
        expect(alert).to_have_count(0)
        for blank in ("\u200b", " \u2800 \n", "\u3164"):
            field.fill(blank)
            field.press("Enter")
            expect(alert).to_contain_text("This message would look empty.")
            expect(field).to_have_value(blank)
        field.fill("")
        field.press("ArrowUp")
        expect(field).to_have_value("    if x:\n        return 1")
        for blank in ("", "  ", "\u200b"):
            field.fill(blank)
            field.press("Enter")
            expect(alert).to_contain_text("A message can’t be empty.")
        field.fill("    return 2")
        field.press("Enter")
        self.wait("the edit", lambda: "    return 2" in self.texts())
        self.assertEqual(len(self.messages()), before)
        self.done()
