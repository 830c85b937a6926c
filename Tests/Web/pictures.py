"""The pictures of the documents: every screen of the page, with the people of the demo."""

import re
import shutil
import subprocess

from phone import Phone
from receiver import Receiver
from scene import fill, png, talk, voice
from stage import befriend, wait_for

WIDE, NARROW = (1000, 660), (390, 720)
# The README's own are larger, and each is there in both themes.
WIDE_FIRST, NARROW_FIRST = (1200, 840), (390, 840)
# What comes with a change of theme or width is drawn within this, in ms.
CALM = 450


class Camera:
    """Takes pictures of a person's window."""

    def __init__(self, stage, person, folder, **options):
        self.window = stage.window(person, **options)
        self.page = self.window.page
        self.folder = folder

    def take(self, name, size=WIDE, theme="light", path=None, settle=CALM):
        """Takes one, of the screen at the path or of what is there."""
        self.page.bring_to_front()
        self.look(size, theme)
        if path is not None:
            self.window.go(path)
        self.page.wait_for_timeout(settle)
        self.page.mouse.move(0, 0)
        self.page.screenshot(path=self.folder / f"web-{name}.png")

    def narrow(self, name, path=None):
        self.take(name, NARROW, "dark", path)

    def look(self, size, theme):
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.page.emulate_media(color_scheme=theme)

    def press(self, name):
        self.page.get_by_role("button", name=name).first.click()

    def menu_of(self, text):
        """Opens the menu of the message with this text."""
        self.page.get_by_role("main").get_by_role("listitem").filter(has_text=text).first.click(button="right")

    def choose(self, name):
        self.page.get_by_role("menuitem", name=name).click()

    def escape(self):
        self.page.keyboard.press("Escape")
        self.page.wait_for_timeout(CALM)


def first_screens(stage, folder):
    """A new user, from the first screen on; later others see him nearby."""
    emil = stage.person("Emil Rossi")
    camera = Camera(stage, emil, folder)
    camera.page.get_by_role("heading", name="Kibo").wait_for()
    camera.narrow("welcome")
    camera.press("Create an account")
    camera.page.get_by_label("Your name").fill("Emil Rossi")
    camera.narrow("sign-up")
    camera.press("Create account")
    camera.page.get_by_role("button", name="Add Anna Berg").wait_for()
    camera.take("first-steps", settle=1500)


def the_readmes(anna, ben, chat, theirs):
    for camera, conversation, name, size in ((anna, chat, "wide", WIDE_FIRST), (ben, theirs, "narrow", NARROW_FIRST)):
        camera.look(size, "light")
        camera.window.go(f"chats/{conversation}")
        camera.page.get_by_role("textbox", name="Write a message").wait_for()
        # What was new is read now, and looks so when the chat is opened again.
        camera.page.wait_for_timeout(1500)
        camera.window.go("friends")
        camera.page.get_by_role("heading", name="Friends").wait_for()
        for theme in ("light", "dark"):
            camera.take(f"{name}-{theme}", size, theme, f"chats/{conversation}", settle=1500)


def people(camera, ids):
    camera.take("nearby", path="friends/nearby", settle=1500)
    camera.press("Add Emil Rossi")
    camera.page.get_by_label("Note").fill("Anna from the third floor")
    camera.narrow("ask")
    camera.escape()
    camera.narrow("requests", "friends/requests")
    camera.narrow("address", "friends/address")
    camera.take("details", path=f"friends/{ids['Ben Ito']}")
    camera.take("verify", path=f"friends/{ids['Ben Ito']}/verify", settle=1000)
    camera.narrow("blocked", "friends/blocked")
    camera.take("address-book", path="friends/book", settle=1000)
    for name in ("Gerd Olsen", "Hana Mori"):
        camera.page.get_by_label(f"Select {name}").check()
    camera.page.get_by_role("button", name="Invite", exact=True).last.click()
    camera.take("invite", settle=800)


