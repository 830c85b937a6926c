"""Couriers in Python, written from docs/PROTOCOL-COURIERS.md alone: mail notes, sealed parcels, and what is said of
them.

Noise is PyPI's noiseprotocol, XChaCha20-Poly1305 PyNaCl. A scenario deposits a parcel with `deposit`, and takes one
that a courier brings with `take_parcel`.
"""

import hashlib
import os
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt, crypto_aead_xchacha20poly1305_ietf_encrypt
from nacl.exceptions import CryptoError
from noise.connection import Keypair, NoiseConnection

from kibo_files import CHUNK, file_root, manifest_pages, tree
from kibo_identity import check_signature, decode, encode, new_id, now_ms, read_certificate, require, sign
from kibo_peer import (
    DELETION, EDIT, FILE_STATUS, GROUP_CHANGE, GROUP_ENTRY, GROUP_SEEN, HAD, MAIL_NOTE, MESSAGE, PARCEL, REACTION, SEEN,
    STORED, ZERO_ID,
)

CAPABILITY = "courier-1"
HANDED_OVER, EXPIRED, DROPPED, NOT_NEEDED, FILE_TAKEN, FILE_LEFT_OUT = range(1, 7)  # News.
KINDS = {MESSAGE, EDIT, DELETION, REACTION, SEEN, GROUP_CHANGE, GROUP_ENTRY, GROUP_SEEN, FILE_STATUS, HAD}
SHORTEST, LONGEST, TAG, WRAP = 1 << 10, 512 << 10, 16, 128
NONCE = bytes(24)


class Unopened(Exception):
    """A parcel doesn't open; its text is the reason of the refusal."""


class Mailbox:
    """A device's mail key, and the note that tells of it."""

    def __init__(self, identity, secret=None, made=None, couriers=(), days=0):
        self.identity = identity
        self.secret = secret or os.urandom(32)
        self.key = X25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()
        self.made = now_ms() if made is None else made
        inner = encode({
            1: identity.account, 2: identity.certificate, 3: self.key, 4: self.made, 5: list(couriers), 6: days})
        self.note = encode({1: inner, 2: sign(identity.device_key, "kibo-mail-note-v1", inner)})

    def tell(self, session):
        """Tells the friend at the other end the note."""
        session.send(MAIL_NOTE, ZERO_ID, self.note)


class Note:
    """The mail note of another device, checked."""

    def __init__(self, data):
        require(len(data) <= 2_048, "a mail note is too long")
        outer = decode(data)
        inner = decode(outer[1])
        certificate = read_certificate(inner[2])
        require(certificate[1] == inner[1], "a mail note with another account's certificate")
        check_signature(certificate[2], "kibo-mail-note-v1", outer[1], outer[2])
        self.account, self.device, self.key, self.made = inner[1], certificate[2], inner[3], inner[4]
        self.couriers, self.days = inner.get(5, []), inner[6]
        require(len(self.key) == 32 and 0 <= self.made < 1 << 63, "key and time of a mail note")
        different = set(self.couriers) - {self.account}
        require(len(self.couriers) == len(different) <= 4, "couriers of a mail note")
        require(all(len(courier) == 32 for courier in self.couriers), "couriers of a mail note")
        require(0 <= self.days <= 21, "days of a mail note")


def expect_note(session):
    """The next note that the other end tells of itself."""
    _, body = session.expect(MAIL_NOTE)
    note = Note(encode(body))
    require(note.account == session.remote.account and note.device == session.remote.device, "another device's note")
    return note


# The seal


def prologue(parcel, maker, recipient, device, made, text):
    """What a wrap is bound to."""
    return b"kibo-parcel-wrap-v1\0" + parcel + maker + recipient + device + struct.pack(">Q", made) + hashlib.blake2b(
        text, digest_size=32).digest()


def start_noise(is_initiator, bound_to, static, remote=None, ephemeral=None):
    """One side of Noise_X."""
    noise = NoiseConnection.from_name(b"Noise_X_25519_ChaChaPoly_BLAKE2b")
    if is_initiator:
        noise.set_as_initiator()
        noise.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, remote)
    else:
        noise.set_as_responder()
    noise.set_prologue(bound_to)
    noise.set_keypair_from_private_bytes(Keypair.STATIC, static)
    if ephemeral:
        noise.set_keypair_from_private_bytes(Keypair.EPHEMERAL, ephemeral)
    noise.start_handshake()
    return noise


def pad(content):
    """The length, the content, and zeros up to a power of two."""
    size = SHORTEST
    while size < len(content) + 4:
        size *= 2
    require(size <= LONGEST, "a parcel is too long")
    return (struct.pack(">I", len(content)) + content).ljust(size, b"\0")


def seal_parcel(box, notes, parcel, frames, time=None, key=None, ephemeral=None, files=()):
    """Seals frames, each (kind, id, body), for the devices of these notes, which are one account's, and what is said of
    sealed files. `key` and `ephemeral` are fixed for vectors only."""
    maker, recipient, key = box.identity.account, notes[0].account, key or os.urandom(32)
    content = encode({
        1: [[kind, identifier, body if isinstance(body, bytes) else encode(body)] for kind, identifier, body in frames],
        2: box.note, 3: now_ms() if time is None else time,
    } | ({4: list(files)} if files else {}))
    text = crypto_aead_xchacha20poly1305_ietf_encrypt(
        pad(content), b"kibo-parcel-v1\0" + parcel + maker + recipient, NONCE, key)
    wraps = []
    for note in notes:
        bound_to = prologue(parcel, maker, recipient, note.device, note.made, text)
        noise = start_noise(True, bound_to, box.secret, note.key, ephemeral)
        wraps.append([note.device, note.made, bytes(noise.write_message(key))])
    return encode({1: wraps, 2: text})


