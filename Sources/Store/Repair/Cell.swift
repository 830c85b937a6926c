import CSQLite

/// A value of a row as the file holds it. Texts stay bytes, because those of a damaged page may not be UTF-8.
enum Cell: Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    /// The column of the row on which a statement stands.
    init(_ statement: OpaquePointer, _ column: Int32) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            // The pointer first, then the length.
            let start = sqlite3_column_text(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            self = .text(Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            self = .blob(Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)))
        default: self = .null
        }
    }

    /// Whether we may have written this value. The end of a long text may lie on a page of its own, and SQLite can't
    /// tell whether that was overwritten.
    var isPlausible: Bool {
        guard case .text(let bytes) = self else { return true }
        var zeros = 0
        for byte in bytes {
            zeros = byte == 0 ? zeros + 1 : 0
            if zeros >= StoreLimits.repairZeros { return false }
        }
        return String(validating: bytes, as: UTF8.self) != nil
    }

    /// - Returns: SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        // Tells SQLite to copy the bytes before the call returns.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch self {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .real(let number): return sqlite3_bind_double(statement, index, number)
        case .text(let bytes):
            return bytes.withUnsafeBytes { bytes in
                let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                guard let start else { return sqlite3_bind_text(statement, index, "", 0, copied) }
                return sqlite3_bind_text64(
                    statement, index, start, UInt64(bytes.count), copied, UInt8(truncatingIfNeeded: SQLITE_UTF8))
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return sqlite3_bind_zeroblob(statement, index, 0) }
                return sqlite3_bind_blob64(statement, index, start, UInt64(bytes.count), copied)
            }
        }
    }
}

extension Cell: Comparable {
    /// SQLite's order: NULL, numbers, texts by their bytes, blobs by their bytes.
    static func < (left: Cell, right: Cell) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)):
            left.lexicographicallyPrecedes(right)
        default: left.rank < right.rank || (left.rank == right.rank && left.number < right.number)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private var number: Double {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: 0
        }
    }
}

/// A row's place in its table: the values of its primary key, or its row number.
struct RowKey: Comparable {
    let cells: [Cell]

    static func < (left: RowKey, right: RowKey) -> Bool { left.cells.lexicographicallyPrecedes(right.cells) }

    /// The place as a number, for halving a gap: the value of a column, or the first eight bytes of it. Nil for a place that
    /// can't be expressed so.
    func ordinal(_ column: Int = 0) -> Int64? {
        switch cells[column] {
        case .integer(let number): number
        case .blob(let bytes):
            bytes.count < 8 ? nil : Int64(bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) } >> 1)
        default: nil
        }
    }

    /// The first value of a column that belongs to an ordinal, for a key like this one.
    func value(at ordinal: Int64, _ column: Int = 0) -> Cell {
        guard case .blob = cells[column] else { return .integer(ordinal) }
        let number = UInt64(bitPattern: ordinal) << 1
        return .blob((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    }
}
