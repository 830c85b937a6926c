"""Hosts whose people each have a microphone with a tone of its own, so that it is known whose sound is heard, and when."""

import math
import struct
import time
import wave

from calls import WATCH, CallTest
from hosts import Hosts
from stage import wait_for

# Hertz. Neither is a harmonic of another.
TONES = {"Anna Berg": 500, "Ben Ito": 800}
RATE = 48_000
# How loud a tone is that counts as heard, and how much louder than each other tone, in decibels.
LOUD, CLEAR = -50, 20

# Listens many times a second to what each connection gives of sound: window.heard has the moment and how loud each tone was, in decibels.
HEAR = WATCH + """
localStorage.setItem("kibo.devices", JSON.stringify({ original: true, microphone: "", camera: "", loudspeaker: "" }));
window.heard = [];
{
  const tones = %s;
  let ears;
  const listen = (track) => {
    ears ??= new AudioContext();
    const analyser = new AnalyserNode(ears, { fftSize: 2048, smoothingTimeConstant: 0 });
    ears.createMediaStreamSource(new MediaStream([track])).connect(analyser);
    const levels = new Float32Array(analyser.frequencyBinCount);
    const ticking = setInterval(() => {
      if (track.readyState === "ended") return clearInterval(ticking);
      analyser.getFloatFrequencyData(levels);
      window.heard.push([Date.now(), ...tones.map((tone) => Math.max(-200, levels[Math.round(tone * analyser.fftSize / ears.sampleRate)]))]);
    }, 20);
  };
  const Watched = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Watched {
    constructor(...words) {
      super(...words);
      this.addEventListener("track", ({ track }) => track.kind === "audio" && listen(track));
    }
  };
}
""" % list(TONES.values())


def tone(path, hertz):
    """A second of a tone, to be played again and again without a seam."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(2 * math.pi * hertz * n / RATE))) for n in range(RATE)))
    return path


# Where nobody lives.
THIRD = "10.73.0.3"
# A page that puts into its descriptions whatever could make another browser send something to the third host, in all spellings,
# and takes its own as they were. window.poisoned counts them, and window.clean has the last offer as it was.
POISON = """
window.poisoned = 0;
{
  const candidate = "1 1 udp 2122260223 %(third)s 40000 typ host";
  const tcp = "2 1 tcp 1518280447 %(third)s 40001 typ host tcptype passive";
  const spelled = ["a=candidate:", "a=Candidate:", "a=CANDIDATE:", "a= candidate:", "a=candidate ", "a=candidate: ", "a=cAndidate :"];
  const lines = spelled.flatMap((name) => [name + candidate, name + tcp]).concat([
    "a=Rtcp:40002 IN IP4 %(third)s", "a=remote-candidates:1 %(third)s 40000", "a=Remote-Candidates:1 %(third)s 40000", "a=Ice-Lite",
    "a=identity:" + btoa(JSON.stringify({ idp: { domain: "%(third)s", protocol: "default" }, assertion: "a" })), "a=Crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc",
    "a=extmap:12 http://%(third)s/x", "a=msid:- http://%(third)s/",
  ]);
  const poisoned = (sdp, these = lines) => sdp.replace(/^(c=.*|t=0 0)\\r\\n/gm, (line) => line + these.map((one) => one + "\\r\\n").join(""));
  const clean = new Map();
  const Plain = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Plain {
    async createOffer(...words) { return this.said(await super.createOffer(...words)); }
    async createAnswer(...words) { return this.said(await super.createAnswer(...words)); }
    said({ type, sdp }) {
      const text = poisoned(sdp);
      clean.set(text, sdp);
      window.poisoned += 1;
      if (type === "offer") window.clean = sdp;
      return { type, sdp: text };
    }
    setLocalDescription({ type, sdp }) { return super.setLocalDescription({ type, sdp: clean.get(sdp) ?? sdp }); }
  };
  // Takes such an offer as if no daemon stood between, with one of the lines each time: whichever the browser can read.
  window.swallow = async (sdp) => {
    for (const line of lines) {
      const one = new Plain({ iceServers: [], bundlePolicy: "max-bundle" });
      try {
        await one.setRemoteDescription({ type: "offer", sdp: poisoned(sdp, [line]) });
        await one.setLocalDescription(await one.createAnswer());
      } catch { /* This browser can't read it. */ }
    }
  };
}
""".replace("%(third)s", THIRD)


class Studio(Hosts):
    """Hosts on one network. `mute` are the names of those without a microphone."""

    def __init__(self, playwright, count, *cable, mute=()):
        self.mute = mute
        super().__init__(playwright, count, *cable)

    def devices(self, person):
        # Without a device made up there is none: these are machines without sound cards.
        if person.name in self.mute:
            return []
        return ["--use-fake-device-for-media-stream=fps=10", f"--use-file-for-fake-audio-capture={tone(person.home / 'tone.wav', TONES[person.name])}"]


class StudioTest(CallTest):
    """Calls between two hosts, found by their tones."""

    watch = HEAR
    cable = ()
    mute = ()
    #: How many hosts there are; people are on the first ones.
    hosts = 2

    def setUp(self, stage=Studio):
        self.stage = stage(self.playwright, self.hosts, *self.cable, mute=self.mute)
        self.windows = []
        self.is_done = False

    def other(self, window):
        """The name of the person at the other end."""
        return list(TONES)[1 - self.windows.index(window)]

    def moments(self, window, since):
        """When the other one's tone was heard since a moment, in seconds of the wall clock."""
        heard = window.page.evaluate("since => window.heard.filter(([at]) => at >= since)", since * 1000)
        theirs = list(TONES).index(self.other(window))
        return [at / 1000 for at, *levels in heard if levels[theirs] > LOUD and all(levels[theirs] > level + CLEAR for n, level in enumerate(levels) if n != theirs)]

    def hears(self, window, since=None, patience=30):
        """Waits until the other one's tone is heard, and returns how long that took, in seconds."""
        since = since or time.time()
        return wait_for(f"the tone of {self.other(window)}", lambda: self.moments(window, since), patience)[0] - since

    def listen(self, seconds, windows=None, pictures=False):
        """The other one's tone is heard in each of so many seconds, in each window, and with `pictures` new ones are seen; returns the longest silence, in seconds."""
        begun = time.time()
        if pictures:
            before = [self.count(window)["pictures"] for window in windows or self.windows]
            for second in range(seconds):
                self.windows[0].page.wait_for_timeout(1000)
                now = [self.count(window)["pictures"] for window in windows or self.windows]
                self.assertTrue(all(later > earlier for earlier, later in zip(before, now)), f"pictures in second {second}: {before}, then {now}")
                before = now
            self.windows[0].page.wait_for_timeout(100)
        else:
            self.windows[0].page.wait_for_timeout(seconds * 1000 + 100)
        longest = 0
        for window in windows or self.windows:
            heard = self.moments(window, begun)
            missing = [second for second in range(seconds) if not any(begun + second <= at < begun + second + 1 for at in heard)]
            self.assertEqual(missing, [], f"seconds in which {self.other(window)} was not heard")
            longest = max([longest, *(after - before for before, after in zip(heard, heard[1:]))])
        return longest

    def silent(self, since):
        """Nothing of the other one was heard since a moment."""
        for window in self.windows:
            self.assertEqual(self.moments(window, since), [], f"{self.other(window)} was heard")

    def connected(self, media="Call", answer="Answer"):
        """The two are in a call, and hear each other."""
        anna, ben = self.pair()
        anna.button(media).click()
        ben.button(answer).click()
        for window in (anna, ben):
            self.hears(window)
        return anna, ben
