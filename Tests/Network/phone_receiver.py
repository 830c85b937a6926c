"""A device with LocalSend that something is given to. It is written from the protocol's document, takes everything politely, and does
whatever else a test wants: each step of it can be replaced by another. phone_gifts.py and phone_traps.py have it.
"""

import contextlib
import datetime
import hashlib
import http.client
import json
import socket
import ssl
import struct
import threading
import time
import urllib.parse

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from phone_stage import API, GROUP, PORT, inside, wait

# How long a step of a receiver goes on, in seconds: longer than the other side may wait for anything.
LONGEST = 700


class Certificate:
    """A certificate that a device has signed itself, in a file with its key."""

    def __init__(self, place, name, year=2026):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        made = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(datetime.datetime(year, 1, 1))
            .not_valid_after(datetime.datetime(year + 1, 1, 1)).sign(key, hashes.SHA256()))
        self.path = place / f"{x509.random_serial_number()}.pem"
        self.path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        self.fingerprint = hashlib.sha256(made.public_bytes(serialization.Encoding.DER)).hexdigest()


class Ended(Exception):
    """The other side has closed the connection."""


class Line:
    """A connection to a receiver."""

    def __init__(self, receiver, made):
        self.receiver, self.socket, self.buffer = receiver, made, b""

    def more(self):
        try:
            piece = self.socket.recv(1 << 16)
        except OSError as error:
            raise Ended from error
        if not piece:
            raise Ended
        self.receiver.bytes += len(piece)
        self.buffer += piece

    def take(self, length):
        """So many of the next bytes."""
        pieces, left = [], length
        while True:
            pieces.append(self.buffer[:left])
            self.buffer = self.buffer[left:]
            left -= len(pieces[-1])
            if not left:
                return b"".join(pieces)
            self.more()

    def until(self, end):
        while end not in self.buffer:
            self.more()
        taken, _, self.buffer = self.buffer.partition(end)
        return taken

    def say(self, *pieces, pause=0.0):
        """Says these bytes, each after a pause."""
        try:
            for piece in pieces:
                time.sleep(pause)
                self.socket.sendall(piece)
        except OSError as error:
            raise Ended from error

    def answer(self, status, document=None, **fields):
        body = document if isinstance(document, bytes) else b"" if document is None else json.dumps(document).encode()
        fields = {"Content-Length": len(body), **{name.replace("_", "-"): value for name, value in fields.items()}}
        head = f"HTTP/1.1 {status} Said\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value is not None)
        self.say(head.encode() + b"\r\n" + body)

    def rest(self):
        """Reads what comes until the other side closes."""
        while True:
            self.more()
            self.buffer = b""

    def hold(self):
        """Neither reads nor says anything, until the test is over."""
        self.receiver.over.wait(LONGEST)
        raise Ended

    def reset(self):
        """Ends the connection without a word."""
        with contextlib.suppress(OSError):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Ended


