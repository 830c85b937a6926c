import Basics

private let numberOfGroup = SQL("SELECT number FROM group_chat WHERE id = ? AND state < 4")
private let groupOfNumber = SQL("SELECT id FROM group_chat WHERE number = ?")

/// The numbers of groups. Like those of conversations they are never used again, so a stale one finds no row.
extension ReadTransaction {
    func groupNumber(_ id: UUIDv7) throws(StoreError) -> Int64? {
        if let number = chats[id] { return number }
        guard let number = try connection.integer(numberOfGroup, id) else { return nil }
        chats.remember(id, number)
        return number
    }

    func groupID(_ number: Int64) throws(StoreError) -> UUIDv7? {
        if let group = chats[number] { return group }
        let group = try connection.first(groupOfNumber, number) { row throws(StoreError) in try row.identifier(0) }
        guard let id = group else { return nil }
        chats.remember(id, number)
        return id
    }

    func knownGroupNumber(_ id: UUIDv7) throws(StoreError) -> Int64 {
        guard let number = try groupNumber(id) else { throw .missing(.group(id)) }
        return number
    }

    /// - Throws: ``StoreError/corrupt(detail:)`` if the length is no multiple of 32.
    func hashes(_ bytes: [UInt8]) throws(StoreError) -> [[UInt8]] {
        guard bytes.count % 32 == 0 else { throw .corrupt(detail: "hashes of \(bytes.count) bytes in all") }
        return stride(from: 0, to: bytes.count, by: 32).map { Array(bytes[$0..<($0 + 32)]) }
    }
}
