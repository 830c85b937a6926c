import Basics

/// A checked list of entries, which keeps every rule about names, order, depth, sizes and numbers.
///
/// It is kept in columns, with all names in one buffer. An entry takes 26 bytes and its name, so the longest list takes
/// a few megabytes.
public struct Manifest: Hashable, Sendable {
    /// Why a list of entries is not a manifest.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// There is no entry, or entry 0 has a path.
        case root
        case tooManyEntries
        case name(index: Int, SafeName.Problem)
        /// The entry's folder is not a folder that stands before it.
        case parent(index: Int)
        /// A folder has the same name twice, or names that differ only in case or normalisation.
        case clash(index: Int)
        case tooDeep(index: Int)
        case pathTooLong(index: Int)
        case tooLarge
        /// The names are longer than ``TransferLimits/manifestPathBytes``.
        case namesTooLong
        /// A page or entry is not well-formed.
        case malformed

        public var description: String {
            switch self {
            case .root: "the list has no entry for the whole"
            case .tooManyEntries: "the list has too many entries"
            case .name(let index, let problem): "entry \(index): \(problem)"
            case .parent(let index): "entry \(index) stands before its folder"
            case .clash(let index): "entry \(index) has the name of another"
            case .tooDeep(let index): "entry \(index) is too deep"
            case .pathTooLong(let index): "the path of entry \(index) is too long"
            case .tooLarge: "the files are too large"
            case .namesTooLong: "the names are too long"
            case .malformed: "the list is damaged"
            }
        }
    }

    let columns: ManifestColumns
    /// The bytes of all files.
    public let size: UInt64
    /// The number of files, without folders.
    public let files: Int

    /// Checks given entries one by one, with their paths.
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

    /// The list of one file about which only its length is said.
    /// - Parameter size: bytes.
    public static func nameless(size: UInt64) -> Manifest { single(size: size, mode: 0o600, modified: 0) }

    /// The list of one file.
    /// - Parameters:
    ///   - size: bytes.
    ///   - modified: nanoseconds since 1970.
    public static func single(size: UInt64, mode: UInt16, modified: Int64) -> Manifest {
        var columns = ManifestColumns()
        columns.append(parent: 0, name: "", kind: .file, size: size, mode: mode, modified: modified)
        return Manifest(columns: columns, size: size, files: 1)
    }

    /// The number of entries, including folders; at least one.
    public var count: Int { columns.count }

    /// Whether a folder was offered.
    public var isFolder: Bool { columns.kind(0) == .folder }

    /// All entries with their paths, each made on demand.
    public var entries: Entries { Entries(columns: columns) }

    public func kind(_ index: Int) -> ManifestEntry.Kind { columns.kind(index) }
    public func size(_ index: Int) -> UInt64 { columns.sizes[index] }
    public func mode(_ index: Int) -> UInt16 { columns.mode(index) }
    /// The time of the last change, in nanoseconds since 1970.
    public func modified(_ index: Int) -> Int64 { columns.modified[index] }
    /// The last component; empty for entry 0.
    public func name(_ index: Int) -> String { columns.name(index) }
    /// The components joined by `/`; empty for entry 0.
    public func path(_ index: Int) -> String { columns.path(index) }
    /// The entry of the containing folder; 0 for entry 0.
    public func parent(_ index: Int) -> Int { Int(columns.parents[index]) }

    /// XXH3-128 over all entries' bytes on the wire, which tells whether both sides have the same list.
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
