#!/usr/bin/env python3
"""Computes the vectors of the protocol documents again, from their text, with libraries of PyPI.

    check_vectors.py docs/

The daemon's own tests do the same with the daemon's code. If both agree, the documents describe what the daemon does.
"""

import hashlib
import pathlib
import re
import struct
import sys
import warnings

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt

from group_rules import check_case
from kibo_files import (
    DATA, LAST_CHUNK, SKIPPED, Cipher, checksum, file_root, header, manifest_digest, manifest_pages, tree,
)
from call_vectors import call_vectors
from courier_vectors import check_parcel, courier_vectors
from kibo_backup import check_backup
from kibo_identity import BYE, HELLO, Datagram, Identity, datagram, encode, read_card, read_certificate, sign
from kibo_peer import (
    ANSWER, AVATAR, AVATAR_REQUEST, BULK, CARD, CLOSE, DELETION, EDIT, FILE_STATUS, MESSAGE, PING, PONG, PRESENCE, REACH, REACH_REQUEST, REACTION, RECEIPT,
    REMOVAL, REQUEST, SEEN, SESSION, TYPING, Channel, frame, preface, start_noise,
)

TIME = 1_720_000_000_000
NOT_AFTER = 1_722_592_000_000
warnings.simplefilter("ignore")  # noiseprotocol warns of fixed ephemeral keys, but vectors need them.
found = {}
checked = set()


def check(name, computed):
    """Compares one vector with the computed one."""
    if found[name] != bytes(computed):
        sys.exit(f"{name}\n  in the document: {found[name].hex()}\n  computed:        {bytes(computed).hex()}")
    checked.add(name)


def frame_id(last):
    """A frame id of the vectors, by its last byte."""
    return bytes.fromhex("019076100000700080000000000000") + bytes([last])


def person(first, name, device_name, port):
    """The identity of Alice or Bob."""
    identity = Identity(name, device_name, (bytes([first]) * 32, bytes([first + 1]) * 32), TIME)
    identity.listen_port, identity.software = port, "example 1.0"
    return identity


class Wire(Channel):
    """Records without a socket."""

    def __init__(self, noise):  # pylint: disable=super-init-not-called
        self.noise, self.sent, self.received = noise, 0, 0


def channel_vectors(alice, bob):
    """Checks the vectors of handshake and records."""
    opening = preface(SESSION)
    check("preface", opening)
    sides = [
        start_noise(is_first, opening, bytes([first + 2]) * 32, None, bytes([first + 3]) * 32)
        for is_first, first in [(True, 0x01), (False, 0x11)]
    ]
    statics = [side.noise_protocol.handshake_state.s.public_bytes for side in sides]
    check("alice-static", statics[0])
    check("alice-static-signature", alice.static_signature(statics[0], NOT_AFTER))
    payloads = [b"", bob.payload(statics[1], NOT_AFTER), alice.payload(statics[0], NOT_AFTER)]
    for number, payload in enumerate(payloads):
        writer, reader = sides if number != 1 else sides[::-1]
        message = bytes(writer.write_message(payload))
        check(f"message-{number + 1}", len(message).to_bytes(2, "big") + message)
        if bytes(reader.read_message(message)) != payload:
            sys.exit("the handshake with oneself fails")
    check("handshake-hash", sides[0].get_handshake_hash())
    ours, theirs = (Wire(side) for side in sides)
    check("alice-record-0", ours.seal(frame(PING)))
    check("bob-record-0", theirs.seal(frame(PONG)))
    for _ in range(65_536):
        record = ours.seal(b"x")
    check("alice-record-65536", record)
    realm_key = b"\x55" * 32
    check("realm-id", hashlib.blake2b(realm_key, digest_size=32).digest())
    opening = preface(BULK, realm_key)
    message = bytes(start_noise(True, opening, b"\x03" * 32, realm_key, b"\x04" * 32).write_message(b""))
    check("realm-opening", opening + len(message).to_bytes(2, "big") + message)


