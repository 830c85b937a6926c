"""What lasts a moment or is rare: a picture at sign-up, a wait after wrong passphrases, typing, another key, a transfer under way."""

import os
import re
import signal
import time

from playwright.sync_api import expect

from checks import BrowserTest, picture


class Moments(BrowserTest):
    def test_picture_at_sign_up(self):
        """A new user chooses a picture, cuts it, takes it away, chooses again; the account has it, and a friend sees it"""
        anna, ben = self.stage.person("Anna"), self.stage.person("Ben")
        window = self.window(anna)
        page = window.page

        def choose(button):
            with page.expect_file_chooser() as chooser:
                window.button(button).click()
            chooser.value.set_files({"name": "hills.png", "mimeType": "image/png", "buffer": picture()})
            dialog = page.get_by_role("dialog", name="Crop picture")
            dialog.get_by_role("slider", name="Left or right").wait_for()
            dialog.get_by_role("button", name="Done").click()
            expect(dialog).to_be_hidden()

        window.button("Create an account").click()
        choose("Choose a picture")
        chosen = page.get_by_role("img", name="Chosen picture")
        expect(chosen).to_be_visible()
        self.accessible(window, "sign-up with a picture")
        window.button("Remove picture").click()
        expect(chosen).to_have_count(0)
        choose("Choose a picture")
        page.get_by_label("Your name").fill("Anna Berg")
        window.button("Create account").click()
        page.get_by_role("heading", name="First steps").wait_for()
        line = anna.line()
        token = self.wait("the picture of the account", lambda: line("account.get")["picture"])
        window.go("more")
        face = page.locator(f"img[src$='{token}']").first
        expect(face).to_be_visible()
        self.assertGreater(face.evaluate("(image) => image.decode().then(() => image.naturalWidth)"), 30)
        other = ben.line()
        other("account.create", displayName="Ben Ito")
        own = line("account.get")["id"]
        self.wait("Anna nearby", lambda: any(peer["account"] == own for peer in other("peer.list")["peers"]))
        other("contact.request", id=own)
        self.wait("the request", lambda: line("contact.list", relation="incoming")["contacts"])
        line("contact.accept", id=other("account.get")["id"])
        second = self.window(ben)
        second.go(f"friends/{own}")
        # Ben's daemon makes a picture of its own of what Anna's has sent.
        theirs = self.wait("the picture with Ben", lambda: other("contact.get", id=own)["picture"])
        face = second.page.get_by_role("main").locator(f"img[src$='{theirs}']").first
        expect(face).to_be_visible()
        self.assertGreater(face.evaluate("(image) => image.decode().then(() => image.naturalWidth)"), 30)
        self.done()

    def test_lock_by_itself(self):
        """Where the user wants it, the account is locked after a minute without input in this browser, not before, and not without a passphrase"""
        anna = self.stage.person("Anna")
        line = anna.line()
        line("account.create", displayName="Anna Berg", passphrase="one two three")
        window = self.window(anna)
        page = window.page
        page.clock.install()
        page.reload()
        window.go("settings/account")
        choice = page.get_by_label("Lock automatically")
        expect(choice).to_have_value("0")
        page.clock.run_for(120_000)
        self.assertFalse(line("account.get")["locked"])
        page.keyboard.press("Shift")
        choice.select_option("After 1 minute without activity")
        self.accessible(window, "lock by itself")
        page.clock.run_for(30_000)
        page.keyboard.press("Shift")
        page.clock.run_for(40_000)
        self.assertFalse(line("account.get")["locked"])
        page.clock.run_for(40_000)
        window.button("Unlock").wait_for()
        self.assertTrue(line("account.get")["locked"])
        page.get_by_label("Passphrase", exact=True).fill("one two three")
        window.button("Unlock").click()
        # The browser keeps it, and whoever types is there.
        expect(choice).to_have_value("1")
        line("account.changePassphrase", old="one two three")
        expect(choice).to_have_count(0)
        page.clock.run_for(120_000)
        self.assertFalse(line("account.get")["locked"])
        self.done()

    def test_wait(self):
        """A locked account is opened: after several wrong passphrases the page counts a wait down; a daemon that comes back locked is no daemon that is away"""
        anna = self.stage.person("Anna")
        line = anna.line()
        line("account.create", displayName="Anna Berg", passphrase="one two three")
        line("account.lock")
        window = self.window(anna)
        page = window.page
        field = page.get_by_label("Passphrase", exact=True)
        unlock = window.button("Unlock")
        wait = page.get_by_role("alert").filter(has_text=re.compile(r"\d+ seconds?"))
        for _ in range(8):
            field.fill("wrong")
            unlock.click()
            expect(page.get_by_role("alert")).to_be_visible()
            expect(unlock.or_(wait)).not_to_have_count(0)
            if wait.count() > 0:
                break
        expect(wait).to_be_visible()
        expect(unlock).to_be_disabled()
        self.accessible(window, "a wait")
        expect(unlock).to_be_enabled(timeout=60_000)
        field.fill("one two three")
        unlock.click()
        page.get_by_role("heading", name="Chats").wait_for()
        away = page.get_by_text("Kibo isn’t running on this computer.")
        expect(away).to_have_count(0)
        # A daemon that comes back locked is there, and tells no events.
        anna.kill()
        expect(away).to_be_visible()
        anna.start()
        page.get_by_role("heading", name="Anna Berg").wait_for()
        field.fill("one two three")
        unlock.click()
        page.get_by_role("heading", name="Chats").wait_for()
        expect(away).to_have_count(0)
        self.wait("events to come", lambda: page.evaluate("document.title") == "Chats – Kibo")
        anna.line()("account.update", displayName="Anna B.")
        window.go("settings")
        expect(page.get_by_text("Anna B.").first).to_be_visible()
        self.done()

    def test_presence(self):
        """A friend's typing, absence and leaving show in the list, in the chat's head and among friends, and pass"""
        (anna, ben), lines, ids = self.friends("Anna Berg", "Ben Ito")
        chat = lines[0]("conversation.open", contact=ids[1])["id"]
        theirs = lines[1]("conversation.open", contact=ids[0])["id"]
        first, second = self.window(anna), self.window(ben)
        first.go(f"chats/{chat}")
        second.go(f"chats/{theirs}")
        head = first.page.get_by_role("main").get_by_role("heading", level=1)
        expect(head).to_contain_text("Online")
        second.page.get_by_role("textbox", name="Write a message").press_sequentially("Hel")
        expect(head).to_contain_text("is typing…")
        expect(first.page.get_by_role("list", name="Chats")).to_contain_text("is typing…")
        self.accessible(first, "typing")
        second.page.get_by_role("textbox", name="Write a message").blur()
        expect(head).not_to_contain_text("is typing…")
        # Another program that is idle doesn't speak for a user who is here.
        self.wait("the page to say that its user is here", lambda: lines[1]("presence.set", state="away", idle=True)["state"] == "online")
        lines[1]("presence.set", state="away")
        expect(head).to_contain_text("Away")
        first.go("friends")
        friends = first.page.get_by_role("list", name="Friends")
        expect(friends).to_contain_text("Away")
        expect(first.page.get_by_text("1 friend, 0 online")).to_be_visible()
        lines[1]("presence.set", state="online")
        expect(friends).to_contain_text("Online")
        # Who is away by not being there has chosen nothing.
        second.go("me")
        online = second.page.get_by_role("radio", name=re.compile("^Online"))
        expect(online).to_be_checked()
        second.page.evaluate("() => { const now = Date.now; Date.now = () => now() + 6 * 60_000; }")
        lines[1]("presence.set", state="away", idle=True)
        self.wait("Ben to be away", lambda: lines[0]("contact.get", id=ids[1])["presence"] == "away")
        expect(friends).to_contain_text("Away")
        expect(online).to_be_checked()
        second.page.mouse.move(40, 40)
        expect(friends).to_contain_text("Online")
        expect(online).to_be_checked()
        ben.daemon.terminate()
        expect(friends).to_contain_text("Last seen", timeout=60_000)
        self.done()

    def test_another_key(self):
        """Another account comes under a friend's name: nothing is sent until the user says who it is, and either answer is asked once more"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito")
        anna, ben = people
        own = lines[0]
        chat = own("conversation.open", contact=ids[1])["id"]
        window = self.window(anna)
        page = window.page
        window.go(f"chats/{chat}")
        page.get_by_role("textbox", name="Write a message").wait_for()
        ben.kill()
        self.wait("Ben to be away", lambda: own("contact.get", id=ids[1])["presence"] == "offline")

        def stranger(name):
            line = self.stage.person(name).line()
            id = line("account.create", displayName="Ben Ito")["id"]
            self.wait("Anna nearby", lambda: any(peer["account"] == ids[0] for peer in line("peer.list")["peers"]))
            line("contact.request", id=ids[0])
            self.wait("the change", lambda: own("contact.get", id=ids[1])["trust"] == "changed")
            return id

        other = stranger("Mallory")
        main = page.get_by_role("main")
        expect(main.get_by_text("This friend’s key has changed.")).to_be_visible()
        expect(page.get_by_role("textbox", name="Write a message")).to_have_count(0)
        self.accessible(window, "a chat with another key")
        window.go("friends")
        expect(page.get_by_role("list", name="Friends").get_by_text("Key has changed").first).to_be_attached()
        window.go(f"friends/{ids[1]}")
        expect(main.get_by_role("heading", name="New key")).to_be_visible()
        expect(main).to_contain_text(other[:13])
        self.assertLess(own("contact.get", id=ids[1])["changedAt"], time.time() * 1000)
        expect(main.get_by_text(re.compile(rf"Since .*{time.localtime().tm_year}"))).to_be_visible()
        self.accessible(window, "another key")
        window.button("It is somebody else").click()
        dialog = page.get_by_role("dialog", name="Block the other account?")
        self.accessible(window, "block another key")
        dialog.get_by_role("button", name="Block").click()
        expect(main.get_by_role("heading", name="New key")).to_have_count(0)
        self.assertEqual(own("contact.get", id=other)["relation"], "blocked")
        window.go(f"chats/{chat}")
        page.get_by_role("textbox", name="Write a message").wait_for()

        new = stranger("Second")
        window.go(f"friends/{ids[1]}")
        window.button("It is the same person").click()
        page.get_by_role("dialog", name=re.compile("Trust the new key")).get_by_role("button", name="It is the same person").click()
        self.wait("the chat to go on with the new account", lambda: own("contact.get", id=new)["conversation"] == chat)
        expect(main).to_contain_text(new)
        self.done()

    def test_stands_still(self):
        """A transfer whose other side is gone says so in the chat and in Transfers, and that it goes on by itself; and it does"""
        (anna, ben), (own, other), ids = self.friends("Anna", "Ben")
        big = ben.home / "big.pdf"
        with open(big, "wb") as file:
            file.write(b"%PDF-1.4\n")
            block = os.urandom(1_000_000)
            for _ in range(1000):
                file.write(block)
        for line in (own, other):
            for key in ("files.maxSendBytes", "files.maxReceiveBytes"):
                line("settings.set", key=key, value=4_000_000_000)
        window = self.window(anna)
        page = window.page
        other("message.send", conversation=other("conversation.open", contact=ids[0])["id"], files=[str(big)])
        page.get_by_role("list", name="Chats").get_by_role("link", name=re.compile("Ben")).click()
        page.get_by_role("main").get_by_role("button", name="Accept").click()
        self.hold(ben, own)
        ben.kill()
        bubble = page.get_by_role("main").get_by_role("listitem").filter(has_text="big.pdf")
        expect(bubble).to_contain_text("Waiting for Ben; continues by itself")
        expect(bubble.get_by_role("button", name="Cancel")).to_be_visible()
        self.accessible(window, "a transfer that stands still")
        window.go("transfers")
        row = page.get_by_role("list", name="Transfers").get_by_role("listitem")
        expect(row).to_contain_text("Waiting for Ben; continues by itself")
        ben.start()
        expect(row).to_contain_text(re.compile("In progress|Received"))
        self.done()

    def test_pause(self):
        """A large file that is under way is paused by either side, goes on, and is cancelled by one; the windows of both say so"""
        (anna, ben), (own, other), ids = self.friends("Anna", "Ben")
        big = ben.home / "big.pdf"
        with open(big, "wb") as file:
            file.write(b"%PDF-1.4\n")
            block = os.urandom(1_000_000)
            for _ in range(1000):
                file.write(block)
        for line in (own, other):
            for key in ("files.maxSendBytes", "files.maxReceiveBytes"):
                line("settings.set", key=key, value=4_000_000_000)
        first, second = self.window(anna), self.window(ben)
        for window in (first, second):
            window.go("transfers")
        other("message.send", conversation=other("conversation.open", contact=ids[0])["id"], files=[str(big)])
        first.button("Accept big.pdf").click()
        mine, theirs = (window.page.get_by_role("list", name="Transfers").get_by_role("listitem") for window in (first, second))
        # So large a file takes seconds only: the sender is held while somebody looks.
        self.hold(ben, own)
        expect(first.page.get_by_role("progressbar", name="Progress of big.pdf")).to_be_visible()
        expect(mine).to_contain_text("In progress")
        self.accessible(first, "a transfer under way")
        first.button("Pause big.pdf").click()
        expect(mine).to_contain_text("Paused by you")
        os.kill(ben.daemon.pid, signal.SIGCONT)
        expect(theirs).to_contain_text("Paused by the other side")
        self.accessible(first, "a paused transfer")
        before = self.bytes(own)
        first.page.wait_for_timeout(1000)
        self.assertEqual(self.bytes(own), before)
        first.button("Resume big.pdf").click()
        self.hold(ben, own)
        self.assertGreater(self.bytes(own), before)
        expect(mine).to_contain_text("In progress")
        second.button("Pause big.pdf").click()
        os.kill(ben.daemon.pid, signal.SIGCONT)
        expect(theirs).to_contain_text("Paused by you")
        expect(mine).to_contain_text("Paused by the other side")
        second.button("Resume big.pdf").click()
        self.hold(ben, own)
        first.button("Cancel big.pdf").click()
        dialog = first.page.get_by_role("dialog", name="Cancel big.pdf?")
        self.accessible(first, "cancel a transfer")
        dialog.get_by_role("button", name="Cancel the transfer").click()
        expect(mine).to_contain_text("Cancelled")
        os.kill(ben.daemon.pid, signal.SIGCONT)
        expect(theirs).to_contain_text("Cancelled")
        first.button("Active", exact=True).click()
        expect(first.page.get_by_text("No matching files")).to_be_visible()
        self.done()

    def bytes(self, line):
        return line("transfer.list")["transfers"][0]["bytesDone"]

    def hold(self, sender, line):
        """Stops the sender's daemon once more bytes have come."""
        before = self.bytes(line)
        self.wait("bytes to come", lambda: self.bytes(line) > before)
        os.kill(sender.daemon.pid, signal.SIGSTOP)
