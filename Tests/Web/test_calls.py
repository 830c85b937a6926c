"""Calls between two people with windows: they ring, are answered, and what is sent is found at the other side."""

import re
import time

from playwright.sync_api import expect

from calls import COUNT, WATCH, CallTest


class Calls(CallTest):
    def open(self, window, number, place):
        """Opens the page at a place, as kibo does."""
        # Within one page a link only changes the fragment; a browser that kibo opens loads the page.
        window.page.goto(f"{self.people[number].link()}&go={place}")
        window.page.reload()

    def test_call_pictures(self):
        """A call is answered with video, and sound and pictures come and go on coming on both sides; camera and voice go off and on; its end is on both sides"""
        anna, ben = self.answered("Video call", "Answer with video")
        self.talks((anna, ben), ("sound", "energy", "pictures"), seconds=5)
        for window in (anna, ben):
            expect(window.page.get_by_role("region", name=re.compile("^Call with"))).to_contain_text(re.compile(r"\d:\d\d"))
        expect(ben.page.get_by_label("Video of Anna Berg")).to_be_visible()
        self.accessible(anna, "in a call")
        anna.page.keyboard.press("Alt+v")
        expect(ben.page.get_by_label("Video of Anna Berg")).to_be_hidden()
        self.is_dark(anna)
        # What was under way is drawn to its end, which takes longer on a busy machine; from then on no picture comes.
        self.wait("the last picture", lambda: self.is_still(ben))
        self.assertTrue(self.is_still(ben))
        anna.button("Camera").click()
        expect(ben.page.get_by_label("Video of Anna Berg")).to_be_visible()
        self.talks(ben, ("sound", "pictures"))
        anna.page.keyboard.press("Alt+m")
        expect(ben.page.get_by_role("region", name="Call with Anna Berg")).to_contain_text("Anna Berg is muted")
        self.is_off(anna)
        self.stays_silent(ben)
        anna.page.keyboard.press("Alt+m")
        self.talks(ben, ("energy",), seconds=2)
        anna.button("Small window").click()
        expect(anna.page.get_by_role("textbox", name="Write a message")).to_be_visible()
        ben.button("End call").click()
        for window, line in zip((anna, ben), self.lines):
            expect(window.button("End call")).to_be_hidden()
            self.assertGreater(self.record(line, "answered")["call"]["duration"], 5000)
            self.assertEqual(window.page.evaluate("window.connections.filter((one) => one.signalingState !== 'closed').length"), 0)
        expect(anna.page.get_by_text(re.compile("^Video call, "))).to_be_visible()
        self.accessible(anna, "a call in its chat")
        anna.go("calls")
        expect(anna.page.get_by_role("link", name=re.compile("Ben Ito.*Video call"))).to_be_visible()
        self.accessible(anna, "calls")
        self.done()

    def test_call_declined(self):
        """It rings over whatever is shown; who declines with a word is read, and the caller sees it in words and can call again"""
        anna, ben = self.pair()
        ben.go("settings")
        ben.page.get_by_role("searchbox").focus()
        anna.button("Call").click()
        rings = ben.page.get_by_role("region", name="Anna Berg is calling")
        expect(rings).to_be_visible()
        expect(anna.page.get_by_role("region", name="Call with Ben Ito")).to_contain_text("Ringing…")
        self.accessible(ben, "a call rings")
        # Nobody who writes loses the focus, and a window over the page doesn't hide it.
        expect(ben.page.get_by_role("searchbox")).to_be_focused()
        ben.page.evaluate("document.activeElement.blur()")
        ben.page.keyboard.press("?")
        expect(ben.page.get_by_role("dialog", name="Keyboard").get_by_role("button", name="Answer", exact=True)).to_be_visible()
        # Nothing is captured or sent before the answer.
        self.assertEqual(ben.page.evaluate("window.connections.length"), 0)
        rings.get_by_role("button", name="Decline with message").click()
        ben.page.get_by_role("dialog", name="Decline with message").get_by_role("button", name="Decline", exact=True).click()
        expect(anna.page.get_by_role("alert").filter(has_text="Ben Ito declined.")).to_be_visible()
        expect(anna.page.get_by_role("list").get_by_text("I can’t talk right now.").first).to_be_visible()
        self.accessible(anna, "a call was declined")
        expect(rings).to_be_hidden()
        for line in self.lines:
            self.record(line, "declined")
        anna.button("Call again").click()
        expect(rings).to_be_visible()
        ben.page.keyboard.press("Alt+x")
        expect(anna.page.get_by_role("alert").filter(has_text="Ben Ito declined.")).to_be_visible()
        self.done()

    def test_call_cancelled(self):
        """A call that is taken back rings no more and stands as missed, in the chat and as a number"""
        anna, ben = self.pair()
        anna.button("Call").click()
        rings = ben.page.get_by_role("region", name="Anna Berg is calling")
        expect(rings).to_be_visible()
        anna.page.keyboard.press("Alt+h")
        expect(rings).to_be_hidden()
        for line in self.lines:
            self.record(line, "cancelled")
        expect(ben.page.get_by_role("navigation").get_by_text("1 missed call")).to_be_attached()
        ben.go("chats")
        row = ben.page.get_by_role("list", name="Chats").get_by_role("listitem")
        expect(row.get_by_text("1 missed call")).to_be_attached()
        ben.go(f"chats/{self.lines[1]('conversation.open', contact=self.ids[0])['id']}")
        ben.button("Call back").click()
        # What was looked at is no longer missed.
        expect(row.get_by_text("missed call", exact=False)).to_have_count(0)
        expect(anna.page.get_by_role("region", name="Ben Ito is calling")).to_be_visible()
        anna.page.keyboard.press("Alt+a")
        for window in (anna, ben):
            self.talks(window)
        self.done()

    def test_call_tabs(self):
        """It rings in each tab of one account and is answered in one; the others offer to go on there, and the sound moves along"""
        anna, ben = self.pair()
        second = ben.context.new_page()
        second.add_init_script(WATCH)
        second.goto(ben.page.url)
        second.get_by_role("heading", name="Chats").wait_for()
        anna.button("Call").click()
        for page in (ben.page, second):
            expect(page.get_by_role("region", name="Anna Berg is calling")).to_be_visible()
        ben.button("Answer").click()
        self.talks(ben)
        expect(second.get_by_role("region", name="Anna Berg is calling")).to_be_hidden()
        second.get_by_role("button", name="Continue here").click()
        self.wait("sound in the other tab", lambda: second.evaluate(COUNT)["sound"] > 0)
        expect(ben.button("Continue here")).to_be_visible()
        self.assertEqual(ben.page.evaluate("window.connections.filter((one) => one.signalingState !== 'closed').length"), 0)
        self.talks(anna)
        second.get_by_role("button", name="End call").click()
        expect(anna.button("End call")).to_be_hidden()
        for line in self.lines:
            self.record(line, "answered")
            # Nobody has missed a call that was answered in another tab.
            self.assertEqual(line("conversation.totals")["missedCalls"], 0)
        self.done()

    def test_call_said(self):
        """A screen reader hears that a call was answered, that it has begun, on both sides"""
        anna, ben = self.pair()
        for window in (anna, ben):
            window.page.evaluate("""() => {
              const region = document.querySelector('[role=log][aria-live=polite]');
              window.read = [];
              new MutationObserver(() => window.read.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
            }""")
        heard = lambda window: " | ".join(window.page.evaluate("window.read"))
        anna.button("Call").click()
        ben.button("Answer").click()
        self.talks(anna)
        self.wait("the words at the caller", lambda: "Ben Ito has answered." in heard(anna) and "The call with Ben Ito has started." in heard(anna))
        self.wait("the words at the other one", lambda: "The call with Anna Berg has started." in heard(ben))
        self.assertNotIn("answered", heard(ben))
        self.assertEqual(heard(anna).count("has started"), 1)
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        self.done()

    def test_call_second(self):
        """A call that rings in another one says which call ends by an answer; the answer ends that one, and once no call goes on nothing is said to end"""
        self.people, self.lines, self.ids = self.friends("Anna Berg", "Ben Ito", "Cleo Diaz")
        anna, ben, cleo = [self.caller(person) for person in self.people]
        self.wait("ways to both", lambda: all(self.lines[0]("contact.get", id=other)["presence"] == "online" for other in self.ids[1:]))
        for window, line in ((ben, self.lines[1]), (cleo, self.lines[2])):
            window.go(f"chats/{line('conversation.open', contact=self.ids[0])['id']}")
        ben.button("Call").click()
        first = anna.page.get_by_role("region", name="Ben Ito is calling")
        expect(first).to_be_visible()
        expect(first).not_to_contain_text("Answering ends")
        anna.button("Answer").click()
        self.talks(ben)
        cleo.button("Call").click()
        second = anna.page.get_by_role("region", name="Cleo Diaz is calling")
        expect(second).to_contain_text("Answering ends the call with Ben Ito.")
        expect(second.get_by_role("button", name="End call and answer with video")).to_be_visible()
        self.accessible(anna, "a call rings in another one")
        second.get_by_role("button", name="End call and answer", exact=True).click()
        expect(ben.button("End call")).to_be_hidden()
        for window in (anna, cleo):
            self.talks(window)
        self.record(self.lines[1], "answered")
        # The first who calls ends, and what rings takes nothing with it.
        ben.button("Call").click()
        expect(first).to_contain_text("Answering ends the call with Cleo Diaz.")
        cleo.button("End call").click()
        expect(first.get_by_role("button", name="Answer", exact=True)).to_be_visible()
        expect(first).not_to_contain_text("Answering ends")
        anna.button("Answer").click()
        self.talks(ben)
        self.done()

    def test_call_screen(self):
        """A screen that is shared is seen by the other side until it is stopped, and is never shown to its owner"""
        anna, ben = self.answered()
        anna.button("Share screen").click()
        expect(ben.page.get_by_label("Screen of Anna Berg")).to_be_visible()
        self.talks(ben, ("sound", "pictures"))
        expect(anna.page.get_by_role("region", name="Call with Ben Ito")).to_contain_text("You’re sharing your screen with Ben Ito.")
        self.assertEqual(anna.page.locator("video").count(), 0)
        anna.button("Stop sharing").click()
        expect(ben.page.get_by_label("Screen of Anna Berg")).to_be_hidden()
        # The small window over another screen says what goes out, and stops it, too.
        anna.page.evaluate("""() => {
          const choose = navigator.mediaDevices.getDisplayMedia.bind(navigator.mediaDevices);
          navigator.mediaDevices.getDisplayMedia = async (wanted) => {
            const stream = await choose(wanted);
            const [track] = stream.getVideoTracks();
            const settings = track.getSettings.bind(track);
            track.getSettings = () => ({ ...settings(), displaySurface: window.surface });
            return stream;
          };
        }""")
        for surface, words in (("window", "You’re sharing a window with Ben Ito."), ("browser", "You’re sharing a browser tab with Ben Ito.")):
            anna.page.evaluate("surface => { window.surface = surface; }", surface)
            anna.button("Share screen").click()
            expect(ben.page.get_by_label("Screen of Anna Berg")).to_be_visible()
            anna.button("Small window").click()
            anna.go("friends")
            call = anna.page.get_by_role("region", name="Call with Ben Ito")
            expect(call).to_contain_text(words)
            self.accessible(anna, f"the small window of a call that shows a {surface}")
            call.get_by_role("button", name="Stop", exact=True).click()
            expect(ben.page.get_by_label("Screen of Anna Berg")).to_be_hidden()
            expect(call).not_to_contain_text(words)
            expect(call).to_be_focused()
            anna.button("Large window").click()
        anna.button("End call").click()
        self.done()

    def test_call_link(self):
        """A call from a link of `kibo call` rings once; another address calls nobody"""
        anna, ben = self.pair()
        # Another address than that of `kibo call` calls nobody.
        anna.go(f"call/{self.chat}/audio")
        expect(anna.page).to_have_url(re.compile(f"#/chats/{self.chat}$"))
        self.assertEqual(self.lines[0]("call.list")["calls"], [])
        self.open(anna, 0, f"call/{self.chat}/audio")
        ben.button("Answer").click()
        self.talks(ben)
        self.assertRegex(anna.page.url, f"#/chats/{self.chat}$")
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        self.done()

    def test_call_offer(self):
        """The offer goes with the ring, if the caller's device makes it, and opens nothing on the other side before the answer"""
        anna, ben = self.pair()
        # The one whose device makes the offer calls.
        caller, called, line = (anna, ben, self.lines[1]) if self.offerer() == 0 else (ben, anna, self.lines[0])
        other = self.ids[1] if caller is anna else self.ids[0]
        caller.go(f"chats/{self.lines[0 if caller is anna else 1]('conversation.open', contact=other)['id']}")
        caller.button("Call").click()
        called.button("Answer").wait_for()
        self.wait("the offer", lambda: line("call.list")["calls"][0]["signals"] > 0)
        self.assertEqual(called.page.evaluate("window.connections.length"), 0)
        offers = []
        caller.page.on("request", lambda request: offers.append(request) if '"kind":"offer"' in (request.post_data or "") else None)
        called.button("Answer").click()
        for window in (anna, ben):
            self.talks(window)
        # What went with the ring was enough.
        self.assertEqual(offers, [])
        caller.button("End call").click()
        expect(called.button("End call")).to_be_hidden()
        self.done()

    def test_call_reload(self):
        """A window that is loaded anew in a call takes its seat again: sound comes within seconds, on both sides"""
        anna, ben = self.answered()
        for window, other in ((anna, ben), (ben, anna)):
            window.page.reload()
            begun = time.monotonic()
            self.talks(window)
            self.talks(other)
            print(f"    sound again {time.monotonic() - begun:.1f} s after a reload")
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        self.done()

    def test_call_closed(self):
        """A tab that is closed in a call ends it within seconds, on both sides; the other window hears that it is over"""
        anna, ben = self.answered()
        ben.page.on("dialog", lambda dialog: dialog.accept())
        begun = time.monotonic()
        ben.page.close(run_before_unload=True)
        expect(anna.button("End call")).to_be_hidden(timeout=15_000)
        print(f"    over {time.monotonic() - begun:.1f} s after the tab was closed")
        self.windows.remove(ben)
        for line in self.lines:
            self.record(line, "answered")
        self.done()

    def test_call_answer_link(self):
        """Where "Answer" of a notification leads: the call that rings is answered, and one that is over is not"""
        anna, ben = self.pair()
        anna.button("Call").click()
        ringing = self.wait("the call", lambda: self.lines[1]("call.list")["calls"])[0]
        expect(ben.page.get_by_role("region", name="Anna Berg is calling")).to_be_visible()
        # Whoever calls knows the call's id: an address that a program of this user has not made only shows that it rings.
        ben.go(f"answer/{ringing['id']}/audio")
        expect(ben.page).to_have_url(re.compile("#/chats"))
        self.assertEqual([one["state"] for one in self.lines[1]("call.list")["calls"]], ["incoming"])
        self.open(ben, 1, f"answer/{ringing['id']}/audio")
        for window in (anna, ben):
            self.talks(window)
        there = self.lines[1]("conversation.open", contact=self.ids[0])["id"]
        self.assertRegex(ben.page.url, f"#/chats/{there}$")
        ben.button("End call").click()
        expect(anna.button("End call")).to_be_hidden()
        self.open(ben, 1, f"answer/{ringing['id']}/audio")
        expect(ben.page).to_have_url(re.compile("#/calls$"), timeout=10_000)
        self.assertEqual(self.lines[0]("call.list")["calls"], [])
        self.done()
