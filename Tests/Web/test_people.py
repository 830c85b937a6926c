"""The screens of people: each by role and name, without a finding of axe, without a word on the console."""

import re

from playwright.sync_api import expect

from checks import BrowserTest
from stage import befriend


class People(BrowserTest):
    def test_beginning(self):
        """A new user signs up in two steps, in German too; mistakes are named; the account opens with its passphrase only"""
        anna = self.stage.person("Anna")
        window = self.window(anna)
        page = window.page
        page.get_by_role("heading", name="Kibo").wait_for()
        self.accessible(window, "welcome")
        window.button("Deutsch").click()
        window.button("Konto erstellen").wait_for()
        window.button("English").click()
        window.button("Create an account").click()
        window.button("Create account").click()
        expect(page.get_by_text("Enter a name.")).to_be_visible()
        page.get_by_label("Your name").fill("Anna Berg")
        page.get_by_label("Protect Kibo with a passphrase").check()
        page.get_by_label("Passphrase", exact=True).fill("one two three")
        page.get_by_label("Repeat passphrase").fill("one two")
        window.button("Create account").click()
        expect(page.get_by_text("The passphrases don’t match.")).to_be_visible()
        expect(page.get_by_label("Repeat passphrase")).to_be_focused()
        page.get_by_text("More about you").click()
        self.accessible(window, "sign-up")
        page.get_by_label("Repeat passphrase").fill("one two three")
        page.get_by_label("E-mail").fill("anna(at)example.org")
        expect(page.get_by_label("Remember me on this computer")).not_to_be_checked()
        window.button("Create account").click()
        expect(page.get_by_text("This is not an e-mail address.")).to_be_visible()
        expect(page.get_by_label("E-mail")).to_be_focused()
        page.get_by_label("E-mail").fill("anna@example.org")
        page.get_by_label("Your name").fill("Anna\u202eBerg")
        window.button("Create account").click()
        expect(page.get_by_role("alert")).to_contain_text("This name can’t be used")
        page.get_by_label("Your name").fill("Anna Berg")
        window.button("Create account").click()
        page.get_by_role("heading", name="First steps").wait_for()
        self.wait("the e-mail address", lambda: anna.line()("account.get")["email"] == "anna@example.org")
        self.accessible(window, "first steps")

        window.go("settings/account")
        window.button("Lock now").click()
        page.get_by_role("heading", name="Anna Berg").wait_for()
        self.accessible(window, "unlock")
        page.get_by_label("Passphrase", exact=True).fill("wrong")
        window.button("Unlock").click()
        expect(page.get_by_role("alert")).to_contain_text("Wrong passphrase")
        expect(window.button("Unlock")).to_be_enabled()
        page.get_by_label("Passphrase", exact=True).fill("one two three")
        window.button("Unlock").click()
        page.get_by_role("heading", name="Account").wait_for()
        self.done()

    def test_decline_all(self):
        """Several ask: all from one address are declined at once, or all there are, after a question"""
        anna = self.stage.person("Anna")
        own = anna.line()("account.create", displayName="Anna Berg")["id"]
        window = self.window(anna)
        window.page.get_by_role("heading", name="Chats").wait_for()
        # Where nobody is found for ten seconds it is said what may be the matter.
        window.page.clock.install()
        window.go("friends/nearby")
        expect(window.page.get_by_text("Looking for people")).to_be_visible()
        window.page.clock.run_for(10_000)
        expect(window.page.get_by_text("Nobody with Kibo here yet.")).to_be_visible()
        self.accessible(window, "alone")
        window.button("Find out why").click()
        window.page.get_by_role("heading", name="Doctor").wait_for()
        window.page.clock.resume()
        for name in ("Mallory", "Milan", "Moritz"):
            line = self.stage.person(name).line()
            line("account.create", displayName=name)
            self.wait("the other one nearby", lambda: any(peer["account"] == own for peer in line("peer.list")["peers"]))
            line("contact.request", id=own)
        self.wait("the requests", lambda: len(anna.line()("contact.list", relation="incoming")["contacts"]) == 3)
        window.go("friends/requests")
        window.page.get_by_role("button", name="More about Milan").click()
        window.page.get_by_role("menuitem", name="Decline all 3 from this address").click()
        dialog = window.page.get_by_role("dialog", name="Decline 3 requests?")
        expect(dialog).to_contain_text("127.0.0.1")
        self.accessible(window, "decline like")
        dialog.get_by_role("button", name="Cancel").click()
        window.button("Decline all").click()
        dialog.get_by_role("button", name="Decline").click()
        expect(window.page.get_by_text("You declined 3 requests.")).to_be_visible()
        expect(window.page.get_by_text("No open requests")).to_be_visible()
        assert anna.line()("contact.list", relation="incoming")["contacts"] == []
        self.done()

    def test_requests(self):
        """Two people find each other; one asks with a note, the other declines, then accepts; blocking and removing ask once more"""
        anna, ben = self.stage.person("Anna"), self.stage.person("Ben")
        first, second = self.window(anna), self.window(ben)
        first.sign_up("Anna Berg")
        second.sign_up("Ben Ito")
        first.button("Add Ben Ito").click()
        dialog = first.page.get_by_role("dialog", name="Send a request")
        expect(dialog.get_by_label("Note")).to_be_focused()
        dialog.get_by_label("Note").fill("From the third floor")
        dialog.get_by_role("button", name="Send request").click()
        expect(dialog).to_be_hidden()

        second.page.get_by_role("link", name=re.compile("Requests.*1 request")).click()
        expect(second.page.get_by_text("From the third floor")).to_be_visible()
        self.accessible(second, "requests")
        second.button("Decline Anna Berg").click()
        expect(second.page.get_by_text("Request declined.")).to_be_visible()
        expect(second.page.get_by_text("No open requests")).to_be_visible()
        first.go("friends/requests")
        first.button("Withdraw the request to Ben Ito").click()
        expect(first.page.get_by_text("No open requests")).to_be_visible()

        second.go("friends/nearby")
        self.accessible(second, "nearby")
        second.button("Add Anna Berg").click()
        second.button("Send request").click()
        first.page.get_by_role("button", name="More about Ben Ito").click()
        first.page.get_by_role("menuitem", name="Block").click()
        expect(first.page.get_by_text("You have blocked")).to_be_visible()
        first.button("Unblock").click()
        self.wait("the unblocked one", lambda: not anna.line()("contact.list", relation="blocked")["contacts"])
        second.go("friends/requests")
        second.button("Withdraw the request to Anna Berg").click()
        second.go("friends/nearby")
        second.button("Add Anna Berg").click()
        second.page.get_by_label("Note").fill("It's me, from the third floor")
        second.button("Send request").click()
        # The note stands, and the request can be refused, wherever it can be accepted.
        first.go("friends/nearby")
        here = first.page.get_by_role("list", name="People nearby").get_by_role("listitem").filter(has_text="Ben Ito")
        expect(here.get_by_text("It's me, from the third floor")).to_be_visible()
        expect(here.get_by_role("button", name="Decline Ben Ito")).to_be_visible()
        # Whoever is about to open the friend that somebody becomes at that moment does so: the row stays under the pointer.
        second.go("friends")
        expect(second.page.get_by_text("0 friends, 0 online")).to_be_visible()
        asked = second.page.get_by_role("list", name="Friends").get_by_role("link", name=re.compile("Anna Berg"))
        asked.hover()
        second.page.mouse.down()
        first.button("Accept Ben Ito").click()
        expect(asked).to_contain_text("Online")
        second.page.mouse.up()
        expect(second.page.get_by_role("heading", name="Details")).to_be_visible()
        friends = first.page.get_by_role("list", name="Friends")
        friends.get_by_role("link", name=re.compile("Ben Ito")).click()
        expect(first.page.get_by_role("heading", name="Details")).to_be_visible()
        self.accessible(first, "details")
        first.page.get_by_label("Your name for this person").fill("Benjamin")
        first.button("Save").click()
        expect(friends.get_by_text("Benjamin")).to_be_visible()
        first.page.get_by_label("Search friends").fill("nobody by this name")
        expect(first.page.get_by_text("No friends found")).to_be_visible()
        first.page.get_by_label("Search friends").fill("benj")
        self.accessible(first, "friends")

        first.button("Block").click()
        dialog = first.page.get_by_role("dialog", name=re.compile("Block Benjamin"))
        self.accessible(first, "block")
        dialog.get_by_role("button", name="Cancel").click()
        first.button("Remove friend").click()
        first.page.get_by_role("dialog").get_by_role("button", name="Remove friend").click()
        expect(first.page.get_by_text("You are not friends.")).to_be_visible()
        first.button("Block").click()
        first.page.get_by_role("dialog").get_by_role("button", name="Block").click()
        expect(first.page.get_by_text("You have blocked this person.")).to_be_visible()
        first.go("friends/blocked")
        self.accessible(first, "blocked")
        first.button("Unblock Benjamin").click()
        expect(first.page.get_by_text("You haven’t blocked anyone")).to_be_visible()
        self.done()

    def test_address(self):
        """An address is tried before anything is asked; a link shows whom it means; nonsense is named"""
        anna, ben = self.stage.person("Anna"), self.stage.person("Ben")
        anna.line()("account.create", displayName="Anna")
        other = ben.line()
        own = other("account.create", displayName="Ben Ito")["id"]
        address = other("system.status")["listen"][0]
        window = self.window(anna)
        page = window.page
        window.go("friends/address")
        field = page.get_by_label("Address or link", exact=True)
        field.fill("nonsense")
        window.button("Look up").click()
        expect(page.get_by_text("This is neither an address nor a link.")).to_be_visible()
        field.fill("127.0.0.1:9")
        window.button("Look up").click()
        expect(page.get_by_role("alert")).to_contain_text("can’t be reached")
        field.fill(address)
        window.button("Look up").click()
        expect(page.get_by_role("region", name="This account was found there")).to_contain_text("Ben Ito")
        field.fill(f"kibo:{own}?name=Somebody%20else")
        window.button("Look up").click()
        card = page.get_by_role("region", name="The link leads to this account")
        expect(card).to_contain_text("Somebody else")
        self.accessible(window, "by address")
        # A link in a message leads to the same screen, and nothing is done before it is pressed there.
        self.stage.person("Cleo").line()("account.create", displayName="Cleo")
        third = self.stage.people[-1].line()
        befriend(third, anna.line())
        third("message.send", to=anna.line()("account.get")["id"], text=f"Add Ben: kibo:{own}?name=Ben%20Ito&addr={address}")
        window.go("chats")
        page.get_by_role("list", name="Chats").get_by_role("link").first.click()
        page.get_by_role("main").get_by_role("link", name=re.compile("^kibo:")).click()
        expect(card).to_contain_text("Ben Ito")
        expect(field).to_have_value(f"kibo:{own}?name=Ben%20Ito&addr={address}")
        self.assertEqual(other("contact.list", relation="incoming")["contacts"], [])
        card.get_by_role("button", name="Add").click()
        window.button("Send request").click()
        page.get_by_role("heading", name="Details").wait_for()
        self.wait("the request", lambda: other("contact.list", relation="incoming")["contacts"])
        self.done()

    def test_accents(self):
        """Chats, groups and friends are found without their accents and whatever the case, and with them"""
        (anna, _), (own, _), ids = self.friends("Anna Berg", "José Ñandú")
        own("conversation.open", contact=ids[1])
        own("group.create", name="Öhringer Läufer", members=[])
        window = self.window(anna)
        page = window.page
        page.get_by_role("heading", name="Chats").wait_for()
        for path, label, rows, queries in (
            ("chats", "Search everything", "People", {"jose": "José", "NANDU": "José"}),
            ("chats", "Search everything", "Groups", {"ohring": "Läufer", "läuf": "Läufer"}),
            ("groups", "Search groups", "Your groups", {"ohringer lauf": "Läufer"}),
            ("chats/new", "Search friends", "Friends", {"nandu": "José", "Ñand": "José"}),
            ("friends", "Search friends", "Friends", {"jose": "José"}),
        ):
            window.go(path)
            for query, found in queries.items():
                page.get_by_label(label).fill(query)
                items = page.get_by_role("list", name=rows).get_by_role("listitem")
                expect(items).to_have_count(1)
                expect(items).to_contain_text(found)
        self.done()

    def test_transfers(self):
        """Transfers are filtered by state, person and direction, taken and declined; what was left out is named"""
        people, lines, ids = self.friends("Anna", "Ben")
        (anna, ben), (own, other) = people, lines
        (ben.home / "small.txt").write_text("hello\n")
        (ben.home / "big.pdf").write_bytes(b"%PDF-1.4\n" + bytes(60_000_000))
        folder = ben.home / "Photos"
        folder.mkdir()
        (folder / "list.txt").write_text("one\n")
        (folder / "run.exe").write_bytes(b"MZ" + bytes(9000))
        conversation = other("conversation.open", contact=ids[0])["id"]
        for name in ("small.txt", "big.pdf", "Photos"):
            other("message.send", conversation=conversation, files=[str(ben.home / name)])
        window = self.window(anna)
        page = window.page
        window.go("transfers")
        files = page.get_by_role("list", name="Transfers").get_by_role("listitem")
        expect(files).to_have_count(3)
        self.accessible(window, "transfers")
        window.button("1 file was left out").click()
        expect(page.get_by_role("dialog", name="What was left out")).to_contain_text("run.exe")
        window.button("Close").last.click()
        window.button("Accept big.pdf").click()
        expect(files.filter(has_text="big.pdf")).to_contain_text("Received")
        window.button("Decline Photos").click()
        window.button("Failed").click()
        expect(files).to_have_count(1)
        expect(files).to_contain_text("Declined")
        window.button("All").click()
        page.get_by_label("Direction").select_option("Sent")
        expect(page.get_by_text("No matching files")).to_be_visible()
        page.get_by_label("Direction").select_option("Both directions")
        page.get_by_label("Person").select_option("Ben")
        expect(files).to_have_count(3)
        # A file is found by its name, saved, and leads to the message with which it came.
        search = page.get_by_role("searchbox", name="Search files")
        search.fill("SMALL")
        expect(files).to_have_count(1)
        with page.expect_download() as download:
            window.button("Save small.txt").click()
        self.assertEqual(download.value.suggested_filename, "small.txt")
        search.fill("nothing of this kind")
        expect(page.get_by_text("No matching files")).to_be_visible()
        search.fill("big")
        page.get_by_role("link", name="big.pdf").click()
        expect(page.get_by_role("textbox", name="Write a message")).to_be_visible()
        expect(page.get_by_role("main").get_by_text("big.pdf")).to_be_in_viewport()
        self.done()

    def test_languages(self):
        """Every screen stands in German, in a language with long words and in one from the right, narrow and wide"""
        people, lines, ids = self.friends("Anna", "Ben")
        window = self.window(people[0])
        for language in ("de", "long", "mirrored"):
            window.page.evaluate("name => localStorage.setItem('kibo.language', name)", language)
            window.page.reload()
            for width in (1280, 320):
                window.page.set_viewport_size({"width": width, "height": 760})
                for path in ("chats", "friends", "friends/nearby", "friends/requests", "friends/address", f"friends/{ids[1]}", "transfers", "more", "groups",
                             "settings", "settings/notifications", "settings/appearance", "settings/account", "settings/privacy", "settings/files", "settings/calls", "settings/invite", "settings/browser",
                             "settings/keys", "me", "doctor", "about"):
                    window.go(path)
                    window.page.get_by_role("heading", level=1).first.wait_for()
                    window.page.wait_for_timeout(60)
                    across = window.page.evaluate("document.documentElement.scrollWidth - innerWidth")
                    self.assertLessEqual(across, 0, f"{path} is wider than the window in {language} at {width}")
            self.accessible(window, f"more in {language}")
        self.done()
