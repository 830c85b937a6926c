"""The Kibo wire: the secure channel, its frames, a session. From docs/PROTOCOL.md alone; sections are its sections.

Noise is PyPI's noiseprotocol. As strict as kibo_identity.py.
"""

import hashlib
import select
import socket
import struct
import time

from noise.connection import Keypair, NoiseConnection

from kibo_identity import Broken, RemoteIdentity, decode, encode, new_id, now_ms, read_card, read_certificate, require

TIMEOUT = 10.0  # Seconds for every single wait on a socket.
ZERO_ID = bytes(16)
SESSION, BULK = 1, 2  # Purposes, §5.1.
PING, PONG, CLOSE, RECEIPT, CARD = 1, 2, 3, 4, 16
REQUEST, ANSWER, REMOVAL, TYPING, MESSAGE, FILE_STATUS = 17, 18, 19, 33, 48, 80
PEERS_REQUEST, PEERS = 22, 23
AVATAR_REQUEST, AVATAR, REACH_REQUEST, REACH, PRESENCE = 20, 21, 24, 25, 32
EDIT, DELETION, REACTION, SEEN = 49, 50, 51, 52
GROUP_HEADS, GROUP_TOPS, GROUP_WANT, GROUP_ENTRIES = 64, 65, 66, 67  # PROTOCOL-GROUPS.md.
GROUP_CHANGE, GROUP_ENTRY, GROUP_SEEN = 68, 69, 70
CALL_STATE, CALL_SIGNAL = 96, 97  # PROTOCOL-CALLS.md.
PARCEL, PARCEL_NEWS, MAIL_NOTE, HAD = 112, 113, 114, 115  # PROTOCOL-COURIERS.md.
DURABLE = {REQUEST, ANSWER, REMOVAL, MESSAGE, EDIT, DELETION, REACTION, SEEN, FILE_STATUS} | {
    GROUP_CHANGE, GROUP_ENTRY, GROUP_SEEN, PARCEL, PARCEL_NEWS, HAD}
STORED, READ, REFUSED = 1, 2, 3  # Receipts, §7.
RECORD_PLAINTEXT = 65_519
RECORDS_PER_KEY = 65_536
BODY_LIMIT = 1 << 20


class Ended(Exception):
    """The connection has ended."""


# The secure channel, §5


def preface(purpose, realm_key=None):
    """§5.1."""
    return struct.pack(">4sBBBB", b"KIBO", 1, purpose, 1 if realm_key else 0, 0)


def start_noise(is_initiator, preface_bytes, static, realm_key=None, ephemeral=None):
    """§5.2: begins the handshake. `static` and `ephemeral` are X25519 scalars."""
    noise = NoiseConnection.from_name(b"Noise_XX%s_25519_ChaChaPoly_BLAKE2b" % (b"psk0" if realm_key else b""))
    if is_initiator:
        noise.set_as_initiator()
    else:
        noise.set_as_responder()
    realm_id = hashlib.blake2b(realm_key, digest_size=32).digest() if realm_key else bytes(32)
    noise.set_prologue(b"kibo-prologue-v1\0" + preface_bytes + realm_id)
    if realm_key:
        noise.set_psks(realm_key)
    noise.set_keypair_from_private_bytes(Keypair.STATIC, static)
    if ephemeral:
        noise.set_keypair_from_private_bytes(Keypair.EPHEMERAL, ephemeral)
    noise.start_handshake()
    return noise


