import Basics

/// Manifest pages in CBOR: {1: number of the first entry, 2: [[folder, name, kind, size, mode, modified], …], 3: number
/// of all entries}.
public enum ManifestCodec {
    /// Goes through the pages in order. There is at least one, and each has at most
    /// ``TransferLimits/manifestPageBytes``.
    /// - Parameter body: the page's bytes and its entries.
    public static func forEachPage<Failure: Error>(
        of manifest: Manifest, _ body: (_ page: [UInt8], _ entries: Range<Int>) throws(Failure) -> Void
    ) throws(Failure) {
        let columns = manifest.columns
        var first = 0
        var bytes = 0
        for index in 0..<columns.count {
            // The integers of an entry take at most 31 bytes, including their heads.
            let cost = columns.nameBytes(index).count + 40
            if bytes + cost > TransferLimits.manifestPageBytes - 64 {
                try body(page(columns, first..<index, room: bytes), first..<index)
                first = index
                bytes = 0
            }
            bytes += cost
        }
        try body(page(columns, first..<columns.count, room: bytes), first..<columns.count)
    }

    /// All pages at once.
    public static func pages(of manifest: Manifest) -> [[UInt8]] {
        var pages: [[UInt8]] = []
        forEachPage(of: manifest) { page, _ in pages.append(page) }
        return pages
    }

    /// Writes a page piece by piece: as CBOR values, the longest list would take a hundred megabytes.
    private static func page(_ columns: ManifestColumns, _ range: Range<Int>, room: Int) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(room + 64)
        CBOR.appendHead(5, 3, to: &out)
        CBOR.unsigned(1).append(to: &out)
        CBOR.unsigned(UInt64(range.lowerBound)).append(to: &out)
        CBOR.unsigned(2).append(to: &out)
        CBOR.appendHead(4, UInt64(range.count), to: &out)
        for index in range {
            let name = columns.nameBytes(index)
            CBOR.appendHead(4, 6, to: &out)
            CBOR.appendHead(0, UInt64(columns.parents[index]), to: &out)
            CBOR.appendHead(3, UInt64(name.count), to: &out)
            out.append(contentsOf: name)
            CBOR.appendHead(0, UInt64(columns.kind(index).rawValue), to: &out)
            CBOR.appendHead(0, columns.sizes[index], to: &out)
            CBOR.appendHead(0, UInt64(columns.mode(index)), to: &out)
            CBOR.integer(columns.modified[index]).append(to: &out)
        }
        CBOR.unsigned(3).append(to: &out)
        CBOR.unsigned(UInt64(columns.count)).append(to: &out)
        return out
    }
}

/// Joins pages to a manifest.
public struct ManifestAssembler: Sendable {
    private var builder = ManifestBuilder()
    private var total: UInt64?

    public init() {}

    /// Takes the next page. Returns the manifest once the last entry is there.
    public mutating func append(page: ArraySlice<UInt8>) throws(Manifest.Problem) -> Manifest? {
        guard let map = (try? CBORDecoder.decode(page))?.mapValue,
            let first = map[1]?.unsignedValue, let items = map[2]?.arrayValue, let count = map[3]?.unsignedValue,
            first == UInt64(builder.count), !items.isEmpty
        else { throw .malformed }
        guard count <= UInt64(TransferLimits.entries) else { throw .tooManyEntries }
        guard total == nil || total == count, UInt64(items.count) <= count - min(first, count) else { throw .malformed }
        total = count
        for item in items { try append(item) }
        guard UInt64(builder.count) == count else { return nil }
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

extension Manifest {
    /// Makes a manifest from stored pages, which are checked again.
    public init(pages: some Sequence<[UInt8]>) throws(Problem) {
        var assembler = ManifestAssembler()
        var whole: Manifest?
        for page in pages {
            guard whole == nil else { throw .malformed }
            whole = try assembler.append(page: page[...])
        }
        guard let whole else { throw .malformed }
        self = whole
    }
}
