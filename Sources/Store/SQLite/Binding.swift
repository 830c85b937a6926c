import Basics
import CSQLite
import Vocabulary

/// A value that can take the place of a `?` in a statement.
protocol Bindable {
    /// - Returns: SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

/// Tells SQLite to copy what it is handed before the call returns: the lifetime of our arrays and strings ends there.
private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

extension Int64: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 { sqlite3_bind_int64(statement, index, self) }
}

extension Bool: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self ? 1 : 0)
    }
}

extension UInt16: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(self))
    }
}

extension WallTime: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, milliseconds)
    }
}

extension HybridTime: Bindable {
    /// Stored as a signed integer that sorts in the same way; all times after the year 6429 are equal.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(clamping: rawValue))
    }
}

extension String: Bindable {
    /// Binds the text whole, whatever is in it: the length is passed, so NUL is a character like any other.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // A nil pointer would bind NULL; the empty string is a value.
                characters.baseAddress.map {
                    sqlite3_bind_text64(
                        statement, index, $0, UInt64(characters.count), copied, UInt8(truncatingIfNeeded: SQLITE_UTF8))
                } ?? sqlite3_bind_text(statement, index, "", 0, copied)
            }
        }
    }
}

extension [UInt8]: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        withUnsafeBytes { bytes in
            bytes.baseAddress.map { sqlite3_bind_blob64(statement, index, $0, UInt64(bytes.count), copied) }
                ?? sqlite3_bind_zeroblob(statement, index, 0)
        }
    }
}

extension UUIDv7: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
            sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), copied)
        }
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        self?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
    }
}

extension Bindable where Self: StoredWord {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 { sqlite3_bind_int64(statement, index, stored) }
}

extension EntryHash: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 { bytes.bind(to: statement, at: index) }
}

extension Reason: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 { contract.bind(to: statement, at: index) }
}

extension Relation: Bindable {}
extension Trust: Bindable {}
extension AutoDownload: Bindable {}
extension ContactWord: Bindable {}
extension ConversationKind: Bindable {}
extension MessageKind: Bindable {}
extension MessageState: Bindable {}
extension GroupRole: Bindable {}
extension GroupStanding: Bindable {}
extension LogState: Bindable {}
extension ChangeKind: Bindable {}
extension AttachmentKind: Bindable {}
extension TransferDirection: Bindable {}
extension TransferState: Bindable {}
