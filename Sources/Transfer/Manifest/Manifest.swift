import Basics

/// A checked list of entries: every rule of names, order, depth, sizes and numbers holds.
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

    public let entries: [ManifestEntry]
    /// Bytes of all files.
    public let size: UInt64
    /// Number of files, without folders.
    public let files: Int

    /// Checks entries that come from a scan or from the database.
    public init(_ entries: [ManifestEntry]) throws(Problem) {
        var builder = ManifestBuilder()
        for entry in entries { try builder.append(entry) }
        self = try builder.finish()
    }

    fileprivate init(entries: [ManifestEntry], size: UInt64, files: Int) {
        self.entries = entries
        self.size = size
        self.files = files
    }

    /// Whether a folder was offered.
    public var isFolder: Bool { entries.first?.kind == .folder }

    /// XXH3-128 over all entries' bytes on the wire: tells whether both sides mean the same list.
    public var digest: Checksum {
        var bytes: [UInt8] = []
        for page in ManifestCodec.pages(of: self) { bytes += page }
        return bytes.withUnsafeBytes { Checksum(of: $0) }
    }
}

/// Checks entries one by one as they arrive, so that a hostile list is refused before it takes memory.
public struct ManifestBuilder: Sendable {
    public private(set) var entries: [ManifestEntry] = []
    private var folders: [String: (index: Int, depth: Int)] = [:]
    private var names: Set<String> = []
    private var size: UInt64 = 0
    private var files = 0
    private var pathBytes = 0
    /// Index of each folder's entry, by index of the entry: for the parent numbers on the wire.
    private(set) var parents: [Int] = []

    public init() {}

    /// Appends an entry whose path is known.
    public mutating func append(_ entry: ManifestEntry) throws(Manifest.Problem) {
        let index = entries.count
        guard index < TransferLimits.entries else { throw .tooManyEntries }
        guard let folder = entry.folder else {
            guard index == 0 else { throw .root }
            return try store(entry, parent: 0, depth: 0)
        }
        guard index > 0 else { throw .root }
        // An absolute path would otherwise count as a name in the root.
        guard entry.path.utf8.first != UInt8(ascii: "/") else { throw .name(index: index, .separator) }
        let name = String(entry.name)
        if let problem = SafeName.problem(name) { throw .name(index: index, problem) }
        // Compared by bytes: String equality would find a folder of another normalisation.
        let folderPath = String(folder)
        guard let parent = folders[folderPath], entries[parent.index].path.utf8.elementsEqual(folderPath.utf8) else {
            throw .parent(index: index)
        }
        guard parent.depth < TransferLimits.depth else { throw .tooDeep(index: index) }
        guard entry.path.utf8.count <= TransferLimits.pathBytes else { throw .pathTooLong(index: index) }
        pathBytes += entry.path.utf8.count
        guard pathBytes <= TransferLimits.manifestPathBytes else { throw .namesTooLong }
        guard names.insert("\(parent.index)/" + SafeName.clashKey(name)).inserted else { throw .clash(index: index) }
        try store(entry, parent: parent.index, depth: parent.depth + 1)
    }

    /// Appends an entry as it comes over the wire: its folder by number.
    mutating func append(
        parent: UInt64, name: String, kind: ManifestEntry.Kind, size: UInt64, mode: UInt16, modified: Int64
    ) throws(Manifest.Problem) {
        let index = entries.count
        guard index > 0 else {
            guard parent == 0, name.isEmpty else { throw .root }
            return try append(ManifestEntry(path: "", kind: kind, size: size, mode: mode, modified: modified))
        }
        // A name with a separator would otherwise come apart into a path.
        if let problem = SafeName.problem(name) { throw .name(index: index, problem) }
        guard let parent = Int(exactly: parent), parent < index, entries[parent].kind == .folder else {
            throw .parent(index: index)
        }
        let base = entries[parent].path
        guard base.utf8.count + 1 + name.utf8.count <= TransferLimits.pathBytes else {
            throw .pathTooLong(index: index)
        }
        let path = base.isEmpty ? name : base + "/" + name
        try append(ManifestEntry(path: path, kind: kind, size: size, mode: mode, modified: modified))
    }

    /// The manifest; throws if there is no entry.
    public consuming func finish() throws(Manifest.Problem) -> Manifest {
        guard !entries.isEmpty else { throw .root }
        return Manifest(entries: entries, size: size, files: files)
    }

    private mutating func store(_ entry: ManifestEntry, parent: Int, depth: Int) throws(Manifest.Problem) {
        let (sum, overflow) = size.addingReportingOverflow(entry.size)
        guard !overflow, sum <= TransferLimits.transferBytes else { throw .tooLarge }
        size = sum
        switch entry.kind {
        case .file: files += 1
        case .folder: folders[entry.path] = (entries.count, depth)
        }
        entries.append(entry)
        parents.append(parent)
    }
}
