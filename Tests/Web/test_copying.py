"""Files on their way into the daemon: what the page does if one is changed or removed meanwhile."""

import os
import re
import zipfile

from playwright.sync_api import expect

from checks import BrowserTest, picture

PIECE = 16 * 1024 * 1024
# Drops that many small files, which are made in the page.
DROP = """(area, count) => {
  const transfer = new DataTransfer();
  for (let index = 0; index < count; index += 1) transfer.items.add(new File([`Note ${index}\\n`], `note ${index}.txt`, { type: "text/plain" }));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    area.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""


def document(path, size):
    with open(path, "wb") as file:
        file.write(b"%PDF-1.4\n")
        while file.tell() < size:
            file.write(os.urandom(1 << 20))
    return path


class Copying(BrowserTest):
    def chat(self):
        (anna, ben), lines, ids = self.friends("Anna Berg", "Ben Ito")
        for line in lines:
            for key in ("files.maxSendBytes", "files.maxReceiveBytes", "files.autoAcceptMaxBytes"):
                if any(one["key"] == key for one in line("settings.list")["settings"]):
                    line("settings.set", key=key, value=200_000_000)
        window = self.window(anna)
        window.go("chats/" + lines[0]("conversation.open", contact=ids[1])["id"])
        window.page.get_by_role("textbox", name="Write a message").wait_for()
        return (anna, ben), lines, window

    def choose(self, window, button, path):
        with window.page.expect_file_chooser() as chooser:
            button.click()
        chooser.value.set_files(path)

    def arrived(self, lines, name, data):
        def look():
            for one in lines[1]("transfer.list", state="offered")["transfers"]:
                lines[1]("transfer.accept", id=one["id"])
            return next((one for one in lines[1]("transfer.list")["transfers"] if one["name"] == name and one["state"] == "done"), None)

        with open(self.wait(name, look)["path"], "rb") as file:
            self.assertEqual(file.read(), data)

    def test_changed(self):
        """A file that was changed before it was sent, and one that goes while it is copied, end with the reason; chosen again they are sent"""
        (anna, _), lines, window = self.chat()
        page, own = window.page, lines[0]
        alert = page.get_by_role("main").get_by_role("alert")
        again = window.button("Choose it again")

        notes = document(anna.home / "notes.pdf", 100_000)
        self.choose(window, window.button("Attach files"), notes)
        page.get_by_text("notes.pdf").wait_for()
        document(notes, 300_000)
        window.button("Send").click()
        expect(alert).to_contain_text("notes.pdf was changed or removed while it was being copied.")
        expect(window.button("Try again")).to_have_count(0)
        self.wait("no upload", lambda: own("upload.list")["uploads"] == [])
        expect(page.get_by_role("progressbar")).to_have_count(0)
        expect(window.button("Cancel")).to_have_count(0)
        self.accessible(window, "a file that was changed")
        self.choose(window, again, notes)
        expect(alert).to_have_count(0)
        self.arrived(lines, "notes.pdf", notes.read_bytes())

        film = document(anna.home / "plans.pdf", 2 * PIECE + 1_000_000)
        copy = film.read_bytes()
        asked = []

        def hold(route):
            asked.append(route.request.url)
            if len(asked) == 2:
                film.unlink()
            route.continue_()

        page.route(re.compile("/upload/"), hold)
        self.choose(window, window.button("Attach files"), film)
        page.get_by_role("textbox", name="Write a message").fill("The plans")
        window.button("Send").click()
        expect(alert).to_contain_text("plans.pdf was changed or removed while it was being copied.")
        self.assertGreaterEqual(len(asked), 2)
        page.unroute(re.compile("/upload/"))
        self.wait("no upload", lambda: own("upload.list")["uploads"] == [])
        film.write_bytes(copy)
        self.choose(window, again, film)
        self.arrived(lines, "plans.pdf", copy)
        expect(page.get_by_role("main").get_by_text("The plans")).to_have_count(1)
        self.done()

    def test_loose(self):
        """Hundreds of loose files are offered in their order, in a few requests; if one of several can't go, no copy stays"""
        _, lines, window = self.chat()
        page, own = window.page, lines[0]
        field = page.get_by_role("textbox", name="Write a message")
        methods = []
        page.on("request", lambda request: methods.extend(set(re.findall(r'"method":"([^"]+)"', request.post_data or ""))))
        field.evaluate(DROP, 200)
        # The button waits for the files.
        expect(window.button("Send")).to_be_enabled()
        window.button("Send").click()
        names = []

        def told():
            page.wait_for_timeout(50)
            messages = own("message.list", conversation=own("conversation.list")["conversations"][0]["id"])["messages"]
            names[:] = [one["name"] for message in messages for one in message["attachments"]]
            return len(names) == 200

        self.wait("all files", told)
        self.assertEqual(names, [f"note {number}.txt" for number in range(200)])
        asked = {method: methods.count(method) for method in ("upload.begin", "upload.put", "upload.finish", "message.send")}
        self.assertEqual(asked, {"upload.begin": 0, "upload.put": 7, "upload.finish": 0, "message.send": 7})
        self.assertLess(methods.count("transfer.get"), 30)

        # One of several has no type that goes.
        data = {"mimeType": "text/plain", "buffer": b"x"}
        with page.expect_file_chooser() as chooser:
            window.button("Attach files").click()
        chooser.value.set_files([{"name": "a.txt", **data}, {"name": "b.exe", **data}, {"name": "c.txt", **data}])
        window.button("Send").click()
        expect(page.get_by_role("main").get_by_role("alert")).to_contain_text("may have to allow this type of file")
        self.wait("no copy", lambda: page.wait_for_timeout(50) or own("upload.list")["uploads"] == [])
        self.done()

    def test_saved_as(self):
        """A file whose name is taken says in the chat and among the transfers under which name it was saved"""
        (anna, ben), lines, ids = self.friends("Anna Berg", "Ben Ito")
        notes = document(anna.home / "notes.pdf", 1000)
        downloads = ben.home / "Downloads" / "Kibo"
        downloads.mkdir(parents=True)
        (downloads / "notes.pdf").write_text("Ben's own")
        lines[0]("transfer.send", to=ids[1], paths=[str(notes)])

        def come():
            for one in lines[1]("transfer.list")["transfers"]:
                if one["state"] == "offered":
                    lines[1]("transfer.accept", id=one["id"])
                return one["state"] == "done"

        self.wait("the file", come)
        window = self.window(ben)
        window.go("chats/" + lines[1]("conversation.open", contact=ids[0])["id"])
        expect(window.page.get_by_role("main")).to_contain_text("Saved as “notes (1).pdf”")
        window.go("transfers")
        expect(window.page.get_by_role("main")).to_contain_text("Received · Saved as “notes (1).pdf”")
        self.assertEqual((downloads / "notes.pdf").read_text(), "Ben's own")
        self.done()

    def test_refused(self):
        """A message that is refused after its file was copied leaves no copy behind, whether it is tried again or given up"""
        (anna, _), lines, window = self.chat()
        page, own = window.page, lines[0]
        notes = document(anna.home / "notes.pdf", 100_000)
        copies = []

        def refuse(route):
            if '"message.send"' not in (route.request.post_data or ""):
                return route.continue_()
            copies.append([one["id"] for one in own("upload.list")["uploads"]])
            route.fulfill(status=200, content_type="application/json", body='{"error":{"code":-32000,"message":"no","data":{"kind":"not_allowed"}}}')

        page.route(re.compile("/rpc$"), refuse)
        self.choose(window, window.button("Attach files"), notes)
        window.button("Send").click()
        alert = page.get_by_role("main").get_by_role("alert")
        expect(alert).to_contain_text("This is not allowed.")
        window.button("Try again").click()
        self.wait("another try", lambda: page.wait_for_timeout(50) or len(copies) == 2)
        self.assertEqual([len(ids) for ids in copies], [1, 1])
        self.assertNotEqual(copies[0], copies[1])
        window.button("Remove").click()
        expect(alert).to_have_count(0)
        self.wait("no copy", lambda: own("upload.list")["uploads"] == [])
        self.done()

    def test_held_back(self):
        """A file of a type that is on no list: the page asks before it is sent, its receiver sees why it is held back, and takes it after a question"""
        (anna, ben), lines, window = self.chat()
        page, own = window.page, lines[0]
        tools = anna.home / "tools.zip"
        with zipfile.ZipFile(tools, "w") as archive:
            archive.writestr("one.txt", "one\n" * 100)
        self.choose(window, window.button("Attach files"), tools)
        window.button("Send").click()
        alert = page.get_by_role("main").get_by_role("alert")
        expect(alert).to_contain_text("Ben Ito may have to allow this type of file")
        self.accessible(window, "send a type of no list")
        window.button("Send anyway").click()
        expect(page.get_by_role("main").get_by_text("Ben Ito must allow .zip first")).to_be_visible()

        other = self.window(ben)
        other.go("chats/" + lines[1]("conversation.list")["conversations"][0]["id"])
        main = other.page.get_by_role("main")
        expect(main.get_by_text("held back: you haven’t allowed .zip")).to_be_visible()
        expect(other.button("Accept")).to_have_count(0)
        self.accessible(other, "a file that is held back")
        other.go("transfers")
        expect(main.get_by_text("held back: you haven’t allowed .zip")).to_be_visible()
        other.button("Download anyway").click()
        dialog = other.page.get_by_role("dialog", name="Download tools.zip anyway?")
        self.accessible(other, "download it anyway")
        dialog.get_by_role("button", name="Download anyway").click()
        expect(dialog).to_have_count(0)
        self.arrived(lines, "tools.zip", tools.read_bytes())
        self.done()

    def test_some_of_other_types(self):
        """Of several files only those of other types wait for the user's word, and the others go; a picture of another type than its name says goes under its own, which is said"""
        (anna, ben), lines, window = self.chat()
        page, own = window.page, lines[0]
        main = page.get_by_role("main")
        tools, plan, photo = anna.home / "tools.zip", anna.home / "plan.pdf", anna.home / "photo.jpg"
        with zipfile.ZipFile(tools, "w") as archive:
            archive.writestr("one.txt", "one\n" * 100)
        plan.write_bytes(b"%PDF-1.4 a plan")
        photo.write_bytes(picture())
        page.get_by_role("textbox", name="Write a message").fill("For the weekend")
        self.choose(window, window.button("Attach files"), [tools, plan, photo])
        window.button("Send").click()
        expect(page.get_by_text("Sent photo.jpg as photo.png")).to_be_visible()
        self.arrived(lines, "plan.pdf", plan.read_bytes())
        self.arrived(lines, "photo.png", photo.read_bytes())
        alert = main.get_by_role("alert")
        expect(alert).to_contain_text("Ben Ito may have to allow this type of file")
        waiting = main.get_by_role("listitem").filter(has=page.get_by_role("alert"))
        expect(waiting).to_contain_text("tools.zip")
        expect(waiting).not_to_contain_text("plan.pdf")
        self.accessible(window, "one file of several waits")
        self.assertEqual([one["name"] for one in own("transfer.list")["transfers"] if one["name"] == "tools.zip"], [])
        window.button("Send anyway").click()
        expect(main.get_by_text("Ben Ito must allow .zip first")).to_be_visible()
        texts = [one["text"] for one in own("message.list", conversation=own("conversation.list")["conversations"][0]["id"])["messages"]]
        self.assertEqual(texts.count("For the weekend"), 1)
        self.done()

    def test_content_of_another(self):
        """A file that is not what its name says is no question of its type: the user is told, and Send anyway isn't offered"""
        (anna, ben), lines, window = self.chat()
        main = window.page.get_by_role("main")
        plan = anna.home / "plan.pdf"
        with zipfile.ZipFile(plan, "w") as archive:
            archive.writestr("one.txt", "one\n" * 100)
        self.choose(window, window.button("Attach files"), plan)
        window.button("Send").click()
        expect(main.get_by_role("alert")).to_contain_text("This file isn’t what its extension says. Give the file another name first")
        expect(main.get_by_role("alert")).not_to_contain_text("aren’t accepted")
        expect(window.button("Send anyway")).to_have_count(0)
        self.accessible(window, "a file that is another one")
        window.button("Remove").click()
        expect(main.get_by_role("alert")).to_have_count(0)
        self.done()

    def test_one_of_another_content(self):
        """Of several files only those wait that are not what their names say; the others go at once, with the text"""
        (anna, ben), lines, window = self.chat()
        page, own = window.page, lines[0]
        main = page.get_by_role("main")
        plan, notes, list_ = anna.home / "plan.pdf", anna.home / "notes.txt", anna.home / "list.pdf"
        for path, count in ((plan, 100), (list_, 20_000)):
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("one.txt", "one\n" * count)
        notes.write_bytes(b"notes of the meeting")
        page.get_by_role("textbox", name="Write a message").fill("For the weekend")
        self.choose(window, window.button("Attach files"), [plan, notes, list_])
        window.button("Send").click()
        self.arrived(lines, "notes.txt", notes.read_bytes())
        waiting = main.get_by_role("listitem").filter(has=page.get_by_role("alert"))
        expect(waiting).to_have_count(2)
        for row, name in zip((waiting.first, waiting.last), ("plan.pdf", "list.pdf")):
            expect(row).to_contain_text(name)
            expect(row).to_contain_text("Give the file another name first")
            expect(row).not_to_contain_text("notes.txt")
            expect(row).not_to_contain_text("For the weekend")
        expect(window.button("Send anyway")).to_have_count(0)
        self.accessible(window, "two files of several are others")
        [sent] = [one for one in own("message.list", conversation=own("conversation.list")["conversations"][0]["id"])["messages"] if one["attachments"]]
        self.assertEqual((sent["text"], [one["name"] for one in sent["attachments"]]), ("For the weekend", ["notes.txt"]))
        # Trying again changes nothing; the other way out is to remove them.
        waiting.first.get_by_role("button", name="Try again").click()
        expect(waiting.filter(has_text="plan.pdf")).to_contain_text("Give the file another name first")
        for _ in range(2):
            waiting.first.get_by_role("button", name="Remove").click()
        expect(waiting).to_have_count(0)
        self.done()

    def test_harmless(self):
        """A held-back file of a type that can hold no program is taken without a warning"""
        (anna, ben), lines, window = self.chat()
        window.page.close()
        lines[1]("settings.set", key="files.allowedTypes", value=["pdf"])
        photo = anna.home / "photo.png"
        photo.write_bytes(picture())
        lines[0]("message.send", to=lines[1]("account.get")["id"], files=[str(photo)], anyType=True)
        other = self.window(ben)
        self.wait("the offer", lambda: lines[1]("transfer.list")["transfers"])
        other.go("chats/" + lines[1]("conversation.list")["conversations"][0]["id"])
        expect(other.page.get_by_role("main").get_by_text("you haven’t allowed .png")).to_be_visible()
        expect(other.button("Download anyway")).to_have_count(0)
        other.button("Accept").click()
        self.wait("the picture", lambda: lines[1]("transfer.list", state="done")["transfers"])
        self.done()

    def test_forward_of_any_type(self):
        """A file whose type is on no list is forwarded as it is sent: its row asks first, and it goes with *Send anyway*"""
        (anna, ben, _), (own, ben_line, cleo), ids = self.friends("Anna Berg", "Ben Ito", "Cleo Marin")
        tools = ben.home / "tools.zip"
        with zipfile.ZipFile(tools, "w") as archive:
            archive.writestr("one.txt", "one\n" * 100)
        ben_line("message.send", to=ids[0], text="Take these", files=[str(tools)], anyType=True)

        def taken():
            for one in own("transfer.list", state="offered")["transfers"]:
                own("transfer.accept", id=one["id"], anyway=True)
            return any(one["state"] == "done" for one in own("transfer.list")["transfers"])

        self.wait("the file with Anna", taken)
        window = self.window(anna)
        page = window.page
        window.go("chats/" + own("conversation.open", contact=ids[1])["id"])
        main = page.get_by_role("main")
        main.get_by_role("listitem").get_by_text("Take these", exact=True).click(button="right")
        page.get_by_role("menuitem", name="Forward").click()
        dialog = page.get_by_role("dialog", name="Forward")
        dialog.get_by_role("button", name="Cleo Marin").click()
        dialog.get_by_role("button", name="Forward to 1 chat").click()
        expect(dialog).to_have_count(0)
        window.go("chats/" + own("conversation.open", contact=ids[2])["id"])
        expect(main.get_by_role("alert")).to_contain_text("Cleo Marin may have to allow this type of file")
        window.button("Send anyway").click()
        expect(main.get_by_role("alert")).to_have_count(0)
        offer = self.wait("the offer with Cleo", lambda: next(iter(cleo("transfer.list")["transfers"]), None))
        cleo("transfer.accept", id=offer["id"], anyway=True)
        self.wait("the file with Cleo", lambda: cleo("transfer.get", id=offer["id"])["state"] == "done")
        with open(cleo("transfer.get", id=offer["id"])["path"], "rb") as file:
            self.assertEqual(file.read(), tools.read_bytes())
        self.done()

    def test_folder(self):
        """A folder of which a file was removed ends with the reason and the name of that file; the other file of the message is given up with it; removed, nothing is left"""
        (anna, _), lines, window = self.chat()
        page, own = window.page, lines[0]
        trip = anna.home / "Trip"
        trip.mkdir()
        (trip / "one.txt").write_text("one\n")
        lake = document(trip / "lake.pdf", 50_000)
        other = document(anna.home / "other.pdf", 50_000)
        self.choose(window, window.button("Attach a folder"), trip)
        self.choose(window, window.button("Attach files"), other)
        page.get_by_text("other.pdf").wait_for()
        lake.unlink()
        window.button("Send").click()
        alert = page.get_by_role("main").get_by_role("alert")
        expect(alert).to_contain_text("lake.pdf was changed or removed while it was being copied.")
        self.wait("no upload", lambda: own("upload.list")["uploads"] == [])
        window.button("Choose it again").wait_for()
        window.button("Remove").click()
        expect(alert).to_have_count(0)
        expect(page.get_by_role("main").get_by_text("Trip")).to_have_count(0)
        self.done()
