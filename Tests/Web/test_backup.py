"""Backups in the window: whether there is one, and what to type. No key passes the browser."""

from playwright.sync_api import expect

from checks import BrowserTest


class Backups(BrowserTest):
    def test_backup(self):
        """The settings say that no backup was made, then which one was, what opens it and what to type; the code was seen or not"""
        anna = self.stage.person("Anna")
        line = anna.line()
        line("account.create", displayName="Anna Berg")
        window = self.window(anna)
        window.go("settings/account")
        section = window.page.get_by_role("region", name="Backup")
        expect(section).to_contain_text("No backup has been made yet.")
        expect(section).to_contain_text("Your recovery code was never shown.")
        expect(section.get_by_text("kibo backup FILE", exact=True)).to_be_visible()
        expect(section.get_by_text("kibo restore FILE", exact=True)).to_be_visible()
        self.accessible(window, "backup")

        path = anna.home / "anna.kibo"
        line("backup.create", path=str(path), passphrase="one two three")
        line("recovery.code")
        window.page.reload()
        expect(section).to_contain_text("anna.kibo")
        expect(section).to_contain_text("Its passphrase opens it. Your recovery code opens it.")
        expect(section).to_contain_text("You looked at your recovery code")
        expect(section).not_to_contain_text("No backup")
        # Where the file lies is for this computer's user, not for the browser.
        expect(section).not_to_contain_text(str(anna.home))
        window.go("settings/notifications")
        window.go("settings")
        window.page.get_by_role("searchbox", name="Search settings").fill("backup")
        window.page.get_by_role("link", name="Backup").click()
        expect(section).to_be_visible()
        self.done()
