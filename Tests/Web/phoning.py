"""Anna, who has switched LocalSend on, for the tests with phones."""

from playwright.sync_api import expect

from checks import BrowserTest, stands


class Phoning(BrowserTest):
    def anna(self):
        """Anna, her line and a window; she has switched LocalSend on in the settings."""
        person = self.stage.person("Anna Berg")
        line = person.line()
        line("account.create", displayName="Anna Berg")
        window = self.window(person)
        page = window.page
        window.go("settings/phones")
        expect(page.get_by_text("Nothing is received until you take it")).to_be_visible()
        switch = page.get_by_role("checkbox", name="Get files from phones with LocalSend")
        expect(switch).not_to_be_checked()
        switch.check()
        port = self.wait("the port", lambda: line("guest.list")["port"])
        expect(page.get_by_text("Devices can reach you, at TCP port")).to_be_visible()
        return person, line, window, port

    def notes(self, line):
        """The messages of the notes, the oldest first."""
        chat = next((one for one in line("conversation.list")["conversations"] if one["kind"] == "notes"), None)
        found = [] if chat is None else line("message.list", conversation=chat["id"])["messages"]
        return sorted(found, key=lambda message: message["arrival"])

    def whole(self, window, name):
        """The cards stay within a narrow window, with large letters, too, and axe finds nothing wrong with them."""
        self.accessible(window, name)
        session = window.context.new_cdp_session(window.page)
        size = window.page.viewport_size
        for width, letters in ((320, 100), (380, 200)):
            session.send("Page.setFontSizes", {"fontSizes": {"standard": 16 * letters // 100, "fixed": 13 * letters // 100}})
            window.page.set_viewport_size({"width": width, "height": 800})
            stands(window.page)
            out = window.page.evaluate("() => [document.documentElement, document.querySelector('.guests')].some((one) => one !== null && one.scrollWidth > one.clientWidth)")
            self.assertFalse(out, f"{name}, {width} wide, letters of {letters} %")
        session.send("Page.setFontSizes", {"fontSizes": {"standard": 16, "fixed": 13}})
        window.page.set_viewport_size(size)
