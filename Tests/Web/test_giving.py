"""Files and texts that are given to phones with LocalSend: the phone's user is asked, and what they take stands in the notes."""

import random
import re
import socket

from playwright.sync_api import expect

from phoning import Phoning
from receiver import Receiver

TEXT = "The key is under the stone\n<b>behind</b> the house"
#: More than the buffers between a Kibo and a phone that doesn't read, in bytes.
LARGE = 24 << 20
#: More than one offer takes.
MANY = 33
#: Where LocalSend listens: a scan asks at this port only.
PORT = 53317
#: How long a scan may take, in ms.
SCAN = 90_000
# Drops files, each with its own name and content.
DROP = """(row, [names, content]) => {
  const transfer = new DataTransfer();
  for (const name of names) transfer.items.add(new File([content], name, { type: "text/plain" }));
  for (const kind of ["dragenter", "dragover", "drop"]) row.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""
# Holds files over a row without dropping them, or takes them away.
HOLD = """(row, kind) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File(["x"], "x.txt"));
  row.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


class Giving(Phoning):
    def setUp(self):
        super().setUp()
        self.phones = []

    def tearDown(self):
        for phone in self.phones:
            phone.end()
        super().tearDown()

    def phone(self, line, name="Quick Lemon", **options):
        """A phone that Anna's Kibo lists."""
        phone = Receiver(self.stage.folder, name, **options)
        self.phones.append(phone)

        # What listens is started anew after a setting has changed.
        is_plain = line("settings.get", key="localsend.plain")["value"]
        self.wait("the port", lambda: phone.announce(line("guest.list")["port"], is_plain))
        self.wait(f"{name} in the list", lambda: any(one["address"].startswith(phone.address) for one in line("guest.list")["devices"]))
        return phone

    def near(self, name="Quick Lemon", **options):
        """Anna, her line and a window that shows who is nearby, with a phone."""
        _, line, window, _ = self.anna()
        phone = self.phone(line, name, **options)
        window.go("friends/nearby")
        expect(self.row(window, name)).to_be_visible()
        return line, window, phone

    def row(self, window, name="Quick Lemon"):
        return window.page.get_by_role("list", name="Phones and other devices").get_by_role("listitem").filter(has_text=name)

    def card(self, window, name="Quick Lemon"):
        return window.page.get_by_role("region", name="What you send to devices nearby").get_by_role("listitem", name=re.compile(name))

    def choose(self, window, files, name="Quick Lemon"):
        """Chooses files, a dictionary from names to bytes, for a phone."""
        folder = self.stage.folder / "chosen"
        folder.mkdir(exist_ok=True)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        with window.page.expect_file_chooser() as chooser:
            self.row(window, name).get_by_role("button", name=f"Send files to {name}").click()
        chooser.value.set_files([folder / file for file in files])

    def write(self, window, text, name="Quick Lemon"):
        """Sends a text to a phone, with the keyboard."""
        page = window.page
        self.row(window, name).get_by_role("button", name=f"Send text to {name}").press("Enter")
        dialog = page.get_by_role("dialog", name=f"Send text to {name}")
        field = dialog.get_by_label("Text")
        expect(field).to_be_focused()
        expect(dialog.get_by_role("button", name="Send", exact=True)).to_be_disabled()
        field.fill(text)
        dialog.get_by_role("button", name="Send", exact=True).press("Enter")
        expect(dialog).to_have_count(0)

    def close(self, card):
        card.get_by_role("button", name="Close", exact=True).click()
        expect(card).to_have_count(0)

    def test_files(self):
        """Two files go to a phone whose user takes them: the card says so on every screen, and they stand in the notes with the phone's name"""
        line, window, phone = self.near()
        page = window.page
        self.whole(window, "a device nearby")
        files = {"list.txt": b"bread\n" * 100, "way.txt": b"left, then right\n" * 100}
        self.choose(window, files)
        demand = phone.asked()
        self.assertEqual(demand.names, ["list.txt", "way.txt"])
        card = self.card(window)
        expect(card).to_contain_text("Waiting for Quick Lemon to take 2 files")
        expect(card).to_contain_text("LocalSend")
        expect(card.get_by_role("list", name="Files for Quick Lemon").get_by_role("listitem")).to_have_count(2)
        expect(page.get_by_role("log")).to_contain_text("LocalSend: Waiting for Quick Lemon to take 2 files")
        self.whole(window, "files that wait for a device")
        window.go("calls")
        expect(card).to_be_visible()
        demand.take()
        expect(card).to_contain_text("Quick Lemon took 2 files")
        self.assertEqual(demand.received, files)
        self.whole(window, "files that a device has taken")

        note = self.wait("the note", lambda: self.notes(line))[-1]
        self.assertEqual((note["givenTo"], note.get("guest")), ("Quick Lemon", None))
        self.assertEqual(sorted(one["name"] for one in note["attachments"]), ["list.txt", "way.txt"])
        card.get_by_text("Open notes", exact=True).click()
        main = page.get_by_role("main")
        expect(main.get_by_text("to Quick Lemon (LocalSend)").first).to_be_visible()
        expect(main.get_by_text("list.txt").first).to_be_visible()
        self.accessible(window, "notes of what went to a phone")
        self.close(card)
        window.go("friends/nearby")
        expect(self.row(window)).to_contain_text("you have sent something to it")
        self.done()

    def test_text(self):
        """A text is written in a window and taken; another one is declined, and offered once more; a third one is taken back"""
        line, window, phone = self.near()
        page = window.page
        self.row(window).get_by_role("button", name="Send text to Quick Lemon").click()
        self.accessible(window, "text to a device")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(self.row(window).get_by_role("button", name="Send text to Quick Lemon")).to_be_focused()
        self.write(window, TEXT)
        demand = phone.asked()
        self.assertEqual(demand.text, TEXT)
        card = self.card(window)
        expect(card).to_contain_text("Waiting for Quick Lemon to take your text")
        expect(card.get_by_text("<b>behind</b> the house")).to_be_visible()
        demand.take()
        expect(card).to_contain_text("Quick Lemon took your text")
        note = self.wait("the note", lambda: self.notes(line))[-1]
        self.assertEqual((note["text"], note["givenTo"]), (TEXT, "Quick Lemon"))
        self.close(card)

        self.write(window, "Not everybody wants this")
        phone.asked().decline()
        expect(card).to_contain_text("Quick Lemon declined what you offered")
        self.whole(window, "a text that a device has declined")
        card.get_by_role("button", name="Try again", exact=True).click()
        demand = phone.asked()
        self.assertEqual(demand.text, "Not everybody wants this")
        expect(card).to_have_count(1)
        expect(card).to_contain_text("Waiting for Quick Lemon")
        demand.take()
        expect(card).to_contain_text("Quick Lemon took your text")
        self.close(card)

        self.write(window, "On second thought")
        demand = phone.asked()
        card.get_by_role("button", name="Take back what you offered Quick Lemon").click()
        expect(card).to_contain_text("You took back what you offered Quick Lemon")
        demand.decline()
        self.assertEqual([note["text"] for note in self.notes(line)], [TEXT, "Not everybody wants this"])
        self.done()

    def test_pin(self):
        """A phone that asks for a PIN gets the same files once it is right"""
        line, window, phone = self.near(pin="2468")
        page = window.page
        self.choose(window, {"list.txt": b"bread\n"})
        card = self.card(window)
        expect(card).to_contain_text("Quick Lemon asks for a PIN")
        expect(card.get_by_text("This PIN was wrong.")).to_have_count(0)
        field = card.get_by_label("PIN")
        expect(card.get_by_role("button", name="Send", exact=True)).to_be_disabled()
        self.whole(window, "a device that asks for a PIN")
        field.fill("1111")
        page.keyboard.press("Enter")
        expect(card.get_by_text("This PIN was wrong.")).to_be_visible()
        expect(field).to_have_value("")
        expect(field).to_be_focused()
        field.fill("2468")
        card.get_by_role("button", name="Send", exact=True).click()
        demand = phone.asked()
        self.assertEqual((demand.pin, demand.names), ("2468", ["list.txt"]))
        expect(card).to_have_count(1)
        demand.take()
        expect(card).to_contain_text("Quick Lemon took 1 file")
        self.assertEqual(demand.received, {"list.txt": b"bread\n"})
        self.assertEqual(len(self.wait("the note", lambda: self.notes(line))), 1)
        self.done()

    def test_stop(self):
        """Files that go out are stopped; those that break off say why, and go once more without being chosen again"""
        line, window, phone = self.near()
        large = {"large.txt": b"0123456789abcdef" * (LARGE // 16)}
        self.choose(window, large)
        phone.asked().take(holds_at=1 << 20)
        card = self.card(window)
        expect(card).to_contain_text("Sending 1 file to Quick Lemon")
        expect(card.get_by_role("progressbar", name="Progress of the files to Quick Lemon")).to_be_visible()
        expect(card).to_contain_text("0 of 1 file")
        self.whole(window, "a file that goes out")
        card.get_by_role("button", name="Stop the files to Quick Lemon").click()
        expect(card).to_contain_text("You stopped the files to Quick Lemon")
        self.close(card)

        self.choose(window, large)
        phone.asked().take(holds_at=1 << 20, breaks=True)
        expect(card).to_contain_text("Sending to Quick Lemon didn’t work")
        self.whole(window, "a file that broke off")
        card.get_by_role("button", name="Try again", exact=True).click()
        demand = phone.asked()
        demand.take()
        expect(card).to_contain_text("Quick Lemon took 1 file")
        self.assertEqual(demand.received, large)
        self.assertEqual(len(self.wait("the note", lambda: self.notes(line))), 1)
        self.close(card)

        # A phone that is gone from its address can't be reached.
        self.phones.remove(phone)
        phone.end()
        self.write(window, "Are you there?")
        expect(card).to_contain_text("The device can’t be reached")
        self.done()

    def test_drop(self):
        """Files are dropped on a row; too many are refused with a word; a device without encryption is marked, and so is its card"""
        _, line, window, _ = self.anna()
        line("settings.set", key="localsend.plain", value=True)
        phone = self.phone(line, secure=False)
        window.go("friends/nearby")
        row = self.row(window)
        expect(row).to_contain_text("not encrypted: others can read along")
        row.evaluate(HOLD, "dragenter")
        expect(row.locator(".drop-here")).to_have_text("Send files to Quick Lemon")
        row.evaluate(HOLD, "dragleave")
        expect(row.locator(".drop-here")).to_have_count(0)
        row.evaluate(DROP, [[f"{number}.txt" for number in range(MANY)], "too many"])
        expect(window.page.get_by_text("You chose 33 files. You can send 32 at a time.")).to_be_visible()
        expect(self.card(window)).to_have_count(0)
        row.evaluate(DROP, [["a.txt", "b.txt"], "dropped"])
        demand = phone.asked()
        self.assertEqual(demand.names, ["a.txt", "b.txt"])
        card = self.card(window)
        expect(card).to_contain_text("This device doesn’t encrypt")
        self.whole(window, "files that wait for a device without encryption")
        # The phone's user takes some of them.
        demand.take("a.txt")
        expect(card).to_contain_text("Quick Lemon took 1 file")
        self.assertEqual(demand.received, {"a.txt": b"dropped"})
        self.done()

    def test_folder(self):
        """A folder is chosen for a phone, and its files go to it"""
        _, window, phone = self.near()
        folder = self.stage.folder / "plans"
        (folder / "old").mkdir(parents=True)
        for path in ("list.txt", "old/way.txt"):
            (folder / path).write_text(path)
        with window.page.expect_file_chooser() as chooser:
            self.row(window).get_by_role("button", name="Send a folder to Quick Lemon").click()
        chooser.value.set_files(folder)
        demand = phone.asked()
        self.assertEqual(sorted(name.rsplit("/", 1)[-1] for name in demand.names), ["list.txt", "way.txt"])
        demand.take()
        expect(self.card(window)).to_contain_text("Quick Lemon took 2 files")
        self.assertEqual(sorted(demand.received.values()), [b"list.txt", b"old/way.txt"])
        self.close(self.card(window))
        # What is chosen next is a file again.
        self.choose(window, {"a.txt": b"bread\n"})
        demand = phone.asked()
        self.assertEqual(demand.names, ["a.txt"])
        demand.decline()
        self.done()

    def test_chosen_elsewhere(self):
        """A window in which the files were not chosen can't offer them again and says what to do; nor can one that was loaded anew"""
        person, line, window, _ = self.anna()
        phone = self.phone(line)
        other = self.window(person)
        for one in (window, other):
            one.go("friends/nearby")
            expect(self.row(one)).to_be_visible()
        self.choose(window, {"a.txt": b"bread\n"})
        demand = phone.asked()
        expect(self.card(other)).to_contain_text("Waiting for Quick Lemon")
        demand.decline()
        again = self.card(window).get_by_role("button", name="Try again", exact=True)
        expect(again).to_be_visible()
        expect(self.card(window)).not_to_contain_text("choose them")
        expect(self.card(other)).to_contain_text("To send the files again, choose them under “Nearby”.")
        expect(self.card(other).get_by_role("button", name="Try again")).to_have_count(0)
        self.whole(other, "files that were chosen in another window")

        again.click()
        demand = phone.asked()
        window.go("calls")
        window.page.reload()
        expect(self.card(window)).to_contain_text("Waiting for Quick Lemon")
        demand.decline()
        expect(self.card(window)).to_contain_text("Quick Lemon declined what you offered")
        expect(self.card(window).get_by_role("button", name="Try again")).to_have_count(0)
        self.card(window).get_by_role("link", name="Nearby").click()
        expect(self.row(window)).to_be_visible()
        self.done()

    def test_scan(self):
        """Devices that announce nothing are found by asking each address, or one; a network without any says how many were asked"""
        _, _, window, _ = self.anna()
        page = window.page
        window.go("friends/nearby")
        # Daemons of other tests may be seen meanwhile: they announce themselves on the same interface.
        near, far, mute = (f"127.0.0.{number}" for number in random.sample(range(20, 250), 3))
        # What takes a connection and says nothing holds a scan up until it is gone.
        with socket.create_server((mute, PORT)):
            window.button("Scan the network").click()
            expect(window.button("Scanning…")).to_be_disabled()
            expect(window.button("By address…")).to_be_disabled()
        outcome = page.get_by_text(re.compile(r"Kibo asked \d+ addresses\. No device answered\."))
        expect(outcome).to_be_visible(timeout=SCAN)
        expect(window.button("Scan the network")).to_be_enabled()
        self.whole(window, "a network without devices")
        # It is about that moment: who comes back later doesn't see it.
        window.go("calls")
        window.go("friends/nearby")
        expect(window.button("Scan the network")).to_be_visible()
        expect(outcome).to_have_count(0)

        window.button("By address…").click()
        dialog = page.get_by_role("dialog", name="Find a device")
        field = dialog.get_by_label("Address of the device")
        expect(field).to_be_focused()
        self.accessible(window, "a device by its address")
        for address, answer in (
            ("phone", "This isn’t an IPv4 address."), ("10.1.2.3", "This address isn’t on your network."), (near, "No device answered at this address."),
        ):
            field.fill(address)
            page.keyboard.press("Enter")
            expect(dialog).to_contain_text(answer)
        self.phones.append(Receiver(self.stage.folder, at=(near, PORT)))
        page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)
        expect(self.row(window)).to_be_visible()

        phone = Receiver(self.stage.folder, "Late Cherry", at=(far, PORT))
        self.phones.append(phone)
        window.button("Scan the network").click()
        expect(page.get_by_text("2 devices answered.", exact=True)).to_be_visible(timeout=SCAN)
        expect(self.row(window, "Late Cherry")).to_be_visible()
        self.whole(window, "devices that were found by their addresses")
        self.write(window, "found you", "Late Cherry")
        demand = phone.asked()
        self.assertEqual(demand.text, "found you")
        demand.take()
        expect(self.card(window, "Late Cherry")).to_contain_text("Late Cherry took your text")
        self.done()

    def test_namesake(self):
        """A device with the name of one that got something before is marked, and the user is asked before it gets something"""
        line, window, phone = self.near()
        page = window.page
        self.write(window, "for the first one")
        phone.asked().take()
        card = self.card(window)
        expect(card).to_contain_text("Quick Lemon took your text")
        self.close(card)
        other = self.phone(line)
        row = self.row(window, "another device with this name")
        expect(row).to_have_count(1)
        for answer in ("Cancel", "Send anyway"):
            with page.expect_file_chooser() as chooser:
                row.get_by_role("button", name="Send files to Quick Lemon").click()
            chooser.value.set_files([{"name": "a.txt", "mimeType": "text/plain", "buffer": b"for the other one"}])
            dialog = page.get_by_role("dialog", name="Send files to Quick Lemon")
            expect(dialog).to_contain_text("You have sent something to another device with this name.")
            if answer == "Cancel":
                self.accessible(window, "another device of this name")
            dialog.get_by_role("button", name=answer, exact=True).click()
            expect(dialog).to_have_count(0)
            expect(card).to_have_count(0 if answer == "Cancel" else 1)
        other.asked().decline()
        expect(card).to_contain_text("Quick Lemon declined what you offered")
        row.get_by_role("button", name="Send text to Quick Lemon").click()
        dialog = page.get_by_role("dialog", name="Send text to Quick Lemon")
        expect(dialog).to_contain_text("You have sent something to another device with this name.")
        expect(dialog.get_by_role("button", name="Send anyway", exact=True)).to_be_disabled()
        self.assertTrue(phone.demands.empty())
        self.done()

    def test_german(self):
        """German words are whole, too"""
        person, line, _, _ = self.anna()
        phone = self.phone(line, "Telefon mit dem längsten Namen von allen")
        window = self.window(person, locale="de-DE")
        window.go("friends/nearby")
        row = window.page.get_by_role("list", name="Handys und andere Geräte").get_by_role("listitem").filter(has_text=phone.name)
        expect(window.button("Netzwerk absuchen")).to_be_visible()
        self.whole(window, "a device nearby, in German")
        row.get_by_role("button", name="Text senden an").click()
        dialog = window.page.get_by_role("dialog")
        dialog.get_by_label("Text").fill("Hallo")
        dialog.get_by_role("button", name="Senden", exact=True).click()
        demand = phone.asked()
        card = window.page.get_by_role("region", name="Was du Geräten in der Nähe sendest").get_by_role("listitem", name=re.compile("Telefon"))
        expect(card).to_contain_text("deinen Text annimmt")
        self.whole(window, "a text that waits for a device, in German")
        demand.take()
        expect(card).to_contain_text("hat deinen Text angenommen")
        # A long name is cut at its end, and never as a whole.
        [note] = self.wait("the note", lambda: self.notes(line))
        window.go(f"chats/{note['conversation']}")
        mark = window.page.get_by_role("main").locator(".bubble-guest")
        expect(mark).to_contain_text("(LocalSend)")
        self.assertGreater(mark.locator(".guest-name").bounding_box()["width"], 60)
        self.done()
