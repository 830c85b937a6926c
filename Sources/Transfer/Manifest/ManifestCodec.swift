import Basics

/// Manifest pages: CBOR {1: number of the first entry, 2: [[folder, name, kind, size, mode, modified], …], 3: number
/// of all}.
public enum ManifestCodec {
    /// Pages in order, each at most ``TransferLimits/manifestPageBytes`` and at least one.
    public static func pages(of manifest: Manifest) -> [[UInt8]] {
        var numbers: [String: UInt64] = [:]
        var pages: [[UInt8]] = []
        var items: [CBOR] = []
        var bytes = 0
        var first = 0
        func flush(next: Int) {
            pages.append(page(first: first, items: items, total: manifest.entries.count))
            items.removeAll(keepingCapacity: true)
            bytes = 0
            first = next
        }
        for (index, entry) in manifest.entries.enumerated() {
            // Folder paths of a manifest never clash by String's equality, so a dictionary finds the right one.
            let parent = entry.folder.flatMap { numbers[String($0)] } ?? 0
            if entry.kind == .folder { numbers[entry.path] = UInt64(index) }
            let name = String(entry.name)
            // Integers of an entry take 31 bytes at most, heads included.
            let cost = name.utf8.count + 40
            if bytes + cost > TransferLimits.manifestPageBytes - 64 { flush(next: index) }
            bytes += cost
            items.append(
                .array([
                    .unsigned(parent), .text(name), .unsigned(UInt64(entry.kind.rawValue)), .unsigned(entry.size),
                    .unsigned(UInt64(entry.mode)), .integer(entry.modified),
                ]))
        }
        flush(next: manifest.entries.count)
        return pages
    }

    private static func page(first: Int, items: [CBOR], total: Int) -> [UInt8] {
        CBOR.map([1: .unsigned(UInt64(first)), 2: .array(items), 3: .unsigned(UInt64(total))]).encoded()
    }
}

/// Puts pages together again.
public struct ManifestAssembler: Sendable {
    private var builder = ManifestBuilder()
    private var total: UInt64?

    public init() {}

    /// Takes the next page; the manifest once the last entry is there.
    public mutating func append(page: ArraySlice<UInt8>) throws(Manifest.Problem) -> Manifest? {
        guard let map = (try? CBORDecoder.decode(page))?.mapValue,
            let first = map[1]?.unsignedValue, let items = map[2]?.arrayValue, let count = map[3]?.unsignedValue,
            first == UInt64(builder.entries.count), !items.isEmpty
        else { throw .malformed }
        guard count <= UInt64(TransferLimits.entries) else { throw .tooManyEntries }
        guard total == nil || total == count, UInt64(items.count) <= count - min(first, count) else { throw .malformed }
        total = count
        for item in items { try append(item) }
        guard UInt64(builder.entries.count) == count else { return nil }
        return try builder.finish()
    }

    private mutating func append(_ item: CBOR) throws(Manifest.Problem) {
        guard let fields = item.arrayValue, fields.count >= 6,
            let parent = fields[0].unsignedValue, let name = fields[1].textValue,
            let kindNumber = fields[2].unsignedValue, let kindByte = UInt8(exactly: kindNumber),
            let kind = ManifestEntry.Kind(rawValue: kindByte),
            let size = fields[3].unsignedValue, kind == .file || size == 0,
            let modeNumber = fields[4].unsignedValue, let mode = UInt16(exactly: modeNumber), mode <= 0o777,
            let modified = fields[5].integerValue
        else { throw .malformed }
        try builder.append(parent: parent, name: name, kind: kind, size: size, mode: mode, modified: modified)
    }
}
