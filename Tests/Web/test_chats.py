"""Chats: the list, the history, groups, keys and what happens while the daemon is away; each by role and name."""

import datetime
import gzip
import os
import re
import subprocess
import time
import unittest

from playwright.sync_api import expect

from chatting import Chatting
from checks import thorough
from stage import BIN

HOSTILE = '<img src=x onerror="document.title=1"> <b>bold</b> \u202egnp.exe'


class Chats(Chatting):
    def test_list(self):
        """A chat is pinned, muted, marked as read, archived and taken back; only the unread are listed if asked for; deleting asks first; a draft outlives a reload"""
        _, lines, _, window = self.pair(3)
        page = window.page
        chats = page.get_by_role("list", name="Chats")
        expect(chats.get_by_text("3 unread messages")).to_be_attached()
        self.accessible(window, "chats")
        window.button("Unread").click()
        expect(chats.get_by_role("link")).to_have_count(1)
        self.menu(window, "Mark as read")
        expect(page.get_by_text("Nothing is unread")).to_be_visible()
        window.button("Unread").click()
        expect(chats.get_by_text("unread message")).to_have_count(0)
        self.menu(window, "Pin")
        expect(chats.get_by_text("Pinned")).to_be_attached()
        self.menu(window, "Mute")
        page.get_by_role("menuitem", name="Mute always").click()
        expect(chats.get_by_text("Muted", exact=True)).to_be_attached()
        self.menu(window, "Archive")
        expect(chats.get_by_role("link")).to_have_count(0)
        window.button("Undo").click()
        expect(chats.get_by_role("link")).to_have_count(1)
        # What is no longer so isn't said any longer, and not undone.
        self.menu(window, "Archive")
        expect(window.button("Undo")).to_be_visible()
        archived = self.wait("the chat to be archived", lambda: lines[0]("conversation.list", archived=True)["conversations"])
        lines[0]("conversation.update", id=archived[0]["id"], archived=False)
        expect(chats.get_by_role("link")).to_have_count(1)
        expect(window.button("Undo")).to_have_count(0, timeout=2000)

        self.open(window).fill("Half a thou")
        page.reload()
        expect(page.get_by_role("textbox", name="Write a message")).to_have_value("Half a thou")
        expect(chats.get_by_text("Draft:")).to_be_visible()
        self.menu(window, "Delete chat")
        dialog = page.get_by_role("dialog", name="Delete chat")
        self.accessible(window, "delete a chat")
        dialog.get_by_role("button", name="Cancel").click()
        self.assertEqual(len(lines[0]("conversation.list")["conversations"]), 1)
        self.menu(window, "Delete chat")
        dialog.get_by_role("button", name="Delete").click()
        expect(page.get_by_text("No chats yet")).to_be_visible()
        self.done()

    def test_mute(self):
        """A chat is muted for an hour, until tomorrow or without an end, in its menu, by keyboard and in its details; list and details say until when; it ends by itself"""
        _, (own, _), _, window = self.pair(1)
        page = window.page
        chat = own("conversation.list")["conversations"][0]["id"]
        muted = lambda: own("conversation.get", id=chat)
        chats = page.get_by_role("list", name="Chats")
        until = lambda: datetime.datetime.fromtimestamp(muted()["mutedUntil"] / 1000)
        before = time.time() * 1000
        self.menu(window, "Mute")
        choices = page.get_by_role("menu", name="Mute").get_by_role("menuitem")
        self.accessible(window, "how long to mute a chat")
        page.keyboard.press("Escape")
        self.menu(window, "Mute")
        expect(choices.first).to_be_focused()
        page.keyboard.press("Enter")
        self.wait("the mute", lambda: muted()["muted"])
        self.assertTrue(before + 3_600_000 <= muted()["mutedUntil"] <= time.time() * 1000 + 3_600_000)
        expect(chats.get_by_text(re.compile(r"^Muted until (\w{3} )?\d?\d:\d\d$"))).to_be_attached()
        self.menu(window, "Unmute")
        expect(chats.get_by_text("Muted")).to_have_count(0)

        window.go(f"chats/{chat}/details")
        aside = page.get_by_role("region", name="Details")
        aside.get_by_role("button", name="Mute", exact=True).click()
        page.get_by_role("menuitem", name="Mute until tomorrow").click()
        expect(aside.get_by_text(re.compile(r"^Muted until \w{3} 08:00$"))).to_be_visible()
        self.accessible(window, "details of a muted chat")
        self.wait("the mute", lambda: muted()["muted"])
        self.assertEqual((until().date() - datetime.date.today()).days, 1)
        aside.get_by_role("button", name="Unmute").click()
        expect(aside.get_by_text("Muted")).to_have_count(0)
        # Escape closes the choice, and nothing is muted; the palette has each of them.
        aside.get_by_role("button", name="Mute", exact=True).click()
        page.keyboard.press("Escape")
        expect(page.get_by_role("menu")).to_have_count(0)
        expect(aside.get_by_role("button", name="Mute", exact=True)).to_be_focused()
        self.assertFalse(muted()["muted"])
        # Another client has muted it for a moment: that ends here, too, without a word of the user.
        own("conversation.update", id=chat, mutedUntil=int(time.time() * 1000) + 3000)
        expect(aside.get_by_text(re.compile("^Muted until"))).to_be_visible()
        expect(aside.get_by_role("button", name="Mute", exact=True)).to_be_visible()
        expect(chats.get_by_text("Muted")).to_have_count(0)
        self.done()

    def test_history(self):
        """A long history begins at what is new, goes on in steps with few rows, keeps its place, and finds an old answer"""
        (anna, ben), lines, ids, window = self.pair(420)
        page = window.page
        old = lines[1]("message.list", conversation=lines[1]("conversation.list")["conversations"][0]["id"], limit=500)["messages"][3]
        self.open(window)
        expect(page.get_by_text("New", exact=True)).to_be_visible()
        rows = page.locator("[data-id]")
        page.get_by_role("button", name="To the newest message").click()
        expect(self.row(window, "Message number 420")).to_be_in_viewport()
        self.wait("what was seen to be read", lambda: self.unread(lines[0]) < 420)

        place = "Message number 200"
        # Older rows go in above the others, and each row stays the one that it is: what plays in it, or has the focus, goes on.
        made = page.evaluate("""async (text) => {
            const area = document.querySelector('.history');
            const made = new Map();
            const here = () => [...area.querySelectorAll('[data-id]')].find((row) => row.textContent.includes(text + 'E') || row.querySelector('.text')?.textContent === text);
            for (let step = 0; step < 400 && (here() === undefined || here().getBoundingClientRect().top < 100); step += 1) {
                area.scrollTop -= 300;
                await new Promise((done) => setTimeout(done, 15));
                for (const row of area.querySelectorAll('[data-id]')) made.set(row.dataset.id, (made.get(row.dataset.id) ?? new Set()).add(row));
            }
            return [...made.values()].map(({ size }) => size);
        }""", place)
        self.assertEqual(set(made), {1})
        expect(self.row(window, place)).to_be_in_viewport()
        self.assertLessEqual(rows.count(), 120)
        before = self.row(window, place).bounding_box()["y"]
        # What comes in meanwhile moves nothing.
        answer = lines[1]("message.send", to=ids[0], text="About the fourth", replyTo=old["id"])
        page.wait_for_timeout(700)
        self.assertLessEqual(abs(self.row(window, place).bounding_box()["y"] - before), 2)

        page.get_by_role("button", name="To the newest message").click()
        expect(self.row(window, "About the fourth")).to_be_in_viewport()
        self.row(window, "About the fourth").get_by_title("Go to this message").click()
        expect(self.row(window, "Message number 4")).to_be_in_viewport()
        self.assertLessEqual(rows.count(), 120)
        self.assertEqual(answer["replyTo"], old["id"])
        self.accessible(window, "a long chat")
        self.done()

    def test_unread_again(self):
        """A chat that was read is marked as unread, from the list and while it is open: every client sees it, and opening it reads it again"""
        people, lines, ids, window = self.pair(2)
        page, own = window.page, lines[0]
        chats = page.get_by_role("list", name="Chats")
        other = self.window(people[0])
        other.go("chats")
        self.open(window)
        self.wait("what was seen to be read", lambda: self.unread(own) == 0)
        self.menu(window, "Mark as unread")
        expect(page.get_by_role("textbox", name="Write a message")).to_have_count(0)
        for one in (window, other):
            expect(one.page.get_by_role("list", name="Chats").get_by_text("1 unread message")).to_be_attached()
        self.wait("the daemon to count it", lambda: self.unread(own) == 1)
        self.accessible(window, "unread again")
        self.open(window)
        self.wait("it to be read again", lambda: self.unread(own) == 0)
        expect(chats.get_by_text("unread message")).to_have_count(0)
        self.done()

    def test_nothing_to_mark(self):
        """Where only this account has written, marking as unread says why it can't be done, and the chat stays as it is"""
        _, (own, _), ids, window = self.pair()
        own("message.send", to=ids[1], text="Hello")
        window.page.get_by_role("list", name="Chats").get_by_text("Hello").wait_for()
        self.menu(window, "Mark as unread")
        window.page.get_by_text("Nobody else has written here lately.").wait_for()
        expect(window.page.get_by_text("Not found.")).to_have_count(0)
        expect(window.page.get_by_text("unread message")).to_have_count(0)
        self.accessible(window, "nothing to mark as unread")
        self.done()

    def test_weight(self):
        """What the browser fetches as script before the first screen stands has at most 120 kB, gzipped, and all script at most 290 kB"""
        _, _, _, window = self.pair()
        page = window.page
        page.get_by_role("heading", name="Chats").wait_for()
        names = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.endsWith('.js'))")
        page_folder = BIN / "share" / "kibo" / "web"
        size = lambda path: len(gzip.compress(path.read_bytes(), 9))
        self.assertGreater(len(set(names)), 3)
        self.assertLessEqual(sum(size(page_folder / name.lstrip("/")) for name in set(names)), 120_000)
        self.assertLessEqual(sum(size(path) for path in (page_folder / "assets").glob("*.js")), 290_000)
        self.done()

    def test_once(self):
        """A history stands there once, however often the field for writing beside it goes and comes back"""
        people, lines, ids, window = self.pair(3)
        own, ben = lines
        page = window.page
        window.go("chats/" + own("conversation.open", contact=ids[1])["id"])
        field = page.get_by_role("textbox", name="Write a message")
        field.wait_for()

        def friends():
            for one in ben("contact.list", relation="incoming")["contacts"]:
                ben("contact.accept", id=one["id"])
            return own("contact.get", id=ids[1])["relation"] == "friend"

        for _ in range(2):
            own("contact.block", id=ids[1])
            expect(field).to_have_count(0)
            expect(self.row(window, "Message number 2")).to_have_count(1)
            own("contact.unblock", id=ids[1])
            own("contact.request", id=ids[1])
            self.wait("friends again", friends)
            expect(field).to_have_count(1)
            expect(self.row(window, "Message number 2")).to_have_count(1)
        self.done()

    def test_keys(self):
        """Everything is reached by keyboard: any chat, regions, messages and what can be done with them"""
        _, lines, _, window = self.pair(2)
        page = window.page
        page.get_by_role("heading", name="Chats").wait_for()
        page.keyboard.press("Control+k")
        field = page.get_by_role("combobox", name="Go to")
        expect(field).to_be_focused()
        self.accessible(window, "go to")
        page.keyboard.type("ben")
        expect(page.get_by_role("option", selected=True)).to_contain_text("Ben Ito")
        page.keyboard.press("Enter")
        text = page.get_by_role("textbox", name="Write a message")
        expect(text).to_be_focused()
        page.keyboard.type("By keyboard")
        page.keyboard.press("Enter")
        expect(self.row(window, "By keyboard")).to_contain_text("Delivered")

        page.keyboard.press("ArrowUp")
        expect(text).to_have_value("By keyboard")
        page.keyboard.press("Escape")
        expect(text).to_have_value("")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Shift+Tab")
        page.locator("[data-id][tabindex='0']").focus()
        page.keyboard.press("ArrowUp")
        expect(page.locator("[data-id]:focus")).to_contain_text("Message number 2")
        page.keyboard.press("r")
        expect(page.get_by_role("form", name="Write a message")).to_contain_text("Message number 2")
        expect(text).to_be_focused()
        page.keyboard.press("Escape")
        page.locator("[data-id]").last.focus()
        page.keyboard.press("Enter")
        page.get_by_role("menuitem", name="Message info").press("Enter")
        expect(page.get_by_role("dialog", name="Message info")).to_contain_text("It was written and stored here.")
        self.accessible(window, "what happened")
        page.keyboard.press("Escape")
        expect(page.locator("[data-id]:focus")).to_contain_text("By keyboard")
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keyboard").wait_for()
        self.accessible(window, "keys")
        page.keyboard.press("Escape")
        page.keyboard.press("Delete")
        page.get_by_role("dialog", name="Delete message").get_by_role("button", name="Delete for everyone").click()
        expect(page.get_by_text("Message deleted").last).to_be_visible()
        page.keyboard.press("F6")
        page.keyboard.press("F6")
        page.keyboard.press("Escape")
        expect(page.get_by_role("heading", name="Chats")).to_be_visible()
        self.done()

    def test_search(self):
        """Words are found in all chats and in one, marked there and in the message to which they lead, in the middle of the history; the other results are a press away"""
        (_, ben), lines, ids, window = self.pair(90)
        lines[1]("message.send", to=ids[0], text="The ladder is in the cellar")
        lines[1]("message.send", to=ids[0], text="今日は天気がいい")
        page = window.page
        page.get_by_role("heading", name="Chats").wait_for()
        page.keyboard.press("Control+Shift+f")
        field = page.get_by_role("searchbox", name=re.compile("^Search (everything|in this chat)$"))
        expect(field).to_be_focused()
        self.accessible(window, "search")
        field.fill("ladd cellar")
        results = page.get_by_role("list", name="Messages")
        expect(results.get_by_role("link")).to_have_count(1)
        expect(results.locator("mark").first).to_have_text("ladder")
        field.fill("天気")
        expect(results.locator("mark")).to_have_text(["天気"])
        field.fill("number 7")
        expect(results.get_by_role("link")).to_have_count(11)
        self.accessible(window, "found")
        results.get_by_role("link", name=re.compile("number 7$")).click()
        expect(self.row(window, "Message number 7")).to_be_in_viewport()
        # What was found is marked in the message, and the others are one press away.
        lit = lambda: page.evaluate("[...(CSS.highlights.get('found') ?? [])].map(String)")
        bar = page.get_by_role("group", name="Search results")
        expect(bar).to_contain_text("Result 11 of 11")
        self.wait("the words to be marked", lambda: lit() == ["number", "7"])
        expect(bar.get_by_role("button", name="Older result")).to_be_disabled()
        bar.get_by_role("button", name="Newer result").click()
        expect(bar).to_contain_text("Result 10 of 11")
        expect(self.row(window, "Message number 70")).to_be_in_viewport()
        self.wait("the next words to be marked", lambda: lit() == ["number", "7"] or lit() == ["number", "70"])
        self.accessible(window, "a result in its chat")
        bar.get_by_role("button", name="Close the search").click()
        expect(page.get_by_role("list", name="Chats")).to_be_visible()
        self.assertEqual(lit(), [])
        page.get_by_role("textbox", name="Write a message").focus()
        page.keyboard.press("Control+f")
        expect(page.get_by_role("button", name="Ben Ito", exact=True)).to_have_attribute("aria-pressed", "true")
        field.fill("nothing of this kind")
        expect(page.get_by_text("Nothing found")).to_be_visible()
        self.done()

    def test_unread_above(self):
        """A user who goes to the end is told what is unread above, goes there, and marks it as read with one press"""
        _, lines, _, window = self.pair(90)
        page = window.page
        self.open(window)
        page.get_by_role("button", name="To the newest message").click()
        expect(self.row(window, "Message number 90")).to_be_in_viewport()
        above = page.get_by_role("button", name=re.compile("unread messages above"))
        expect(above).to_be_visible()
        self.accessible(window, "unread above")
        self.assertGreater(self.unread(lines[0]), 40)
        above.click()
        expect(above).to_have_count(0)
        self.wait("the first unread one to be read", lambda: self.unread(lines[0]) < 80)
        page.get_by_role("button", name="To the newest message").click()
        expect(above).to_be_visible()
        window.button("Mark as read").click()
        expect(above).to_have_count(0)
        self.wait("all to be read", lambda: self.unread(lines[0]) == 0)
        self.done()

    def test_group(self):
        """A click opens the chat with a friend; two friends are chosen, a group is made, and its details show who is in it; a click on a name says who it is"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito", "Cleo Marin")
        window = self.window(people[0])
        page = window.page
        window.go("chats/new")
        self.accessible(window, "new chat")
        page.get_by_role("list", name="Friends").get_by_role("button", name=re.compile("Ben Ito")).click()
        expect(page.get_by_role("textbox", name="Write a message")).to_be_focused()
        window.button("New chat").click()
        page.get_by_role("button", name=re.compile("New group")).click()
        for name in ("Ben Ito", "Cleo Marin"):
            page.get_by_role("button", name=re.compile(name)).click()
        self.accessible(window, "friends for a group")
        window.button("Create a group with 2 friends").click()
        self.accessible(window, "new group")
        page.get_by_label("Group name").fill("Hikers")
        window.button("Create group").click()
        field = page.get_by_role("textbox", name="Write a message")
        field.fill("Sunday at nine?")
        field.press("Enter")
        self.wait("the text with Cleo", lambda: any(
            one["lastMessage"] and one["lastMessage"]["text"] == "Sunday at nine?" for one in lines[2]("conversation.list")["conversations"]))
        conversation = next(one["id"] for one in lines[2]("conversation.list")["conversations"] if one["kind"] == "group")
        lines[2]("message.send", conversation=conversation, text="I am in")
        expect(self.row(window, "I am in")).to_contain_text("Cleo Marin")
        self.row(window, "Sunday at nine?").click(button="right")
        page.get_by_role("menuitem", name="Who has read it").click()
        story = page.get_by_role("dialog", name="Who has read it")
        expect(story).to_contain_text("Delivered: 2")
        # Who reads it meanwhile is seen to.
        last = lines[1]("message.list", conversation=lines[1]("conversation.list")["conversations"][0]["id"])["messages"][-1]
        lines[1]("conversation.markRead", id=last["conversation"], upTo=last["id"])
        expect(story).to_contain_text("Read: 1 · Delivered: 1")
        expect(story.get_by_role("listitem").first).to_contain_text("Ben Ito")
        self.accessible(window, "who has read it")
        story.get_by_role("button", name="Close").last.click()
        self.accessible(window, "a group")
        # A name is found without its accents, as people type it.
        lines[2]("account.update", displayName="Cléo Marin")
        chats = page.get_by_role("searchbox", name="Search everything")
        lines[0]("conversation.open", contact=ids[2])
        expect(page.get_by_role("list", name="Chats").get_by_text("Cléo Marin").first).to_be_visible()
        chats.fill("cleo")
        expect(page.get_by_role("list", name="People").get_by_role("link")).to_have_count(1)
        chats.fill("")
        page.get_by_title("Details").first.click()
        members = page.get_by_role("list", name="3 members")
        for name in ("You", "Ben Ito", "Cléo Marin"):
            expect(members.get_by_role("link", name=re.compile(name))).to_be_visible()
        self.accessible(window, "details of a group")
        aside = page.locator(".pane-aside")
        aside.get_by_role("button", name="Mute", exact=True).click()
        page.get_by_role("menuitem", name="Mute always").click()
        aside.get_by_role("button", name="Unmute", exact=True).click()
        expect(aside.get_by_role("button", name="Mute", exact=True)).to_be_visible()
        self.wait("the group at Ben's", lambda: [one for one in lines[1]("group.list")["groups"] if one["state"] == "member"])
        lines[1]("message.send", conversation=lines[1]("group.list")["groups"][0]["conversation"], text="Here I am")
        self.row(window, "Here I am").get_by_role("button", name="Ben Ito", exact=True).click()
        card = page.get_by_role("dialog", name="Ben Ito")
        expect(card).to_contain_text("Member")
        self.accessible(window, "who somebody is")
        card.get_by_text("Change the name").click()
        card.get_by_label("Your name for this person").fill("Benjamin")
        card.get_by_role("button", name="Save").click()
        page.get_by_role("dialog", name="Benjamin").get_by_role("button", name="Message").click()
        expect(page.get_by_role("main").get_by_title("Details").first).to_contain_text("Benjamin")
        self.done()

    @unittest.skipIf(os.getuid() != 0, "only root may mount a small disk")
    def test_disk(self):
        """A disk that is nearly full or full is said on every screen, with what is free and what Kibo takes, until there is room"""
        (anna, _), lines, _, window = self.pair(1)
        page = window.page
        # The same data on a small disk: the daemon is started there.
        anna.kill()
        data = anna.home / "data"
        kept = anna.home / "kept"
        data.rename(kept)
        data.mkdir(mode=0o700)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,mode=700", "tmpfs", data], check=True)
        try:
            subprocess.run(["cp", "-a", f"{kept}/.", data], check=True)
            anna.start()
            expect(page.get_by_text("Your disk is nearly full. Messages from friends may wait until there is room.")).to_be_visible(timeout=30_000)
            expect(page.get_by_text(re.compile("MiB free; Kibo’s messages take"))).to_be_visible()
            self.accessible(window, "a disk that is nearly full")
            filling = data / "filling"
            subprocess.run(["dd", "if=/dev/zero", f"of={filling}", "bs=64k"], stderr=subprocess.DEVNULL)
            self.open(window).fill("No room for this")
            page.keyboard.press("Enter")
            expect(page.get_by_text("Your disk is full. Kibo can’t save messages until there is room.")).to_be_visible(timeout=30_000)
            waiting = page.get_by_text("There isn’t enough space on the disk. This is sent once there is room.")
            expect(waiting).to_be_visible()
            window.go("settings")
            expect(page.get_by_text("Your disk is full. Kibo can’t save messages until there is room.")).to_be_visible()
            filling.unlink()
            anna.line()("settings.set", key="files.freeSpaceFloorBytes", value=0)
            expect(page.get_by_text("Your disk is")).to_have_count(0, timeout=30_000)
            window.go("chats")
            self.open(window)
            expect(self.row(window, "No room for this")).to_contain_text(re.compile("Delivered|Read"))
            expect(waiting).to_have_count(0)
            self.done()
        finally:
            anna.kill()
            subprocess.run(["umount", "--lazy", data], check=True)

    def test_away(self):
        """While the daemon is away the chat can be read; what is written waits, outlives a reload, and goes once"""
        (anna, _), lines, _, window = self.pair(1)
        page = window.page
        field = self.open(window)
        expect(self.row(window, "Message number 1")).to_be_visible()
        anna.kill()
        expect(page.get_by_text("Kibo isn’t running on this computer.")).to_be_visible(timeout=30_000)
        expect(self.row(window, "Message number 1")).to_be_visible()
        field.fill("Written meanwhile")
        field.press("Enter")
        expect(self.row(window, "Written meanwhile")).to_contain_text("Waiting to be sent")
        self.accessible(window, "away")
        page.reload()
        expect(page.get_by_text("Kibo isn’t running on this computer.")).to_be_visible(timeout=30_000)
        anna.start()
        expect(self.row(window, "Written meanwhile")).to_contain_text(re.compile("Delivered|Read"), timeout=30_000)
        messages = lines[1]("message.list", conversation=lines[1]("conversation.list")["conversations"][0]["id"])["messages"]
        self.assertEqual([one["text"] for one in messages], ["Message number 1", "Written meanwhile"])
        self.done()

    def test_hostile(self):
        """Markup and characters that turn lines around are shown as what they are, in the list, the chat and the title"""
        (anna, ben), lines, ids, window = self.pair(1)
        lines[1]("account.update", displayName="<i>Ben</i>", statusText="<script>1</script>")
        lines[1]("message.send", to=ids[0], text=HOSTILE)
        page = window.page
        expect(page.get_by_text("<i>Ben</i>").first).to_be_visible()
        self.open(window, "Ben")
        expect(page.get_by_role("main").get_by_text('<img src=x onerror="document.title=1"> <b>bold</b> \\u{202e}gnp.exe')).to_be_visible()
        self.assertEqual(page.locator("b, i, script:not([src])").count(), 0)
        self.assertIn("Kibo", page.title())
        self.done()

    @thorough
    def test_widths(self):
        """From 320 pixels to a wide window, from the right and with long words: nothing sticks out, axe finds nothing"""
        _, _, _, window = self.pair(2)
        page = window.page
        for language in ("en", "de", "mirrored", "long"):
            page.evaluate("language => localStorage.setItem('kibo.language', language)", language)
            for width in (320, 800, 1280):
                page.set_viewport_size({"width": width, "height": 700})
                page.evaluate("location.hash = '#/chats'")
                page.reload()
                page.locator("[data-row]").first.click()
                page.locator("[data-id]").first.wait_for()
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width, f"{language}, {width}")
            self.accessible(window, f"chat, {language}")
        self.done()
