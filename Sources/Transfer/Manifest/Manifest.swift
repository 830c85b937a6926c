import Basics

/// A checked list of entries: every rule of names, order, depth, sizes and numbers holds.
///
/// Kept in columns, with all names in one buffer: 26 bytes and its name for an entry, so that the longest list takes a few
/// megabytes.
public struct Manifest: Hashable, Sendable {
    /// Why a list of entries is not a manifest.
    public enum Problem: Error, Hashable, Sendable {
        /// No entry, or entry 0 has a path.
        case root
        case tooManyEntries
        case name(index: Int, SafeName.Problem)
        /// The entry's folder is not a folder that stands before it.
        case parent(index: Int)
        /// Twice the same name in a folder, or names that differ only in case or normalisation.
        case clash(index: Int)
        case tooDeep(index: Int)
        case pathTooLong(index: Int)
        case tooLarge
        /// More names than ``TransferLimits/manifestPathBytes``.
        case namesTooLong
        /// Page or entry that is not well-formed.
        case malformed
    }

    let columns: ManifestColumns
    /// Bytes of all files.
    public let size: UInt64
    /// Number of files, without folders.
    public let files: Int

    /// Checks entries that are at hand one by one, with their paths.
    public init(_ entries: some Sequence<ManifestEntry>) throws(Problem) {
        var builder = ManifestBuilder()
        var folders = ManifestFolders()
        for entry in entries { try folders.append(entry, to: &builder) }
        self = try builder.finish()
    }

    init(columns: ManifestColumns, size: UInt64, files: Int) {
        self.columns = columns
        self.size = size
        self.files = files
    }

    /// Number of entries, folders included; at least one.
    public var count: Int { columns.count }

    /// Whether a folder was offered.
    public var isFolder: Bool { columns.kind(0) == .folder }

    /// All entries with their paths, each made when it is asked for.
    public var entries: Entries { Entries(columns: columns) }

    public func kind(_ index: Int) -> ManifestEntry.Kind { columns.kind(index) }
    public func size(_ index: Int) -> UInt64 { columns.sizes[index] }
    public func mode(_ index: Int) -> UInt16 { columns.mode(index) }
    /// Nanoseconds since 1970.
    public func modified(_ index: Int) -> Int64 { columns.modified[index] }
    /// The last component; empty for entry 0.
    public func name(_ index: Int) -> String { columns.name(index) }
    /// Components joined by `/`; empty for entry 0.
    public func path(_ index: Int) -> String { columns.path(index) }
    /// The entry of the folder that it lies in; 0 for entry 0.
    public func parent(_ index: Int) -> Int { Int(columns.parents[index]) }

    /// XXH3-128 over all entries' bytes on the wire: tells whether both sides mean the same list.
    public var digest: Checksum {
        let stream = ChecksumStream()
        ManifestCodec.forEachPage(of: self) { page, _ in page.withUnsafeBytes { stream.update($0) } }
        return stream.value
    }

    /// The entries as a collection.
    public struct Entries: RandomAccessCollection, Sendable {
        let columns: ManifestColumns

        public var startIndex: Int { 0 }
        public var endIndex: Int { columns.count }
        public subscript(index: Int) -> ManifestEntry { columns.entry(index) }
    }
}

extension Manifest.Entries: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.columns == right.columns }
}
