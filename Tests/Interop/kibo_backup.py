"""Reads a backup, as PROTOCOL-BACKUP.md says. Everything stays in memory.

    kibo_backup.py FILE PASSPHRASE
    kibo_backup.py FILE CODE         (the recovery code, with any spaces)
"""

import ctypes
import ctypes.util
import hashlib
import io
import pathlib
import sys

import cbor2
from kibo_identity import bech32m
from nacl import bindings, public, pwhash
from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt

PIECE, EXTRA, HEADER = 65_536, 17, 24
BEGINNING, TABLE, ROWS, PICTURE, END = 1, 3, 4, 5, 9


class Damaged(Exception):
    """The file is not as it was written from this byte on."""


class _Buffer(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


def unpack(packed):
    """What one frame of zstd holds."""
    zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
    zstd.ZSTD_createDCtx.restype = ctypes.c_void_p
    zstd.ZSTD_decompressStream.restype = ctypes.c_size_t
    zstd.ZSTD_decompressStream.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Buffer), ctypes.POINTER(_Buffer)]
    zstd.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
    context = zstd.ZSTD_createDCtx()
    room = ctypes.create_string_buffer(1 << 17)
    source = _Buffer(ctypes.cast(ctypes.c_char_p(packed), ctypes.c_void_p), len(packed), 0)
    plain, left = [], 1
    try:
        while left:
            target = _Buffer(ctypes.cast(room, ctypes.c_void_p), len(room), 0)
            left = zstd.ZSTD_decompressStream(context, ctypes.byref(target), ctypes.byref(source))
            if zstd.ZSTD_isError(ctypes.c_size_t(left)):
                raise ValueError("no frame of zstd")
            plain.append(room.raw[: target.pos])
            if left and source.pos == source.size and target.pos < target.size:
                raise ValueError("the frame has no end")
    finally:
        zstd.ZSTD_freeDCtx(context)
    if source.pos != source.size:
        raise ValueError("bytes behind the frame")
    return b"".join(plain)


def open_keystore(keystore, passphrase):
    """File key and seed."""
    fields = cbor2.loads(keystore)
    digest = fields.pop(9)
    if hashlib.blake2b(cbor2.dumps(fields, canonical=True), digest_size=16).digest() != digest:
        raise Damaged(0)
    sealed = fields.pop(8)
    key = pwhash.argon2id.kdf(32, passphrase, fields[5], opslimit=fields[3], memlimit=fields[4] * 1024)
    associated = b"kibo-keystore-v2\0" + cbor2.dumps(fields, canonical=True)
    both = crypto_aead_xchacha20poly1305_ietf_decrypt(sealed, associated, fields[6], key)
    return both[:32], both[32:]


def recovery_code(seed):
    """The text on paper that brings an account back."""
    return bech32m("kiborecover", b"\1" + seed)


def read_code(text):
    """The seed of a code, as somebody has typed it."""
    code = "".join(text.split()).replace("-", "").lower()
    assert len(code) == 71 and code.startswith("kiborecover1")
    values = ["qpzry9x8gf2tvdw0s3jn54khce6mua7l".index(character) for character in code[12:-6]]
    bits = 0
    for value in values:
        bits = bits << 5 | value
    content = (bits >> 5 * len(values) % 8).to_bytes(33, "big")
    assert content[0] == 1 and recovery_code(content[1:]) == code
    return content[1:]


def recovery_key(seed):
    """The pair that opens an account's backups without a passphrase."""
    return public.PrivateKey(hashlib.blake2b(b"kibo-recovery-key-v1\0", key=seed, digest_size=32).digest())


def open_box(box, seed):
    """The file key in a box."""
    return public.SealedBox(recovery_key(seed)).decrypt(box)


def read_head(file):
    """The fields of the head, and how long it is."""
    if file[:8] != b"KIBOBACK" or file[8:10] != b"\0\1":
        raise ValueError("no backup that this program knows")
    length = 12 + int.from_bytes(file[10:12], "big")
    return cbor2.loads(file[12:length]), length


def stream_key(file_key, head):
    """The key of the sealed part behind a head."""
    return hashlib.blake2b(b"kibo-backup-stream-v1\0" + head, key=file_key, digest_size=32).digest()


