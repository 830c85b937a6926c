"""A phone with LocalSend, as far as it gets something from a Kibo: a small server of the protocol's version 2.1."""

import contextlib
import hashlib
import http.client
import http.server
import itertools
import json
import queue
import socket
import ssl
import subprocess
import threading
import urllib.parse

#: How long the phone waits for its user or for bytes, in seconds.
PATIENCE = 60
#: Each has an address of its own: a Kibo looks at two announcements a second of one address, and shows four devices of it.
ADDRESSES = (f"127.0.2.{number}" for number in itertools.count(1))
#: How much is read at a time, in bytes.
PIECE = 64 << 10


class Receiver:
    """A device that a Kibo of this host can give something to. `folder` gets its key; `at` is its address and port, if they matter."""

    def __init__(self, folder, name="Quick Lemon", pin=None, secure=True, model="Pixel", at=None):
        self.name, self.pin = name, pin
        self.address, port = at or (next(ADDRESSES), 0)
        #: What was offered, in its order; the user answers by `Demand`.
        self.demands = queue.Queue()
        self.sessions = {}
        self.server = Server((self.address, port), Handler)
        self.server.device = self
        fingerprint = f"of {name} at {self.address}"
        self.server.security = None
        if secure:
            key, certificate = folder / f"{self.address}.key", folder / f"{self.address}.pem"
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
                 "-subj", "/CN=Phone", "-keyout", key, "-out", certificate], check=True, capture_output=True)
            self.server.security = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.server.security.load_cert_chain(certificate, key)
            fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate.read_text())).hexdigest().upper()
        self.info = {
            "alias": name, "version": "2.1", "deviceModel": model, "deviceType": "mobile", "fingerprint": fingerprint,
            "port": self.server.server_port, "protocol": "https" if secure else "http", "download": False,
        }
        threading.Thread(target=self.server.serve_forever, args=(0.1,), daemon=True).start()

    def announce(self, port, is_plain=False):
        """Says who it is to the Kibo at this port alone, since tests beside this one have others. Returns whether that one has listened.

        A Kibo that speaks without TLS, `is_plain`, does so with all devices.
        """
        # Devices sign their certificates themselves.
        more = {} if is_plain else {"context": ssl._create_unverified_context()}
        kind = http.client.HTTPConnection if is_plain else http.client.HTTPSConnection
        with contextlib.closing(kind("127.0.0.1", port, timeout=PATIENCE, source_address=(self.address, 0), **more)) as line:
            try:
                line.request("POST", "/api/localsend/v2/register", json.dumps(self.info), {"Content-Type": "application/json"})
                return line.getresponse().status == 200
            except (OSError, http.client.HTTPException):
                return False

    def asked(self):
        """Waits for the next offer."""
        try:
            return self.demands.get(timeout=PATIENCE)
        except queue.Empty:
            raise AssertionError(f"nobody has offered {self.name} anything") from None

    def end(self):
        """Is gone from its address and port; whoever waits is answered."""
        self.server.shutdown()
        self.server.server_close()


class Demand:
    """Something that a Kibo offers. Its user answers with one of the methods."""

    def __init__(self, document, pin):
        self.pin = pin
        self.info, self.files = document["info"], document["files"]
        self.decided = threading.Event()
        #: Set when the Kibo has taken it back or ended it.
        self.cancelled = threading.Event()
        #: The bytes that came, by name; whole where nothing broke off.
        self.received = {}
        self.wanted = set()
        self.status = 0
        #: Of each file so many bytes are read; the rest once `go` is set, or never if it breaks off there.
        self.holds_at, self.breaks = None, False
        self.go = threading.Event()

    @property
    def names(self):
        return sorted(one["fileName"] for one in self.files.values())

    @property
    def text(self):
        """The text, if it is one: it comes with the offer."""
        [only] = self.files.values()
        return only.get("preview")

    def take(self, *names, holds_at=None, breaks=False):
        """Takes files, all without names. With `holds_at` the phone stops reading each of them there, until `go` is set; `breaks` cuts the line there."""
        self.holds_at, self.breaks = holds_at, breaks
        self.wanted = {id for id, one in self.files.items() if not names or one["fileName"] in names}
        # There is nothing to fetch of a text that came whole.
        is_text = len(self.files) == 1 and self.text is not None
        self.answer(204 if is_text else 200)

    def decline(self):
        self.answer(403)

    def answer(self, status):
        self.status = status
        self.decided.set()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def server_bind(self):
        # Little is on the way while the phone doesn't read.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE)
        super().server_bind()

    def get_request(self):
        line, source = super().get_request()
        if self.security is not None:
            # The handshake is done by the thread that reads.
            line = self.security.wrap_socket(line, server_side=True, do_handshake_on_connect=False)
        return line, source

    def handle_error(self, request, address):
        """A Kibo may go away at any time."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def reply(self, status, document=None):
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        if body:
            self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def do_GET(self):
        self.reply(200, self.server.device.info)

    def do_POST(self):
        path, _, query = self.path.partition("?")
        query = dict(urllib.parse.parse_qsl(query))
        act = {"register": self.register, "prepare-upload": self.prepare, "upload": self.upload, "cancel": self.cancel}.get(path.rsplit("/", 1)[-1])
        if act is None:
            return self.reply(404)
        act(query)

    def register(self, query):
        self.body()
        self.reply(200, self.server.device.info)

    def prepare(self, query):
        device = self.server.device
        document = json.loads(self.body())
        if device.pin is not None and query.get("pin") != device.pin:
            return self.reply(401, {"message": "PIN required" if "pin" not in query else "Invalid PIN"})
        demand = Demand(document, query.get("pin"))
        device.sessions["waiting"] = demand
        device.demands.put(demand)
        if not demand.decided.wait(PATIENCE):
            demand.status = 403
        if demand.status != 200:
            return self.reply(demand.status)
        session = f"session {len(device.sessions)}"
        device.sessions[session] = demand
        self.reply(200, {"sessionId": session, "files": {id: f"token of {id}" for id in demand.wanted}})

    def upload(self, query):
        demand, id = self.server.device.sessions.get(query.get("sessionId")), query.get("fileId")
        if demand is None or id not in demand.wanted or query.get("token") != f"token of {id}":
            # Its body is not read.
            self.close_connection = True
            return self.reply(403)
        rest = int(self.headers["Content-Length"])
        content = bytearray()
        while rest > 0:
            piece = self.rfile.read(min(PIECE, rest))
            if not piece:
                return
            content += piece
            rest -= len(piece)
            if demand.holds_at is not None and len(content) >= demand.holds_at and not demand.go.is_set():
                if demand.breaks:
                    self.close_connection = True
                    with contextlib.suppress(OSError):
                        self.connection.shutdown(socket.SHUT_RDWR)
                    return
                demand.go.wait(PATIENCE)
        demand.received[demand.files[id]["fileName"]] = bytes(content)
        self.reply(200)

    def cancel(self, query):
        demand = self.server.device.sessions.get(query.get("sessionId", "waiting"))
        if demand is not None:
            demand.cancelled.set()
        self.reply(200)
