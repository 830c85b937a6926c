"""Settings, account, profile, doctor and logins: each by role and name."""

import re

from playwright.sync_api import expect

from checks import BrowserTest, picture


class Own(BrowserTest):
    def settled(self, line, key, value):
        self.wait(f"{key} = {value}", lambda: line("settings.get", key=key)["value"] == value)

    def test_settings(self):
        """Each sort of setting is changed, checked, brought back and found; what only this host may set is shown; a change elsewhere shows at once"""
        people, lines, ids = self.friends("Anna Berg")
        window, line = self.window(people[0]), lines[0]
        page = window.page
        page.get_by_role("link", name="Settings").click()
        expect(page.get_by_role("heading", name="Notifications", level=1)).to_be_visible()
        page.get_by_role("link", name="Privacy").click()
        self.accessible(window, "settings, privacy")
        page.get_by_role("radio", name="Accept nobody").check()
        self.settled(line, "contacts.policy", "nobody")
        window.button("Reset Friend requests").click()
        self.settled(line, "contacts.policy", "ask")
        expect(page.get_by_role("radio", name="Ask me each time")).to_be_checked()
        page.get_by_role("checkbox", name="Show when somebody is typing").uncheck()
        self.settled(line, "presence.typing", False)
        line("settings.set", key="presence.typing", value=True)
        expect(page.get_by_role("checkbox", name="Show when somebody is typing")).to_be_checked()

        page.get_by_role("link", name="Messages").click()
        days = page.get_by_label("Delete old messages after")
        days.fill("-3")
        expect(page.get_by_role("alert")).to_contain_text("Enter a number from 0 to 36,500.")
        days.fill("90")
        days.press("Enter")
        self.settled(line, "messages.keepDays", 90)
        self.accessible(window, "settings, messages")

        page.get_by_role("link", name="Files", exact=True).click()
        size = page.get_by_label("Largest file or folder to send")
        expect(size).to_have_value("4")
        size.fill("1,5")
        window.button("Save").click()
        self.settled(line, "files.maxSendBytes", 1610612736)
        window.button("Remove pdf").click()
        expect(window.button("Remove pdf")).to_have_count(0)
        page.get_by_label("New entry").fill("o d t")
        expect(page.get_by_text("Enter an extension such as pdf or odt")).to_be_visible()
        page.get_by_label("New entry").fill(".ZIP")
        page.get_by_label("New entry").press("Enter")
        self.wait("the ending", lambda: line("settings.get", key="files.allowedTypes")["value"][-1:] == ["zip"])
        page.get_by_role("checkbox", name="Videos").check()
        self.wait("the kind", lambda: "video" in line("settings.get", key="files.autoDownloadKinds")["value"])
        expect(page.get_by_text("kibo settings files.downloadDirectory")).to_be_visible()
        self.accessible(window, "settings, files")

        page.get_by_role("link", name="Invitations").click()
        page.get_by_label("Text of an invitation").fill("Join me, {name}: {link}")
        window.button("Save").click()
        self.settled(line, "invite.text", "Join me, {name}: {link}")
        self.accessible(window, "settings, invitations")

        search = page.get_by_role("searchbox", name="Search settings")
        search.fill("phone")
        self.accessible(window, "settings, found")
        page.get_by_role("list", name="Settings found").get_by_role("link", name=re.compile("Who can see my phone number")).click()
        expect(page.get_by_role("group", name="Who can see my phone number").get_by_role("radio").first).to_be_focused()
        search.fill("nothing of the kind")
        expect(page.get_by_text("No settings found")).to_be_visible()
        self.done()

    def test_refused(self):
        """A setting that can't be saved goes back, with the reason"""
        people, lines, ids = self.friends("Anna Berg")
        window = self.window(people[0])
        page = window.page
        page.add_init_script("""const real = fetch;
            window.fetch = (address, options) => options?.body?.includes("settings.set") === true
                ? Promise.resolve(new Response(JSON.stringify({ error: { code: -32000, message: "full", data: { kind: "no_space", retryable: true } } })))
                : real(address, options);""")
        page.reload()
        window.go("settings/privacy")
        box = page.get_by_role("checkbox", name="Let friends see when I have read their messages")
        box.click()
        expect(page.get_by_role("alert")).to_contain_text("There isn’t enough space on the disk.")
        expect(box).to_be_checked()
        self.done()

    def test_passphrase(self):
        """A passphrase is set, changed with the old one only, locks Kibo, and is taken away"""
        people, lines, ids = self.friends("Anna Berg")
        window, line = self.window(people[0]), lines[0]
        page = window.page
        window.go("settings/account")
        expect(window.button("Lock now")).to_be_disabled()
        page.get_by_label("New passphrase", exact=True).fill("one two three")
        page.get_by_label("Repeat new passphrase").fill("one two")
        window.button("Set passphrase").click()
        expect(page.get_by_text("The passphrases don’t match.")).to_be_visible()
        self.accessible(window, "settings, account")
        page.get_by_label("Repeat new passphrase").fill("one two three")
        window.button("Set passphrase").click()
        expect(page.get_by_text("A passphrase protects your keys now.")).to_be_visible()
        self.assertTrue(line("account.get")["hasPassphrase"])
        page.get_by_label("Current passphrase").fill("wrong")
        page.get_by_label("New passphrase", exact=True).fill("four five six")
        page.get_by_label("Repeat new passphrase").fill("four five six")
        window.button("Change passphrase").click()
        expect(page.get_by_role("alert").first).to_contain_text("Wrong passphrase.")
        page.wait_for_timeout(1500)
        page.get_by_label("Current passphrase").fill("one two three")
        window.button("Change passphrase").click()
        expect(page.get_by_text("The passphrase was changed.")).to_be_visible()
        window.button("Lock now").click()
        page.get_by_role("heading", name="Anna Berg").wait_for()
        page.get_by_label("Passphrase", exact=True).fill("four five six")
        window.button("Unlock").click()
        page.get_by_role("heading", name="Account").wait_for()
        page.get_by_role("checkbox", name="Remove passphrase").check()
        page.get_by_label("Current passphrase").fill("four five six")
        window.button("Remove passphrase").click()
        expect(page.get_by_text("The passphrase was removed.")).to_be_visible()
        self.assertFalse(line("account.get")["hasPassphrase"])
        self.done()

    def test_profile(self):
        """The profile has a cut picture, a name, a status, an address and a number; friends see it and the presence; mistakes stand at their field"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito")
        window, other = self.window(people[0]), self.window(people[1])
        page = window.page
        other.go(f"friends/{ids[0]}")
        page.get_by_role("link", name="Profile").click()
        page.get_by_label("Your name").fill(" ")
        expect(page.get_by_text("Enter a name.")).to_be_visible()
        page.get_by_label("Your name").fill("Anna Berg-Ito")
        page.get_by_label("Status").fill("On the lake")
        page.get_by_label("E-mail").fill("anna at example")
        window.button("Save").click()
        expect(page.get_by_role("alert")).to_contain_text("Write it like anna@example.org")
        page.get_by_label("E-mail").fill("anna@example.org")
        page.get_by_label("Phone").fill("+49 30 901820")
        with page.expect_file_chooser() as chooser:
            window.button("Choose a picture").click()
        chooser.value.set_files({"name": "hills.png", "mimeType": "image/png", "buffer": picture()})
        window.button("Done").click()
        page.get_by_role("img", name="Chosen picture").wait_for()
        self.accessible(window, "profile")
        window.button("Save").click()
        expect(page.get_by_text("Profile saved.")).to_be_visible()
        account = lines[0]("account.get")
        self.assertEqual((account["displayName"], account["statusText"], account["phone"]), ("Anna Berg-Ito", "On the lake", "+4930901820"))
        self.assertIsNotNone(account["picture"])
        expect(other.page.get_by_role("main").get_by_text("On the lake")).to_be_visible()
        page.get_by_role("radio", name=re.compile("^Away")).check()
        expect(other.page.get_by_role("main").get_by_text("Away").last).to_be_visible()
        page.get_by_role("radio", name=re.compile("^Online")).check()
        self.wait("presence", lambda: lines[1]("contact.get", id=ids[0])["presence"] == "online")
        window.button("Remove picture").click()
        window.button("Save").click()
        self.wait("no picture", lambda: lines[0]("account.get")["picture"] is None)
        expect(page.get_by_role("img", name="My link as a QR code")).to_be_visible()
        self.done()

    def test_doctor(self):
        """The doctor says what it has found and what to do, copies it as text; about has the version, the schema and the licences"""
        people, lines, ids = self.friends("Anna Berg")
        window = self.window(people[0], permissions=["clipboard-read", "clipboard-write"])
        page = window.page
        page.add_init_script("""const real = fetch;
            window.fetch = async (address, options) => {
                const answer = await real(address, options);
                if (!options?.body?.includes("system.doctor")) return answer;
                const told = await answer.json();
                told.result.checks.push({ name: "firewall", ok: false, findings: [{ code: "ufw_closed", parameters: { ports: ["15426/tcp", "15425/udp"] } }],
                    advice: [{ code: "open_ports", parameters: { commands: ["sudo ufw allow 15426/tcp", "sudo ufw allow 15425/udp"] } }] });
                told.result.checks.push({ name: "of_later", ok: true, findings: [{ code: "unheard_of", parameters: {} }], advice: [] });
                return new Response(JSON.stringify(told), answer);
            };""")
        page.reload()
        window.go("doctor")
        checks = page.get_by_role("list", name="Doctor")
        expect(page.get_by_text("1 thing needs your attention.")).to_be_visible()
        expect(checks.get_by_role("listitem").first).to_contain_text("ufw is on and has no rule for 15426/tcp and 15425/udp.")
        # What is fine is folded away.
        fine = page.get_by_role("list", name="Fine")
        expect(fine).to_have_count(0)
        page.get_by_text(re.compile("checks found nothing wrong")).click()
        expect(fine.get_by_text("It is there and unlocked.")).to_be_visible()
        expect(fine).to_contain_text("unheard_of")
        # What works and could be better is no fault, and not all that can be wished for, either.
        advised = checks.get_by_role("listitem").filter(has_text="No backup was ever made.")
        expect(advised.get_by_title("Suggestion")).to_be_visible()
        self.accessible(window, "doctor")
        window.button("Copy as text").click()
        copied = page.evaluate("navigator.clipboard.readText()")
        self.assertIn("✗ Firewall: ufw is on", copied)
        self.assertIn("    sudo ufw allow 15426/tcp", copied)
        self.assertNotIn(str(people[0].home), copied)
        window.button("Check again").click()
        expect(page.get_by_text("1 thing needs your attention.")).to_be_visible()

        page.get_by_role("link", name="About Kibo").click()
        expect(page.get_by_text(re.compile("^Version [0-9]"))).to_be_visible()
        self.accessible(window, "about")
        with page.expect_download() as download:
            window.button("Save the description").click()
        self.assertEqual(download.value.suggested_filename, "kibo-openrpc.json")
        with window.context.expect_page() as opened:
            page.get_by_role("link", name="Read the licences").click()
        expect(opened.value.get_by_text("node-react")).to_be_visible()
        self.done()

    def test_logins(self):
        """Browsers that are logged in are listed and ended; one that logs out knows how to come back"""
        people, lines, ids = self.friends("Anna Berg")
        first, second = self.window(people[0]), self.window(people[0])
        second.page.get_by_role("heading", name="Chats").wait_for()
        first.go("settings/browser")
        page = first.page
        logins = page.get_by_role("list", name="Logged-in browsers")
        expect(logins.get_by_role("listitem")).to_have_count(2)
        expect(logins).to_contain_text("this browser")
        self.accessible(first, "settings, this browser")
        page.get_by_role("button", name=re.compile("^Log out .*, used")).click()
        expect(logins.get_by_role("listitem")).to_have_count(1)
        expect(second.page.get_by_text("This browser has been logged out.")).to_be_visible()
        first.button("Log out").click()
        page.get_by_role("dialog", name="Log out this browser?").get_by_role("button", name="Log out").click()
        expect(page.get_by_text("This browser has been logged out. Open Kibo from your desktop’s menu, or run “kibo web”.")).to_be_visible()
        for window in (first, second):
            window.said = [text for text in window.said if "status of 401" not in text and "Clear-Site-Data" not in text]
        self.done()

    def test_tabs(self):
        """Three tabs of a browser are in step, and tell of a message once, with one sound; not at all while one of them is looked at"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito")
        window = self.window(people[0], permissions=["notifications"])
        # A browser without a screen says that each page has the focus, and shows no notification.
        window.context.add_init_script("""globalThis.told = [];
            globalThis.sounds = 0;
            globalThis.isLookedAt = false;
            document.hasFocus = () => globalThis.isLookedAt;
            globalThis.Notification = class { constructor(title, options) { told.push(`${title}: ${options.body}`); } static permission = "granted"; static requestPermission = async () => "granted"; close() {} };
            AudioContext.prototype.resume = async () => { sounds += 1; };""")
        pages = [window.page, window.context.new_page(), window.context.new_page()]
        address = window.page.evaluate("location.origin")
        for page in pages:
            page.goto(f"{address}/#/settings/appearance")
            page.reload()
            page.get_by_role("heading", name="Appearance", exact=True).wait_for()
        first, second, third = pages
        second.get_by_role("button", name="Dark").click()
        for page in (first, third):
            expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
        second.get_by_role("button", name="Deutsch").click()
        for page in (first, third):
            expect(page.get_by_role("heading", name="Darstellung", exact=True)).to_be_visible()
        third.get_by_role("button", name="English").click()
        for page in (first, third):
            page.evaluate("location.hash = '#/settings/notifications'")
        first.get_by_role("checkbox", name="Notify me of new messages").check()
        first.get_by_role("checkbox", name="Play a sound").check()
        self.assertEqual(first.evaluate("sounds"), 1)
        expect(third.get_by_role("checkbox", name="Play a sound")).to_be_checked()
        # The daemon's own notifications rest as long as a page shows some. The gateway notices the end of a stream with the
        # next beat, within 15 s.
        for on in (False, True):
            first.get_by_role("checkbox", name="Notify me of new messages").set_checked(on)
            for _ in range(200):
                if f"\nkibo_notifying_clients {int(on)}\n" in lines[0]("system.metrics"):
                    break
                first.wait_for_timeout(100)
            else:
                self.fail(f"the daemon does not know whether a page notifies: {on}")

        lines[1]("message.send", to=ids[0], text="Are you there?")
        for page in pages:
            expect(page.get_by_role("link", name="Chats 1 unread message")).to_be_visible()
            self.assertIn("(1)", page.title())
        first.wait_for_timeout(500)
        self.assertEqual([text for page in pages for text in page.evaluate("told")], ["Ben Ito: Are you there?"])
        self.assertEqual(sum(page.evaluate("sounds") for page in pages), 2)
        second.evaluate("isLookedAt = true; dispatchEvent(new Event('focus'))")
        lines[1]("message.send", to=ids[0], text="Hello?")
        for page in pages:
            expect(page.get_by_role("link", name="Chats 2 unread messages")).to_be_visible()
        first.wait_for_timeout(500)
        self.assertEqual(sum(len(page.evaluate("told")) for page in pages), 1)

        # What is read or begun in one tab is so in the others.
        conversation = lines[0]("conversation.list")["conversations"][0]["id"]
        second.evaluate("path => { location.hash = path; }", f"#/chats/{conversation}")
        second.get_by_role("textbox", name="Write a message").fill("Half a thou")
        first.evaluate("location.hash = '#/chats'")
        expect(first.get_by_role("list", name="Chats").get_by_text("Half a thou")).to_be_visible()
        for page in (first, third):
            expect(page.get_by_role("link", name="Chats", exact=True)).to_be_visible()
        self.done()

    def test_install(self):
        """The page can be installed as an app: its manifest and icon are there, and the browser asks for nothing more"""
        people, lines, ids = self.friends("Anna Berg")
        window = self.window(people[0])
        page = window.page
        page.get_by_role("heading", name="Chats").wait_for()
        icon = page.evaluate("""async () => {
            const manifest = await (await fetch(document.querySelector("link[rel=manifest]").href)).json();
            return (await fetch(manifest.icons[0].src)).headers.get("Content-Type");
        }""")
        self.assertEqual(icon, "image/svg+xml")
        session = window.context.new_cdp_session(page)
        errors = {one["errorId"] for one in session.send("Page.getInstallabilityErrors")["installabilityErrors"]}
        # Each window of a test is a private one.
        self.assertEqual(errors - {"in-incognito"}, set())
        self.done()

    def test_keyboard(self):
        """Settings and groups are reached and changed without a pointer, and the focus comes back"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito")
        group = lines[0]("group.create", name="Hikers", members=[ids[1]])
        window = self.window(people[0])
        page, keys = window.page, window.page.keyboard
        page.get_by_role("heading", name="Chats").wait_for()
        keys.press("Control+k")
        expect(page.get_by_role("combobox", name="Go to")).to_be_focused()
        keys.type("priv")
        expect(page.get_by_role("option", selected=True)).to_contain_text("Privacy")
        keys.press("Enter")
        page.get_by_role("heading", name="Privacy").wait_for()
        page.get_by_role("list", name="Settings").get_by_role("link", name="Privacy").focus()
        keys.press("F6")
        expect(page.get_by_role("main").locator(":focus")).to_have_count(1)
        page.get_by_role("radio", name="Ask me each time").focus()
        keys.press("ArrowDown")
        self.settled(lines[0], "contacts.policy", "everyone")
        keys.press("Escape")
        page.get_by_role("heading", name="Chats").wait_for()

        window.go(f"groups/{group['id']}")
        members = page.get_by_role("list", name="2 members")
        members.get_by_role("link", name=re.compile("You")).focus()
        keys.press("ArrowDown")
        expect(members.get_by_role("link", name=re.compile("Ben Ito"))).to_be_focused()
        keys.press("Tab")
        button = window.button("Actions for Ben Ito")
        expect(button).to_be_focused()
        keys.press("Enter")
        expect(page.get_by_role("menuitem").first).to_be_focused()
        keys.press("End")
        keys.press("Enter")
        dialog = page.get_by_role("dialog", name="Remove Ben Ito?")
        expect(dialog).to_be_visible()
        keys.press("Escape")
        expect(dialog).to_have_count(0)
        expect(button).to_be_focused()
        keys.press("Enter")
        keys.press("ArrowDown")
        keys.press("Enter")
        self.wait("the role", lambda: [one["role"] for one in lines[0]("group.get", id=group["id"])["members"]] == ["owner", "admin"])
        self.done()
