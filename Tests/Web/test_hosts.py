"""Two hosts: people talk and send files while the cable is pulled and every program is killed."""

import hashlib
import os
import re
import time
import unittest

from playwright.sync_api import expect

from hosts import Hosts, missing
from stage import PATIENCE, wait_for
from story import PASTE, PNG, StoryTest

MIB = 1 << 20
THOROUGH = os.environ.get("KIBO_THOROUGH") == "1"


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


def noise(path, size):
    """A sound that is noise: a file of a kind that may be sent."""
    piece = os.urandom(MIB)
    with open(path, "wb") as file:
        file.write(b"RIFF" + (size - 8).to_bytes(4, "little") + b"WAVEfmt ")
        while file.tell() < size:
            file.write(piece[: size - file.tell()])
    return path


@unittest.skipIf(missing(), missing())
class TwoHosts(StoryTest):
    def setUp(self):
        # 80 Mbit a second: a file has a middle.
        self.stage = Hosts(self.playwright, 2, "--rate", "80000")
        self.windows = []
        self.is_done = False

    def state(self, person, name):
        """How the transfer of a file stands."""
        found = [one for one in person.line()("transfer.list")["transfers"] if one["name"] == name]
        return found[0] if found else {"state": "none", "bytesDone": 0}

    def passes(self, person, name, share, seconds=PATIENCE):
        """Waits until so much of a file has come."""
        def there():
            now = self.state(person, name)
            return now["state"] == "done" or now["bytesDone"] >= share * now.get("size", 1 << 62)

        wait_for(f"{share:.0%} of {name}", there, seconds)
        self.assertNotEqual(self.state(person, name)["state"], "done", "the file came too soon to be cut")

    def test_all(self):
        """Two hosts: people meet, talk, send pictures and folders while the cable is pulled and each program killed; all is there once"""
        anna, ben = self.stage.person("Anna"), self.stage.person("Ben")
        first, second = self.meet(anna, ben)
        first.send("Good morning, Ben")
        second.see("Good morning, Ben")
        second.menu("Good morning, Ben", "Reply")
        second.send("Good morming!")
        first.see("Good morming!")
        second.field.press("ArrowUp")
        second.field.fill("Good morning!")
        second.field.press("Enter")
        first.see("Good morning!")
        expect(first.row("Good morning!")).to_contain_text("edited")
        first.row("Good morning!").hover()
        first.row("Good morning!").get_by_role("button", name="React").click()
        first.page.get_by_role("dialog", name="React").get_by_role("button", name="thumbs up", exact=True).first.click()
        expect(second.page.get_by_role("button", name=re.compile("👍 from Anna"))).to_be_visible()

        first.field.click()
        first.page.evaluate(PASTE, [PNG, "dot.png", "image/png"])
        first.send("A picture")
        second.see("A picture")
        folder = anna.home / "Plans"
        for path in ("one.txt", "deep/two.txt"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(f"{path}\n" * 2000)
        self.drop(first, folder)
        first.send("A folder")
        second.see("A folder")
        second.window.button("Accept").click()
        downloads = ben.home / "Downloads" / "Kibo"
        for path in ("one.txt", "deep/two.txt"):
            got = downloads / "Plans" / path
            self.wait(path, lambda: got.exists() and got.read_bytes() == (folder / path).read_bytes())

        texts = self.talk_meanwhile(anna, ben, first, second)
        self.file_meanwhile(anna, ben, first, second, downloads)
        for chat in (first, second):
            told = self.told(chat)
            self.assertEqual([text for text in texts if told.count(text) != 1], [], "not once with a daemon")
            self.wait("each message in the window", lambda: all(chat.row(text).count() == 1 for text in texts))
        self.done()

    @unittest.skipUnless(THOROUGH, "takes minutes and 13 GB: --thorough")
    def test_large(self):
        """A drop of 4 GiB is cut three times: the worker and the daemon are killed while it is copied, the cable is pulled on its way"""
        anna, ben = self.stage.person("Anna"), self.stage.person("Ben")
        self.stage.lan("cable", "--rate", "0")
        first, second = self.meet(anna, ben)
        sound = noise(anna.home / "noise.wav", int(os.environ.get("KIBO_DROP_MIB", "4096")) * MIB)
        size = sound.stat().st_size
        self.drop(first, sound)
        first.field.press("Enter")
        copied = lambda: (anna.line()("upload.list")["uploads"] or [{"received": 0}])[0]["received"]
        wait_for("a fourth of the copy", lambda: copied() > size / 4, 300)
        for pid in anna.workers():
            os.kill(pid, 9)
        wait_for("half of the copy", lambda: copied() > size / 2, 300)
        anna.kill()
        anna.start()
        second.page.get_by_role("main").get_by_text("noise.wav").first.wait_for(timeout=300_000)
        second.window.button("Accept").click()
        self.passes(ben, "noise.wav", 0.2, 300)
        ben.pull()
        time.sleep(3)
        ben.plug()
        wait_for("the file", lambda: self.state(ben, "noise.wav")["state"] == "done", 900)
        self.assertEqual(digest(ben.home / "Downloads" / "Kibo" / "noise.wav"), digest(sound))
        self.done()

    def talk_meanwhile(self, anna, ben, first, second):
        """Both write; the cable is pulled and each program killed in the middle."""
        steps = {
            4: anna.pull, 8: anna.plug, 10: anna.kill, 13: anna.start, 15: ben.kill, 18: ben.start,
            20: lambda: [os.kill(pid, 9) for pid in anna.workers()], 22: lambda: [os.kill(pid, 9) for pid in ben.workers()],
            24: anna.restart_gateway, 26: ben.restart_gateway,
        }
        texts = []
        for number in range(28):
            for chat, name in ((first, "Anna"), (second, "Ben")):
                texts.append(f"{name} says {number}")
                chat.send(texts[-1])
            if number == 7:
                self.assertNotIn("Anna says 6", self.told(second), "a message came through a pulled cable")
            if number in steps:
                steps[number]()
        for chat in (first, second):
            self.wait("all messages", lambda: len([text for text in self.told(chat) if " says " in text]) >= len(texts))
        return texts

    def file_meanwhile(self, anna, ben, first, second, downloads):
        """A file goes; the cable is pulled and both daemons killed in its middle."""
        sound = noise(anna.home / "noise.wav", 48 * MIB)
        self.drop(first, sound)
        first.field.press("Enter")
        second.see_file("noise.wav")
        second.window.button("Accept").click()
        self.passes(ben, "noise.wav", 0.1)
        expect(second.page.get_by_role("progressbar", name=re.compile("noise.wav")).first).to_be_visible()
        ben.pull()
        time.sleep(0.5)
        before = self.state(ben, "noise.wav")["bytesDone"]
        time.sleep(1)
        self.assertEqual(self.state(ben, "noise.wav")["bytesDone"], before, "bytes came through a pulled cable")
        ben.plug()
        self.passes(ben, "noise.wav", 0.3)
        anna.kill()
        anna.start()
        self.passes(ben, "noise.wav", 0.5)
        ben.kill()
        ben.start()
        self.wait("the file", lambda: self.state(ben, "noise.wav")["state"] == "done")
        self.assertEqual(digest(downloads / "noise.wav"), digest(sound))