class Request:
    """What the other side asks."""

    def __init__(self, line, head):
        self.line = line
        first, *fields = head.decode("latin-1").split("\r\n")
        self.method, self.target, self.version = first.split(" ")
        self.fields = {}
        for one in fields:
            name, _, value = one.partition(":")
            self.fields[name.lower()] = value.strip()
        self.path, _, query = self.target.partition("?")
        self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))

    def pieces(self):
        """The bytes of the body, as they come."""
        if self.fields.get("expect", "").lower() == "100-continue":
            self.line.say(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "chunked" in self.fields.get("transfer-encoding", ""):
            while length := int(self.line.until(b"\r\n").split(b";")[0], 16):
                yield self.line.take(length)
                self.line.take(2)
            self.line.until(b"\r\n")
            return
        left = int(self.fields.get("content-length", 0))
        while left:
            piece = self.line.take(min(left, max(1, len(self.line.buffer))))
            left -= len(piece)
            yield piece

    def body(self):
        return b"".join(self.pieces())


class Receiver:
    """A device at one address of a host; without one, of loopback here. Port 0 is any.

    `shake` gets a new connection, and returns it with TLS on it, or without. `greet` and `prepare` get a line, a request whose body was read,
    and the document of it; `upload` gets a line and a request whose body was not read. `files` says which of the offered files it takes, `names` what
    the answer to an offer is.
    """

    def __init__(
            self, host, at, certificate, alias="Polite Pear", announced=None, plain=False, context=None, shake=None, greet=None,
            prepare=None, upload=None, cancel=None, files=None, names=None, listens=True, port=PORT):
        self.host, self.at, self.alias, self.plain, self.port = host, at, alias, plain, port
        self.certificate = certificate
        self.fingerprint = certificate.fingerprint if announced is None else announced
        self.shake, self.greet, self.prepare, self.upload, self.cancel = shake, greet, prepare, upload, cancel
        self.wanted, self.names = files, names
        self.session = "session-" + at
        # What it has seen: connections, bytes of what goes in TLS, requests, documents of offers, contents and cancelled sessions.
        self.connections, self.bytes, self.requests, self.offers, self.got, self.cancelled = 0, 0, [], [], {}, []
        # Who has asked who it is.
        self.met = []
        self.faults = []
        # Is set when the test is over, so that nothing of it stays.
        self.over = threading.Event()
        self.open = []
        self.context = context or self.tls()
        self.listener = None
        if listens:
            self.listen()

    def tls(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate.path)
        return context

    def place(self):
        return inside(self.host) if self.host else contextlib.nullcontext()

    def listen(self):
        with self.place():
            self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((self.at, self.port))
        self.port = self.listener.getsockname()[1]
        self.listener.listen(64)
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def _accept(self, listener):
        while True:
            try:
                made, _ = listener.accept()
            except OSError:
                return
            self.connections += 1
            self.open.append(made)
            threading.Thread(target=self._serve, args=(made,), daemon=True).start()

    def _serve(self, raw):
        made = raw
        try:
            made.settimeout(LONGEST)
            if self.shake:
                made = self.shake(self, made)
            elif not self.plain:
                made = self.context.wrap_socket(made, server_side=True)
            if made:
                self.open.append(made)
                line = Line(self, made)
                while self._step(line):
                    pass
        except (Ended, OSError):
            pass
        except Exception as error:
            self.faults.append(f"{type(error).__name__}: {error}")
        finally:
            for one in (made, raw):
                with contextlib.suppress(OSError):
                    one and one.close()

    def _step(self, line):
        """Serves a request; whether another one may come on the same connection."""
        request = Request(line, line.until(b"\r\n\r\n"))
        self.requests.append(request)
        if request.path == f"{API}/prepare-upload":
            document = json.loads(request.body())
            self.offers.append(document)
            return (self.prepare or Receiver.accept)(line, request, document)
        if request.path == f"{API}/register":
            document = json.loads(request.body())
            self.met.append(document)
            return (self.greet or Receiver.introduce)(line, request, document)
        if request.path == f"{API}/upload":
            return (self.upload or Receiver.keep)(line, request)
        body = request.body()
        if request.path == f"{API}/cancel":
            self.cancelled.append(request.query.get("sessionId"))
            if self.cancel:
                return self.cancel(line, request)
        line.answer(200 if request.path.startswith(API) else 404, {"alias": self.alias} if not body else None)
        return True

    # MARK: The polite steps

    def tokens(self, document):
        return {id: f"token of {id}" for id in document["files"] if not self.wanted or self.wanted(document["files"][id])}

    @staticmethod
    def introduce(line, request, document):
        line.answer(200, line.receiver.info)
        return True

    @staticmethod
    def accept(line, request, document):
        receiver = line.receiver
        answer = {"sessionId": receiver.session, "files": receiver.tokens(document)}
        line.answer(200, receiver.names(answer) if receiver.names else answer)
        return True

    @staticmethod
    def keep(line, request):
        receiver = line.receiver
        receiver.got[request.query.get("fileId")] = request.body()
        line.answer(200)
        return True

    def files(self):
        """What came, by the names that were offered."""
        return {self.offers[-1]["files"][id]["fileName"]: content for id, content in self.got.items()}

    # MARK: Being seen

    @property
    def info(self):
        return {
            "alias": self.alias, "version": "2.1", "deviceModel": "Test", "deviceType": "mobile", "fingerprint": self.fingerprint,
            "port": self.port, "protocol": "http" if self.plain else "https", "download": False}

    def announce(self):
        """Says who it is to all, as a device does whose app was opened."""
        with self.place(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
            made.bind((self.at, 0))
            made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(self.at))
            made.sendto(json.dumps({**self.info, "announce": False}).encode(), (GROUP, PORT))

    def register(self, address, port):
        """Says who it is to one device, over TLS, as a device does that has heard it."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with self.place(), contextlib.closing(
                http.client.HTTPSConnection(address, port, timeout=10, source_address=(self.at, 0), context=context)) as line:
            line.request("POST", f"{API}/register", json.dumps(self.info).encode(), {"Content-Type": "application/json"})
            answer = line.getresponse()
            return answer.status, json.loads(answer.read() or b"null")

    def seen_by(self, host):
        """Has a host see it, and returns what the host says of it."""
        def found():
            return next((
                one for one in host.list()["devices"] if (one["name"], one["address"]) == (self.alias, self.at)), None)

        def seen():
            for _ in range(10):
                if device := found():
                    return device
                time.sleep(0.06)
            # Two a second of a source count.
            self.announce()
        if device := found():
            return device
        self.announce()
        return wait(f"the host to see {self.alias} at {self.at}", seen, 15)

    def close(self):
        self.over.set()
        if self.listener:
            # This also wakes the thread that accepts.
            with contextlib.suppress(OSError):
                self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
        # The threads that read from them close them.
        for one in self.open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
