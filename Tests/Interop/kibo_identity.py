"""Identity on the wire: CBOR, ids, signatures, certificates, cards, announcements.

Written from docs/PROTOCOL.md (whose section numbers these are) and docs/PROTOCOL-DISCOVERY.md alone; no line is shared
with the daemon: CBOR is cbor2, Ed25519 is PyNaCl. It is strict about what it receives, because it stands here for
everybody else's client: whatever the documents say a daemon does, it checks.
"""

import os
import struct
import time
import uuid

import cbor2
import nacl.exceptions
import nacl.signing

HELLO, BEACON, BYE = 1, 2, 3  # Kinds of announcements.


class Broken(Exception):
    """The daemon did what the documents forbid, or not what they promise."""


def require(condition, what):
    """Does what `assert` does, even under -O."""
    if not condition:
        raise Broken(what)


# Conventions, §1 and §2


def now_ms():
    """The wall clock in milliseconds."""
    return time.time_ns() // 1_000_000


def new_id():
    """A UUID of version 7 (RFC 9562): 48 bits of time, the rest random."""
    value = bytearray(now_ms().to_bytes(6, "big") + os.urandom(10))
    value[6] = 0x70 | value[6] & 0x0F
    value[8] = 0x80 | value[8] & 0x3F
    return bytes(value)


def id_text(identifier):
    """A 16-byte id as the control API writes it."""
    return str(uuid.UUID(bytes=identifier))


def encode(value):
    """Encodes CBOR in its deterministic form, which for integer keys is cbor2's "canonical"."""
    return cbor2.dumps(value, canonical=True)


def decode(data):
    """Decodes CBOR, which must be in its deterministic form: encoded again it must give the same bytes."""
    value = cbor2.loads(data)
    require(encode(value) == data, f"not deterministic CBOR: {data.hex()}")
    return value


def sign(key, label, data):
    """An Ed25519 signature over label, zero byte and data."""
    return key.sign(label.encode() + b"\0" + data).signature


def check_signature(public_key, label, data, signature):
    """Checks a signature that `sign` made."""
    try:
        nacl.signing.VerifyKey(public_key).verify(label.encode() + b"\0" + data, signature)
    except nacl.exceptions.BadSignatureError as error:
        raise Broken(f"the signature {label} is wrong") from error


