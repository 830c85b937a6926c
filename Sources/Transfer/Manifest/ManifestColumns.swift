/// The entries of a manifest, column by column, without any checks.
struct ManifestColumns: Hashable, Sendable {
    /// The last components in UTF-8, one after the other.
    private(set) var names: [UInt8] = []
    /// The end of each name.
    private(set) var ends: [UInt32] = []
    private(set) var parents: [UInt32] = []
    private(set) var sizes: [UInt64] = []
    private(set) var modified: [Int64] = []
    /// Permission bits, and ``folderBit``.
    private var modes: [UInt16] = []

    private static let folderBit: UInt16 = 0x8000

    var count: Int { ends.count }

    func kind(_ index: Int) -> ManifestEntry.Kind { modes[index] & Self.folderBit == 0 ? .file : .folder }
    func mode(_ index: Int) -> UInt16 { modes[index] & 0o777 }
    func nameBytes(_ index: Int) -> ArraySlice<UInt8> {
        names[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])]
    }
    func name(_ index: Int) -> String { String(decoding: nameBytes(index), as: UTF8.self) }

    func path(_ index: Int) -> String {
        guard index > 0 else { return "" }
        guard parents[index] > 0 else { return name(index) }
        var chain: [Int] = []
        var count = -1
        var at = index
        while at > 0 {
            chain.append(at)
            count += nameBytes(at).count + 1
            at = Int(parents[at])
        }
        return String(unsafeUninitializedCapacity: count) { buffer in
            var used = 0
            for entry in chain.reversed() {
                if used > 0 {
                    buffer[used] = UInt8(ascii: "/")
                    used += 1
                }
                for byte in nameBytes(entry) {
                    buffer[used] = byte
                    used += 1
                }
            }
            return used
        }
    }

    func entry(_ index: Int) -> ManifestEntry {
        ManifestEntry(
            path: path(index), kind: kind(index), size: sizes[index], mode: mode(index), modified: modified[index])
    }

    mutating func append(
        parent: Int, name: String, kind: ManifestEntry.Kind, size: UInt64, mode: UInt16, modified: Int64
    ) {
        names.append(contentsOf: name.utf8)
        ends.append(UInt32(truncatingIfNeeded: names.count))
        parents.append(UInt32(truncatingIfNeeded: parent))
        sizes.append(kind == .folder ? 0 : size)
        modes.append(mode & 0o777 | (kind == .folder ? Self.folderBit : 0))
        self.modified.append(modified)
    }
}
