#!/usr/bin/env python3
"""Makes the vectors of Tests/CryptoTests with PyPI's noiseprotocol, an implementation that shares no code with ours.

    python3 -m venv venv && venv/bin/pip install noiseprotocol==0.3.1
    venv/bin/python Tests/Interop/make_noise_vectors.py noise > Tests/CryptoTests/NoiseVectors.swift
    venv/bin/python Tests/Interop/make_noise_vectors.py hashes > Tests/CryptoTests/CipherVectors.swift

The keys are SHA-256 of labels, so that the output is the same each time. The cases called "published" use the inputs of
the vectors that github.com/flynn/noise publishes (vectors.txt at commit 4d9f71cd4ba1): keys that count up, and
`test_msg_0` and so on as payloads. Their messages are the published ones, byte for byte.
"""

import hashlib
import hmac
import sys
import warnings

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from noise.connection import Keypair, NoiseConnection

warnings.simplefilter("ignore")  # It warns of fixed ephemeral keys, but vectors need them.

COUNTING = {"i static": 0, "r static": 1, "i ephemeral": 32, "r ephemeral": 65}


def key(label):
    if label.startswith("published"):
        if label.endswith("psk"):
            return b"!" + b"verysecret" * 3 + b"!"
        start = next(start for end, start in COUNTING.items() if label.endswith(end))
        return bytes(range(start, start + 32))
    return hashlib.sha256(b"kibo noise vector: " + label.encode()).digest()


def filler(count):
    return bytes(index * 7 % 251 for index in range(count))


CASES = [
    ("small", False, b"kibo-prologue-v1\x00", [b"", b"responder", b"initiator"]),
    ("first payload in the open", False, filler(40), [b"hello", filler(45), filler(33)]),
    ("published", False, b"", [b"test_msg_0", b"test_msg_1", b"test_msg_2"]),
    ("published empty", False, b"", [b"", b"", b""]),
    ("published with key", True, b"", [b"test_msg_0", b"test_msg_1", b"test_msg_2"]),
    ("published empty with key", True, b"", [b"", b"", b""]),
    ("psk small", True, b"kibo-prologue-v1\x00", [b"", b"responder", b"initiator"]),
    ("psk first payload", True, filler(40), [b"hello", filler(45), filler(33)]),
]
# The sender and the text; `None` is a rekey of that direction.
TRANSPORT = [
    ("i", b"one"), ("r", b"two"), ("i", b""), ("r", filler(40)), ("i", None), ("i", b"after rekey"),
    ("r", b"not rekeyed yet"), ("r", None), ("r", b"rekeyed"), ("i", None), ("i", b"twice"),
]


PUBLISHED_TRANSPORT = [("i", b"yellowsubmarine"), ("r", b"submarineyellow")]


def connection(case, role, psk, prologue):
    noise = NoiseConnection.from_name(
        b"Noise_XX" + (b"psk0" if psk else b"") + b"_25519_ChaChaPoly_BLAKE2b")
    noise.set_as_initiator() if role == "i" else noise.set_as_responder()
    noise.set_prologue(prologue)
    if psk:
        noise.set_psks(key(case + " psk"))
    noise.set_keypair_from_private_bytes(Keypair.STATIC, key(f"{case} {role} static"))
    noise.set_keypair_from_private_bytes(Keypair.EPHEMERAL, key(f"{case} {role} ephemeral"))
    noise.start_handshake()
    return noise


def string(data):
    """A Swift literal, over several lines if it is long."""
    text = data.hex()
    if len(text) <= 90:
        return f'"{text}"'
    lines = [f'"{text[start:start + 90]}"' for start in range(0, len(text), 90)]
    return ("\n" + " " * 16 + "+ ").join(lines)


def handshake_case(name, psk, prologue, payloads):
    sides = {role: connection(name, role, psk, prologue) for role in "ir"}
    out = [
        "        NoiseVector(", f'            name: "{name}",', f"            prologue: {string(prologue)},",
        f"            presharedKey: {string(key(name + ' psk')) if psk else 'nil'},",
    ]
    for field, role, kind in [
        ("initiatorStatic", "i", "static"), ("initiatorEphemeral", "i", "ephemeral"),
        ("responderStatic", "r", "static"), ("responderEphemeral", "r", "ephemeral"),
    ]:
        out.append(f"            {field}: {string(key(f'{name} {role} {kind}'))},")
    out.append("            handshake: [")
    for sender, receiver, payload in zip("iri", "rir", payloads):
        message = bytes(sides[sender].write_message(payload))
        assert bytes(sides[receiver].read_message(message)) == payload
        out.append(f"                ({string(payload)},\n                {string(message)}),")
    digest = sides["i"].get_handshake_hash()
    assert digest == sides["r"].get_handshake_hash()
    out += ["            ],", f"            handshakeHash: {string(digest)},", "            transport: ["]
    for sender, payload in PUBLISHED_TRANSPORT if name.startswith("published") else TRANSPORT:
        other = "r" if sender == "i" else "i"
        place = ".initiator" if sender == "i" else ".responder"
        if payload is None:
            sides[sender].rekey_outbound_cipher()
            sides[other].rekey_inbound_cipher()
            out.append(f"                .rekey({place}),")
            continue
        message = bytes(sides[sender].encrypt(payload))
        assert sides[other].decrypt(message) == payload
        out.append(f"                .message({place}, {string(payload)},\n                {string(message)}),")
    return "\n".join(out + ["            ]),"])


