import Basics
import CSQLite
import Vocabulary

/// A prepared statement. Belongs to one connection and so to one thread.
final class Statement {
    let handle: OpaquePointer
    private unowned let connection: Connection
    /// Held so that no other object can come to have its identity.
    private let sql: SQL

    init(_ connection: Connection, _ sql: SQL) throws(StoreError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql.text, -1, UInt32(truncatingIfNeeded: SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw connection.error(code) }
        self.handle = handle
        self.connection = connection
        self.sql = sql
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds all values in order.
    func bind<each Value: Bindable>(_ values: repeat each Value) throws(StoreError) {
        var index: Int32 = 0
        var failure = SQLITE_OK
        for value in repeat each values {
            index += 1
            let code = value.bind(to: handle, at: index)
            if code != SQLITE_OK { failure = code }
        }
        if failure != SQLITE_OK {
            clear()
            throw connection.error(failure)
        }
    }

    /// Whether there is a (further) row.
    func step() throws(StoreError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = connection.error(code)
            clear()
            throw error
        }
    }

    /// Makes the statement ready for its next use, and lets go of the bound values, which may be a megabyte.
    func clear() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    var row: StoredRow { StoredRow(handle: handle) }
}

/// The row on which a statement stands: valid until its next step. Columns count from 0.
///
/// A value of the wrong type or length throws ``StoreError/corrupt(detail:)``: our own schema can't hold it.
struct StoredRow {
    fileprivate let handle: OpaquePointer

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
    func flag(_ column: Int32) -> Bool { integer(column) != 0 }
    func time(_ column: Int32) -> WallTime { WallTime(milliseconds: integer(column)) }
    func optionalTime(_ column: Int32) -> WallTime? { isNull(column) ? nil : time(column) }
    func hybridTime(_ column: Int32) -> HybridTime { HybridTime(rawValue: UInt64(clamping: integer(column))) }

    func text(_ column: Int32) -> String {
        // The pointer first, then the length: asking for the text may convert it.
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func bytes(_ column: Int32) -> [UInt8] { Array(raw(column)) }
    func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    func identifier(_ column: Int32) throws(StoreError) -> UUIDv7 {
        let raw = raw(column)
        guard raw.count == 16 else { throw .corrupt(detail: "an identifier of \(raw.count) bytes") }
        return UUIDv7(
            high: UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    func optionalIdentifier(_ column: Int32) throws(StoreError) -> UUIDv7? {
        isNull(column) ? nil : try identifier(column)
    }

    func hash(_ column: Int32) throws(StoreError) -> EntryHash {
        guard let hash = EntryHash(raw(column)) else { throw .corrupt(detail: "a hash that has not 32 bytes") }
        return hash
    }

    func reason(_ column: Int32) -> Reason { Reason(code: text(column)) }

    func optionalReason(_ column: Int32) -> Reason? { optionalText(column).map(Reason.init(code:)) }

    func enumeration<E: StoredWord>(_ column: Int32) throws(StoreError) -> E {
        guard let value = E(stored: integer(column)) else {
            throw .corrupt(detail: "\(integer(column)) is no \(E.self)")
        }
        return value
    }

    private func raw(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }
}
