"""The daemon is gone: the page says so and how to start it, and shows what it last knew."""

import os
import re

from playwright.sync_api import expect

from chatting import Chatting
from stage import Person, befriend

AWAY = "Kibo isn’t running on this computer."
#: In the place of systemd's own: it notes what it is asked, and has one unit.
SYSTEMCTL = """#!/bin/sh
echo "$*" >> "$HOME/asked"
case "$*" in
"--user cat kibod.service" | "--user start --no-block kibod.service") exit 0 ;;
*) exit 1 ;;
esac
"""


class Unit(Person):
    """A user whose daemon is a unit of their service manager."""

    place = "run/kibo/kibod.sock"

    def start(self):
        programs = self.home / "programs"
        if not programs.exists():
            for folder in ("run/kibo", "run/systemd", "programs"):
                (self.home / folder).mkdir(mode=0o700)
            (self.home / "run/systemd/private").touch()
            (programs / "systemctl").write_text(SYSTEMCTL)
            (programs / "systemctl").chmod(0o755)
            self.environment["PATH"] = f"{programs}:{os.environ['PATH']}"
        super().start()

    def asked(self):
        """What the service manager was asked."""
        path = self.home / "asked"
        return path.read_text().splitlines() if path.exists() else []


class Gone(Chatting):
    def couple(self, kind=Person, **more):
        anna, ben = kind(self.stage, "Anna Berg"), self.stage.person("Ben Ito")
        self.stage.people.append(anna)
        lines = anna.line(), ben.line()
        ids = [lines[0]("account.create", displayName="Anna Berg", **more)["id"], lines[1]("account.create", displayName="Ben Ito")["id"]]
        befriend(lines[1], lines[0])
        lines[1]("message.send", to=ids[0], text="See you at the lake")
        self.wait("the message", lambda: self.unread(lines[0]) == 1)
        return anna, ben, lines, ids

    def kept(self, page):
        return page.evaluate("sessionStorage.getItem('kibo.last')")

    def test_start(self):
        """Kibo is started by a button; until then friends are grey, nothing turns, the doctor says what the page knows, and a page that is loaded again shows the last lists"""
        anna, ben, lines, ids = self.couple(Unit)
        window = self.window(anna)
        page = window.page
        page.set_viewport_size({"width": 1440, "height": 900})
        chats = page.get_by_role("list", name="Chats")
        group = lines[0]("group.create", name="Hikers", members=[ids[1]])["conversation"]
        lines[0]("message.send", conversation=group, text="Who comes along?")
        window.go(f"chats/{group}")
        expect(page.locator(".chat-head")).to_contain_text("2 of 2 online")
        expect(chats).to_contain_text("You: Who comes along?")
        window.go("chats")
        self.open(window)
        expect(self.row(window, "See you at the lake")).to_be_visible()
        expect(page.locator(".chat-head")).to_contain_text("Online")
        expect(page.get_by_title("Online").first).to_be_attached()
        self.assertIsNone(self.kept(page))
        anna.kill()
        banner = page.get_by_role("status").filter(has_text=AWAY)
        start = banner.get_by_role("button", name="Start Kibo")
        expect(start).to_be_visible()
        expect(page.locator(".chat-head")).not_to_contain_text("Online")
        expect(page.get_by_title("Online")).to_have_count(0)
        field = page.get_by_role("textbox", name="Write a message")
        field.fill("Written while it was gone")
        field.press("Enter")
        expect(self.row(window, "Written while it was gone")).to_be_visible()
        self.accessible(window, "the daemon is gone")
        window.go(f"chats/{group}")
        expect(page.locator(".chat-head")).to_contain_text("0 of 2 online")
        window.go("friends/nearby")
        expect(page.get_by_text("People who hide don’t appear here.")).to_be_visible()
        expect(page.get_by_text("Looking for people")).to_have_count(0)
        window.go("calls")
        expect(page.get_by_text("Shown when Kibo runs again").or_(page.get_by_text("No calls yet")).first).to_be_visible()
        window.go("doctor")
        expect(page.get_by_role("listitem").filter(has_text="Friends can’t reach you, and nothing is sent.")).to_be_visible()
        expect(page.get_by_text("One thing waits in this browser")).to_be_visible()
        expect(page.locator(".spinner")).to_have_count(0)
        self.accessible(window, "the doctor without the daemon")

        self.wait("what is kept", lambda: self.kept(page))
        window.go("chats")
        page.reload()
        expect(chats.get_by_role("link", name=re.compile("Ben Ito"))).to_be_visible()
        self.open(window)
        expect(self.row(window, "See you at the lake")).to_be_visible()
        expect(self.row(window, "Written while it was gone")).to_be_visible()
        expect(page.get_by_title("Online")).to_have_count(0)
        expect(page.locator(".spinner")).to_have_count(0)
        self.accessible(window, "the last lists")

        # Whatever a page says, there is one thing that is started.
        said = page.evaluate("""() => Promise.all([...Array(20).keys()].map(() => fetch("/daemon", {
            method: "POST", headers: { "X-Kibo": "1", "Content-Type": "application/json" }, body: '{"unit": "other.service", "command": "true"}',
        }).then((answer) => answer.json())))""")
        self.assertEqual([one["started"] for one in said], [True] * 20)
        page.evaluate("fetch('/daemon?unit=other.service').then(({ status }) => { globalThis.other = status; })")
        self.wait("the answer", lambda: page.evaluate("globalThis.other") == 404)
        window.said = [text for text in window.said if "status of 404" not in text]
        begun = ["--user cat kibod.service", "--user start --no-block kibod.service"]
        self.assertEqual(set(anna.asked()), set(begun))
        self.assertEqual(anna.asked().count(begun[1]), 1)
        start.click()
        expect(banner).to_contain_text("Kibo is starting…")
        anna.start()
        expect(banner).to_have_count(0)
        expect(self.row(window, "Written while it was gone")).to_contain_text(re.compile("Delivered|Read"))
        expect(page.get_by_title("Online").first).to_be_attached()
        self.wait("nothing to be kept", lambda: self.kept(page) is None)
        window.go(f"chats/{group}")
        expect(page.locator(".chat-head")).to_contain_text("2 of 2 online")
        # Nothing but the friend's presence tells a group who is here.
        ben.kill()
        expect(page.locator(".chat-head")).to_contain_text("1 of 2 online")
        ben.start()
        expect(page.locator(".chat-head")).to_contain_text("2 of 2 online")
        self.done()

    def test_command(self):
        """Without a service manager the page says what to type; nothing is started, and only a login may ask"""
        anna, ben, lines, ids = self.couple()
        window = self.window(anna)
        page = window.page
        window.go("chats")
        expect(page.get_by_role("list", name="Chats").get_by_role("link", name=re.compile("Ben Ito"))).to_be_visible()
        anna.kill()
        banner = page.get_by_role("status").filter(has_text=AWAY)
        expect(banner).to_contain_text("To start it, type in a terminal: kibod")
        # Nothing of this chat was read before: what is written stands there all the same.
        self.open(window)
        expect(page.get_by_role("main").get_by_text("Shown when Kibo runs again")).to_be_visible()
        field = page.get_by_role("textbox", name="Write a message")
        field.fill("Nobody has read this yet")
        field.press("Enter")
        expect(self.row(window, "Nobody has read this yet")).to_be_visible()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        banner.get_by_role("button", name="Copy command").click()
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "kibod")
        for width in (1440, 700, 380):
            page.set_viewport_size({"width": width, "height": 800})
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
        self.accessible(window, "a command that starts Kibo")
        ask = """(fields) => fetch("/daemon", { method: "POST", headers: { "Content-Type": "application/json", ...fields }, body: "{}" })
            .then(async (answer) => [answer.status, answer.ok && (await answer.json()).started], () => "closed")"""
        self.assertEqual(page.evaluate(ask, {"X-Kibo": "1"}), [200, False])
        self.assertEqual(page.evaluate(ask, {}), [403, False])
        page.context.clear_cookies()
        self.assertEqual(page.evaluate(ask, {"X-Kibo": "1"}), [401, False])
        window.said = [text for text in window.said if not re.search("status of 40[13]", text)]
        self.done()

    def test_kept(self):
        """What a page keeps while the daemon is gone goes when the account is locked, when the login ends, and after a day"""
        anna, ben, lines, ids = self.couple(passphrase="a long passphrase")
        window = self.window(anna)
        page = window.page
        self.open(window)
        anna.kill()
        self.wait("what is kept", lambda: self.kept(page))
        # A browser that brings the tab back after days shows nothing of then.
        page.evaluate("sessionStorage.setItem('kibo.last', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('kibo.last')), at: Date.now() - 25 * 3600000 }))")
        page.reload()
        expect(page.get_by_text(AWAY)).to_be_visible()
        self.wait("nothing to be kept", lambda: self.kept(page) is None)
        expect(page.get_by_role("list", name="Chats")).to_have_count(0)
        anna.start()
        expect(page.get_by_role("button", name="Unlock")).to_be_visible()
        page.get_by_label("Passphrase", exact=True).fill("a long passphrase")
        window.button("Unlock").click()
        expect(self.row(window, "See you at the lake")).to_be_visible()
        anna.kill()
        self.wait("what is kept", lambda: self.kept(page))
        anna.start()
        expect(page.get_by_role("button", name="Unlock")).to_be_visible()
        self.wait("nothing to be kept", lambda: self.kept(page) is None)
        anna.kill()
        page.reload()
        expect(page.get_by_text(AWAY)).to_be_visible()
        expect(page.get_by_text("See you at the lake")).to_have_count(0)
        self.assertIsNone(self.kept(page))
        self.done()