def bulk_case(kind, count, counter, associated):
    cipher = (ChaCha20Poly1305 if kind == "chacha20Poly1305" else AESGCM)(hashlib.sha256(b"kibo bulk vector").digest())
    sealed = cipher.encrypt(bytes(4) + counter.to_bytes(8, "big"), filler(count), filler(associated))
    digest = hashlib.blake2b(sealed, digest_size=32).digest()
    return (
        f"        (.{kind}, count: {count}, counter: {counter}, associatedBytes: {associated},\n"
        f"            digest: {string(digest)}),"
    )


def hmac_case(key_bytes, count):
    code = hmac.new(filler(key_bytes), filler(count), hashlib.blake2b).digest()
    return f"        (keyBytes: {key_bytes}, messageBytes: {count},\n            code: {string(code)}),"


def hkdf_case(salt_bytes, input_bytes, info_bytes, count):
    extracted = hmac.new(filler(salt_bytes), filler(input_bytes), hashlib.blake2b).digest()
    block, output, number = b"", b"", 1
    while len(output) < count:
        block = hmac.new(extracted, block + filler(info_bytes) + bytes([number]), hashlib.blake2b).digest()
        output, number = output + block, number + 1
    return (
        f"        (saltBytes: {salt_bytes}, inputBytes: {input_bytes}, infoBytes: {info_bytes},\n"
        f"            output: {string(output[:count])}),"
    )


HEADER = """\
// Made by Tests/Interop/make_noise_vectors.py with noiseprotocol 0.3.1 and hashlib; don't edit.
// swift-format-ignore-file
"""

NOISE_HEAD = """
import Crypto
import Testing

/// A whole conversation with fixed keys; all strings are hexadecimal.
struct NoiseVector: Sendable, CustomTestStringConvertible {
    enum Transport: Sendable {
        case message(NoiseHandshake.Role, String, String)
        case rekey(NoiseHandshake.Role)
    }

    let name: String
    let prologue: String
    let presharedKey: String?
    let initiatorStatic: String
    let initiatorEphemeral: String
    let responderStatic: String
    let responderEphemeral: String
    /// Payload and message.
    let handshake: [(String, String)]
    let handshakeHash: String
    let transport: [Transport]

    var testDescription: String { name }

    static let all: [NoiseVector] = ["""

BULK_HEAD = f"""
import Crypto

/// What the generator calls by the same name.
func filler(_ count: Int) -> [UInt8] {{ (0..<count).map {{ UInt8($0 * 7 % 251) }} }}

/// Bulk records: text and associated data are ``filler(_:)`` of so many bytes.
enum BulkVectors {{
    static let key = {string(hashlib.sha256(b"kibo bulk vector").digest())}

    /// The digest is BLAKE2b-256 of sealed text and tag.
    static let all: [(kind: BulkCipher.Kind, count: Int, counter: UInt64, associatedBytes: Int, digest: String)] = ["""

HASH_HEAD = """    ]
}

/// HMAC-BLAKE2b and HKDF: keys, messages and so on are ``filler(_:)`` of so many bytes.
enum HashVectors {
    static let hmac: [(keyBytes: Int, messageBytes: Int, code: String)] = ["""

HKDF_HEAD = """    ]

    static let hkdf: [(saltBytes: Int, inputBytes: Int, infoBytes: Int, output: String)] = ["""

END = """    ]
}"""

BULK_CASES = [
    (0, 0, 0), (0, 1, 32), (1, 255, 0), (16, 256, 1), (127, 65_536, 32), (128, 3, 0), (129, 4, 13), (4_096, 5, 32),
    (65_541, 0xABCDEF, 32), (1_048_592, 7, 32),
]
HMAC_CASES = [(0, 0), (1, 1), (32, 100), (64, 0), (127, 128), (128, 129), (129, 1), (300, 1000)]
HKDF_CASES = [(64, 32, 0, 128), (64, 32, 0, 192), (64, 0, 0, 128), (0, 22, 10, 42), (200, 80, 80, 82)]

print(HEADER, end="")
if sys.argv[1:] == ["noise"]:
    print("\n".join([NOISE_HEAD, *(handshake_case(*case) for case in CASES), END]))
elif sys.argv[1:] == ["hashes"]:
    bulk = [bulk_case(kind, *case) for kind in ["chacha20Poly1305", "aes256GCM"] for case in BULK_CASES]
    hmacs = [hmac_case(*case) for case in HMAC_CASES]
    hkdfs = [hkdf_case(*case) for case in HKDF_CASES]
    print("\n".join([BULK_HEAD, *bulk, HASH_HEAD, *hmacs, HKDF_HEAD, *hkdfs, END]))
else:
    sys.exit("which vectors: noise or hashes?")
