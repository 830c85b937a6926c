import Basics
import Crypto

/// Reads the sealed part of a backup from its bytes, as they come, and checks everything that can be checked without a
/// database. It does no I/O.
public struct BackupReader: ~Copyable {
    private var stream: OpeningStream
    private var decompressor: Decompressor
    /// Sealed bytes of the file that are not opened yet.
    private var sealed: [UInt8] = []
    /// Where they stand in the file.
    private var place: Int
    private var entries = EntryParser()

    private static let sealedPiece = BackupLimits.pieceBytes + CryptoLimits.streamPieceExtraBytes

    /// - Parameters:
    ///   - head: as it was read from the file.
    ///   - header: the bytes behind the head, ``CryptoLimits/streamHeaderBytes`` of them.
    /// - Throws: ``BackupError``.
    public init(
        _ head: BackupHead, header: [UInt8], _ secret: borrowing BackupSecret
    ) throws(BackupError) {
        let stream = try Self.begin(secret.streamKey(head), header, at: head.encoded.count)
        self.init(stream, try Decompressor(), place: head.encoded.count + header.count)
    }

    private init(_ stream: consuming OpeningStream, _ decompressor: consuming Decompressor, place: Int) {
        self.stream = stream
        self.decompressor = decompressor
        self.place = place
    }

    private static func begin(
        _ key: SharedKey, _ header: [UInt8], at place: Int
    ) throws(BackupError) -> OpeningStream {
        do { return try OpeningStream(key: key, header: header) } catch { throw .damaged(at: place) }
    }

    /// Whether the last entry has come.
    public var isComplete: Bool { entries.isOver }

    /// What the file says of itself; nil until that has come.
    public var summary: BackupBeginning? { entries.beginning }
    /// How many rows have come of each table, in the order of the file; also after an error.
    public var found: [BackupTableCount] { entries.found }

    /// Takes the next bytes of the file, of any number.
    /// - Parameter take: called with each entry, in order. What it throws is thrown here.
    /// - Throws: ``BackupError``. Nothing may be fed after an error.
    public mutating func feed(_ bytes: [UInt8], _ take: (BackupEntry) throws -> Void) throws {
        sealed += bytes
        var start = 0
        // What may be the last piece waits for the end of the file.
        while sealed.count - start > Self.sealedPiece {
            try open(start..<start + Self.sealedPiece, isLast: false, take)
            start += Self.sealedPiece
            place += Self.sealedPiece
        }
        sealed.removeFirst(start)
    }

    /// The file is at its end.
    /// - Throws: ``BackupError`` if it is not whole.
    public mutating func finish(_ take: (BackupEntry) throws -> Void) throws {
        try open(0..<sealed.count, isLast: true, take)
        place += sealed.count
        guard entries.isOver, decompressor.isOver else { throw BackupError.malformed(at: place, "it has no end") }
    }

    private mutating func open(
        _ range: Range<Int>, isLast: Bool, _ take: (BackupEntry) throws -> Void
    ) throws {
        guard let packed = try? stream.open(sealed[range]), stream.isOver == isLast else {
            throw BackupError.damaged(at: place)
        }
        let end = place + range.count
        var parser = entries
        entries = EntryParser()
        defer { entries = parser }
        let isFine = try decompressor.unpack(packed) { try parser.feed($0, at: end, take) }
        guard isFine else { throw BackupError.malformed(at: end, "it can't be unpacked") }
    }
}

/// Divides the unpacked stream into entries, and checks their order and their numbers.
struct EntryParser {
    private static let headBytes = 5

    private var buffer: [UInt8] = []
    private(set) var beginning: BackupBeginning?
    /// The tables whose rows have all come.
    private var done: [BackupTableCount] = []
    /// The table whose rows come, by its number in the beginning, and its columns.
    private var table = -1
    private var columns = 0
    /// How many rows of it have come.
    private var rows = 0
    private(set) var isOver = false

    mutating func feed(
        _ bytes: UnsafeRawBufferPointer, at place: Int, _ take: (BackupEntry) throws -> Void
    ) throws {
        buffer.append(contentsOf: bytes)
        var start = 0
        while buffer.count - start >= Self.headBytes {
            let kind = buffer[start]
            let length = buffer[start + 1..<start + Self.headBytes].reduce(0) { $0 << 8 | Int($1) }
            guard let limit = BackupEntry.limit(ofKind: kind), length <= limit else {
                throw BackupError.malformed(at: place, "an entry of kind \(kind) with \(length) bytes")
            }
            let content = start + Self.headBytes
            guard buffer.count - content >= length else { break }
            guard let entry = BackupEntry(kind: kind, content: Array(buffer[content..<content + length])) else {
                throw BackupError.malformed(at: place, "an entry of kind \(kind)")
            }
            if let problem = check(entry) { throw BackupError.malformed(at: place, problem) }
            start = content + length
            try take(entry)
        }
        buffer.removeFirst(start)
        if isOver, !buffer.isEmpty { throw BackupError.malformed(at: place, "bytes behind the end") }
    }

    /// - Returns: what is wrong with the entry at this place; nil if nothing is.
    private mutating func check(_ entry: BackupEntry) -> String? {
        if isOver { return "an entry behind the end" }
        guard let beginning else {
            guard case .beginning(let value) = entry else { return "it doesn't begin with a beginning" }
            self.beginning = value
            return nil
        }
        switch entry {
        case .beginning: return "two beginnings"
        case .picture: return table < 0 ? nil : "a picture between tables"
        case .table(let value):
            if let problem = checkTable(beginning) { return problem }
            if let last = tableBehind(beginning) { done.append(last) }
            table += 1
            guard table < beginning.tables.count, beginning.tables[table].name == value.name else {
                return "a table that was not announced"
            }
            (columns, rows) = (value.columns.count, 0)
            return nil
        case .rows(let bytes):
            guard table >= 0 else { return "rows without a table" }
            guard let count = Self.count(bytes, columns: columns) else { return "rows of another form" }
            rows += count
            return rows <= beginning.tables[table].rows ? nil : "more rows than were announced"
        case .end(let tables):
            if let problem = checkTable(beginning) { return problem }
            guard table == beginning.tables.count - 1, tables == beginning.tables else { return "tables are missing" }
            isOver = true
            return nil
        }
    }

    /// The rows that have come of each table.
    var found: [BackupTableCount] {
        guard let beginning, let last = tableBehind(beginning) else { return done }
        return done + [last]
    }

    /// The table whose rows came last.
    private func tableBehind(_ beginning: BackupBeginning) -> BackupTableCount? {
        guard beginning.tables.indices.contains(table) else { return nil }
        return BackupTableCount(name: beginning.tables[table].name, rows: rows)
    }

    /// Whether the table that ends here has all its rows.
    private func checkTable(_ beginning: BackupBeginning) -> String? {
        table < 0 || rows == beginning.tables[table].rows ? nil : "rows of \(beginning.tables[table].name) are missing"
    }

    /// The number of rows; nil unless they are arrays of so many cells.
    static func count(_ bytes: [UInt8], columns: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            var cursor = CBORCursor(bytes)
            var rows = 0
            while !cursor.isAtEnd {
                guard (try? cursor.next()) == .array(columns) else { return nil }
                for _ in 0..<columns {
                    guard let item = try? cursor.next() else { return nil }
                    if case .array = item { return nil }
                }
                rows += 1
            }
            return rows
        }
    }
}
