// Wire: the bytes of bulk records and of the small messages beside them, without I/O.

/// The 16 unencrypted bytes before each bulk record's ciphertext; the cipher authenticates them.
public struct RecordHeader: Hashable, Sendable {
    /// What a record holds.
    public enum Kind: UInt8, Hashable, Sendable {
        /// A manifest page.
        case manifest = 1
        /// A chunk and its checksum.
        case data = 2
        /// A number of chunks (u32) that are all zeros, beginning with the header's chunk.
        case hole = 3
        /// Nothing more of this file comes. It holds the file's checksum, or nothing if the sender did not read all of
        /// it this time.
        case fileEnd = 4
        /// Everything requested has been sent, and the source is unchanged.
        case end = 5
        /// The sender gives up: CBOR {1: reason, 2: detail}.
        case failed = 6
        /// This file of a folder can't be sent, and nothing more of it comes: CBOR {1: reason, 2: detail}.
        case skipped = 7
        /// Hashes of chunks, 32 bytes each, beginning with the chunk whose index the header has.
        case leaves = 8
        /// Indices that the giver has: pairs of u64, the first index and the number of indices.
        case have = 9
    }

    /// The header's bytes on the wire.
    public static let size = 16
    /// Bit 0 of the flags: the record holds its file's last chunk.
    public static let lastChunk: UInt8 = 1

    /// The bytes of ciphertext with its tag.
    public let length: UInt32
    public let kind: Kind
    public let flags: UInt8
    /// The number of the entry in the manifest; 0 where it has no meaning.
    public let file: UInt32
    /// The number of the chunk in its file; 0 where it has no meaning.
    public let chunk: UInt32

    public init(plaintext: Int, kind: Kind, flags: UInt8 = 0, file: UInt32 = 0, chunk: UInt32 = 0) {
        length = UInt32(clamping: plaintext + TransferLimits.tagBytes)
        self.kind = kind
        self.flags = flags
        self.file = file
        self.chunk = chunk
    }

    /// Reads a header from 16 or more bytes. Nil for an unknown kind, reserved bits or an impossible length, so that an
    /// impossible length is refused before anything of that length is read.
    init?(loadingFrom bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size else { return nil }
        length = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
        guard let kind = Kind(rawValue: bytes[4]) else { return nil }
        self.kind = kind
        flags = bytes[5]
        let reserved = bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self)
        file = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        chunk = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        guard reserved == 0, flags & ~Self.lastChunk == 0, length >= UInt32(TransferLimits.tagBytes),
            plaintextBytes <= kind.maximumPlaintext
        else { return nil }
    }

    /// Like the other reader, nil for a header that isn't valid.
    public init?(_ bytes: [UInt8]) {
        guard let header = bytes.withUnsafeBytes({ RecordHeader(loadingFrom: $0) }) else { return nil }
        self = header
    }

    /// The bytes of the plaintext.
    public var plaintextBytes: Int { Int(length) - TransferLimits.tagBytes }
    /// The bytes of the whole record, which credit counts.
    public var recordBytes: Int { Self.size + Int(length) }
    public var isLastChunk: Bool { flags & Self.lastChunk != 0 }

    func store(to bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeBytes(of: length.bigEndian, toByteOffset: 0, as: UInt32.self)
        bytes.storeBytes(of: kind.rawValue, toByteOffset: 4, as: UInt8.self)
        bytes.storeBytes(of: flags, toByteOffset: 5, as: UInt8.self)
        bytes.storeBytes(of: 0, toByteOffset: 6, as: UInt16.self)
        bytes.storeBytes(of: file.bigEndian, toByteOffset: 8, as: UInt32.self)
        bytes.storeBytes(of: chunk.bigEndian, toByteOffset: 12, as: UInt32.self)
    }

    /// The header's 16 bytes.
    public var bytes: [UInt8] {
        var out = [UInt8](repeating: 0, count: Self.size)
        out.withUnsafeMutableBytes { store(to: $0) }
        return out
    }
}

extension RecordHeader.Kind {
    /// The largest plaintext of this kind of record, in bytes.
    var maximumPlaintext: Int {
        switch self {
        case .manifest: TransferLimits.manifestPageBytes
        case .data: TransferLimits.chunkBytes + TransferLimits.checksumBytes
        case .hole: 4
        case .fileEnd: TransferLimits.checksumBytes
        case .end: 0
        case .failed, .skipped: 2_048
        case .leaves, .have: TransferLimits.Swarm.pageBytes
        }
    }
}