def frame_vectors(alice):
    """Checks the vectors of all frames."""
    check("frame-ping", frame(PING))
    check("frame-card", frame(CARD, body=alice.card()))
    check("frame-close", frame(CLOSE, body={1: 0, 2: "bye"}))
    check("frame-receipt-stored", frame(RECEIPT, body={1: 1, 2: [frame_id(1), frame_id(2)]}))
    refusal = {1: 3, 2: [frame_id(3)], 3: "too_large", 4: "text: at most 65536"}
    check("frame-receipt-refused", frame(RECEIPT, body=refusal))
    check("frame-contact-request", frame(REQUEST, frame_id(4), {1: "It's me"}))
    check("frame-contact-answer", frame(ANSWER, frame_id(5), {1: True, 2: frame_id(4)}))
    check("frame-contact-removal", frame(REMOVAL, frame_id(6), {}))
    face = b"not a face!"
    digest = hashlib.blake2b(face, digest_size=32).digest()
    alice.card_version, alice.shown = 2, {5: digest, 6: "alice@example.org", 7: "+4930123456"}
    check("frame-card-friend", frame(CARD, body=alice.card()))
    alice.card_version, alice.shown = 1, {}
    check("frame-avatar-request", frame(AVATAR_REQUEST, body={1: digest}))
    check("frame-avatar", frame(AVATAR, body={1: digest, 2: face}))
    check("frame-avatar-none", frame(AVATAR, body={1: digest}))
    check("frame-presence-away", frame(PRESENCE, body={1: 1}))
    check("frame-presence-online", frame(PRESENCE, body={1: 0}))
    check("frame-reach-request", frame(REACH_REQUEST, body={1: 7}))
    reached = {1: 7, 2: 0, 3: 1_720_000_000_000, 4: "192.0.2.1:15426"}
    check("frame-reach", frame(REACH, body=reached))
    check("frame-reach-failed", frame(REACH, body={**reached, 2: 1, 5: "timed out"}))
    check("frame-typing", frame(TYPING, body={1: True, 2: 0}))
    clock = TIME << 16 | 1
    text = {1: 0, 2: 0, 3: "Hello, Bob", 4: clock, 5: TIME, 6: frame_id(1)}
    check("frame-message", frame(MESSAGE, frame_id(7), text))
    attachment = {1: frame_id(9), 2: "plan.pdf", 3: 123_456, 4: 1, 5: "application/pdf", 6: 1}
    check("frame-message-file", frame(
        MESSAGE, frame_id(8), {1: 0, 2: 1, 3: "", 4: clock, 5: TIME, 7: [attachment]}))
    program = {1: frame_id(17), 2: "tools.zip", 3: 4096, 4: 0, 5: "application/zip", 6: 1, 11: ["zip"]}
    check("frame-message-unlisted", frame(
        MESSAGE, frame_id(18), {1: 0, 2: 1, 3: "", 4: clock, 5: TIME, 7: [program]}))
    stays = {1: 0, 2: 2, 3: TIME, 4: 0}
    check("frame-message-call", frame(MESSAGE, frame_id(32), {1: 0, 2: 2, 3: "", 4: clock, 5: TIME, 8: stays}))
    edited_at = TIME + 60_000
    check("frame-edit", frame(
        EDIT, frame_id(12), {1: frame_id(7), 2: "Hello, dear Bob", 3: edited_at << 16, 4: edited_at}))
    check("frame-deletion", frame(DELETION, frame_id(13), {1: frame_id(8), 2: clock, 3: TIME}))
    reaction = {1: frame_id(7), 2: "\N{THUMBS UP SIGN}", 3: (TIME + 120_000) << 16 | 3, 4: False}
    check("frame-reaction", frame(REACTION, frame_id(14), reaction))
    check("frame-reaction-removed", frame(REACTION, frame_id(15), reaction | {3: (TIME + 180_000) << 16, 4: True}))
    check("frame-seen", frame(SEEN, frame_id(16), {1: [frame_id(7), frame_id(8)]}))
    check("frame-file-status", frame(FILE_STATUS, frame_id(10), {1: frame_id(9), 2: 1}))
    check("frame-file-status-held", frame(
        FILE_STATUS, frame_id(19), {1: frame_id(17), 2: 8, 3: "type_not_allowed", 4: "type zip"}))
    check("frame-file-status-failed", frame(FILE_STATUS, frame_id(11), {1: frame_id(9), 2: 5, 3: "no_space"}))


