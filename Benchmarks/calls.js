// Notes from inside of the page when something of a call happened: runs before its own scripts, and is what Benchmarks/calls.py asks.
window.moments = {};
{
  const wall = (at) => performance.timeOrigin + at;
  const note = (name) => { window.moments[name] ??= wall(performance.now()); };

  // The browser's own stamp of the press, from before it reached the page.
  addEventListener("pointerdown", (event) => { window.moments.pressed = wall(event.timeStamp); }, true);

  // The frame in which it rings has been handed on to be shown.
  new MutationObserver(() => {
    if (window.moments.rings !== undefined || document.querySelector(".call-ring") === null) return;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => note("rings");
      channel.port2.postMessage(0);
    });
  }).observe(document, { subtree: true, childList: true });

  const Watched = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Watched {
    constructor(...words) {
      super(...words);
      this.addEventListener("track", ({ transceiver, receiver }) => {
        // The second section of each description is the camera's.
        if (transceiver.mid !== "1") return;
        const looking = setInterval(async () => {
          for (const one of (await receiver.getStats()).values()) {
            if (one.type !== "inbound-rtp" || !(one.framesDecoded > 0)) continue;
            clearInterval(looking);
            note("picture");
          }
          if (this.signalingState === "closed") clearInterval(looking);
        }, 20);
      });
    }
    close() {
      note("closed");
      super.close();
    }
  };
}
