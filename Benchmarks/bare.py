"""A browser that is driven by its own protocol alone. Playwright looks at each request of a page, which makes uploads several times slower."""

import http.server
import json
import os
import subprocess
import threading

from stage import ARGUMENTS, CHROMIUM


# Sends a chosen file piece by piece, as the page does; MB/s.
PUT = """(async () => {
  const file = document.querySelector("input").files[0];
  const piece = 16 * 1048576;
  const begun = performance.now();
  for (let at = 0; at < file.size; at += piece) await (await fetch("/", { method: "PUT", body: file.slice(at, at + piece) })).text();
  return file.size / 1000 / (performance.now() - begun);
})()"""


class Sink(http.server.BaseHTTPRequestHandler):
    """A server that forgets what it gets: the most that this browser can send."""

    protocol_version = "HTTP/1.1"

    def answer(self, text):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer(b"<input type=file>")

    def do_PUT(self):
        left, room = int(self.headers["Content-Length"]), bytearray(1 << 20)
        while left > 0:
            left -= self.rfile.readinto1(memoryview(room)[:left])
        self.answer(b"")

    def log_message(self, *words):
        pass

    @classmethod
    def open(cls):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), cls)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/"


class Bare:
    """A browser with one page, spoken to through two pipes: messages of JSON, each ended by a zero."""

    def __init__(self, profile):
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def place():
            # The browser reads from 3 and writes to 4.
            pair = os.dup(to_browser), os.dup(from_browser)
            os.dup2(pair[0], 3)
            os.dup2(pair[1], 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", f"--user-data-dir={profile}",
             "--window-size=1280,800", *ARGUMENTS],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.last, self.rest, self.session = 0, b"", None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                piece = os.read(self.into, 65536)
                if piece == b"":
                    raise SystemExit("the browser has ended")
                self.rest += piece
            line, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]

    def evaluate(self, code):
        answer = self.call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{code}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def choose(self, selector, path):
        """Chooses a file in a field for files, as a person would."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    def end(self):
        self.process.terminate()
        self.process.wait()
