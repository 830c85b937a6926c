"""Transfer of files in Python, written from docs/PROTOCOL-FILES.md alone: both ends of a bulk connection.

Ciphers come from `cryptography`, checksums from `xxhash`. Files are small here, so everything stays in memory.
"""

import hashlib
import struct

import xxhash
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from kibo_identity import Broken, decode, encode, require
from kibo_peer import RECORDS_PER_KEY

CHUNK = 1 << 20
CALL, OPEN, ACCEPT, REJECT, WANT, CREDIT, DONE, FAILED, REFUSED, PIECES, ASK = range(11)
MANIFEST, DATA, HOLE, END_OF_FILE, END, FAILURE, SKIPPED, LEAVES, HAVE = range(1, 10)
LAST_CHUNK = 1  # Flag of a record.
CHACHA, AES = 1, 2
TAG = 16
WINDOW = 8 << 20
AT_MOST = {MANIFEST: 128 << 10, DATA: CHUNK + 16, HOLE: 4, END_OF_FILE: 16, END: 0, FAILURE: 2 << 10, SKIPPED: 2 << 10,
           LEAVES: 128 << 10, HAVE: 128 << 10}


def checksum(data):
    """XXH3-128, most significant byte first."""
    return xxhash.xxh3_128_digest(data)


def chunks_of(size):
    """The number of a file's chunks; an empty file has one."""
    return max(1, -(-size // CHUNK))


def header(length, kind, flags=0, file=0, chunk=0):
    """The 16 unencrypted bytes before a record."""
    return struct.pack(">IBBHII", length, kind, flags, 0, file, chunk)


class Cipher:
    """Seals and opens records."""

    def __init__(self, kind, key):
        require(kind in (CHACHA, AES) and len(key) == 32, "cipher or key")
        self.cipher = (ChaCha20Poly1305 if kind == CHACHA else AESGCM)(key)

    @staticmethod
    def nonce(number):
        """Four zero bytes and the record's number."""
        return struct.pack(">IQ", 0, number)

    def seal(self, number, associated, text):
        """Seals a text, and returns it with its tag."""
        return self.cipher.encrypt(self.nonce(number), text, associated)

    def open(self, number, associated, sealed):
        """Opens a sealed text."""
        return self.cipher.decrypt(self.nonce(number), sealed, associated)


# The manifest: a list of [folder, name, kind, size, mode, modified]


def manifest_pages(entries):
    """The pages as a sender cuts them."""
    pages, first = [], 0
    while first < len(entries):
        count, room = 0, 131_072 - 64
        for entry in entries[first:]:
            room -= len(entry[1].encode()) + 40
            if room < 0:
                break
            count += 1
        pages.append(encode({1: first, 2: entries[first:first + count], 3: len(entries)}))
        first += count
    return pages


def tree(what, data):
    """A hash in the tree of a group's file, or of a sealed one."""
    return hashlib.blake2b(data, digest_size=32, key=b"kibo-file-" + what + b"-v1").digest()


def tree_top(leaves):
    """The root of a tree in RFC 9162's shape, by its own definition."""
    if len(leaves) == 1:
        return leaves[0]
    left = 1 << (len(leaves) - 1).bit_length() - 1
    return tree(b"node", tree_top(leaves[:left]) + tree_top(leaves[left:]))


def file_root(pages, leaves):
    """The root above the pages of a manifest and the hashes of its chunks."""
    return tree(b"root", tree(b"list", b"".join(pages)) + tree_top(leaves))


def manifest_digest(entries):
    """The digest with which `open` shows that the receiver has the manifest."""
    return checksum(b"".join(manifest_pages(entries)))


def chunk_line(entries):
    """All chunks in one sequence: (entry, chunk, size of the chunk)."""
    return [
        (number, chunk, min(CHUNK, entry[3] - chunk * CHUNK))
        for number, entry in enumerate(entries) if entry[2] == 0 for chunk in range(chunks_of(entry[3]))
    ]


def paths_of(entries):
    """The relative path of every entry; '' for the offered file or folder itself."""
    paths = []
    for number, (folder, name, *_) in enumerate(entries):
        require(number == 0 or folder < number and entries[folder][2] == 1, "an entry's folder")
        parent = paths[folder] if number else ""
        paths.append(f"{parent}/{name}" if parent else name)
    return paths


class Bulk:
    """Messages on a channel with purpose bulk. Their numbers continue where the handshake left them, at 0."""

    def __init__(self, channel, transfer):
        self.channel, self.transfer = channel, transfer
        self.records = 0

    def send(self, kind, **fields):
        """Sends one message; fields are given by their numbers: _1=…"""
        require(self.channel.sent < RECORDS_PER_KEY, "too many messages for a test")
        self.channel.socket.sendall(
            self.channel.seal(encode({0: kind} | {int(name[1:]): value for name, value in fields.items()})))

    def receive(self, *kinds):
        """The next message, which must be of one of these kinds."""
        message = decode(self.channel.receive())
        require(message[0] in kinds, f"the message {message}, none of {kinds}")
        return message

    def read_record(self):
        """The next record: kind, flags, file, chunk, text."""
        head = self.channel.read_exactly(16)
        length, kind, flags, zero, file, chunk = struct.unpack(">IBBHII", head)
        require(kind in AT_MOST and zero == 0 and flags & ~LAST_CHUNK == 0, f"header {head.hex()}")
        require(TAG <= length <= AT_MOST[kind] + TAG, f"a record of kind {kind} and {length} bytes")
        require(kind in (DATA, HOLE) or flags == 0, "flags where they mean nothing")
        require(kind in (DATA, HOLE, LEAVES) or chunk == 0, "a chunk where it means nothing")
        require(kind in (DATA, HOLE, END_OF_FILE, SKIPPED) or file == 0, "a file where it means nothing")
        text = self.cipher.open(self.records, self.transfer + head, self.channel.read_exactly(length))
        self.records += 1
        return kind, flags, file, chunk, text

    def write_record(self, kind, text, flags=0, file=0, chunk=0):
        """Seals and sends a record; returns its bytes, which count against the credit."""
        head = header(len(text) + TAG, kind, flags, file, chunk)
        record = head + self.cipher.seal(self.records, self.transfer + head, text)
        self.records += 1
        self.channel.socket.sendall(record)
        return len(record)


class Receiver(Bulk):
    """Fetches a transfer; received chunks stay in `chunks` from one connection to the next."""

    def __init__(self, transfer):
        super().__init__(None, transfer)
        self.entries = None
        self.chunks = {}  # (entry, chunk): bytes
        self.left_out = {}  # entry: reason
        self.holes = self.bytes_of_records = 0

    def begin(self, channel, ciphers):
        """Does open, accept and manifest. Call it for every connection."""
        self.channel, self.records = channel, 0
        digest = {"_4": manifest_digest(self.entries)} if self.entries else {}
        self.send(OPEN, _1=1, _2=self.transfer, _3=ciphers, **digest)
        answer = self.receive(ACCEPT, REJECT)
        if answer[0] == REJECT:
            raise Broken(f"rejected: {answer}")
        require(answer[1] in ciphers, "a cipher that was not offered")
        require(answer[3] == (self.entries is None), "manifest records announced, or not, against the digest")
        self.cipher = Cipher(answer[1], answer[2])
        if answer[3]:
            self.read_manifest()

    def read_manifest(self):
        """Reads all pages."""
        pages, entries = [], []
        while True:
            kind, _, _, _, text = self.read_record()
            require(kind == MANIFEST, f"a record of kind {kind} in the manifest")
            page = decode(text)
            require(page[1] == len(entries) and page[2], "pages of a manifest")
            pages.append(text)
            entries += [entry[:6] for entry in page[2]]
            require(len(entries) <= page[3], "more entries than said")
            if len(entries) == page[3]:
                break
        require(entries[0][0] == 0 and entries[0][1] == "", "entry 0")
        require(all(entry[4] <= 0o777 for entry in entries), "modes")
        require(pages == manifest_pages(entries), "a manifest that is cut otherwise than the document says")
        self.entries = entries

    def fetch(self, stop_after=None):
        """Requests what is missing and takes it; `stop_after` closes the connection after so many data records."""
        line = chunk_line(self.entries)
        missing = [
            place for place, (file, chunk, _) in enumerate(line)
            if (file, chunk) not in self.chunks and file not in self.left_out
        ]
        if self.left_out:
            self.send(REFUSED, _1=[[file, reason] for file, reason in self.left_out.items()])
        ranges = []
        for place in missing:
            if ranges and sum(ranges[-2:]) == place:
                ranges[-1] += 1
            else:
                ranges += [place, 1]
        # The ranges go in two messages, to show that this is allowed.
        cut = len(ranges) // 4 * 2
        if cut:
            self.send(WANT, _1=ranges[:cut], _2=False)
        self.send(WANT, _1=ranges[cut:], _2=True)
        self.granted, self.used = WINDOW, 0
        self.send(CREDIT, _1=WINDOW)
        wanted = [line[place] for place in missing]
        complete = {file for file, _, _ in wanted} - {file for file, chunk in self.chunks}
        sums = {}
        while wanted:
            if stop_after is not None and len(self.chunks) >= stop_after:
                self.channel.close()
                return
            file = self.take_chunks(wanted, sums)
            if file in self.left_out:
                continue
            if not any(other == file for other, _, _ in wanted):
                kind, _, number, _, text = self.read_counted()
                if kind == SKIPPED:
                    self.skip(number, file, text, wanted)
                    continue
                require(kind == END_OF_FILE and number == file, f"kind {kind} for the end of file {file}")
                expected = checksum(sums[file]) if file in complete else b""
                require(text == expected, f"the checksum of file {file}")
        require(self.read_record()[0] == END, "no end")

    def read_counted(self):
        """Reads a record that costs credit."""
        record = self.read_record()
        size = 16 + len(record[4]) + TAG
        self.used += size
        require(self.used <= self.granted, "more than was granted")
        self.bytes_of_records += size
        if self.granted - self.used <= WINDOW - (2 << 20):
            more = self.used + WINDOW - self.granted
            self.granted += more
            self.send(CREDIT, _1=more)
        return record

    def take_chunks(self, wanted, sums):
        """Takes one data or hole record, which must hold what is due next; returns its file."""
        kind, flags, file, chunk, text = self.read_counted()
        if kind == SKIPPED:
            self.skip(file, wanted[0][0], text, wanted)
            return file
        require(kind in (DATA, HOLE), f"kind {kind} {text!r} instead of data")
        if kind == DATA:
            pieces = [text[:-16]]
            require(checksum(text[:-16]) == text[-16:], "the checksum of a chunk")
        else:
            self.holes += 1
            (count,) = struct.unpack(">I", text)
            require(1 <= count <= len(wanted), "the size of a hole")
            pieces = [bytes(size) for _, _, size in wanted[:count]]
        for number, piece in enumerate(pieces):
            require(wanted and wanted[0] == (file, chunk + number, len(piece)), f"chunk {file}/{chunk} is not due")
            wanted.pop(0)
            self.chunks[file, chunk + number] = piece
            sums[file] = sums.get(file, b"") + checksum(piece)
        last = chunk + len(pieces) == chunks_of(self.entries[file][3])
        require(bool(flags & LAST_CHUNK) == last, "the flag of a last chunk")
        return file

    def skip(self, file, due, text, wanted):
        """Drops a file that the sender can't send."""
        require(file == due and set(decode(text)) >= {1, 2}, f"skipped {file} where {due} is due: {text}")
        self.left_out[file] = decode(text)[1]
        wanted[:] = [item for item in wanted if item[0] != file]
        self.chunks = {key: piece for key, piece in self.chunks.items() if key[0] != file}

    def files(self):
        """The content of each file by its relative path."""
        paths = paths_of(self.entries)
        return {
            paths[number]: b"".join(self.chunks[number, chunk] for chunk in range(chunks_of(entry[3])))
            for number, entry in enumerate(self.entries) if entry[2] == 0 and number not in self.left_out
        }


class Pieces(Bulk):
    """Fetches a file of one entry by `pieces`: its hashes first, then chunk by chunk."""

    def __init__(self, transfer):
        super().__init__(None, transfer)

    def fetch(self, channel, root, ciphers=(AES, CHACHA)):
        """The bytes of the file under this root. Raises `Broken` with the answer if it is rejected."""
        self.channel, self.records = channel, 0
        self.send(PIECES, _1=1, _2=self.transfer, _3=list(ciphers), _4=root, _5=True)
        answer = self.receive(ACCEPT, REJECT)
        if answer[0] == REJECT:
            raise Broken(f"rejected: {answer[1]}")
        require(answer[1] in ciphers and answer[3] is True, "a cipher that was not offered, or no list")
        self.cipher = Cipher(answer[1], answer[2])
        kind, _, _, _, page = self.read_record()
        require(kind == MANIFEST, "no list")
        (_, name, folder, size, *_), = decode(page)[2]
        require(name == "" and folder == 0, "a list of one file without a name")
        leaves = b""
        while len(leaves) < 32 * chunks_of(size):
            kind, _, _, first, text = self.read_record()
            require(kind == LEAVES and first == len(leaves) // 32, "the hashes")
            leaves += text
        leaves = [leaves[at:at + 32] for at in range(0, len(leaves), 32)]
        require(file_root([page], leaves) == root, "the root")
        have, chunks = set(), {}
        while len(have) < len(leaves):
            kind, *_, text = self.read_record()
            require(kind == HAVE, "what is there")
            for first, count in struct.iter_unpack(">QQ", text):
                have |= set(range(first, first + count))
        while len(chunks) < len(leaves):
            first = len(chunks)
            count = min(2, len(leaves) - first)
            self.send(ASK, _1=[first, count], _2=count)
            while (record := self.read_record())[0] != END:
                kind, _, _, number, text = record
                require(kind == DATA and checksum(text[:-16]) == text[-16:], "a chunk")
                require(tree(b"chunk", text[:-16]) == leaves[number], f"the hash of chunk {number}")
                chunks[number] = text[:-16]
            require(set(range(first, first + count)) <= set(chunks), "the chunks that were asked for")
        self.send(DONE)
        return b"".join(chunks[number] for number in range(len(leaves)))


class Sender(Bulk):
    """Sends a transfer: `contents` are the bytes of each entry, None for folders."""

    def __init__(self, transfer, entries, contents):
        super().__init__(None, transfer)
        self.entries, self.contents = entries, contents
        self.skips = {}  # entry: [reason, how many of its chunks are sent before]
        self.refused = {}  # entry: reason

    def serve(self, channel, calls=False, stop_after=None):
        """Does the whole exchange on one connection, up to `done`; returns False if cut off after some records, and None
        if a call was refused because the transfer is still under way on another connection."""
        self.channel, self.records, self.refused = channel, 0, {}
        if calls:
            self.send(CALL, _1=1, _2=self.transfer)
        opening = self.receive(OPEN, REJECT) if calls else self.receive(OPEN)
        if opening[0] == REJECT:
            require(opening[1] == "busy", f"the answer to a call is {opening}")
            return None
        require(opening[1] == 1 and opening[2] == self.transfer, f"open: {opening}")
        require(opening[3] and set(opening[3]) <= {CHACHA, AES}, "ciphers")
        digest = manifest_digest(self.entries)
        has_manifest = opening.get(4) == digest
        require(has_manifest or 4 not in opening, "a digest of another manifest")
        key = bytes(range(100, 132))
        self.send(ACCEPT, _1=opening[3][0], _2=key, _3=not has_manifest)
        self.cipher = Cipher(opening[3][0], key)
        for page in [] if has_manifest else manifest_pages(self.entries):
            self.write_record(MANIFEST, page)
        ranges, more = [], True
        while more:
            message = self.receive(WANT, REFUSED)
            if message[0] == REFUSED:
                self.take_refusals(message)
                continue
            require(len(message[1]) % 2 == 0, "half a range")
            ranges += zip(message[1][::2], message[1][1::2])
            more = not message.get(2, False)
        return self.send_chunks(ranges, stop_after)

    def send_chunks(self, ranges, stop_after):
        """Sends data, ends of files and end, and then waits for `done`."""
        line, last_end = chunk_line(self.entries), 0
        wanted = []
        for first, count in ranges:
            require(first >= last_end and count > 0, "ranges that don't ascend")
            last_end = first + count
            require(last_end <= len(line), "a range beyond the end")
            wanted += line[first:last_end]
        self.credit = 0
        sums = {}
        skipped = set()
        for place, (file, chunk, size) in enumerate(wanted):
            if file in skipped:
                continue
            if file in self.refused or file in self.skips and chunk >= self.skips[file][1]:
                text = encode({1: self.refused.get(file) or self.skips[file][0], 2: ""})
                self.spend(32 + len(text))
                self.write_record(SKIPPED, text, file=file)
                skipped.add(file)
                continue
            if stop_after is not None and place >= stop_after:
                self.channel.close()
                return False
            piece = self.contents[file][chunk * CHUNK:chunk * CHUNK + size]
            count = chunks_of(self.entries[file][3])
            flags = LAST_CHUNK if chunk == count - 1 else 0
            self.spend(16 + size + 16 + TAG)
            self.write_record(DATA, piece + checksum(piece), flags, file, chunk)
            sums.setdefault(file, []).append(checksum(piece))
            if place + 1 == len(wanted) or wanted[place + 1][0] != file:
                self.spend(48)
                whole = len(sums[file]) == count
                self.write_record(END_OF_FILE, checksum(b"".join(sums[file])) if whole else b"", 0, file)
        self.write_record(END, b"")
        while (message := self.receive(CREDIT, DONE, REFUSED))[0] != DONE:
            if message[0] == REFUSED:
                self.take_refusals(message)
        return True

    def take_refusals(self, message):
        """Takes the receiver's refusals of files, each once on a connection."""
        for file, reason, *_ in message[1]:
            require(file < len(self.entries) and self.entries[file][2] == 0, f"refused {file}")
            require(file not in self.refused, f"refused {file} again")
            self.refused[file] = reason

    def spend(self, size):
        """Spends credit, and waits for more if it is short."""
        while self.credit < size:
            message = self.receive(CREDIT, REFUSED)
            if message[0] == REFUSED:
                self.take_refusals(message)
            else:
                self.credit += message[1]
        self.credit -= size