def read_sealed(file, length, file_key):
    """The bytes of all entries."""
    state = bindings.crypto_secretstream_xchacha20poly1305_state()
    place = length + HEADER
    bindings.crypto_secretstream_xchacha20poly1305_init_pull(
        state, file[length:place], stream_key(file_key, file[:length]))
    packed = []
    while True:
        piece = file[place : place + PIECE + EXTRA]
        try:
            plain, tag = bindings.crypto_secretstream_xchacha20poly1305_pull(state, piece)
        except Exception as error:
            raise Damaged(place) from error
        place += len(piece)
        packed.append(plain)
        is_last = tag == bindings.crypto_secretstream_xchacha20poly1305_TAG_FINAL
        if is_last != (place == len(file)):
            raise Damaged(place - len(piece))
        if is_last:
            return unpack(b"".join(packed))


def rows(content):
    """Each row of an entry."""
    stream = io.BytesIO(content)
    decoder = cbor2.CBORDecoder(stream)
    while stream.tell() < len(content):
        yield decoder.decode()


def read_entries(plain):
    """The beginning, the rows by table, and the pictures by digest."""
    beginning, tables, pictures, columns, place, is_over = None, {}, {}, [], 0, False
    while place < len(plain):
        kind, length = plain[place], int.from_bytes(plain[place + 1 : place + 5], "big")
        content = plain[place + 5 : place + 5 + length]
        place += 5 + length
        assert len(content) == length and not is_over
        assert (kind == BEGINNING) == (beginning is None)
        if kind == ROWS:
            for row in rows(content):
                assert len(row) == len(columns)
                tables[name].append(dict(zip(columns, row)))
            continue
        fields = cbor2.loads(content)
        if kind == BEGINNING:
            beginning = fields
        elif kind == PICTURE:
            assert not tables
            pictures[fields[1]] = fields[2]
        elif kind == TABLE:
            name, columns = fields[1], fields[2]
            assert name not in tables
            tables[name] = []
        elif kind == END:
            is_over = True
            assert fields[1] == beginning[4] == [[name, len(tables[name])] for name in tables]
        else:
            raise ValueError(f"an entry of kind {kind}")
    assert is_over
    return beginning, tables, pictures


def read_backup(file, passphrase=None, code=None):
    """Beginning, tables and pictures of a file, and the account's seed."""
    head, length = read_head(file)
    if code is not None:
        seed = read_code(code)
        file_key = open_box(head[3], seed)
    else:
        file_key, seed = open_keystore(head[2], passphrase)
    return (*read_entries(read_sealed(file, length, file_key)), seed)


def check_backup(file, box, file_for_code):
    """Names and bytes of the vectors of PROTOCOL-BACKUP.md, from the files and the box among them."""
    head, length = read_head(file)
    file_key, seed = open_keystore(head[2], b"correct horse")
    assert (file_key, seed) == (b"\x11" * 32, b"\x22" * 32)
    plain = read_sealed(file, length, file_key)
    beginning, tables, pictures = read_entries(plain)
    assert beginning[3] == 1 and tables["setting"][1] == {"name": "ä", "value": b"\0"}
    assert list(pictures.values()) == [b"face"]
    code = recovery_code(seed)
    for typed in (code, code.upper(), " ".join(code[place : place + 4] for place in range(0, 71, 4))):
        assert read_code(typed) == seed
    assert open_box(box, seed) == file_key
    by_code = read_backup(file_for_code, code=" ".join(code.upper()))
    assert by_code == (beginning, tables, pictures, seed)
    assert list(read_head(file_for_code)[0]) == [1, 3]
    return [
        ("recovery-code", code.encode()), ("recovery-key", bytes(recovery_key(seed).public_key)),
        ("recovery-box", box),
        ("backup-keystore", head[2]), ("backup-stream-key", stream_key(file_key, file[:length])),
        ("backup-entries", plain), ("backup-file", file),
        ("backup-file-for-code", file_for_code),
    ]


if __name__ == "__main__":
    secret = sys.argv[2]
    is_code = "".join(secret.split()).lower().startswith("kiborecover1")
    opening = {"code": secret} if is_code else {"passphrase": secret.encode()}
    beginning, tables, pictures, _ = read_backup(pathlib.Path(sys.argv[1]).read_bytes(), **opening)
    print(f"schema {beginning[3]}, written by {beginning[2]}, {len(pictures)} pictures")
    for name, found in tables.items():
        print(f"{len(found):>10} {name}")