class Channel:
    """A TCP connection after its handshake. Sends and receives records."""

    def __init__(self, connection, identity, static, is_initiator, purpose=SESSION, realm_key=None):
        """Does the handshake; the acceptor learns the purpose from the preface."""
        self.socket = connection
        connection.settimeout(TIMEOUT)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent = self.received = 0
        opening = preface(purpose, realm_key) if is_initiator else self.read_exactly(8)
        if not is_initiator:
            magic, version, purpose, flags, _ = struct.unpack(">4sBBBB", opening)
            require(magic == b"KIBO" and version == 1 and purpose in (SESSION, BULK), f"preface {opening.hex()}")
            require(flags & 1 == (1 if realm_key else 0), "realm flag")
        self.purpose = purpose
        self.noise = noise = start_noise(is_initiator, opening, static, realm_key)
        state = noise.noise_protocol.handshake_state  # It is dropped when the handshake is over.
        own_payload = identity.payload(state.s.public_bytes)
        if is_initiator:
            first = bytes(noise.write_message(b""))
            connection.sendall(opening + struct.pack(">H", len(first)) + first)
            payload = noise.read_message(self.read_handshake_message())
            self.send_handshake_message(noise.write_message(own_payload))
        else:
            noise.read_message(self.read_handshake_message())  # A knock, perhaps: this peer is open to all.
            self.send_handshake_message(noise.write_message(own_payload))
            payload = noise.read_message(self.read_handshake_message())
        self.remote = RemoteIdentity(bytes(payload), state.rs.public_bytes)
        self.remote_static = state.rs.public_bytes
        require(self.remote.device != identity.device, "a channel with oneself")

    @classmethod
    def dial(cls, address, identity, static, purpose=SESSION, realm_key=None):
        """Connects to (host, port)."""
        connection = socket.create_connection(address, timeout=TIMEOUT)
        try:
            return cls(connection, identity, static, True, purpose, realm_key)
        except BaseException:
            connection.close()
            raise

    def read_exactly(self, count):
        """Reads so many bytes, or raises `Ended`."""
        parts = []
        while count > 0:
            try:
                part = self.socket.recv(min(count, 1 << 18))
            except ConnectionResetError as error:
                raise Ended("reset") from error
            if not part:
                raise Ended("the connection ended")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def read_handshake_message(self):
        """u16 length, message."""
        (length,) = struct.unpack(">H", self.read_exactly(2))
        require(length <= 4_096, f"a handshake message of {length} bytes")
        return self.read_exactly(length)

    def send_handshake_message(self, message):
        """u16 length, message."""
        self.socket.sendall(struct.pack(">H", len(message)) + bytes(message))

    def seal(self, plaintext):
        """§5.4: seals one record, counts it, and changes the key when that is due."""
        require(1 <= len(plaintext) <= RECORD_PLAINTEXT, "the size of a record")
        if self.sent and self.sent % RECORDS_PER_KEY == 0:
            self.noise.rekey_outbound_cipher()
        self.sent += 1
        sealed = self.noise.encrypt(plaintext)
        return struct.pack(">H", len(sealed)) + sealed

    def send(self, plaintext, record_size=RECORD_PLAINTEXT):
        """Sends bytes of the stream in as many records as they need."""
        records = [
            self.seal(plaintext[start:start + record_size]) for start in range(0, len(plaintext), record_size)
        ]
        self.socket.sendall(b"".join(records))

    def receive(self):
        """The plaintext of the next record."""
        (length,) = struct.unpack(">H", self.read_exactly(2))
        require(length >= 17, f"a record of {length} bytes")
        if self.received and self.received % RECORDS_PER_KEY == 0:
            self.noise.rekey_inbound_cipher()
        self.received += 1
        return self.noise.decrypt(self.read_exactly(length))

    def is_readable(self, timeout):
        """Whether data or the end comes within so many seconds."""
        return bool(select.select([self.socket], [], [], max(0.0, timeout))[0])

    def close(self):
        """Closes at once."""
        self.socket.close()


# Frames and sessions, §6 to §8


def frame(kind, identifier=ZERO_ID, body=b""):
    """§6: header and body; a body that isn't bytes yet is encoded."""
    data = body if isinstance(body, bytes) else encode(body)
    return struct.pack(">HHI16s", kind, 0, len(data), identifier) + data


