"""Who people are outside of Kibo: verifying a friend, the address book, invitations."""

import re

from playwright.sync_api import expect

from checks import BrowserTest

PEOPLE = [
    ("Ben Ito", "TEL;TYPE=cell:+49 151 2345678", "EMAIL:ben@example.org"), ("Cleo Marin", "TEL;TYPE=home:030 123456", "EMAIL:cleo@example.org"),
    ("Dora Novak", "EMAIL:dora@example.org"), ("Emil <b>Olsen</b>", "TEL;TYPE=work:+36 1 555 0101"), ("No Address",),
]
DROP = """(area, text) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], "people.vcf", { type: "text/vcard" }));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    area.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""


def cards(people):
    return "".join("\r\n".join(["BEGIN:VCARD", "VERSION:4.0", f"FN:{name}", *lines, "END:VCARD", ""]) for name, *lines in people)


class Book(BrowserTest):
    def test_verify(self):
        """Both sides see the same sixty digits; a wrong number is refused, the right one makes the friend verified, and so does a word"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito")
        first, second = self.window(people[0]), self.window(people[1])
        first.go(f"friends/{ids[1]}")
        first.button("Verify").click()
        second.go(f"friends/{ids[0]}/verify")
        seen = []
        for window in (first, second):
            groups = window.page.get_by_role("list", name="Safety number").get_by_role("listitem")
            expect(groups).to_have_count(12)
            seen.append(groups.all_inner_texts())
            expect(window.page.get_by_role("img", name="Your code for verifying")).to_be_visible()
        self.assertEqual(seen[0], seen[1])
        self.assertTrue(all(re.fullmatch(r"\d{5}", group) for group in seen[0]))
        self.accessible(first, "verify")

        field = first.page.get_by_label("Number or link of Ben Ito")
        field.fill("12345 " * 12)
        first.button("Compare").click()
        expect(first.page.get_by_role("alert")).to_contain_text("somebody may be reading your messages")
        self.accessible(first, "another number")
        self.assertEqual(lines[0]("contact.get", id=ids[1])["trust"], "unverified")
        field.fill(" ".join(seen[1]))
        first.button("Compare").click()
        expect(first.page.get_by_text("They match: this really is")).to_be_visible()
        expect(first.page.get_by_role("main").get_by_text("Verified: your safety numbers match").last).to_be_visible()
        self.assertEqual(lines[0]("contact.get", id=ids[1])["trust"], "verified")

        second.button("They don’t match").click()
        expect(second.page.get_by_role("alert")).to_contain_text("somebody may be reading your messages")
        second.button("They match").click()
        expect(second.button("They match")).to_have_count(0)
        self.assertEqual(lines[1]("contact.get", id=ids[0])["trust"], "verified")
        self.done()

    def test_new_key(self):
        """Another account at a friend's place and with their name: nothing is sent, the page asks, and goes on with the new one if it is them"""
        (anna, ben), (own, other), ids = self.friends("Anna Berg", "Ben Ito")
        address = other("system.status")["listen"][0]
        ben.kill()
        waiting = own("message.send", to=ids[1], text="For Ben only")
        second = self.stage.person("Mallory", listen=address)
        theirs = second.line()("account.create", displayName="Ben Ito")["id"]
        own("message.retry", id=waiting["id"])
        self.wait("the other key", lambda: own("contact.get", id=ids[1])["trust"] == "changed")
        window = self.window(anna)
        page = window.page
        window.go(f"chats/{waiting['conversation']}")
        expect(page.get_by_text("This friend’s key has changed.")).to_be_visible()
        window.go(f"friends/{ids[1]}")
        region = page.get_by_role("region", name="New key")
        expect(region).to_contain_text(theirs[:13])
        expect(window.button("Verify")).to_have_count(0)
        self.accessible(window, "another key")
        window.go(f"friends/{ids[1]}/verify")
        expect(page.get_by_role("list", name="Safety number")).to_have_count(0)
        window.button("It is the same person").click()
        dialog = page.get_by_role("dialog", name="Trust the new key of Ben Ito?")
        self.accessible(window, "trust another key")
        dialog.get_by_role("button", name="It is the same person").click()
        self.wait("the new friend", lambda: own("contact.get", id=theirs)["relation"] in ("requested", "friend"))
        expect(page.get_by_role("heading", name="Details")).to_be_visible()
        expect(page.get_by_text("You have sent a request.")).to_be_visible()
        self.done()

    def test_import(self):
        """A vCard file is dropped and imported; the page says what came of it, who is on Kibo, and finds, filters and removes entries"""
        (anna, ben), lines, ids = self.friends("Anna Berg", "Ben Ito")
        lines[1]("account.update", email="ben@example.org")
        self.wait("Ben's address", lambda: lines[0]("contact.get", id=ids[1])["email"])
        window = self.window(anna)
        page = window.page
        window.go("friends/book")
        page.get_by_text("The address book is empty").wait_for()
        self.accessible(window, "an empty address book")
        page.get_by_text("The address book is empty").evaluate(DROP, cards(PEOPLE))
        dialog = page.get_by_role("dialog", name="Import contacts")
        expect(dialog).to_contain_text("people.vcf")
        dialog.get_by_label("Numbers without a country code are from").select_option("Germany (+49)")
        self.accessible(window, "import")
        dialog.get_by_role("button", name="Import", exact=True).click()
        dialog = page.get_by_role("dialog", name="Imported")
        expect(dialog).to_contain_text("4 new entries")
        expect(dialog).to_contain_text("1 card without a number or e-mail")
        self.accessible(window, "imported")
        dialog.get_by_role("button", name="Close").last.click()

        entries = page.get_by_role("list", name="Address book").locator("> li")
        expect(entries).to_have_count(4)
        expect(entries.filter(has_text="Ben Ito").get_by_role("link", name=re.compile("On Kibo"))).to_be_visible()
        expect(entries.filter(has_text="Cleo")).to_contain_text("+49 30123456")
        expect(entries.filter(has_text="Emil <b>Olsen</b>")).to_have_count(1)
        self.accessible(window, "the address book")
        window.button("Not seen on Kibo").click()
        expect(entries).to_have_count(3)
        page.get_by_label("Search the address book").fill("dora")
        expect(entries).to_have_count(1)
        page.get_by_label("Search the address book").fill("")
        window.button("All").click()
        expect(entries).to_have_count(4)
        # Ben shows no address any more: all that can be said is that a friend has this name.
        lines[1]("account.update", email="")
        expect(entries.filter(has_text="Ben Ito")).to_contain_text("Not seen on Kibo")
        expect(entries.filter(has_text="Ben Ito").get_by_role("link", name="Your friend Ben Ito has this name")).to_be_visible()
        expect(entries.filter(has_text="has this name")).to_have_count(1)
        self.accessible(window, "a friend of the same name")
        lines[1]("account.update", email="ben@example.org")
        expect(entries.filter(has_text="Ben Ito").get_by_role("link", name=re.compile("On Kibo"))).to_be_visible()
        page.get_by_label("Select Dora Novak").check()
        window.button("Remove").click()
        self.accessible(window, "remove entries")
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(entries).to_have_count(3)
        # What changes elsewhere is seen here.
        path = anna.home / "more.vcf"
        path.write_text(cards([("Fay Gray", "EMAIL:fay@example.org")]))
        lines[0]("addressBook.import", path=str(path))
        expect(entries).to_have_count(4)
        entries.filter(has_text="Ben Ito").get_by_role("link", name=re.compile("On Kibo")).click()
        expect(page.get_by_role("heading", name="Details")).to_be_visible()
        self.done()

    def test_invite(self):
        """Several are invited in one go: by links where the host has no command, by its command where it has one; the text can be changed"""
        (anna,), (line,), _ = self.friends("Anna Berg")
        (anna.home / "people.vcf").write_text(cards(PEOPLE))
        line("addressBook.import", path=str(anna.home / "people.vcf"), defaultCountry="DE")
        window = self.window(anna)
        page = window.page
        window.go("friends/book")
        for name in ("Ben Ito", "Dora Novak"):
            page.get_by_label(f"Select {name}").check()
        window.button("Invite").last.click()
        fresh = page.get_by_role("list", name="Not invited yet: 3")
        expect(fresh.get_by_role("checkbox", checked=True)).to_have_count(2)
        page.get_by_text("Without an e-mail address: 1").click()
        self.accessible(window, "invite")
        text = page.get_by_label("Text", exact=True)
        expect(text).to_have_value(re.compile(r"ask me how to get it"))
        line("settings.set", key="invite.packageAddress", value="http://files.example/kibo")
        expect(text).to_have_value(re.compile(r"install Kibo \({package}\)"))
        window.button("Preview the first one").click()
        expect(page.get_by_text(re.compile("install Kibo \\(http://files.example/kibo\\), then add me with this link:\\s+kibo:kibo1"))).to_be_visible()
        text.fill("Dear {name}, join {me}: {link}")
        window.button("Preview the first one").click()
        expect(page.get_by_text(re.compile("Dear Ben Ito, join Anna Berg: kibo:kibo1"))).to_be_visible()
        window.button("Send 2 invitations").click()
        expect(page.get_by_text("Kibo can’t send e-mail by itself here")).to_be_visible()
        links = page.get_by_role("list", name="Invitations to open").get_by_role("link")
        expect(links).to_have_count(2)
        self.assertTrue(links.first.get_attribute("href").startswith("mailto:ben@example.org?"))
        self.accessible(window, "invitations to open")
        page.get_by_label("One e-mail to everybody").check()
        expect(page.get_by_role("alert")).to_contain_text("Leave '{name}' out of the text")
        window.button("Invite others").click()

        line("settings.set", key="invite.emailCommand", value=f"tee -a {anna.home}/sent.txt")
        page.get_by_role("checkbox", name=re.compile("All")).first.check()
        window.button("Send 3 invitations").click()
        expect(page.get_by_role("heading", name="3 invitations were sent")).to_be_visible()
        self.accessible(window, "invitations that were sent")
        self.wait("the letters", lambda: (anna.home / "sent.txt").read_text().count("To: ") == 3)
        window.button("Invite others").click()
        expect(page.get_by_text("Invited already: 3")).to_be_visible()
        window.button("Text message").click()
        expect(page.get_by_role("list", name="Not invited yet: 1")).to_contain_text("Emil")
        self.done()

    def test_namesake(self):
        """Whoever has a friend's name is not among all who are invited, unless the user chooses them; settings show the text that is sent"""
        people, lines, _ = self.friends("Anna Berg", "Ben Ito")
        (people[0].home / "people.vcf").write_text(cards(PEOPLE))
        lines[0]("addressBook.import", path=str(people[0].home / "people.vcf"))
        window = self.window(people[0])
        page = window.page
        window.go("friends/invite")
        fresh = page.get_by_role("list", name=re.compile("^Not invited yet"))
        ben = fresh.get_by_role("checkbox", name=re.compile("^Ben Ito"))
        expect(fresh).to_contain_text("Your friend Ben Ito has this name")
        whole = page.get_by_role("checkbox", name=re.compile("All")).first
        whole.check()
        expect(ben).not_to_be_checked()
        expect(fresh.get_by_role("checkbox", checked=False)).to_have_count(1)
        ben.check()
        whole.uncheck()
        expect(fresh.get_by_role("checkbox", checked=True)).to_have_count(0)
        text = page.get_by_label("Text", exact=True).input_value()
        window.go("settings/invite")
        expect(page.get_by_label("Text of an invitation")).to_have_value(text)
        self.done()

    def test_languages(self):
        """The address book, invitations and verifying stand in German, in a language with long words and in one from the right, narrow and wide"""
        people, lines, ids = self.friends("Anna", "Ben")
        (people[0].home / "people.vcf").write_text(cards(PEOPLE))
        lines[0]("addressBook.import", path=str(people[0].home / "people.vcf"))
        window = self.window(people[0])
        for language in ("de", "long", "mirrored"):
            window.page.evaluate("name => localStorage.setItem('kibo.language', name)", language)
            window.page.reload()
            for width in (1280, 320):
                window.page.set_viewport_size({"width": width, "height": 760})
                for path in ("friends/book", "friends/invite", f"friends/{ids[1]}/verify"):
                    window.go(path)
                    window.page.get_by_role("main").get_by_role("heading", level=1).wait_for()
                    window.page.wait_for_timeout(300)
                    across = window.page.evaluate("document.documentElement.scrollWidth - innerWidth")
                    self.assertLessEqual(across, 0, f"{path} is wider than the window in {language} at {width}")
                    inside = window.page.evaluate("Math.max(...[...document.querySelectorAll('.scroll')].map((area) => area.scrollWidth - area.clientWidth))")
                    self.assertLessEqual(inside, 0, f"{path} scrolls sideways in {language} at {width}")
            self.accessible(window, f"verify in {language}")
        self.done()

    def test_import_problems(self):
        """What is wrong in an imported file is said line by line, in the language of the page"""
        anna = self.stage.person("Anna")
        anna.line()("account.create", displayName="Anna Berg")
        file = "\r\n".join([
            "BEGIN:VCARD", "VERSION:3.0", "FN:Nobody", "END:VCARD",
            "BEGIN:VCARD", "VERSION:3.0", "FN;ENCODING=b:QmVu", "EMAIL:ben\u202e at example", "TEL:" + "1" * 80, "EMAIL:ben@example.org", "END:VCARD",
            "BEGIN:VCARD", "VERSION:3.0", "FN:Cleo Marin", "TEL:+49301234567", ""])
        for locale, words in (
            ("en-GB", ["It has neither a phone number nor an e-mail address.", "FN is in base 64, which Kibo doesn’t read.",
                "This is not an e-mail address: ben", "A phone number is too long.", "The file ends in the middle of this card."]),
            ("de-DE", ["Sie hat weder Telefonnummer noch E-Mail-Adresse.", "FN steht in Base64", "Das ist keine E-Mail-Adresse", "Eine Telefonnummer ist zu lang", "Die Datei endet mitten"]),
        ):
            window = self.window(anna, locale=locale)
            page = window.page
            window.go("friends/book")
            with page.expect_file_chooser() as chooser:
                page.get_by_role("button", name=re.compile("^(Import contacts|Kontakte importieren)$")).first.click()
                page.get_by_role("dialog").get_by_role("button", name=re.compile("^(Choose a file|Datei (aus)?wählen)")).click()
            chooser.value.set_files({"name": "people.vcf", "mimeType": "text/vcard", "buffer": file.encode()})
            page.get_by_role("dialog").get_by_role("button", name=re.compile("^(Import|Importieren)$")).click()
            dialog = page.get_by_role("dialog", name=re.compile("^(Imported|Importiert)$"))
            dialog.locator("summary").click()
            for text in words:
                expect(dialog).to_contain_text(text)
            self.assertNotIn("\u202e", dialog.inner_text())
            self.accessible(window, f"problems of an import, {locale}")
        self.done()
