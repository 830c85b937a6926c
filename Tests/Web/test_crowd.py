"""A list of very many friends: only what is in sight is drawn, and all of it is reached."""

import re

from playwright.sync_api import expect

from checks import BrowserTest
from crowd import befriend_many, name


class Crowd(BrowserTest):
    def test_many_friends(self):
        """Chats that the list has not read yet are found; a list of chats goes on as it is scrolled; of 1,300 friends few rows are drawn; keys reach the last and come back; a search finds one; a new chat with them opens"""
        (anna, _), _, _ = self.friends("Anna Berg", "Aaron First")
        befriend_many(anna, 1300)
        line = anna.line()
        for friend in line("contact.list", limit=160)["contacts"][:160]:
            line("conversation.open", contact=friend["id"])
        window = self.window(anna)
        page = window.page
        focused = page.locator("[data-row]:focus")
        chats = page.get_by_role("list", name="Chats").get_by_role("link")

        # The list has read a hundred chats: these are found all the same.
        late = line("conversation.list", limit=160)["conversations"][-2:]
        expect(chats.first).to_be_visible()
        expect(chats.filter(has_text=late[0]["title"])).to_have_count(0)
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Go to").fill(late[0]["title"])
        page.get_by_role("option", name=re.compile(f"{late[0]['title']}.*Chat")).click()
        expect(page.get_by_role("main").get_by_role("heading", level=1)).to_contain_text(late[0]["title"])
        field = page.get_by_role("searchbox", name="Search everything")
        field.fill(late[1]["title"])
        people = page.get_by_role("list", name="People")
        expect(people.get_by_role("link")).to_have_count(1)
        people.get_by_role("link").click()
        expect(page.get_by_role("main").get_by_role("heading", level=1)).to_contain_text(late[1]["title"])
        field.fill("Zoe")
        expect(page.get_by_role("button", name="Show all 50")).to_be_visible()
        self.accessible(window, "people found")
        field.fill("")

        def at_last():
            chats.last.press("End")
            return page.evaluate("document.activeElement.parentElement.ariaPosInSet") == "160"

        self.wait("the list to go on to its end", at_last)
        window.go("friends")
        expect(page.get_by_text("1,301 friends")).to_be_visible()
        rows = page.get_by_role("list", name="Friends").get_by_role("link")
        self.assertLess(rows.count(), 200)
        rows.first.focus()
        expect(focused).to_contain_text("Aaron First")
        last = sorted((name(number) for number in range(1300)), key=lambda one: [*one.split()[:2], int(one.split()[2])])[-1]
        self.assertIn("Zoe", last)
        page.keyboard.press("End")
        expect(focused).to_contain_text(last)
        expect(focused).to_be_in_viewport()
        self.assertEqual(focused.locator("xpath=..").get_attribute("aria-posinset"), "1301")
        self.assertLess(rows.count(), 200)
        for _ in range(70):
            page.keyboard.press("ArrowUp")
        self.assertEqual(focused.locator("xpath=..").get_attribute("aria-posinset"), "1231")
        expect(focused).to_be_in_viewport()
        self.accessible(window, "many friends")
        page.keyboard.press("Home")
        expect(focused).to_contain_text("Aaron First")
        page.get_by_label("Search friends").fill(name(777))
        expect(rows).to_have_count(1)
        window.go("chats/new")
        page.get_by_label("Search friends").fill(name(42))
        page.get_by_role("list", name="Friends").get_by_role("button").click()
        page.get_by_role("textbox", name="Write a message").wait_for()
        self.done()

    def test_large_group(self):
        """A group of 256: its head counts who is here, few members are drawn, keys reach the last, a search finds one; one is removed and another added, and then it is full"""
        people, lines, ids = self.friends("Anna Berg", "Aaron First", "Zora Last")
        befriend_many(people[0], 254, signed=True)
        own = people[0].line()
        friends = {one["displayName"]: one["id"] for one in own("contact.list")["contacts"]}
        self.assertEqual(len(friends), 256)
        # All but Zora: 255 and Anna.
        group = own("group.create", name="Everybody", members=[id for name, id in friends.items() if name != "Zora Last"])
        self.assertEqual(len(group["members"]), 256)
        self.wait("both to be here", lambda: all(own("contact.get", id=id)["presence"] == "online" for id in ids[1:]))
        window = self.window(people[0])
        page = window.page
        chat = page.get_by_role("list", name="Chats").get_by_role("link", name=re.compile("Everybody"))
        expect(chat).to_contain_text("256 members")
        chat.click()
        main = page.get_by_role("main")
        expect(main.get_by_title("Details").first).to_contain_text("2 of 256 online")
        field = page.get_by_role("textbox", name="Write a message")
        field.fill("Hello everybody")
        field.press("Enter")
        expect(main.get_by_text("Hello everybody")).to_be_visible()
        self.accessible(window, "a chat of 256")
        main.get_by_text("Hello everybody").click(button="right")
        page.get_by_role("menuitem", name="Who has read it").click()
        story = page.get_by_role("dialog", name="Who has read it")
        expect(story).to_contain_text("It was written and stored here.")
        expect(story).to_contain_text("Waiting to be sent: 254")
        self.assertLess(story.get_by_role("listitem").count(), 40)
        expect(story.get_by_text(re.compile("^It is waiting for")).first).to_be_in_viewport()
        self.accessible(window, "the story of a message to 255")
        page.keyboard.press("Escape")
        main.get_by_title("Details").first.click()
        members = page.get_by_role("list", name="256 members")
        rows = members.get_by_role("link")
        expect(rows.first).to_be_visible()
        self.wait("few rows to be drawn", lambda: rows.count() < 120)
        # The owner stands first, then all others by name.
        # What stands before the name says whether somebody is here, and the name's letters; behind it stands the role.
        names = [text.split("\n")[-2] for text in rows.all_inner_texts()]
        self.assertEqual(names[0], "You")
        self.assertEqual([one.split()[:2] for one in names[1:]], sorted(one.split()[:2] for one in names[1:]))
        self.accessible(window, "details of a group of 256")
        rows.first.focus()
        page.keyboard.press("End")
        focused = page.locator("[data-row]:focus")
        expect(focused).to_be_in_viewport()
        self.assertEqual(focused.locator("xpath=..").get_attribute("aria-posinset"), "256")
        self.assertLess(rows.count(), 120)
        page.keyboard.press("Home")
        expect(focused).to_be_in_viewport()
        search = page.get_by_label("Search members")
        search.fill(name(77))
        expect(rows).to_have_count(1)
        self.accessible(window, "a member of 256")

        # A full group has no room: the daemon's refusal is worded.
        window.button("Add people").click()
        dialog = page.get_by_role("dialog", name="Add people")
        dialog.get_by_label("Zora Last").check()
        dialog.get_by_role("button", name="Add 1 friend").click()
        expect(dialog.get_by_role("alert")).to_have_text("A group can have at most 256 members.")
        self.accessible(window, "a full group")
        page.keyboard.press("Escape")
        window.button(f"Actions for {name(77)}").click()
        page.get_by_role("menuitem", name="Remove from the group").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove from the group").click()
        expect(page.get_by_text("No members found")).to_be_visible()
        search.fill("")
        expect(page.get_by_role("list", name="255 members")).to_be_visible()
        window.button("Add people").click()
        dialog.get_by_label("Zora Last").check()
        dialog.get_by_role("button", name="Add 1 friend").click()
        expect(dialog).to_have_count(0)
        expect(members).to_be_visible()
        search.fill("zora")
        expect(rows).to_have_count(1)
        self.wait("Zora to have it", lambda: any(one["state"] == "member" and len(one["members"]) == 256 for one in lines[2]("group.list")["groups"]))
        self.done()