def people_vectors():
    """Checks the vectors of keys and certificates, and returns Alice and Bob."""
    alice, bob = person(0x01, "Alice", "anvil", 15_426), person(0x11, "Bob", "bell", 15_427)
    alice.status_text = "At sea"
    check("alice-account", alice.account)
    check("alice-account-text", alice.account_text.encode())
    check("alice-device", alice.device)
    check("bob-account", bob.account)
    check("bob-device", bob.device)
    check("alice-certificate", alice.certificate)
    check("bob-certificate", bob.certificate)
    read_certificate(alice.certificate)
    read_card(alice.card())
    return alice, bob


def safety_half(account):
    """The thirty digits of one account."""
    rounds = b"kibo-safety-number-v1\0" + account
    for _ in range(5200):
        rounds = hashlib.blake2b(rounds + account, digest_size=64).digest()
    return "".join(f"{int.from_bytes(rounds[at:at + 5], 'big') % 100_000:05}" for at in range(0, 30, 5))


def safety_vectors():
    """Checks the safety number that Alice and Bob compare."""
    halves = sorted(safety_half(found[name]) for name in ("alice-account", "bob-account"))
    check("safety-number", "".join(halves).encode())


def discovery_vectors():
    """Checks the vectors of datagrams, which use a separate device."""
    sender = Identity("x", seeds=(b"\x09" * 32, b"\x01" * 32))
    check("device", sender.device)
    check("hello", datagram(sender, HELLO, 7, 258, 4660))
    realm_id = hashlib.blake2b(b"\x02" * 32, digest_size=32).digest()
    check("realm-id", realm_id)
    tag = hashlib.blake2b(b"kibo-realm-tag-v1\0" + realm_id, digest_size=32).digest()[:8]
    check("realm-tag", tag)
    check("bye", datagram(sender, BYE, 7, 259, 4660, tag))
    Datagram(found["bye"])
    veil_vectors(sender)


def keyed(key, label, data, size=32):
    """BLAKE2b with a key, over a label and data."""
    return hashlib.blake2b(label.encode() + b"\0" + data, digest_size=size, key=key).digest()


def veil_vectors(sender):
    """Checks the vectors of veiled datagrams, which need a key, and of the knock."""
    seed, epoch = b"\x01" * 32, struct.pack(">Q", 2_983_333)
    day = struct.pack(">Q", 20_717)
    shared = keyed(seed, "kibo-discovery-key-v1", struct.pack(">I", 1))
    pair = keyed(seed, "kibo-pair-key-v1", b"\x03" * 32)
    check("shared-key", shared)
    check("pair-key", pair)
    tag = keyed(shared, "kibo-veil-tag-v1", epoch, 16)
    check("veil-tag", tag)
    fields = datagram(sender, HELLO, 7, 258, 4660)[:-64]
    inner = fields + sign(sender.device_key, "kibo-veiled-datagram-v1", epoch + fields)
    plain = (struct.pack(">H", len(inner)) + inner).ljust(192, b"\0")
    nonce = b"\x05" * 24
    head = b"KIBD\x02\0\0\0" + tag + nonce
    key = keyed(shared, "kibo-veil-key-v1", epoch)
    check("veiled", head + crypto_aead_xchacha20poly1305_ietf_encrypt(plain, head, nonce, key))
    prologue = b"kibo-prologue-v1\0" + preface(SESSION) + bytes(32)
    check(
        "knock", keyed(pair, "kibo-knock-tag-v1", day, 16)
        + keyed(pair, "kibo-knock-v1", day + b"\x06" * 32 + prologue, 16))