def open_parcel(box, parcel, maker, sealed):
    """Opens a parcel for this mailbox's device: its frames, each (kind, id, body), its maker's note, and what it says of
    files. Raises `Unopened`, with `not_found` where the mail key is missing, else `Broken`."""
    fields = decode(sealed)
    require(1 <= len(fields[1]) <= 16, "wraps of a parcel")
    text, recipient = fields[2], box.identity.account
    require(SHORTEST <= len(text) - TAG <= LONGEST, "the length of a text")
    wraps = [wrap for wrap in fields[1] if wrap[0] == box.identity.device]
    if not wraps or wraps[0][1] != box.made:
        raise Unopened("not_found")
    device, made, wrap = wraps[0]
    require(len(wrap) == WRAP, "the length of a wrap")
    noise = start_noise(False, prologue(parcel, maker, recipient, device, made, text), box.secret)
    state = noise.noise_protocol.handshake_state  # It is dropped when the handshake is over.
    try:
        key = bytes(noise.read_message(wrap))
        plain = crypto_aead_xchacha20poly1305_ietf_decrypt(
            text, b"kibo-parcel-v1\0" + parcel + maker + recipient, NONCE, key)
    except (InvalidTag, CryptoError) as error:
        raise Unopened("invalid") from error
    (length,) = struct.unpack(">I", plain[:4])
    require(length <= len(plain) - 4 and not any(plain[4 + length:]), "the padding of a parcel")
    require(len(plain) & len(plain) - 1 == 0, "a sender pads to a power of two")
    content = decode(plain[4:4 + length])
    frames = [(kind, identifier, body) for kind, identifier, body in content[1]]
    identifiers = {identifier for _, identifier, _ in frames}
    require(1 <= len(frames) <= 256 and len(identifiers) == len(frames), "frames of a parcel")
    require(ZERO_ID not in identifiers and all(kind in KINDS for kind, _, _ in frames), "frames of a parcel")
    note = Note(content[2])
    require(note.account == maker and note.key == state.rs.public_bytes, "another account's key has sealed it")
    files = content.get(4, [])
    require(len(files) <= 16 and all(set(file) == set(range(1, 8)) for file in files), "files of a parcel")
    return frames, note, files


# Files


def hchacha20(key):
    """The key under which XChaCha20 with a nonce of zeros is ChaCha20."""
    state = list(struct.unpack("<16I", b"expand 32-byte k" + key + bytes(16)))

    def quarter(a, b, c, d):
        for left, right, other, shift in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[left] = state[left] + state[right] & 0xFFFFFFFF
            mixed = state[other] ^ state[left]
            state[other] = (mixed << shift | mixed >> 32 - shift) & 0xFFFFFFFF

    for _ in range(10):
        for column in range(4):
            quarter(column, 4 + column, 8 + column, 12 + column)
        for row in range(4):
            quarter(row, 4 + (row + 1) % 4, 8 + (row + 2) % 4, 12 + (row + 3) % 4)
    return struct.pack("<8I", *state[:4], *state[12:])


def seal_file(data, key, chunk=0):
    """Seals what begins at a chunk of a file, or opens it."""
    nonce = struct.pack("<Q", chunk * (CHUNK // 64)) + bytes(8)
    return Cipher(ChaCha20(hchacha20(key), nonce), None).encryptor().update(data)


def sealed_root(sealed):
    """The root of a sealed file."""
    leaves = [tree(b"chunk", sealed[at:at + CHUNK]) for at in range(0, max(1, len(sealed)), CHUNK)]
    return file_root(manifest_pages([[0, "", 0, len(sealed), 0o600, 0]]), leaves)


def sealed_file(transfer, file, root, key, size, modified, mode):
    """What a parcel says of a file to its recipient."""
    return {1: transfer, 2: file, 3: root, 4: key, 5: size, 6: modified, 7: mode}


def parcel_file(file, root, size):
    """What it says of it to the courier."""
    return {1: file, 2: root, 3: size}


# What is said in a session


def parcel_body(maker, recipient, days, sealed, files=()):
    """The body of a parcel."""
    return {1: 1, 2: maker, 3: recipient, 4: days, 5: sealed} | ({6: list(files)} if files else {})


def deposit(session, box, notes, frames, days=14, files=()):
    """Leaves frames with the courier at the other end, tells it of files, waits until it has stored them, and returns the
    parcel's id."""
    parcel = new_id()
    sealed = seal_parcel(box, notes, parcel, frames)
    session.send(PARCEL, parcel, parcel_body(box.identity.account, notes[0].account, days, sealed, files))
    session.expect_receipt(parcel)
    return parcel


def take_parcel(session, box):
    """Takes the next parcel that the other end brings, and opens it: its id, frames, maker's note, and files."""
    parcel, body = session.expect(PARCEL)
    require(body[1] == 1 and body[3] == box.identity.account and 1 <= body[4] <= 21, "a parcel for somebody else")
    frames, note, files = open_parcel(box, parcel, body[2], body[5])
    told = [[file[1], file[2], file[3]] for file in body.get(6, [])]
    require(told == [[file[2], file[3], file[5]] for file in files], "the courier is told of the same files")
    session.send_receipt(STORED, parcel)
    return parcel, frames, note, files


def had(stored, refused=(), files=()):
    """The body of an answer; `refused` has pairs of id and reason, `files` ids of transfers."""
    return {1: list(stored)} | ({2: [list(pair) for pair in refused]} if refused else {}) | (
        {3: list(files)} if files else {})
