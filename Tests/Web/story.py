"""What people do in a chat, for the tests that tell a story."""

import re

from playwright.sync_api import expect

from checks import BrowserTest

# The smallest PNG that kibo-media takes: one grey pixel.
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
)
# Files that a page gets by paste or drop are made in it: a browser lets no test reach for the clipboard's files.
PASTE = """([data, name, type]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name, { type }));
  document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
}"""
DROP = """(area, [name, size]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([new TextEncoder().encode("%PDF-1.4\\n"), new Uint8Array(size)], name, { type: "application/pdf" }));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    area.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""


class Chat:
    """A conversation in a window."""

    def __init__(self, window):
        self.window, self.page = window, window.page
        self.field = self.page.get_by_role("textbox", name="Write a message")

    def send(self, text):
        self.field.fill(text)
        self.field.press("Enter")

    def row(self, text):
        """The message with that text: by its role, in the order of the history."""
        return self.page.get_by_role("main").get_by_role("listitem").filter(has=self.page.get_by_text(text, exact=True))

    def menu(self, text, entry):
        self.row(text).click(button="right")
        self.page.get_by_role("menuitem", name=entry).click()

    def see_file(self, name):
        expect(self.page.get_by_role("main").get_by_text(name).first).to_be_visible(timeout=30_000)

    def see(self, text):
        """The message stands in the history once."""
        expect(self.row(text)).to_have_count(1, timeout=30_000)


class StoryTest(BrowserTest):
    #: A story goes on while things move, as it does for most people.
    motion = "no-preference"

    def meet(self, anna, ben):
        """Two people sign up in their windows, become friends and open their chat."""
        first, second = self.window(anna), self.window(ben)
        first.sign_up("Anna Berg")
        second.sign_up("Ben Ito")
        first.button("Add Ben Ito").click()
        first.button("Send request").click()
        second.button("Accept Anna Berg").click()
        for window, name in ((first, "Ben Ito"), (second, "Anna Berg")):
            window.go("friends")
            window.page.get_by_role("list", name="Friends").get_by_role("link", name=re.compile(name)).click()
            window.button("Message").click()
            window.page.get_by_role("textbox", name="Write a message").wait_for()
        return Chat(first), Chat(second)

    def drop(self, chat, path):
        """Drops a file or folder of this host on the chat, as a file manager would."""
        session = chat.window.context.new_cdp_session(chat.page)
        box = chat.field.bounding_box()
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            session.send("Input.dispatchDragEvent", {"type": kind, "x": box["x"] + 5, "y": box["y"] - 60, "data": data})

    def told(self, chat):
        """The texts of the conversation, as the daemon behind the window has them."""
        person = next(person for person, window in zip(self.stage.people, self.windows) if window is chat.window)
        line = person.line()
        conversation = line("conversation.list")["conversations"][0]["id"]
        return [message["text"] for message in line("message.list", conversation=conversation, limit=500)["messages"]]