def bech32m(prefix, data):
    """The BIP-350 form of ids, as users see them."""
    alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    bits = int.from_bytes(data, "big") << (-len(data) * 8 % 5)
    count = (len(data) * 8 + 4) // 5
    values = [bits >> 5 * (count - 1 - place) & 31 for place in range(count)]
    check = 1
    spread = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    for value in [*spread, *values, 0, 0, 0, 0, 0, 0]:
        top, check = check >> 25, (check & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate([0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]):
            check ^= generator if top >> bit & 1 else 0
    check ^= 0x2BC830A3
    values += [check >> 5 * (5 - place) & 31 for place in range(6)]
    return prefix + "1" + "".join(alphabet[value] for value in values)


# Certificate, card and identity, §4 and §5.3


def signed(inner, key, label):
    """The wire form of certificates and cards."""
    data = encode(inner)
    return encode({1: data, 2: sign(key, label, data)})


def read_certificate(data):
    """Checks a device certificate and returns its map."""
    require(len(data) <= 1_024, "a certificate is too long")
    outer = decode(data)
    inner = decode(outer[1])
    require(set(inner) == {1, 2, 3, 4}, f"keys of a certificate: {sorted(inner)}")
    require(len(inner[1]) == 32 and len(inner[2]) == 32, "ids of a certificate")
    require(isinstance(inner[3], str) and isinstance(inner[4], int), "name or time of a certificate")
    check_signature(inner[1], "kibo-device-certificate-v1", outer[1], outer[2])
    return inner


def read_card(data):
    """Checks a card and returns its map."""
    require(len(data) <= 8_192, "a card is too long")
    outer = decode(data)
    inner = decode(outer[1])
    certificate = read_certificate(inner[2])
    require(certificate[1] == inner[1], "a card with another account's certificate")
    check_signature(certificate[2], "kibo-card-v1", outer[1], outer[2])
    require(isinstance(inner[3], str) and isinstance(inner[4], str) and isinstance(inner[8], int), "fields of a card")
    return inner


class Identity:
    """An account and device with their keys: what a client keeps, and everything that it shows to others."""

    def __init__(self, display_name, device_name="interop", seeds=(None, None), created=None):
        self.account_key, self.device_key = (
            nacl.signing.SigningKey(seed) if seed else nacl.signing.SigningKey.generate() for seed in seeds
        )
        self.account = bytes(self.account_key.verify_key)
        self.device = bytes(self.device_key.verify_key)
        self.display_name = display_name
        self.status_text = ""
        self.shown = {}  # Fields 5 to 7 of the card, for the peers that may see them.
        self.card_version = 1
        self.listen_port = 0
        self.software = "interop"
        self.capabilities = []
        self.created = created or now_ms()
        self.certificate = signed(
            {1: self.account, 2: self.device, 3: device_name, 4: self.created},
            self.account_key, "kibo-device-certificate-v1")

    @property
    def account_text(self):
        """The account id as the control API writes it."""
        return bech32m("kibo", self.account)

    def card(self):
        """§4: the card in its wire form."""
        inner = {
            1: self.account, 2: self.certificate, 3: self.display_name, 4: self.status_text, 8: self.card_version,
        } | self.shown
        return signed(inner, self.device_key, "kibo-card-v1")

    def static_signature(self, static_public, not_after):
        """§5.3, field 3."""
        return sign(self.device_key, "kibo-noise-static-v1", static_public + struct.pack(">Q", not_after))

    def payload(self, static_public, not_after=None):
        """§5.3: the payload of handshake messages 2 and 3."""
        not_after = not_after or now_ms() + 30 * 86_400_000
        return encode({
            1: self.account, 2: self.certificate, 3: self.static_signature(static_public, not_after), 4: not_after,
            5: self.listen_port, 6: self.capabilities, 7: self.software,
        })


class RemoteIdentity:
    """The identity of the other end, checked as §5.3 demands."""

    def __init__(self, payload, static_public):
        fields = decode(payload)
        certificate = read_certificate(fields[2])
        require(certificate[1] == fields[1], "the certificate is of another account")
        check_signature(
            certificate[2], "kibo-noise-static-v1", static_public + struct.pack(">Q", fields[4]), fields[3])
        require(fields[4] > now_ms(), "the static key's signature is past its time")
        require(0 <= fields[5] <= 65_535, "listen port")
        self.account, self.device = certificate[1], certificate[2]
        self.device_name = certificate[3]
        self.listen_port = fields[5]
        self.capabilities = fields.get(6, [])
        self.software = fields.get(7, "")


# Discovery, PROTOCOL-DISCOVERY.md


def datagram(identity, kind, incarnation, sequence, port, realm_tag=bytes(8)):
    """140 bytes, signed by the device."""
    body = struct.pack(
        ">4sBBBB32sIIHH16s8s", b"KIBD", 1, kind, 0, 0, identity.device, incarnation, sequence, port, 0, bytes(16),
        realm_tag)
    return body + sign(identity.device_key, "kibo-datagram-v1", body)


class Datagram:
    """A received datagram, checked."""

    def __init__(self, data):
        require(140 <= len(data) <= 400, f"a datagram of {len(data)} bytes")
        (
            magic, version, self.kind, _, _, self.device, self.incarnation, self.sequence, self.port, _, _,
            self.realm_tag,
        ) = struct.unpack(">4sBBBB32sIIHH16s8s", data[:76])
        require(magic == b"KIBD" and version == 1, "magic and version of a datagram")
        require(1 <= self.kind <= 6 and self.port != 0, "kind and port of a datagram")
        check_signature(self.device, "kibo-datagram-v1", data[:-64], data[-64:])