def chats(camera, chat, group, late):
    camera.narrow("chats", "chats")
    camera.take("story", path=f"chats/{late}", settle=1000)
    camera.menu_of("See you on Tuesday?")
    camera.choose("Message info")
    camera.page.get_by_text("It is waiting for Dora Novák").wait_for()
    camera.take("story")
    camera.escape()
    camera.take("message", path=f"chats/{chat}", settle=1200)
    camera.menu_of("It did, at 03:10")
    camera.take("message")
    camera.choose("Another reaction")
    camera.page.get_by_label("Search emoji in English").wait_for()
    camera.take("react")
    camera.escape()
    camera.menu_of("It did, at 03:10")
    camera.choose("Delete message")
    camera.narrow("delete")
    camera.escape()
    camera.look(WIDE, "dark")
    camera.page.get_by_role("main").get_by_role("img", name="Saturday.png").first.click()
    camera.take("viewer", theme="dark", settle=1200)
    camera.escape()
    camera.take("group", (1200, 660), path=f"chats/{group}/details", settle=1200)
    camera.narrow("groups", "groups")
    camera.take("search", path="search")
    camera.page.get_by_role("searchbox", name="Search everything").fill("lake")
    camera.page.get_by_role("list", name="Messages").get_by_text("lake").first.click()
    camera.take("search", settle=1500)
    camera.narrow("new-chat", "chats/new")
    camera.page.get_by_role("button", name=re.compile("New group")).click()
    for name in ("Ben Ito", "Cléo Martin"):
        camera.page.get_by_role("button", name=re.compile(name)).click()
    camera.press("Create a group with 2 friends")
    camera.page.get_by_label("Group name").fill("Saturday")
    camera.narrow("new-group")
    camera.take("transfers", path="transfers", settle=800)


def media(camera, ben, chat, theirs, line, group):
    """Pictures and a voice note from Ben, a message that is pinned, and somebody who is mentioned."""
    lake = []
    for number, size in enumerate(((800, 400), (420, 640), (640, 300), (500, 500)), 1):
        lake.append(ben.home / f"Lake {number}.png")
        png(lake[-1], *size, seed=number)
    for text, files in (("Four from the lake", lake), ("", [voice(ben.home / "Voice note 2026-11-28 0912.wav", 9)])):
        line("message.send", conversation=theirs, text=text, files=[str(file) for file in files])
    line("message.send", conversation=theirs, text="The code of the gate is *4711*, and the map is at https://example.org/lake")
    wait_for("the files", lambda: sum(one["state"] == "done" for one in line("transfer.list")["transfers"]) >= 6)
    camera.window.go(f"chats/{chat}")
    camera.page.get_by_role("button", name="View Lake 4.png").wait_for()
    camera.menu_of("The code of the gate")
    camera.choose("Pin")
    camera.page.get_by_role("button", name="Pinned message").wait_for()
    camera.take("album", (1000, 760), settle=1500)
    camera.take("media", (1200, 660), path=f"chats/{chat}/media", settle=1200)
    camera.look(NARROW, "dark")
    camera.window.go(f"chats/{group}")
    camera.page.get_by_role("textbox", name="Write a message").click()
    camera.page.keyboard.type("Who has the tent? @")
    camera.page.get_by_role("listbox", name="Mention somebody").wait_for()
    camera.narrow("mention")
    camera.page.get_by_role("textbox", name="Write a message").fill("")
    camera.look(WIDE, "light")
    camera.window.go("chats")
    camera.page.get_by_role("searchbox", name="Search everything").fill("be")
    camera.page.get_by_role("list", name="People").wait_for()
    camera.take("find", settle=1200)
    camera.page.get_by_role("searchbox", name="Search everything").fill("")


def couriers(stage, camera, lines, ids, late):
    """Dora has chosen Cléo, who keeps what Anna writes to Dora meanwhile; Anna keeps messages for Ben."""
    anna, cleo = lines["Anna Berg"], lines["Cléo Martin"]
    dora = next(person for person in stage.people if person.name == "Dora Novák")
    dora.start()
    friend = dora.line()
    befriend(friend, cleo)
    for chooser, courier in ((friend, "Cléo Martin"), (anna, "Cléo Martin"), (anna, "Ben Ito"), (lines["Ben Ito"], "Anna Berg")):
        chooser("courier.add", contact=ids[courier])
    wait_for("who are couriers", lambda: all(line("courier.list")["carriedFor"] for line in (anna, cleo)))
    # What Dora says after it comes to Anna after it, too.
    friend("message.send", to=ids["Anna Berg"], text="I'm off to the hut")
    wait_for("Anna to hear it", lambda: anna("message.list", conversation=late)["messages"][-1]["text"] == "I'm off to the hut")
    dora.kill()
    wait_for("Dora away", lambda: anna("contact.get", id=ids["Dora Novák"])["presence"] == "offline")
    anna("message.send", conversation=late, text="I've left you the key at the station")
    camera.take("settings-couriers", (1000, 780), path="settings/couriers", settle=1000)
    camera.look(NARROW, "dark")
    camera.window.go(f"chats/{late}")
    camera.page.get_by_text("Held by Cléo Martin", exact=False).last.wait_for()
    camera.narrow("held")


