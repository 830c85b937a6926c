import Basics

/// One file or folder of a transfer's manifest.
public struct TransferEntryRow: Hashable, Sendable {
    /// What it is.
    public enum Kind: Int64, StoredEnumeration, CaseIterable, Sendable {
        case file = 0
        case folder = 1
    }

    public var transfer: UUIDv7
    /// Its place in the manifest, from 0.
    public var index: Int64
    /// Relative to the transfer's root; empty for the single file that is the root itself.
    public var path: String
    public var size: Int64
    /// Permission bits.
    public var mode: UInt32
    /// Nanoseconds since 1970.
    public var mtimeNs: Int64
    public var kind: Kind
    /// The source's identity on the sending side.
    public var srcDev: UInt64?
    public var srcIno: UInt64?
    /// Nanoseconds since 1970.
    public var srcCtimeNs: Int64?
    /// XXH3-128 over the chunks' checksums, once it is known.
    public var checksum: [UInt8]?
    /// Whether all of it is on the disk and checked.
    public var done: Bool

    public init(
        transfer: UUIDv7, index: Int64, path: String, size: Int64, mode: UInt32, mtimeNs: Int64, kind: Kind = .file,
        srcDev: UInt64? = nil, srcIno: UInt64? = nil, srcCtimeNs: Int64? = nil, checksum: [UInt8]? = nil,
        done: Bool = false
    ) {
        self.transfer = transfer
        self.index = index
        self.path = path
        self.size = size
        self.mode = mode
        self.mtimeNs = mtimeNs
        self.kind = kind
        self.srcDev = srcDev
        self.srcIno = srcIno
        self.srcCtimeNs = srcCtimeNs
        self.checksum = checksum
        self.done = done
    }
}

/// A run of neighbouring chunks of one file that are safely on the disk.
public struct TransferChunkRow: Hashable, Sendable {
    public var transfer: UUIDv7
    /// The file's index in the manifest.
    public var file: Int64
    public var firstChunk: Int64
    /// Sixteen bytes for each chunk.
    public var checksums: [UInt8]

    public init(transfer: UUIDv7, file: Int64, firstChunk: Int64, checksums: [UInt8]) {
        self.transfer = transfer
        self.file = file
        self.firstChunk = firstChunk
        self.checksums = checksums
    }
}