def file_vectors():
    """Checks the vectors of a transfer: messages, manifest, checksums and records."""
    transfer, key = bytes.fromhex("01900000000070008000000000000001"), bytes(range(32))
    entries = [
        [0, "", 1, 0, 0o755, 1_700_000_000_000_000_000], [0, "a.txt", 0, 3, 0o644, -1], [0, "sub", 1, 0, 0o700, 0],
        [2, "é", 0, 1_048_577, 0o600, 1],
    ]
    check("manifest page", manifest_pages(entries)[0])
    digest = manifest_digest(entries)
    check("manifest digest", digest)
    check("call", encode({0: 0, 1: 1, 2: transfer}))
    check("open", encode({0: 1, 1: 1, 2: transfer, 3: [2, 1]}))
    check("open with digest", encode({0: 1, 1: 1, 2: transfer, 3: [1], 4: digest}))
    check("accept", encode({0: 2, 1: 1, 2: key, 3: True}))
    check("reject", encode({0: 3, 1: "source_changed", 2: ""}))
    check("want 0..<3 and 5..<70000", encode({0: 4, 1: [0, 3, 5, 69_995], 2: True}))
    check("credit 8 MiB", encode({0: 5, 1: 8 << 20}))
    check("done", encode({0: 6}))
    check("failed", encode({0: 7, 1: "no_space", 2: "disk"}))
    check("refused", encode({0: 8, 1: [[1, "type_not_allowed"], [70_000, "too_large"]]}))
    skipped = encode({1: "not_found", 2: "open: No such file or directory"})
    check("text of skipped", skipped)
    check("header of skipped", header(len(skipped) + 16, SKIPPED, file=1))
    check("checksum of abc", checksum(b"abc"))
    check("checksum of an empty chunk", checksum(b""))
    check("checksum of 1 MiB of zeros", checksum(bytes(1 << 20)))
    check("checksum of the file abc", checksum(checksum(b"abc")))
    text = b"abc" + checksum(b"abc")
    head = header(len(text) + 16, DATA, LAST_CHUNK, 1, 0)
    check("header", head)
    for name, kind, number in [("data record 0, ChaCha20-Poly1305", 1, 0), ("data record 258, AES-256-GCM", 2, 258)]:
        check(name, head + Cipher(kind, key).seal(number, transfer + head, text))
    spread_vectors(transfer, manifest_pages(entries))


def spread_vectors(transfer, pages):
    """Checks the vectors of groups' files."""
    leaf, empty = tree(b"chunk", b"abc"), tree(b"chunk", b"")
    check("leaf of abc", leaf)
    check("leaf of an empty chunk", empty)
    root = file_root(pages, [leaf, empty, leaf])
    check("root", root)
    check("pieces", encode({0: 9, 1: 1, 2: transfer, 3: [2, 1], 4: root, 5: True}))
    check("ask", encode({0: 10, 1: [0, 3, 5, 4], 2: 4}))


def group_vectors(alice, bob):
    """Checks the vectors of a group's membership."""

    def entry(author, operation, milliseconds, group=None, parents=()):
        body = {3: author.certificate, 5: milliseconds << 16, 6: TIME, 7: operation}
        if group:
            body |= {1: group[0], 2: group[1], 4: sorted(parents)}
        signed = encode(body)
        signature = sign(author.device_key, "kibo-group-entry-v1", signed)
        return encode({1: signed, 2: signature}), hashlib.blake2b(signed, digest_size=32).digest()

    members = [{1: bob.certificate, 2: "Bob"}]
    data, root = entry(alice, {1: 1, 2: "Crew", 3: "", 4: 50, 5: "Alice", 6: members}, TIME)
    check("group-create", data)
    check("group-root", root)
    bits = int.from_bytes(root, "big") >> 182
    number = TIME << 80 | 7 << 76 | (bits >> 62) << 64 | 2 << 62 | bits & (1 << 62) - 1
    group = (number.to_bytes(16, "big"), root)
    check("group-id", group[0])
    data, role = entry(alice, {1: 4, 8: bob.account, 9: 1}, TIME + 1, group, [root])
    check("group-role", data)
    data, head = entry(bob, {1: 6, 2: "Boat"}, TIME + 2, group, [role])
    check("group-rename", data)
    check("group-head", head)
    log_vectors(alice, bob, root, head, data)


