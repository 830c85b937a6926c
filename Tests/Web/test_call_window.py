"""The window of a call: devices, who speaks, the full screen, the chat beside it."""

from playwright.sync_api import expect

from story import DROP, Chat
from calls import CallTest
from checks import stands, thorough

# The buttons of a call that one's own picture covers, wherever the call is scrolled; the picture has to be there.
COVERED = """(call) => {
  const own = call.querySelector(".call-own");
  if (own === null || !own.checkVisibility()) return ["there is no own picture"];
  const covered = new Set();
  for (let at = 0; at <= call.scrollHeight; at += 20) {
    call.scrollTop = at;
    const mine = own.getBoundingClientRect();
    for (const button of call.querySelectorAll("button")) {
      const its = button.getBoundingClientRect();
      const [left, right] = [Math.max(its.left, mine.left), Math.min(its.right, mine.right)];
      const [top, bottom] = [Math.max(its.top, mine.top), Math.min(its.bottom, mine.bottom)];
      if (left < right && top < bottom && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === own) covered.add(button.textContent || button.ariaLabel);
    }
  }
  call.scrollTop = 0;
  return [...covered];
}"""


class CallWindow(CallTest):
    @thorough
    def test_call_devices(self):
        """Other devices are chosen in the call and tried: the microphone shows that it hears, also while the voice is off, and stays off; original sound is what the browser is asked for"""
        anna, ben = self.pair()
        anna.page.evaluate("""() => {
          window.asked = [];
          window.played = 0;
          const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
          navigator.mediaDevices.getUserMedia = async (wanted) => {
            window.asked.push(wanted);
            await window.gate;
            return open(wanted);
          };
          const play = HTMLMediaElement.prototype.play;
          HTMLMediaElement.prototype.play = function () { window.played += 1; return play.call(this); };
        }""")
        anna.button("Call").click()
        ben.button("Answer").click()
        self.talks(ben)
        anna.button("Mute").click()
        anna.button("Devices").click()
        dialog = anna.page.get_by_role("dialog", name="Devices")
        choice = dialog.get_by_role("combobox", name="Microphone")
        self.wait("microphones", lambda: choice.locator("option").count() > 1)
        choice.select_option(index=1)
        expect(dialog.get_by_text("The microphone can hear you.")).to_be_visible()
        self.wait("a bar that moves", lambda: float(dialog.get_by_role("meter").get_attribute("value")) > 0.15)
        played = anna.page.evaluate("window.played")
        dialog.get_by_role("button", name="Play a test tone").click()
        self.wait("a tone", lambda: anna.page.evaluate("window.played") > played)
        self.accessible(anna, "devices of a call")
        self.assertTrue(anna.page.evaluate("window.asked.every(({ audio }) => audio.echoCancellation && audio.noiseSuppression)"))
        dialog.get_by_label("Original sound").check()
        self.wait("original sound", lambda: anna.page.evaluate("window.asked.filter(({ audio }) => !audio.echoCancellation && !audio.noiseSuppression && !audio.autoGainControl).length") == 2)
        dialog.get_by_role("button", name="Close").last.click()
        # Whatever was chosen and tried, a voice that is off stays off.
        self.is_off(anna)
        self.stays_silent(ben)
        anna.button("Muted").click()
        self.talks(ben, ("sound", "energy"), seconds=2)
        self.assertEqual(anna.page.evaluate("""async () => {
            const [sound] = window.connections.at(-1).getSenders();
            const { echoCancellation, noiseSuppression } = sound.track.getSettings();
            return [echoCancellation, noiseSuppression];
        }"""), [False, False])
        # So does one that goes off while another microphone opens.
        anna.page.evaluate("() => { window.gate = new Promise((open) => { window.release = open; }); window.asked = []; }")
        anna.button("Devices").click()
        dialog.get_by_label("Original sound").uncheck()
        self.wait("a microphone that opens", lambda: anna.page.evaluate("window.asked.length") > 0)
        dialog.get_by_role("button", name="Close").last.click()
        anna.button("Mute").click()
        anna.page.evaluate("window.release()")
        self.wait("the other microphone", lambda: anna.page.evaluate("window.connections.at(-1).getSenders()[0].track.getSettings().echoCancellation"))
        self.is_off(anna)
        self.stays_silent(ben)
        # A microphone that is pulled out is off, and its button opens the next one.
        anna.button("Muted").click()
        self.talks(ben, ("sound", "energy"))
        anna.page.evaluate("""() => {
          const { track } = window.connections.at(-1).getSenders()[0];
          track.stop();
          track.dispatchEvent(new Event("ended"));
        }""")
        expect(anna.button("Muted")).to_have_attribute("aria-pressed", "true")
        expect(ben.page.get_by_role("region", name="Call with Anna Berg")).to_contain_text("Anna Berg is muted")
        anna.button("Muted").click()
        self.talks(ben, ("sound", "energy"))
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        self.done()

    def test_call_speaks(self):
        """Who speaks is framed and told, and is not while their voice is off; a picture fills the screen and makes way for a call"""
        anna, ben = self.answered("Video call", "Answer with video")
        speaks = ben.page.get_by_text("Anna Berg is speaking")
        expect(speaks).to_be_attached()
        anna.button("Mute").click()
        expect(speaks).not_to_be_attached()
        full = "document.fullscreenElement?.querySelector('video')?.getAttribute('aria-label') ?? null"
        ben.page.get_by_label("Video of Anna Berg").hover()
        ben.button("Full screen: Anna Berg").click()
        self.wait("the full screen", lambda: ben.page.evaluate(full) == "Video of Anna Berg")
        ben.button("Leave full screen: Anna Berg").click()
        self.wait("the page", lambda: ben.page.evaluate(full) is None)
        ben.page.get_by_label("Video of Anna Berg").dblclick()
        self.wait("the full screen", lambda: ben.page.evaluate(full) is not None)
        ben.page.keyboard.press("Alt+h")
        self.wait("the page", lambda: ben.page.evaluate(full) is None)
        expect(anna.button("End call")).to_be_hidden()
        self.done()

    def test_call_controls(self):
        """Sound that the browser holds back comes with a click, which is asked for; it goes off and on by button and key, a screen by key; a bad or slow connection is put in words"""
        anna, ben = self.pair()
        anna.page.evaluate("""() => {
          window.players = new Set();
          window.isHeld = true;
          const play = HTMLMediaElement.prototype.play;
          HTMLMediaElement.prototype.play = function () {
            if (this instanceof HTMLAudioElement && this.srcObject !== null) window.players.add(this);
            return window.isHeld ? Promise.reject(new DOMException('no click yet', 'NotAllowedError')) : play.call(this);
          };
          window.change = () => {};
          const stats = RTCPeerConnection.prototype.getStats;
          RTCPeerConnection.prototype.getStats = async function (...words) {
            const all = new Map([...await stats.apply(this, words)].map(([id, one]) => [id, { ...one }]));
            for (const one of all.values()) window.change(one);
            return all;
          };
        }""")
        anna.button("Call").click()
        ben.button("Answer").click()
        self.talks(ben)
        call = anna.page.get_by_role("region", name="Call with Ben Ito")
        expect(call).to_contain_text("Click anywhere to hear Ben Ito.")
        anna.page.evaluate("window.isHeld = false")
        call.get_by_text("Click anywhere to hear Ben Ito.").click()
        expect(call).not_to_contain_text("Click anywhere to hear")
        muted = lambda: anna.page.evaluate("[...window.players].map((one) => one.muted)")
        sound = anna.button("Speaker")
        for silence in (sound.click, lambda: anna.page.keyboard.press("Alt+l")):
            expect(sound).to_have_attribute("aria-pressed", "true")
            self.assertEqual(muted(), [False])
            silence()
            expect(sound).to_have_attribute("aria-pressed", "false")
            self.assertEqual(muted(), [True])
            silence()
        expect(sound).to_have_attribute("aria-pressed", "true")
        self.assertEqual(muted(), [False])
        anna.page.keyboard.press("Alt+s")
        expect(ben.page.get_by_label("Screen of Anna Berg")).to_be_visible()
        anna.page.keyboard.press("Alt+s")
        expect(ben.page.get_by_label("Screen of Anna Berg")).to_be_hidden()
        # What the browser measures is put in words at the next report.
        anna.page.evaluate("() => { window.change = (one) => { if (one.type === 'candidate-pair') one.currentRoundTripTime = 1.2; }; }")
        expect(call).to_contain_text("Slow connection: 1.2 seconds there and back.")
        anna.page.evaluate("""() => {
          window.change = (one) => { if (one.type === 'inbound-rtp' && one.kind === 'audio') one.packetsLost = one.packetsReceived; };
        }""")
        expect(call).to_contain_text("Bad connection:")
        anna.page.evaluate("() => { window.change = () => {}; }")
        expect(call).not_to_contain_text("connection:")
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        self.done()

    def test_call_own_picture(self):
        """One's own picture covers no button while a screen is shown, and the other person's stays, in each layout, with large letters and with the chat beside the call, however far the call is scrolled"""
        anna, ben = self.answered("Video call", "Answer with video")
        ben.button("Share screen").click()
        expect(anna.page.get_by_label("Screen of Ben Ito")).to_be_visible()
        tile = anna.page.get_by_role("list", name="In the call").get_by_role("listitem")
        session = anna.context.new_cdp_session(anna.page)

        def look(width, height, letters=100):
            """Looks at the call in a window of this size, with letters of so many percent."""
            session.send("Page.setFontSizes", {"fontSizes": {"standard": 16 * letters // 100, "fixed": 13 * letters // 100}})
            anna.page.set_viewport_size({"width": width, "height": height})
            stands(anna.page)
            self.assertEqual(anna.page.locator(".call").evaluate(COVERED), [], f"{width} × {height}, letters of {letters} %")
            self.assertGreater(tile.bounding_box()["width"], 100, f"{width} × {height}")

        # The picture stands beside the buttons where there is just room for it, else at the top. The last two calls are so short that they scroll
        # beneath their buttons.
        for size in ((1000, 858), (900, 858), (380, 858), (700, 360), (380, 640, 200)):
            look(*size)
        anna.page.set_viewport_size({"width": 1440, "height": 858})
        anna.button("Chat").click()
        anna.page.get_by_role("textbox", name="Write a message").wait_for()
        look(1440, 858)
        self.done()

    @thorough
    def test_call_beside(self):
        """The chat stands beside the call, and what is dropped onto the call goes there as a file; in a narrow window the call is small"""
        anna, ben = self.answered()
        call = anna.page.get_by_role("region", name="Call with Ben Ito")
        anna.page.set_viewport_size({"width": 1280, "height": 800})
        anna.button("Chat").click()
        chat = Chat(anna)
        chat.send("Here are the figures")
        chat.see("Here are the figures")
        both = [call.bounding_box(), anna.page.get_by_role("main").bounding_box()]
        self.assertLessEqual(both[0]["x"] + both[0]["width"], both[1]["x"] + 1)
        self.accessible(anna, "a call beside its chat")
        call.evaluate(DROP, ["figures.pdf", 2000])
        chat.see_file("figures.pdf")
        expect(anna.page.get_by_role("status").filter(has_text="1 file is being sent to the chat.")).to_be_visible()
        theirs = self.lines[1]("conversation.open", contact=self.ids[0])["id"]
        ben.button("Small window").click()
        ben.go(f"chats/{theirs}")
        Chat(ben).see_file("figures.pdf")
        # Another screen has the room that it needs.
        anna.go("friends")
        expect(anna.page.get_by_role("heading", name="Friends")).to_be_visible()
        anna.button("Large window").click()
        anna.page.set_viewport_size({"width": 360, "height": 740})
        self.accessible(anna, "a call in a narrow window")
        anna.button("Chat").click()
        expect(anna.page.get_by_role("textbox", name="Write a message")).to_be_visible()
        expect(anna.button("Large window")).to_be_visible()
        self.talks(ben)
        anna.button("End call").click()
        expect(ben.button("End call")).to_be_hidden()
        self.done()

    @thorough
    def test_call_muted_reload(self):
        """A voice that was off is off after the page was loaded anew"""
        anna, ben = self.answered()
        anna.button("Mute").click()
        muted = ben.page.get_by_role("region", name="Call with Anna Berg").get_by_text("Anna Berg is muted")
        expect(muted.first).to_be_visible()
        anna.page.reload()
        self.talks(anna)
        self.talks(ben)
        self.is_off(anna)
        self.stays_silent(ben)
        expect(muted.first).to_be_visible()
        anna.button("Muted").click()
        self.talks(ben, ("energy",), seconds=2)
        anna.button("End call").click()
        self.done()
