"""The main story: two windows, from nothing to files, with programs killed in the middle."""

import os
import re

from playwright.sync_api import expect

from story import DROP, PASTE, PNG, StoryTest


class Story(StoryTest):
    def pair(self):
        people = self.stage.person("Anna"), self.stage.person("Ben")
        return people, self.meet(*people)

    def test_talk(self):
        """Two new users find each other and talk: edit, react, answer, a picture by paste, a file by drop; each message is there once"""
        (anna, ben), (first, second) = self.pair()
        first.send("Good morning, Ben")
        second.see("Good morning, Ben")
        second.send("Good morming!")
        first.see("Good morming!")
        second.field.press("ArrowUp")
        second.field.fill("Good morning!")
        second.field.press("Enter")
        first.see("Good morning!")
        expect(first.row("Good morning!")).to_contain_text("edited")
        second.menu("Good morning, Ben", "Reply")
        second.send("At noon?")
        first.see("At noon?")
        expect(first.row("At noon?")).to_contain_text("Good morning, Ben")
        first.row("At noon?").hover()
        first.row("At noon?").get_by_role("button", name="React").click()
        first.page.get_by_role("dialog", name="React").get_by_role("button", name="thumbs up", exact=True).first.click()
        expect(second.page.get_by_role("button", name=re.compile("👍 from Anna"))).to_be_visible()
        self.accessible(first.window, "chat")

        first.field.click()
        first.page.evaluate(PASTE, [PNG, "image.png", "image/png"])
        first.send("A picture")
        second.see("A picture")
        # Browsers call each pasted picture alike: it gets a name that tells it from others.
        expect(second.page.get_by_alt_text(re.compile(r"^Picture \d{4}-\d\d-\d\d \d\d\.\d\d\.png$")).first).to_be_visible()
        first.field.evaluate(DROP, ["plan.pdf", 3_000_000])
        expect(first.page.get_by_role("list", name="Files to send")).to_contain_text("plan.pdf")
        first.field.press("Enter")
        expect(second.page.get_by_text("plan.pdf").first).to_be_visible(timeout=30_000)
        self.wait("the file with Ben", lambda: any(
            transfer["state"] == "done" for transfer in ben.line()("transfer.list")["transfers"] if transfer["name"] == "plan.pdf")
            or second.page.get_by_role("button", name="Accept").count() > 0)
        for chat in (first, second):
            for text in ("Good morning, Ben", "Good morning!", "At noon?", "A picture"):
                rows = [message for message in self.told(chat) if message == text]
                self.assertEqual(rows, [text])
        self.done()

    def test_folders(self):
        """A folder is sent by a button and by drop, with all below it; the other side takes it and its files are equal"""
        (anna, ben), (first, second) = self.pair()
        for name in ("Plans", "Photos"):
            for path in ("one.txt", "deep/down/two.txt"):
                file = anna.home / name / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(f"{name} {path}\n" * 2000)
        with first.page.expect_file_chooser() as chooser:
            first.window.button("Attach a folder").click()
        chooser.value.set_files(anna.home / "Plans")
        expect(first.page.get_by_role("list", name="Files to send")).to_contain_text("Plans")
        self.drop(first, anna.home / "Photos")
        expect(first.page.get_by_role("list", name="Files to send")).to_contain_text("Photos")
        first.send("Two folders")
        second.see("Two folders")
        for name in ("Plans", "Photos"):
            row = second.row("Two folders")
            expect(row).to_contain_text(name)
        take = second.window.button("Accept")
        for left in (2, 1):
            expect(take).to_have_count(left)
            take.first.click()
        expect(take).to_have_count(0)
        downloads = ben.home / "Downloads" / "Kibo"
        for name in ("Plans", "Photos"):
            for path in ("one.txt", "deep/down/two.txt"):
                wanted = (anna.home / name / path).read_bytes()
                got = downloads / name / path
                self.wait(f"{name}/{path}", lambda: got.exists() and got.read_bytes() == wanted)
        self.done()

    def test_kill(self):
        """Daemons and gateways are killed while messages leave a window: each is there once, in its order"""
        people, (first, second) = self.pair()
        (anna, ben) = people
        texts = [f"Message number {number}" for number in range(1, 41)]
        for number, text in enumerate(texts):
            first.send(text)
            if number == 8:
                anna.kill()
            if number == 14:
                anna.start()
            if number == 20:
                ben.kill()
            if number == 24:
                ben.start()
            if number == 30:
                for pid in anna.workers():
                    os.kill(pid, 9)
        second.see(texts[-1])
        self.wait("all messages with Ben", lambda: len(self.told(second)) >= len(texts))
        self.assertEqual(self.told(first), texts)
        self.assertEqual(self.told(second), texts)
        first.see(texts[-1])
        for chat in (first, second):
            self.assertEqual([text for text in texts if chat.row(text).count() != 1], [], "not once in a window")
        self.done()
