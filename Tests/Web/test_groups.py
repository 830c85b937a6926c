"""Groups: made with a picture, changed, looked at and left; each by role and name."""

import re

from playwright.sync_api import expect

from checks import BrowserTest, picture


class Groups(BrowserTest):
    def choose_picture(self, window, button):
        """Chooses a picture by its button, and cuts it."""
        with window.page.expect_file_chooser() as chooser:
            window.button(button).click()
        chooser.value.set_files({"name": "hills.png", "mimeType": "image/png", "buffer": picture()})
        dialog = window.page.get_by_role("dialog", name="Crop picture")
        dialog.get_by_role("slider", name="Left or right").wait_for()
        return dialog

    def member(self, window, name):
        return window.page.get_by_role("list", name=re.compile("members?$")).get_by_role("listitem").filter(has_text=name)

    def do(self, window, name, entry):
        """Opens the menu of a member."""
        window.button(f"Actions for {name}").click()
        window.page.get_by_role("menuitem", name=entry, exact=True).click()

    def test_life(self):
        """A group is made with a cut picture and a history, gets another name, more people and roles; one is removed, one leaves"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito", "Cleo Marin", "Dora Vitek")
        window, other = self.window(people[0]), self.window(people[1])
        page = window.page
        window.go("groups")
        expect(page.get_by_text("No groups yet")).to_be_visible()
        self.accessible(window, "no groups")
        window.button("New group").last.click()
        for name in ("Ben Ito", "Cleo Marin"):
            page.get_by_role("button", name=re.compile(name)).click()
        window.button("Create a group with 2 friends").click()
        dialog = self.choose_picture(window, "Choose a picture")
        dialog.get_by_role("slider", name="Left or right").fill("1")
        self.accessible(window, "cut a picture")
        dialog.get_by_role("button", name="Done").click()
        # A dialog that closes puts the focus back: a name that is typed meanwhile would go elsewhere.
        expect(dialog).to_have_count(0)
        page.get_by_role("img", name="Chosen picture").wait_for()
        page.get_by_label("Group name").fill("Hikers")
        page.get_by_label("New members see").select_option("the last 100 messages")
        self.accessible(window, "a new group")
        window.button("Create group").click()
        page.get_by_role("textbox", name="Write a message").wait_for()
        group = lines[0]("group.list")["groups"][0]
        self.assertEqual((group["history"], len(group["members"])), (100, 3))
        self.assertIsNotNone(group["picture"])
        # The right end was chosen: all of what is seen is blue.
        middle = page.evaluate("""async (address) => {
            const picture = await createImageBitmap(await (await fetch(address)).blob());
            const canvas = new OffscreenCanvas(picture.width, picture.height);
            const context = canvas.getContext("2d");
            context.drawImage(picture, 0, 0);
            const [red, , blue] = context.getImageData(picture.width / 4, picture.height / 2, 1, 1).data;
            return { square: picture.width === picture.height, blue: blue > 150 && red < 100 };
        }""", f"/picture/{group['id']}/{group['picture']}")
        self.assertEqual(middle, {"square": True, "blue": True})

        page.get_by_title("Details").first.click()
        expect(page.get_by_text("3 of 3 online").last).to_be_visible()
        self.accessible(window, "details of a group")
        window.button("Edit the group").click()
        page.get_by_label("Group name").fill("Hikers of the lake")
        page.get_by_label("Description").fill("Every second Sunday")
        self.accessible(window, "edit a group")
        window.button("Save").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_text("Every second Sunday", exact=True)).to_be_visible()

        window.button("Add people").click()
        page.get_by_role("dialog").get_by_label("Dora Vitek").check()
        self.accessible(window, "add people")
        window.button("Add 1 friend").click()
        expect(page.get_by_role("list", name="4 members")).to_be_visible()
        self.do(window, "Ben Ito", "Make an admin")
        expect(self.member(window, "Ben Ito")).to_contain_text("Admin")
        self.do(window, "Cleo Marin", "Remove from the group")
        page.get_by_role("dialog", name="Remove Cleo Marin?").get_by_role("button", name="Remove from the group").click()
        page.get_by_text("1 former member").click()
        expect(page.get_by_role("list", name="1 former member")).to_contain_text("Cleo Marin")
        page.get_by_label("New members see").select_option("only messages from then on")
        self.wait("the history", lambda: lines[0]("group.get", id=group["id"])["history"] == 0)

        other.go("chats")
        other.page.get_by_role("list", name="Chats").get_by_role("link", name=re.compile("Hikers of the lake")).click()
        for line in ("Anna Berg added Dora Vitek.", "Anna Berg made you an admin.", "Anna Berg removed Cleo Marin.",
                     "Anna Berg renamed the group to “Hikers of the lake”.", "Anna Berg changed the description: Every second Sunday"):
            expect(other.page.get_by_role("main").get_by_text(line)).to_be_visible()
        self.do_role(window, other, page)
        window.button("Leave the group").click()
        dialog = page.get_by_role("dialog", name="Leave Hikers of the lake?")
        expect(dialog).not_to_contain_text("You are the only owner")
        dialog.get_by_role("button", name="Leave the group").click()
        expect(page.get_by_text("You have left this group.")).to_be_visible()
        expect(page.get_by_text("You are no longer in this group.")).to_be_visible()
        window.go("groups")
        page.get_by_role("list", name="Former groups").get_by_role("link", name=re.compile("Hikers")).click()
        expect(page.get_by_role("heading", name="Group", exact=True)).to_be_visible()
        self.accessible(window, "a group that was left")
        self.done()

    def do_role(self, window, other, page):
        """Ben becomes an owner: asked once more, and then he may do what owners do."""
        other.page.get_by_title("Details").first.click()
        expect(other.page.get_by_role("button", name="Actions for Anna Berg")).to_have_count(0)
        self.do(window, "Ben Ito", "Make an owner")
        dialog = page.get_by_role("dialog", name="Make Ben Ito an owner?")
        self.accessible(window, "make an owner")
        dialog.get_by_role("button", name="Make an owner").click()
        expect(other.page.get_by_role("button", name="Actions for Anna Berg")).to_be_visible()

    def test_fork(self):
        """A member whose device has contradicted itself is named in plain words; a member may change nothing"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito", "Cleo Marin")
        group = lines[1]("group.create", name="Hikers", members=[ids[0]])["id"]
        self.wait("the group", lambda: lines[0]("group.list")["groups"])
        window = self.window(people[0])
        page = window.page

        # No honest daemon contradicts itself: the page is told so in its answers.
        page.add_init_script("""const real = fetch;
            window.fetch = async (address, options) => {
                const answer = await real(address, options);
                if (address !== "/rpc") return answer;
                const forked = (_, part) => (part?.id === "%s" && part.forked === false ? { ...part, forked: true } : part);
                return new Response(JSON.stringify(JSON.parse(await answer.text(), forked)), answer);
            };""" % ids[1])
        page.reload()
        window.go(f"groups/{group}")
        expect(page.get_by_text("The device of Ben Ito has sent conflicting data.")).to_be_visible()
        expect(page.get_by_text("Ben Ito added you.")).to_be_visible()
        expect(window.button("Add people")).to_have_count(0)
        expect(window.button("Edit the group")).to_have_count(0)
        expect(page.get_by_role("button", name=re.compile("Actions for"))).to_have_count(0)
        self.accessible(window, "a fork")
        window.go("groups/019ac0de-0000-7000-8000-000000000000")
        expect(page.get_by_text("Group not found")).to_be_visible()
        self.done()

    def test_stranger(self):
        """A member who is no friend is asked from the group; one who is removed is told so"""
        people, lines, ids = self.friends("Anna Berg", "Ben Ito", "Cleo Marin")
        # Anna knows both; Ben and Cleo meet in her group.
        lines[0]("group.create", name="Hikers", members=ids[1:])
        self.wait("the group", lambda: lines[1]("group.list")["groups"])
        group = lines[1]("group.list")["groups"][0]["id"]
        window = self.window(people[1])
        window.go(f"groups/{group}")
        self.do(window, "Cleo Marin", "Send a request")
        dialog = window.page.get_by_role("dialog", name="Send a request")
        expect(dialog).to_contain_text("Cleo Marin")
        dialog.get_by_role("button", name="Send request").click()
        self.wait("the request", lambda: lines[2]("contact.list", relation="incoming")["contacts"])
        lines[0]("group.remove", id=group, member=ids[1])
        expect(window.page.get_by_text("You were removed from this group.")).to_be_visible()
        expect(window.page.get_by_role("list", name="Former groups").get_by_role("link", name=re.compile("Hikers"))).to_be_visible()
        self.done()