def own(camera):
    camera.narrow("more", "more")
    camera.narrow("profile", "me")
    for section in ("account", "privacy", "messages", "files", "browser"):
        camera.take(f"settings-{section}", path=f"settings/{section}", settle=800)
    camera.window.go("settings/account")
    camera.page.get_by_role("region", name="Backup").evaluate("(one) => one.scrollIntoView()")
    camera.take("settings-backup")
    camera.take("doctor", path="doctor", settle=1500)
    camera.narrow("about", "about")
    camera.window.go("chats")
    camera.page.wait_for_timeout(CALM)
    camera.page.keyboard.press("Control+k")
    camera.page.keyboard.type("be")
    camera.take("go-to")
    camera.escape()


def phones(stage, camera, line, ben, chat):
    """A phone that gives, and one that gets."""
    line("settings.set", key="localsend.enabled", value=True)
    port = wait_for("the port", lambda: line("guest.list")["port"])
    devices = [Receiver(stage.folder, "Ben's phone"), Receiver(stage.folder, "Kitchen tablet", model="iPad")]
    for device in devices:
        wait_for("the port", lambda device=device: device.announce(port))
    Phone(port, "Ben's phone").offer({f"Lake at noon {number}.jpg": bytes(2_400_000 + 310_000 * number) for number in range(1, 4)})
    camera.look(WIDE, "light")
    camera.window.go(f"chats/{chat}")
    camera.page.get_by_role("region", name="Offers from devices nearby").wait_for()
    camera.take("phone-offers", settle=1200)
    camera.press("Not now")
    camera.press("Close")
    target = wait_for("the phone", lambda: next((one["id"] for one in line("guest.list")["devices"] if one["name"] == "Ben's phone"), None))
    line("guest.give", device=target, files=[str(ben.home / f"Lake {number}.png") for number in (1, 2)])
    devices[0].asked()
    camera.window.go("friends/nearby")
    camera.page.get_by_role("region", name="What you send to devices nearby").wait_for()
    camera.page.get_by_role("button", name="Send text to Kitchen tablet").wait_for()
    camera.page.get_by_role("list", name="Phones and other devices").evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    camera.take("phones", settle=1200)
    for device in devices:
        device.end()


def shrink(folder, names="web-*.png"):
    """Gives the pictures 256 colours each, where ImageMagick is installed: they look the same, and have a third of the bytes."""
    convert = shutil.which("convert")
    for file in sorted(folder.glob(names)) if convert else ():
        subprocess.run([convert, file, "-strip", "-dither", "None", "-colors", "256", "-define", "png:compression-level=9", f"PNG8:{file}"], check=True)


def take(stage, folder):
    """Takes them all."""
    folder.mkdir(parents=True, exist_ok=True)
    anna, ben, chat, theirs, lines = talk(stage)
    first_screens(stage, folder)
    ids = {name: other("account.get")["id"] for name, other in lines.items()}
    cameras = Camera(stage, anna, folder), Camera(stage, ben, folder)
    the_readmes(*cameras, chat, theirs)
    camera = cameras[0]

    shown = fill(stage, anna, ben, theirs, lines)
    late, group = shown["late"], shown["group"]

    people(camera, ids)
    chats(camera, chat, group, late)
    media(camera, ben, chat, theirs, lines["Ben Ito"], group)
    own(camera)
    couriers(stage, camera, lines, ids, late)
    # Ben's account has a passphrase: his window asks for it once it is locked.
    lines["Ben Ito"]("account.lock")
    cameras[1].page.get_by_role("button", name="Unlock").wait_for()
    cameras[1].narrow("unlock")
    phones(stage, camera, lines["Anna Berg"], ben, chat)
    shrink(folder)
    print(f"The pictures are in {folder}")
