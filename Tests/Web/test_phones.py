"""Phones with LocalSend: what they offer waits in the page for the user's word, and what is taken stands in the notes."""

import pathlib
import re

from playwright.sync_api import expect

from checks import picture
from phone import Phone
from phoning import Phoning

#: Longer than a narrow card is wide.
LONG = "The telephone with the longest name of them"
TEXT = "The key is under the stone\n<b>behind</b> the house"


class Phones(Phoning):
    def card(self, window, name="Nice Orange"):
        offers = window.page.get_by_role("region", name="Offers from devices nearby")
        return offers.get_by_role("listitem", name=re.compile(name))

    def test_some(self):
        """A phone offers three files wherever Anna is in the page; she takes two, which are on the disk and in her notes"""
        person, line, window, port = self.anna()
        page = window.page
        window.go("calls")
        image = picture()
        offer = Phone(port).offer({"beach.jpg": image, "lake.jpg": image + b" ", "hut.jpg": image + b"  "})
        card = self.card(window)
        expect(card).to_contain_text("Nice Orange wants to send you 3 files")
        expect(card).to_contain_text("LocalSend")
        expect(page.get_by_role("log")).to_contain_text("LocalSend: Nice Orange wants to send you 3 files")
        expect(card.get_by_role("list", name="Files from Nice Orange").get_by_role("listitem")).to_have_count(3)
        self.whole(window, "an offer of files")
        # It is there on other screens, too.
        window.go("friends/nearby")
        expect(card).to_be_visible()

        card.get_by_role("button", name="Take some").click()
        box = card.get_by_role("checkbox", name=re.compile("beach.jpg"))
        expect(box).to_be_focused()
        expect(box).to_be_checked()
        box.uncheck()
        self.whole(window, "an offer of files to choose")
        card.get_by_role("button", name="Take 2 files", exact=True).click()
        self.assertEqual((offer.answered(), offer.wanted()), (200, ["id1", "id2"]))

        self.assertEqual(offer.give("id1"), 200)
        expect(card).to_contain_text("Nice Orange is sending you 2 files")
        expect(card.get_by_role("progressbar", name="Progress of the files from Nice Orange")).to_be_visible()
        expect(card).to_contain_text("1 of 2 files")
        self.accessible(window, "files that come in")
        self.assertEqual(offer.give("id2"), 200)
        expect(card).to_contain_text("2 files from Nice Orange are in your notes")
        self.whole(window, "files that were taken")

        kept = self.wait("the notes", lambda: [one for message in self.notes(line) for one in message["attachments"]])
        self.assertEqual(sorted(one["name"] for one in kept), ["hut.jpg", "lake.jpg"])
        for one in kept:
            self.assertEqual(open(one["path"], "rb").read(), image + {"lake.jpg": b" ", "hut.jpg": b"  "}[one["name"]])
        self.assertEqual(list(person.home.rglob("beach.jpg")), [])
        card.get_by_text("Open notes", exact=True).click()
        main = page.get_by_role("main")
        expect(main.get_by_text("from Nice Orange (LocalSend)").first).to_be_visible()
        expect(main.get_by_role("img", name=re.compile("lake.jpg"))).to_be_visible()
        self.accessible(window, "notes from a phone")
        card.get_by_role("button", name="Close", exact=True).click()
        expect(card).to_have_count(0)
        self.done()

    def test_text(self):
        """A text is shown as it is, and kept as a note with one press; another one is declined"""
        _, line, window, port = self.anna()
        page = window.page
        phone = Phone(port)
        offer = phone.offer({}, TEXT)
        card = self.card(window)
        expect(card).to_contain_text("Nice Orange wants to send you a text")
        expect(card.get_by_text("<b>behind</b> the house")).to_be_visible()
        expect(card.get_by_role("button", name="Copy", exact=True)).to_be_visible()
        self.whole(window, "an offer of a text")
        card.get_by_role("button", name="Keep as a note").click()
        self.assertEqual(offer.answered(), 204)
        expect(card).to_contain_text("The text from Nice Orange is in your notes")
        note = self.wait("the note", lambda: self.notes(line))[-1]
        self.assertEqual((note["text"], note["guest"]), (TEXT, "Nice Orange"))
        card.get_by_text("Open notes", exact=True).click()
        row = page.get_by_role("main").get_by_role("listitem").filter(has_text="The key is under the stone")
        expect(row).to_contain_text("from Nice Orange (LocalSend)")
        card.get_by_role("button", name="Close", exact=True).click()

        # What is not wanted leaves nothing.
        offer = phone.offer({}, "\n".join(f"line {number}" for number in range(40)))
        expect(card).to_contain_text("line 5")
        expect(card).not_to_contain_text("line 39")
        card.get_by_role("button", name="Show all", exact=True).click()
        expect(card).to_contain_text("line 39")
        card.get_by_role("button", name="Not now").click()
        self.assertEqual(offer.answered(), 403)
        expect(card).to_contain_text("You didn’t take what Nice Orange offered")
        self.assertEqual(len(self.notes(line)), 1)
        self.done()

    def test_refused(self):
        """Files that the settings keep out are shown with the reason and can't be chosen; an offer of only such can't be taken"""
        _, line, window, port = self.anna()
        phone = Phone(port, LONG)
        offer = phone.offer({"tool.exe": b"MZ" + bytes(60), "a.jpg": picture(), "b.jpg": picture()})
        card = self.card(window, LONG)
        expect(card).to_contain_text("Can’t be taken:")
        expect(card).to_contain_text("Your settings don’t allow 1 of the files.")
        self.whole(window, "an offer with a file that is kept out")
        card.get_by_role("button", name="Take some").click()
        expect(card.get_by_role("checkbox", name=re.compile("tool.exe"))).to_be_disabled()
        expect(card.get_by_role("button", name="Take 2 files", exact=True)).to_be_enabled()
        for name in ("a.jpg", "b.jpg"):
            card.get_by_role("checkbox", name=re.compile(name)).uncheck()
        expect(card.get_by_role("button", name="Take 0 files", exact=True)).to_be_disabled()
        card.get_by_role("button", name="Back", exact=True).click()
        card.get_by_role("button", name="Not now").click()
        self.assertEqual(offer.answered(), 403)
        card.get_by_role("button", name="Close", exact=True).click()

        offer = phone.offer({"tool.exe": b"MZ" + bytes(60)})
        expect(card).to_contain_text("Your settings don’t allow any of this.")
        expect(card.get_by_role("button", name="Take the files")).to_be_disabled()
        card.get_by_role("button", name="Not now").click()
        self.assertEqual(offer.answered(), 403)
        self.assertEqual(self.notes(line), [])
        self.done()

    def test_many(self):
        """Of many files a few are named at first, and all once they are asked for; what comes in can be stopped"""
        _, line, window, port = self.anna()
        offer = Phone(port).offer({f"{number}.jpg": picture() for number in range(9)})
        card = self.card(window)
        files = card.get_by_role("list", name="Files from Nice Orange").get_by_role("listitem")
        expect(files).to_have_count(4)
        card.get_by_role("button", name="and 5 more", exact=True).click()
        expect(files).to_have_count(9)
        card.get_by_role("button", name="Take the files").click()
        self.assertEqual((offer.answered(), len(offer.wanted())), (200, 9))
        self.assertEqual(offer.give("id0"), 200)
        expect(card).to_contain_text("1 of 9 files")
        card.get_by_role("button", name="Stop the files").click()
        expect(card).to_contain_text("You stopped the files from Nice Orange")
        expect(card).to_contain_text("1 file had arrived and is in your notes.")
        self.wait("the note", lambda: [one["name"] for message in self.notes(line) for one in message["attachments"]] == ["0.jpg"])
        self.done()

    def test_folder(self):
        """A folder counts as one at first; then its files stand with their paths, and what is taken is a folder in the notes"""
        _, line, window, port = self.anna()
        names = ["beach.jpg", *(f"Holiday/Day {day}/{number}.jpg" for day in (1, 2) for number in (1, 2)), "\u05d0/\u05d1/1.jpg"]
        offer = Phone(port).offer({name: picture() for name in names})
        card = self.card(window)
        files = card.get_by_role("list", name="Files from Nice Orange").get_by_role("listitem")
        expect(files).to_have_text([re.compile("^beach.jpg"), re.compile("^Holiday/"), re.compile("^\u05d0/")])
        self.whole(window, "an offer with folders")
        card.get_by_role("button", name="Show all", exact=True).click()
        expect(files).to_have_text([re.compile(f"^{name}") for name in names])
        self.whole(window, "an offer with the files in folders")
        card.get_by_role("button", name="Take some").click()
        card.get_by_role("checkbox", name=re.compile("Day 2.2.jpg")).uncheck()
        card.get_by_role("checkbox", name=re.compile("beach.jpg")).uncheck()
        card.get_by_role("button", name="Take 4 files", exact=True).click()
        self.assertEqual((offer.answered(), offer.wanted()), (200, ["id1", "id2", "id3", "id5"]))
        for id in offer.wanted():
            self.assertEqual(offer.give(id), 200)
        expect(card).to_contain_text("4 files from Nice Orange are in your notes")
        kept = self.wait("the notes", lambda: [one for message in self.notes(line) for one in message["attachments"]])
        self.assertEqual([(one["name"], one["kind"]) for one in kept], [("Holiday", "folder"), ("\u05d0", "folder")])
        self.assertEqual(
            sorted(str(one.relative_to(kept[0]["path"])) for one in pathlib.Path(kept[0]["path"]).rglob("*.jpg")),
            ["Day 1/1.jpg", "Day 1/2.jpg", "Day 2/1.jpg"])
        card.get_by_text("Open notes", exact=True).click()
        expect(window.page.get_by_role("main").get_by_text("Holiday").first).to_be_visible()
        self.done()

    def test_settings(self):
        """The PIN is asked for before an offer shows, and switching it off closes the port; German words are whole, too"""
        person, line, window, port = self.anna()
        page = window.page
        self.accessible(window, "settings, phones")
        page.get_by_label("PIN").fill("2468")
        window.button("Save").click()
        self.wait("the PIN", lambda: line("settings.get", key="localsend.pin")["value"] == "2468")
        phone = Phone(port)
        self.assertEqual(phone.offer({}, "no PIN").answered(), 401)
        expect(self.card(window)).to_have_count(0)
        offer = phone.offer({}, "with a PIN", pin="2468")
        expect(self.card(window)).to_contain_text("with a PIN")
        german = self.window(person, locale="de-DE")
        german.go("settings/phones")
        angebot = german.page.get_by_role("region", name="Angebote von Geräten in der Nähe")
        expect(angebot).to_contain_text("Nice Orange möchte dir einen Text senden")
        self.accessible(german, "settings, phones, in German")
        angebot.get_by_role("button", name="Jetzt nicht").click()
        self.assertEqual(offer.answered(), 403)
        # The other window hears of it.
        expect(self.card(window)).to_contain_text("You didn’t take what Nice Orange offered")

        page.get_by_role("checkbox", name="Get files from phones with LocalSend").uncheck()
        self.wait("the end", lambda: line("guest.list")["port"] is None)
        expect(page.get_by_text("Devices can reach you, at TCP port")).to_have_count(0)
        window.go("friends/nearby")
        expect(page.get_by_role("heading", name="People nearby")).to_be_visible()
        expect(page.get_by_role("heading", name="Phones and other devices")).to_have_count(0)
        self.done()
