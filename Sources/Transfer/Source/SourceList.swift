import Basics

/// What is offered, with the identity of each entry's source: 24 bytes beside each entry of the manifest.
public struct SourceList: Hashable, Sendable {
    public let manifest: Manifest
    private var births: [Int64]
    private var inodes: [UInt64]
    private var changes: [Int64]

    /// Why stored sources can't be read.
    public struct Malformed: Error, CustomStringConvertible {
        public var description: String { "the stored list of files is damaged" }
    }

    /// The bytes of one stored source.
    private static let storedBytes = 24

    init(manifest: Manifest, identities: SourceIdentities) {
        self.manifest = manifest
        (births, inodes, changes) = (identities.births, identities.inodes, identities.changes)
    }

    /// Makes a list from given entries.
    public init(_ entries: some Collection<SourceEntry>) throws(Manifest.Problem) {
        var identities = SourceIdentities()
        for entry in entries { identities.append(entry.identity) }
        self.init(manifest: try Manifest(entries.lazy.map(\.entry)), identities: identities)
    }

    /// Makes the list of a single file.
    public init(file identity: SourceIdentity, mode: UInt16) {
        var identities = SourceIdentities()
        identities.append(identity)
        self.init(
            manifest: .single(size: identity.size, mode: mode, modified: identity.modified), identities: identities)
    }

    /// Makes a list from the pages that ``forEachPage(_:)`` gave.
    public init(pages: some Sequence<(page: [UInt8], sources: [UInt8])>) throws {
        var assembler = ManifestAssembler()
        var whole: Manifest?
        var identities = SourceIdentities()
        for (page, sources) in pages {
            whole = try assembler.append(page: page[...])
            guard sources.count % Self.storedBytes == 0 else { throw Malformed() }
            sources.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: Self.storedBytes) {
                    identities.append(
                        born: Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: Int64.self)),
                        inode: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)),
                        changed: Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 16, as: Int64.self)))
                }
            }
        }
        guard let whole, identities.inodes.count == whole.count else { throw Malformed() }
        self.init(manifest: whole, identities: identities)
    }

    /// The number of entries, including folders.
    public var count: Int { manifest.count }

    /// The identity of an entry's source. Its size and time are the manifest's.
    public func identity(_ index: Int) -> SourceIdentity {
        SourceIdentity(
            born: births[index], inode: inodes[index], size: manifest.size(index),
            modified: manifest.modified(index), changed: changes[index])
    }

    /// All entries with their sources, each made on demand.
    public var entries: LazyMapCollection<Range<Int>, SourceEntry> {
        (0..<count).lazy.map { SourceEntry(entry: manifest.entries[$0], identity: identity($0)) }
    }

    /// Goes through the manifest's pages, each with the stored sources of its entries.
    public func forEachPage<Failure: Error>(
        _ body: (_ page: [UInt8], _ sources: [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        try ManifestCodec.forEachPage(of: manifest) { (page, range) throws(Failure) in
            var sources: [UInt8] = []
            sources.reserveCapacity(range.count * Self.storedBytes)
            for index in range {
                sources.appendBigEndian(UInt64(bitPattern: births[index]))
                sources.appendBigEndian(inodes[index])
                sources.appendBigEndian(UInt64(bitPattern: changes[index]))
            }
            try body(page, sources)
        }
    }
}

/// The data that identify sources besides size and time, column by column.
struct SourceIdentities {
    private(set) var births: [Int64] = []
    private(set) var inodes: [UInt64] = []
    private(set) var changes: [Int64] = []

    mutating func append(_ identity: SourceIdentity) {
        append(born: identity.born, inode: identity.inode, changed: identity.changed)
    }

    mutating func append(born: Int64, inode: UInt64, changed: Int64) {
        births.append(born)
        inodes.append(inode)
        changes.append(changed)
    }
}
