import Basics

/// Checks entries one by one as they arrive, so that a hostile list is refused before it takes memory.
public struct ManifestBuilder: Sendable {
    private var columns = ManifestColumns()
    private var names = ManifestNames()
    /// The number of folders above each entry, and the bytes of its path.
    private var depths: [UInt8] = []
    private var pathLengths: [UInt16] = []
    private var size: UInt64 = 0
    private var files = 0
    private var pathBytes = 0

    public init() {}

    /// The number of entries so far.
    public var count: Int { columns.count }

    /// Appends an entry. The first one is the offered file or folder, with parent 0 and no name.
    /// - Parameter parent: the number of the folder's entry.
    public mutating func append(
        parent: UInt64, name: String, kind: ManifestEntry.Kind, size: UInt64, mode: UInt16, modified: Int64
    ) throws(Manifest.Problem) {
        let index = columns.count
        guard index < TransferLimits.entries else { throw .tooManyEntries }
        guard index > 0 else {
            guard parent == 0, name.isEmpty else { throw .root }
            return try store(0, name, kind, size, mode, modified, depth: 0, pathLength: 0)
        }
        if let problem = SafeName.problem(name) { throw .name(index: index, problem) }
        guard let parent = Int(exactly: parent), parent < index, columns.kind(parent) == .folder else {
            throw .parent(index: index)
        }
        let depth = Int(depths[parent])
        guard depth < TransferLimits.depth else { throw .tooDeep(index: index) }
        let length = Int(pathLengths[parent]) + (parent == 0 ? 0 : 1) + name.utf8.count
        guard length <= TransferLimits.pathBytes else { throw .pathTooLong(index: index) }
        guard pathBytes + length <= TransferLimits.manifestPathBytes else { throw .namesTooLong }
        guard names.insert(name, in: parent, columns) else { throw .clash(index: index) }
        pathBytes += length
        try store(parent, name, kind, size, mode, modified, depth: depth + 1, pathLength: length)
    }

    func kind(_ index: Int) -> ManifestEntry.Kind { columns.kind(index) }
    func path(_ index: Int) -> String { columns.path(index) }

    /// Returns the manifest; throws if there is no entry.
    public consuming func finish() throws(Manifest.Problem) -> Manifest {
        guard columns.count > 0 else { throw .root }
        return Manifest(columns: columns, size: size, files: files)
    }

    private mutating func store(
        _ parent: Int, _ name: String, _ kind: ManifestEntry.Kind, _ size: UInt64, _ mode: UInt16, _ modified: Int64,
        depth: Int, pathLength: Int
    ) throws(Manifest.Problem) {
        if kind == .file {
            let (sum, overflow) = self.size.addingReportingOverflow(size)
            guard !overflow, sum <= TransferLimits.transferBytes else { throw .tooLarge }
            self.size = sum
            files += 1
        }
        columns.append(parent: parent, name: name, kind: kind, size: size, mode: mode, modified: modified)
        depths.append(UInt8(clamping: depth))
        pathLengths.append(UInt16(clamping: pathLength))
    }
}

/// Finds names in a list that some file system considers equal. Names are looked up by hash, and compared only if the
/// hash is there already.
struct ManifestNames: Sendable {
    private var entries: [Int: UInt32] = [:]

    /// Takes the name of the next entry. False if its folder has the name already.
    mutating func insert(_ name: String, in parent: Int, _ columns: ManifestColumns) -> Bool {
        let key = SafeName.clashKey(name)
        var hasher = Hasher()
        hasher.combine(parent)
        hasher.combine(key)
        let hash = hasher.finalize()
        guard let entry = entries[hash] else {
            entries[hash] = UInt32(truncatingIfNeeded: columns.count)
            return true
        }
        if Self.isSame(Int(entry), key, parent, columns) { return false }
        // Two names with one hash practically never happen; if they do, all names are compared.
        return !(1..<columns.count).contains { Self.isSame($0, key, parent, columns) }
    }

    private static func isSame(_ index: Int, _ key: String, _ parent: Int, _ columns: ManifestColumns) -> Bool {
        index < columns.count && columns.parents[index] == UInt32(truncatingIfNeeded: parent)
            && SafeName.clashKey(columns.name(index)) == key
    }
}

/// Finds folders by their paths, for entries that name their folder by path.
struct ManifestFolders {
    private var numbers: [String: Int] = ["": 0]

    mutating func append(_ entry: ManifestEntry, to builder: inout ManifestBuilder) throws(Manifest.Problem) {
        let index = builder.count
        guard index < TransferLimits.entries else { throw .tooManyEntries }
        guard let folder = entry.folder else {
            guard index == 0 else { throw .root }
            return try store(entry, parent: 0, &builder)
        }
        guard index > 0 else { throw .root }
        // An absolute path would otherwise count as a name in the root.
        guard entry.path.utf8.first != UInt8(ascii: "/") else { throw .name(index: index, .separator) }
        if let problem = SafeName.problem(String(entry.name)) { throw .name(index: index, problem) }
        // Paths are compared by bytes, because String equality would find a folder of another normalisation.
        let path = String(folder)
        guard let parent = numbers[path], builder.path(parent).utf8.elementsEqual(path.utf8) else {
            throw .parent(index: index)
        }
        try store(entry, parent: parent, &builder)
    }

    private mutating func store(
        _ entry: ManifestEntry, parent: Int, _ builder: inout ManifestBuilder
    ) throws(Manifest.Problem) {
        try builder.append(
            parent: UInt64(parent), name: String(entry.name), kind: entry.kind, size: entry.size, mode: entry.mode,
            modified: entry.modified)
        if entry.kind == .folder { numbers[entry.path] = builder.count - 1 }
    }
}