def group_cases(path):
    """Checks the cases in which members act at the same time."""
    text = re.search(r"^```conflicts\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL).group(1)
    cases = text.strip().split("\n\n")
    for case in cases:
        title, *lines = case.split("\n")
        if problem := check_case(lines):
            sys.exit(f"{title}: {problem}")
    print(f"{path.name}: {len(cases)} cases agree")


def log_vectors(alice, bob, root, head, change):
    """Checks the vectors of that group's log, and of the frames about it."""

    def digest(data):
        return hashlib.blake2b(data, digest_size=32).digest()

    def entry(author, sequence, kind, last, content, previous=None, dependencies=()):
        body = {1: root, 2: author.device, 3: sequence, 5: [head], 7: kind, 8: frame_id(last), 9: TIME + last << 16, 10: TIME}
        body[11] = digest(content)
        if previous:
            body[4] = previous
        if dependencies:
            body[6] = list(dependencies)
        header = encode(body)
        return [header, sign(author.device_key, "kibo-group-log-v1", header), content], digest(header)

    def text(words, last):
        return encode({1: 1, 2: 0, 3: words, 4: TIME + last << 16, 5: TIME})

    hello, first = entry(alice, 1, 1, 20, text("Hello, crew", 20))
    answer, second = entry(bob, 1, 1, 21, text("Hello, Alice", 21), dependencies=[[alice.device, 1, first]])
    sign_of = encode({1: frame_id(21), 2: "👍", 3: TIME + 22 << 16, 4: False, 5: bob.account})
    thumb, third = entry(alice, 2, 4, 22, sign_of, first, [[bob.device, 1, second]])
    for name, parts, hashed in [("hello", hello, first), ("answer", answer, second), ("thumb", thumb, third)]:
        for part, data in zip(["header", "signature", "content", "hash"], [*parts, hashed]):
            check(f"log-{name}-{part}", data)
    tops = sorted([[alice.device, 2, third], [bob.device, 1, second]])
    check("group-frame-heads", frame(64, body=encode({1: root, 2: [head], 3: digest(encode(tops))})))
    check("group-frame-tops", frame(65, body=encode({1: root, 2: tops, 3: True})))
    wanted = {1: root, 2: [head], 3: [[alice.device, 1, 2]], 4: [second]}
    check("group-frame-want", frame(66, body=encode(wanted)))
    page = {1: root, 3: [hello, thumb[:2]], 4: [[bob.device, 1, 1]], 5: True, 6: [second]}
    check("group-frame-entries", frame(67, body=encode(page)))
    check("group-frame-change", frame(68, frame_id(23), encode({1: root, 2: [change]})))
    check("group-frame-entry", frame(69, frame_id(21), encode({1: answer[0], 2: answer[1], 3: answer[2]})))
    check("group-frame-seen", frame(70, frame_id(24), encode({1: root, 2: [frame_id(20)]})))
    check("group-frame-typing", frame(71, body=encode({1: root, 2: True})))


def load(path, pattern):
    """Loads the vectors of one document by name."""
    found.clear()
    checked.clear()
    for name, text in re.findall(pattern, path.read_text(), re.MULTILINE):
        found[name] = bytes.fromhex("".join(text.split()))


def done(path):
    """Checks that every vector of the document was computed."""
    missing = set(found) - checked
    if missing or not found:
        sys.exit(f"{path}: not checked: {sorted(missing)}")
    print(f"{path.name}: {len(found)} vectors agree")


def main(folder):
    """Checks all documents."""
    path = folder / "PROTOCOL.md"
    load(path, r"^```hex ([a-z0-9-]+)\n([0-9a-f\n]+)```")
    alice, bob = people_vectors()
    channel_vectors(alice, bob)
    frame_vectors(alice)
    safety_vectors()
    done(path)
    path = folder / "PROTOCOL-CALLS.md"
    load(path, r"^```hex ([a-z0-9-]+)\n([0-9a-f\n]+)```")
    for name, computed in call_vectors(frame_id(32), TIME):
        check(name, computed)
    done(path)
    path = folder / "PROTOCOL-COURIERS.md"
    load(path, r"^```hex ([a-z0-9-]+)\n([0-9a-f\n]+)```")
    for name, computed in courier_vectors(alice, bob, frame_id, TIME):
        check(name, computed)
    check_parcel(found["frame-parcel"], alice, bob, TIME)
    done(path)
    path = folder / "PROTOCOL-BACKUP.md"
    load(path, r"^```hex ([a-z0-9-]+)\n([0-9a-f\n]+)```")
    for name, computed in check_backup(
        found["backup-file"], found["recovery-box"], found["backup-file-for-code"]
    ):
        check(name, computed)
    done(path)
    path = folder / "PROTOCOL-GROUPS.md"
    load(path, r"^```hex ([a-z0-9-]+)\n([0-9a-f\n]+)```")
    group_vectors(alice, bob)
    group_cases(path)
    done(path)
    path = folder / "PROTOCOL-DISCOVERY.md"
    load(path, r"^([a-z-]+):\s((?:[0-9a-f]+\n)+)")
    discovery_vectors()
    done(path)
    path = folder / "PROTOCOL-FILES.md"
    load(path, r"^    ([A-Za-z0-9 .<,-]+): ([0-9a-f]+)$")
    file_vectors()
    done(path)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