class Session:
    """An open session for one thread. Pings are sent and answered while the thread waits for something.

    Durable frames are kept with their ids; the scenario sends their receipts.
    """

    def __init__(self, channel, identity):
        require(channel.purpose == SESSION, "the purpose is not a session")
        self.channel, self.identity = channel, identity
        self.remote = channel.remote
        self.buffer = bytearray()
        self.frames = []  # (kind, id, body) that were not asked for yet.
        self.remote_card = None
        self.last_sent = self.last_received = time.monotonic()
        self.pings = self.pongs = 0
        self.send(CARD, ZERO_ID, identity.card())

    def send(self, kind, identifier=ZERO_ID, body=b"", record_size=RECORD_PLAINTEXT):
        """Sends one frame."""
        self.channel.send(frame(kind, identifier, body), record_size)
        self.last_sent = time.monotonic()

    def send_receipt(self, status, *identifiers):
        """Acknowledges frames."""
        self.send(RECEIPT, ZERO_ID, {1: status, 2: list(identifiers)})

    def send_refusal(self, reason, *identifiers):
        """Refuses frames."""
        self.send(RECEIPT, ZERO_ID, {1: REFUSED, 2: list(identifiers), 3: reason})

    def message(self, text, **fields):
        """The body of a text message; `fields`, by their names below, replace or add some."""
        at = now_ms()
        body = {1: 0, 2: 0, 3: text, 4: at << 16, 5: at}
        keys = {"conversation": 1, "kind": 2, "reply_to": 6, "attachments": 7}
        return body | {keys[name]: value for name, value in fields.items()}

    def durable(self, kind, body):
        """Sends a frame under an id of its own and waits until it is stored."""
        identifier = new_id()
        self.send(kind, identifier, body)
        self.expect_receipt(identifier)

    def edit(self, message, text, at=None):
        """The body of an edit; `at` is its time in milliseconds."""
        at = now_ms() if at is None else at
        return {1: message, 2: text, 3: at << 16, 4: at}

    def reaction(self, message, sign, removed=False, at=None):
        """The body of a reaction."""
        return {1: message, 2: sign, 3: (now_ms() if at is None else at) << 16, 4: removed}

    def expect(self, kind, timeout=TIMEOUT, where=lambda identifier, body: True):
        """The next matching frame of this kind; others stay for later. Raises `Broken` if it doesn't come."""
        deadline = time.monotonic() + timeout
        while True:
            for place, (found, identifier, body) in enumerate(self.frames):
                if found == kind and where(identifier, body):
                    del self.frames[place]
                    return identifier, body
            self.pump(deadline, f"a frame of kind {kind}")

    def expect_receipt(self, identifier, status=STORED):
        """Waits until a receipt names this id; it must have this status. Returns the reason, if any."""
        _, body = self.expect(RECEIPT, where=lambda _, body: identifier in body[2])
        require(body[1] == status, f"the receipt is {body}")
        rest = [other for other in body[2] if other != identifier]
        if rest:
            self.frames.insert(0, (RECEIPT, ZERO_ID, body | {2: rest}))
        return body.get(3)

    def expect_quiet(self, seconds, kinds):
        """Checks that no frame of these kinds comes for a while."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.pump(deadline, None)
        came = [kind for kind, _, _ in self.frames if kind in kinds]
        require(not came, f"frames {came} came, nothing should have")

    def wait_for(self, condition, what, timeout=TIMEOUT):
        """Keeps the session alive until a condition holds, and returns its value."""
        deadline = time.monotonic() + timeout
        while not (value := condition()):
            if time.monotonic() >= deadline:
                raise Broken(f"{what() if callable(what) else what} did not come about in {timeout} s")
            self.pump(min(deadline, time.monotonic() + 0.05), None)
        return value

    def pump(self, deadline, what):
        """Reads one record, or nothing until the deadline, which is an error if `what` names something awaited."""
        now = time.monotonic()
        require(what is None or now < deadline, f"{what} did not come")
        if now - self.last_sent > 3 or now - self.last_received > 3:
            self.send(PING)
            self.last_sent = now
        require(now - self.last_received < 9, "the daemon is silent, it must ping after 3 s")
        if not self.channel.is_readable(min(deadline - now, 1.0)):
            return
        self.buffer += self.channel.receive()
        self.last_received = time.monotonic()
        while len(self.buffer) >= 24:
            kind, _, length, identifier = struct.unpack(">HHI16s", self.buffer[:24])
            require(length <= BODY_LIMIT, f"a body of {length} bytes")
            if len(self.buffer) < 24 + length:
                break
            body = bytes(self.buffer[24:24 + length])
            del self.buffer[:24 + length]
            self.take(kind, identifier, body)

    def take(self, kind, identifier, data):
        """Takes one frame, checked by the table of §6."""
        require((identifier != ZERO_ID) == (kind in DURABLE), f"kind {kind} with id {identifier.hex()}")
        require(self.remote_card or kind in (CARD, PING, PONG, CLOSE), f"kind {kind} before the card")
        if kind == PING:
            require(data == b"", "a ping with a body")
            self.pings += 1
            self.send(PONG)
        elif kind == PONG:
            require(data == b"", "a pong with a body")
            self.pongs += 1
        elif kind == PEERS_REQUEST:
            # §10: nobody is known here.
            self.send(PEERS, ZERO_ID, {1: [], 2: False})
        elif kind == CARD:
            self.remote_card = read_card(data)
            require(self.remote_card[1] == self.remote.account, "another account's card")
            require(read_certificate(self.remote_card[2])[2] == self.remote.device, "another device's card")
        else:
            body = decode(data)
            if kind == RECEIPT:
                require(1 <= len(body[2]) <= 512 and ZERO_ID not in body[2], "ids of a receipt")
                require((body[1] == REFUSED) <= (3 in body), "a refusal without a reason")
            self.frames.append((kind, identifier, body))

    def expect_card(self):
        """Waits for the daemon's card, which must be its first frame."""
        deadline = time.monotonic() + TIMEOUT
        while not self.remote_card:
            self.pump(deadline, "the card")
        return self.remote_card

    def ping(self):
        """Sends a ping and waits for its pong."""
        before, deadline = self.pongs, time.monotonic() + TIMEOUT
        self.send(PING)
        while self.pongs == before:
            self.pump(deadline, "the pong")

    def close(self, reason=0):
        """§8.6: sends a close frame and ends our direction; the daemon must answer nothing more and close."""
        self.send(CLOSE, ZERO_ID, {1: reason, 2: "done"})
        self.channel.socket.shutdown(socket.SHUT_WR)
        self.expect_end()

    def expect_end(self):
        """Waits until the daemon ends the connection."""
        deadline = time.monotonic() + TIMEOUT
        try:
            while True:
                self.pump(deadline, "the end of the connection")
        except (Ended, ConnectionError):
            self.channel.close()
