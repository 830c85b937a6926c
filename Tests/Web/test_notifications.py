"""What the page shows outside of itself: friend requests and calls, once for all tabs, while nobody looks at Kibo."""

import re

from playwright.sync_api import expect

from calls import WATCH, CallTest

# A browser without a screen says that each page has the focus, and shows no notification: both are played here. What a test does in
# a page counts as a touch, so that it is said here that there was none.
OUTSIDE = """
globalThis.shown = [];
globalThis.isFocused = 0;
Object.defineProperty(navigator, "userActivation", { value: { hasBeenActive: false, isActive: false } });
globalThis.focus = () => { isFocused += 1; };
document.hasFocus = () => globalThis.isLookedAt === true;
globalThis.look = (on) => { globalThis.isLookedAt = on; dispatchEvent(new Event(on ? 'focus' : 'blur')); };
globalThis.Notification = class {
  static permission = "granted";
  static requestPermission = async () => "granted";
  constructor(title, { body, tag, requireInteraction }) {
    Object.assign(this, { title, body, tag, stays: requireInteraction === true, isOpen: true });
    shown.push(this);
  }
  close() { this.isOpen = false; }
};
"""
SHOWN = "shown.map(({ title, body, tag, stays, isOpen }) => ({ title, body, tag, stays, isOpen }))"


class Notifications(CallTest):
    watch = WATCH + OUTSIDE

    def tab(self, window):
        """One more tab of the same browser."""
        page = window.context.new_page()
        page.add_init_script(self.watch)
        page.goto(window.page.url)
        page.get_by_role("heading", name="Chats").wait_for()
        return page

    def shown(self, *pages):
        return [one for page in pages for one in page.evaluate(SHOWN)]

    def ask(self, name, asked, note):
        """Somebody new asks to be a friend."""
        line = self.stage.person(name).line()
        line("account.create", displayName=name)
        self.wait("the other one nearby", lambda: any(peer["account"] == asked for peer in line("peer.list")["peers"]))
        line("contact.request", id=asked, note=note)

    def test_request(self):
        """Who asks to be a friend is told of once, by name, with the note if texts are shown; a click leads to the requests"""
        anna = self.stage.person("Anna Berg")
        own = anna.line()("account.create", displayName="Anna Berg")["id"]
        window = self.caller(anna)
        pages = [window.page, self.tab(window)]
        self.ask("Ben Ito", own, "From the third floor")
        self.wait("the notification", lambda: self.shown(*pages))
        window.page.wait_for_timeout(500)
        [told] = self.shown(*pages)
        self.assertEqual((told["title"], told["body"]), ("Ben Ito", "Wants to be your friend: From the third floor"))
        [page] = [page for page in pages if self.shown(page)]
        page.evaluate("shown[0].onclick()")
        expect(page).to_have_url(re.compile("#/friends/requests$"))
        expect(page.get_by_text("From the third floor")).to_be_visible()
        self.assertEqual((page.evaluate("isFocused"), self.shown(page)[0]["isOpen"]), (1, False))

        window.go("settings/notifications")
        window.page.get_by_role("checkbox", name="Show the message text").uncheck()
        self.ask("Cléo Martin", own, "You know me")
        self.wait("the second", lambda: len(self.shown(*pages)) == 2)
        self.assertIn(("Cléo Martin", "Wants to be your friend"), [(one["title"], one["body"]) for one in self.shown(*pages)])

        # Who looks at one of the tabs needs no notification.
        pages[1].evaluate("look(true)")
        self.ask("Dora Novák", own, "")
        expect(window.page.get_by_role("link", name=re.compile("3 requests"))).to_be_attached()
        window.page.wait_for_timeout(500)
        self.assertEqual(len(self.shown(*pages)), 2)
        self.done()

    def test_added_to_group(self):
        """Who is added to a group sees it as news: a notification that names who did it, a number at the chat, and a line that is read when the chat is opened; who adds has no news"""
        (anna, ben), lines, ids = self.friends("Anna Berg", "Ben Ito")
        window = self.caller(ben)
        page = window.page
        group = lines[0]("group.create", name="Hikers", members=[ids[1]])["id"]
        self.wait("the notification", lambda: self.shown(page))
        [told] = self.shown(page)
        self.assertEqual(told["title"], "Anna Berg in “Hikers”")
        self.assertIn("Anna Berg", told["body"])
        chats = page.get_by_role("list", name="Chats")
        expect(chats.get_by_role("link", name=re.compile("Hikers"))).to_contain_text("1 unread message")
        self.accessible(window, "added to a group")
        chat = lines[1]("group.get", id=group)["conversation"]
        unread = lambda line, id: line("conversation.get", id=id)["unread"]
        self.assertEqual(unread(lines[0], lines[0]("group.get", id=group)["conversation"]), 0)
        page.evaluate("look(true)")
        chats.get_by_role("link", name=re.compile("Hikers")).click()
        self.wait("it to be read", lambda: unread(lines[1], chat) == 0)
        expect(chats.get_by_role("link", name=re.compile("Hikers"))).not_to_contain_text("unread message")
        self.done()

    def test_call_rings_outside(self):
        """While nobody looks at Kibo a call is shown outside of it, once, as long as it rings, also where no tone may sound; the title says who calls"""
        anna, ben = self.pair()
        pages = [ben.page, self.tab(ben)]
        before = [page.title() for page in pages]
        anna.button("Call").click()
        for page in pages:
            expect(page).to_have_title("Anna Berg is calling – Kibo")
            # Nobody has touched the page: the tone can't sound.
            expect(page.get_by_text("Click anywhere to hear it ring.")).to_be_visible()
        self.wait("the notification", lambda: self.shown(*pages))
        ben.page.wait_for_timeout(1500)
        [told] = self.shown(*pages)
        ringing = self.lines[1]("call.list")["calls"][0]["id"]
        self.assertEqual((told["title"], told["tag"], told["stays"], told["isOpen"]), ("“Anna Berg” is calling", ringing, True, True))
        [page] = [page for page in pages if self.shown(page)]
        page.evaluate("shown[0].onclick()")
        self.assertEqual(page.evaluate("isFocused"), 1)
        expect(page.get_by_role("region", name="Anna Berg is calling")).to_be_visible()
        anna.button("End call").click()
        # What stays is that it was missed.
        self.wait("the missed call", lambda: [(one["title"], one["body"]) for one in self.shown(*pages) if one["isOpen"]] == [("Anna Berg", "Missed call")])
        for page, title in zip(pages, before):
            expect(page).to_have_title(f"(1) {title}")
        self.done()

    def test_call_rings_inside(self):
        """Who looks at Kibo sees a call there; who turns away while it rings sees it outside, and not any more once it is answered"""
        anna, ben = self.pair()
        second = self.tab(ben)
        second.evaluate("look(true)")
        anna.button("Video call").click()
        expect(ben.page).to_have_title("Anna Berg is calling with video – Kibo")
        ben.page.wait_for_timeout(1500)
        self.assertEqual(self.shown(ben.page, second), [])
        second.evaluate("look(false)")
        self.wait("the notification", lambda: self.shown(ben.page, second))
        ben.button("Answer").click()
        self.talks(ben)
        self.assertEqual([one["isOpen"] for one in self.shown(ben.page, second)], [False])
        expect(ben.page).to_have_title(re.compile("^Chats"))
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        self.done()
