#!/usr/bin/env python3
"""Measures the web client in a real browser: scripts/bench web.

    web.py --history DIR [--mebibytes N] [PART...]     parts: start, chats, keys, talk, scroll, away, idle, upload

DIR holds the data of a daemon with a million messages (kibo-bench history --keep DIR). Anna has that daemon, a gateway
and a browser window; Ben is a friend of hers with a daemon and a window of his own. KIBO_BIN_DIR names the programs,
beside which the page lies in share/kibo/web.
"""

import argparse
import gzip
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "Web"))

from bare import PUT, Bare, Sink  # noqa: E402
from figures import Table, memory, peak, percentile, wakeups  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from stage import BIN, CHROMIUM, Line, Stage, befriend, wait_for  # noqa: E402

ROUNDS = 5
KB, MB, MIB = 1000, 1_000_000, 1 << 20
# Rows that are scrolled through, and the length of the chat that is opened.
SCROLLED, LONG = 20_000, 50_000


class Bench:
    def __init__(self, playwright, options):
        self.options = options
        self.table = Table()
        self.stage = Stage(playwright, log_level="warning", program=CHROMIUM)
        self.anna = self.stage.person("Anna", options.history)
        self.ben = self.stage.person("Ben")
        self.line = self.anna.line()
        other = self.ben.line()
        other("account.create", displayName="Ben Ito")
        befriend(other, self.line)
        self.ben_id = other("account.get")["id"]
        self.chat = self.line("conversation.open", contact=self.ben_id)["id"]
        self.theirs = other("conversation.open", contact=self.line("account.get")["id"])["id"]
        # The long conversations are those of the first persons; they are pinned so that the list shows them.
        names = {contact["displayName"]: contact["id"] for contact in self.line("contact.list", relation="friend")["contacts"]}
        self.long, self.second, self.third = (self.line("conversation.open", contact=names[f"Person {n}"])["id"] for n in (1, 2, 3))
        for chat in (self.long, self.second):
            self.line("conversation.update", id=chat, pinned=True)

    def window(self, person, context=None):
        """A window in which that person is logged in, with the page's measuring inside."""
        context = context or self.context()
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(person.link())
        page.evaluate("bench.usable()")
        return page

    def context(self):
        context = self.stage.browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
        context.add_init_script(path=HERE / "web.js")
        return context

    def go(self, page, path):
        page.evaluate("path => { location.hash = '#/' + path; }", path)

    def open(self, page, chat):
        """Shows a chat and returns its field, focused."""
        self.go(page, f"chats/{chat}")
        field = page.get_by_role("textbox", name="Write a message")
        field.click()
        page.wait_for_timeout(700)
        return field

    # --- The parts

    def start(self):
        cold, painted, warm, again = [], [], [], []
        for _ in range(ROUNDS):
            context = self.context()
            page = context.new_page()
            begun = time.time()
            # As a user who has typed `kibo web`: the gateway starts, and makes a link.
            said = subprocess.run([BIN / "kibo", "web", "--print"], env=self.anna.environment, capture_output=True, text=True, check=True)
            page.goto(said.stdout.strip(), wait_until="commit")
            ready = page.evaluate("bench.usable()")
            cold.append(page.evaluate("moment => bench.wall(moment)", ready) - begun * 1000)
            painted.append(page.evaluate("bench.painted()"))
            for _ in range(2):
                page.reload(wait_until="commit")
                ready = page.evaluate("bench.usable()")
            warm.append(ready)
            again.append(page.evaluate("bench.painted()"))
            scripts = page.evaluate("bench.scripts()")
            context.close()
            self.stop_gateway()
        self.table.add("kibo web (gateway not running) to a usable list", 1200, statistics.median(cold), "ms")
        self.table.add("warm reload to a usable list", 500, statistics.median(warm), "ms")
        self.table.add("first contentful paint, first visit", 300, statistics.median(painted), "ms")
        self.table.add("first contentful paint, warm", 300, statistics.median(again), "ms")
        assets = BIN / "share" / "kibo" / "web"
        size = lambda path: len(gzip.compress(path.read_bytes(), 9)) / KB
        self.table.add("script of the first screen, gzipped", 120, sum(size(assets / path.lstrip("/")) for path in set(scripts)), "kB")
        self.table.add("all script, gzipped", 290, sum(map(size, (assets / "assets").glob("*.js"))), "kB")

    def stop_gateway(self):
        """Ends the gateway that `kibo web` has started: it is no child of this program."""
        own = f"XDG_RUNTIME_DIR={self.anna.home / 'run'}".encode()
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (folder / "exe").readlink() == BIN / "kibo-web" and own in (folder / "environ").read_bytes().split(b"\0"):
                    os.kill(int(folder.name), signal.SIGTERM)
            except OSError:
                continue
        wait_for("the gateway to end", lambda: not self.serves())
        (self.anna.home / "run" / "web.sock").unlink(missing_ok=True)

    def serves(self):
        try:
            Line(str(self.anna.home / "run" / "web.sock"))
            return True
        except OSError:
            return False

    def chats(self):
        context = self.context()
        page = self.window(self.anna, context)
        opened = []
        for _ in range(20):
            self.go(page, "chats")
            page.reload(wait_until="commit")
            page.evaluate("bench.usable()")
            page.wait_for_timeout(300)
            page.evaluate("bench.expect('open', 'rows', null)")
            page.locator(f'[data-row="{self.long}"]').click()
            opened.append(page.evaluate("bench.take('open')") - page.evaluate("bench.pressed()"))
        self.table.add(f"open a chat of {LONG:,} messages, p95 of 20", 150, percentile(opened, 95), "ms", note=f", p50 {percentile(opened, 50):.0f}")
        self.go(page, f"search/{self.long}")
        page.get_by_role("searchbox").fill(self.rare_word())
        page.get_by_role("group", name="Where").or_(page.locator(".tabs")).get_by_role("button").last.click()
        results = page.get_by_role("list", name="Messages").locator("[data-row]")
        wait_for("results", lambda: results.count() >= 20)
        page.wait_for_timeout(500)
        jumped = []
        for index in range(20):
            result = results.nth(index)
            page.evaluate("id => bench.expect('jump', 'found', id)", result.get_attribute("data-row"))
            result.scroll_into_view_if_needed()
            result.click()
            jumped.append(page.evaluate("bench.take('jump')") - page.evaluate("bench.pressed()"))
            page.wait_for_timeout(150)
        self.table.add("jump to a found message of these, p95 of 20", 250, percentile(jumped, 95), "ms", note=f", p50 {percentile(jumped, 50):.0f}")
        context.close()

    def rare_word(self):
        """A word that is in twenty to a hundred messages of the long chat, far from each other."""
        for message in self.line("message.list", conversation=self.long, limit=100)["messages"]:
            for word in message["text"].split():
                found = self.line("message.search", query=f"{word}*", conversation=self.long, limit=100)["messages"]
                if 25 <= len(found) < 100:
                    return word
        raise SystemExit("no word is as rare as that")

    def type(self, page, field, count=150):
        """How long keys take to be painted, in ms: the browser's own account of it (Event Timing, in steps of 8 ms)."""
        page.evaluate("bench.forget()")
        for number in range(count):
            page.keyboard.press(" " if number % 6 == 5 else "abcdefghijklmnop"[number % 16])
            page.wait_for_timeout(60)
        page.wait_for_timeout(500)
        slow = page.evaluate("bench.inputs()")
        field.fill("")
        # What took less than 16 ms is not told.
        return slow + [16] * (count - len(slow))

    def keys(self):
        context = self.context()
        page = self.window(self.anna, context)
        field = self.open(page, self.long)
        values = self.type(page, field)
        self.table.add("key to paint, alone, p95 of 150", 32, percentile(values, 95), "ms", note=f", p50 {percentile(values, 50)}")
        field = self.open(page, self.chat)
        ended = threading.Event()
        sent = []

        def flood():
            line = Line(self.ben.socket)
            due = time.monotonic()
            while not ended.is_set():
                line("message.send", conversation=self.theirs, text=f"Message number {len(sent)} of a flood")
                sent.append(time.monotonic())
                due += 0.02
                time.sleep(max(0, due - time.monotonic()))

        thread = threading.Thread(target=flood)
        thread.start()
        page.wait_for_timeout(2000)
        values = self.type(page, field)
        ended.set()
        thread.join()
        rate = (len(sent) - 1) / (sent[-1] - sent[0])
        self.table.add(f"key to paint, {rate:.0f} messages a second, p95 of 150", 50, percentile(values, 95), "ms", note=f", p50 {percentile(values, 50)}")
        context.close()

    def talk(self):
        first, second = self.context(), self.context()
        page, other = self.window(self.anna, first), self.window(self.ben, second)
        field = self.open(page, self.chat)
        self.open(other, self.theirs)
        own, theirs, delivered = [], [], []
        for number in range(40):
            text = f"Said {number} times"
            for name in ("text", "delivered"):
                page.evaluate("([name, text]) => bench.expect(name, name, text)", [name, text])
            other.evaluate("text => bench.expect('text', 'text', text)", text)
            field.fill(text)
            page.wait_for_timeout(100)
            field.press("Enter")
            pressed = page.evaluate("bench.pressed()")
            own.append(page.evaluate("bench.take('text')") - pressed)
            delivered.append(page.evaluate("bench.take('delivered')") - pressed)
            begun = page.evaluate("moment => bench.wall(moment)", pressed)
            theirs.append(other.evaluate("bench.take('text').then(bench.wall)") - begun)
            page.wait_for_timeout(100)
        self.table.add("Enter to own text, p50 of 40", 32, percentile(own, 50), "ms", note=f", p95 {percentile(own, 95):.0f}")
        self.table.add("Enter to the friend's window, p50", 80, percentile(theirs, 50), "ms")
        self.table.add("Enter to the friend's window, p95", 150, percentile(theirs, 95), "ms")
        self.table.add("Enter to \"delivered\", p50", 100, percentile(delivered, 50), "ms", note=f", p95 {percentile(delivered, 95):.0f}")
        first.close()
        second.close()

    def scroll(self):
        context = self.context()
        page = self.window(self.anna, context)
        self.open(page, self.second)
        session = context.new_cdp_session(page)
        page.evaluate("bench.forget(); bench.start()")
        begun = time.monotonic()
        distance = 0
        while page.evaluate("bench.rows()") < SCROLLED and time.monotonic() - begun < 180:
            session.send("Input.synthesizeScrollGesture", {"x": 760, "y": 400, "yDistance": 12_000, "speed": self.options.speed, "gestureSourceType": "mouse"})
            distance += 12_000
        rows, frames = page.evaluate("bench.rows()"), page.evaluate("bench.stop()")
        tasks = page.evaluate("bench.tasks()")
        session.send("HeapProfiler.collectGarbage")
        heap = session.send("Runtime.getHeapUsage")["usedSize"] / MB
        late = 100 * sum(frame > 20 for frame in frames) / len(frames)
        note = f" of {len(frames)}, {rows} rows in {time.monotonic() - begun:.0f} s"
        self.table.add(f"scrolling through {SCROLLED:,} messages, {self.options.speed:,} px/s: frames over 20 ms", 5, late, "%", note=note)
        self.table.add("  a frame, p95", 32, percentile(frames, 95), "ms", note=f", p99 {percentile(frames, 99):.0f}")
        self.table.add("  longest task (those up to 50 ms are not told)", 50, max(tasks, default=50), "ms", note=f", {len(tasks)} over 50")
        self.table.add("  heap after it", 80, heap, "MB")
        context.close()

    def away(self):
        context = self.context()
        page = self.window(self.anna, context)
        # A chat with many unread messages begins where they do, not at its end.
        self.line("conversation.markRead", id=self.chat, upTo=self.line("message.list", conversation=self.chat, limit=1)["messages"][-1]["id"])
        self.open(page, self.chat)
        waits = []
        for number in range(ROUNDS):
            texts = [f"Round {number}: {word}" for word in ("before", "while it starts", "after")]
            self.line("message.send", conversation=self.chat, text=texts[0])
            self.anna.kill()
            page.get_by_text("Kibo isn’t running").wait_for()
            page.evaluate("text => bench.expect('text', 'text', text)", texts[2])
            self.anna.start()
            answers = time.time() * 1000
            self.line = self.anna.line()
            for text in texts[1:]:
                self.line("message.send", conversation=self.chat, text=text)
            waits.append(page.evaluate("bench.take('text').then(bench.wall)") - answers)
            page.wait_for_timeout(300)
            rows = page.locator(".history .text").all_inner_texts()
            wrong = [text for text in texts if rows.count(text) != 1]
            if wrong:
                raise SystemExit(f"not there once: {wrong}")
        self.table.add("daemon killed and back: the stream goes on, nothing twice", 1000, statistics.median(waits), "ms", note=f", most {max(waits):.0f}")
        context.close()

    def idle(self):
        context = self.context()
        self.window(self.anna, context)
        pids = [self.anna.gateway.pid, *self.anna.workers()]
        # The connections over which the page came end after half a minute.
        time.sleep(40)
        before, begun = wakeups(pids), time.monotonic()
        time.sleep(60)
        count = (wakeups(pids) - before) * 60 / (time.monotonic() - begun)
        self.table.add("broker and worker, idle with one window: memory", 25, memory(pids), "MiB")
        self.table.add("  wake-ups", 8, count, "a minute")
        context.close()

    def upload(self):
        size = self.options.mebibytes * MIB
        source = self.stage.folder / "noise.wav"
        piece = bytes(pathlib.Path("/dev/urandom").open("rb").read(64 * MIB))
        with open(source, "wb") as file:
            file.write(b"RIFF" + (size - 8).to_bytes(4, "little") + b"WAVEfmt " + piece[:48])
            while file.tell() < size:
                file.write(piece[: size - file.tell()])
        subprocess.run(["sync"], check=True)
        copy = self.stage.folder / "copy.wav"
        begun = time.monotonic()
        subprocess.run(["cp", "--reflink=never", source, copy], check=True)
        subprocess.run(["sync", copy], check=True)
        copied = size / MB / (time.monotonic() - begun)
        copy.unlink()
        subprocess.run(["sync"], check=True)
        page = Bare(self.stage.folder / "profile")
        page.call("Page.navigate", url=self.anna.link())
        wait_for("the page", lambda: page.evaluate("document.querySelector('[data-row]') !== null"))
        page.evaluate(f"location.hash = '#/chats/{self.third}'")
        wait_for("the chat", lambda: page.evaluate("document.querySelector('.composer input[type=file]') !== null"))
        page.choose(".composer input[type=file]", source)
        wait_for("the file", lambda: page.evaluate("document.querySelector('.composer-files') !== null"))
        newest = lambda: self.line("transfer.list", limit=1)["transfers"][0]["id"]
        last = newest()
        worker = self.anna.workers()
        begun = time.monotonic()
        page.evaluate("document.querySelector('.composer').requestSubmit()")
        wait_for("the upload", lambda: newest() != last, 300)
        rate = size / MB / (time.monotonic() - begun)
        most = peak(worker)
        page.call("Page.navigate", url=Sink.open())
        wait_for("the page", lambda: page.evaluate("document.querySelector('input') !== null"))
        page.choose("input", source)
        sunk = page.evaluate(PUT)
        what = f"upload of {self.options.mebibytes} MiB (cp, synced: {copied:.0f} MB/s)"
        self.table.add(what, min(400, round(copied / 2)), rate, "MB/s", least=True)
        self.table.add(f"  of what the browser sends to a server that forgets it ({sunk:.0f} MB/s)", 90, 100 * rate / sunk, "%", least=True)
        self.table.add("  the worker's memory meanwhile, at most", 40, most, "MiB")
        page.end()


PARTS = ("start", "chats", "keys", "talk", "away", "scroll", "idle", "upload")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--history", required=True)
    parser.add_argument("--mebibytes", type=int, default=4096)
    parser.add_argument("--speed", type=int, default=5000, help="pixels a second of scrolling")
    parser.add_argument("parts", nargs="*", default=PARTS)
    options = parser.parse_args()
    with sync_playwright() as playwright:
        bench = Bench(playwright, options)
        try:
            for part in options.parts:
                getattr(bench, part)()
        finally:
            bench.stage.end(failed=False)
    print("\n| What | Bound | Measured | ok |\n|---|---|---|---|")
    for row in bench.table.rows:
        print("| " + " | ".join(cell.strip() for cell in row) + " |")


main()
