"""The vectors of PROTOCOL-COURIERS.md, computed by the recipe that it gives beside them, and its parcel, opened."""

from kibo_couriers import (
    DROPPED, HANDED_OVER, Mailbox, Note, Unopened, had, open_parcel, parcel_body, parcel_file, prologue, seal_file,
    seal_parcel, sealed_file, sealed_root,
)
from kibo_files import CHUNK
from kibo_identity import Broken, Identity, decode, encode, require
from kibo_peer import HAD, MAIL_NOTE, MESSAGE, PARCEL, PARCEL_NEWS, ZERO_ID, frame


def boxes(alice, bob, time):
    """Alice's and Bob's mailboxes; Bob has named Carl."""
    carl = Identity("Carl", seeds=(b"\x21" * 32, b"\x22" * 32))
    return Mailbox(alice, b"\x05" * 32, time, days=14), Mailbox(bob, b"\x15" * 32, time, [carl.account])


def courier_vectors(alice, bob, frame_id, time):
    """Names and bytes of all of them; `frame_id` makes an id from its last byte."""
    ours, theirs = boxes(alice, bob, time)
    parcel, note = frame_id(40), Note(theirs.note)
    text = {1: 0, 2: 0, 3: "Hello, Bob", 4: time << 16 | 1, 5: time, 6: frame_id(1)}
    sealed = seal_parcel(
        ours, [note], parcel, [(MESSAGE, frame_id(7), text)], time + 60_000, b"\x07" * 32, b"\x06" * 32)
    fields = decode(sealed)
    key, size = b"\x08" * 32, CHUNK + 10
    hidden = seal_file(bytes(size), key)
    require(hidden[CHUNK:] == seal_file(bytes(10), key, 1), "a chunk that is sealed by itself")
    root = sealed_root(hidden)
    return [
        ("sealed-file-begin", hidden[:32]), ("sealed-file-end", hidden[-10:]), ("sealed-file-root", root),
        ("sealed-file", encode(sealed_file(
            frame_id(44), frame_id(45), root, key, size, 1_720_000_000_000_000_000, 0o644))),
        ("parcel-file", encode(parcel_file(frame_id(45), root, size))),
        ("mail-note-bob", theirs.note),
        ("parcel-prologue", prologue(parcel, alice.account, bob.account, bob.device, time, fields[2])),
        ("parcel-wrap", fields[1][0][2]),
        ("frame-parcel", frame(PARCEL, parcel, parcel_body(alice.account, bob.account, 14, sealed))),
        ("frame-parcel-news", frame(
            PARCEL_NEWS, frame_id(42), {1: [[parcel, HANDED_OVER], [frame_id(41), DROPPED]]})),
        ("frame-mail-note", frame(MAIL_NOTE, ZERO_ID, ours.note)),
        ("frame-had", frame(HAD, frame_id(43), had([frame_id(7)], [(frame_id(8), "not_found")]))),
    ]


def check_parcel(data, alice, bob, time):
    """Opens the frame of the document as Bob, and sees that nothing else opens."""
    ours, theirs = boxes(alice, bob, time)
    parcel, body = data[8:24], decode(data[24:])
    frames, note, files = open_parcel(theirs, parcel, body[2], body[5])
    require([kind for kind, _, _ in frames] == [MESSAGE] and decode(frames[0][2])[3] == "Hello, Bob", "the message")
    require(note.key == ours.key and note.days == 14 and note.couriers == [] and not files, "the note inside")
    wrong = bytearray(body[5])
    wrong[-1] ^= 1
    other = Mailbox(bob, b"\x15" * 32, time + 1)
    refused = [
        (theirs, bytes(16), body[2], body[5], "invalid"), (theirs, parcel, bob.account, body[5], "invalid"),
        (theirs, parcel, body[2], bytes(wrong), "invalid"), (other, parcel, body[2], body[5], "not_found"),
        (ours, parcel, body[2], body[5], "not_found"),
    ]
    for box, identifier, maker, sealed, reason in refused:
        try:
            open_parcel(box, identifier, maker, sealed)
        except Unopened as error:
            require(str(error) == reason, f"refused as {error}")
        else:
            raise Broken("a parcel opens that must not")
    foreign = encode(decode(theirs.note) | {2: bytes(64)})
    try:
        Note(foreign)
    except Broken:
        return
    raise Broken("a note without a signature is taken")
