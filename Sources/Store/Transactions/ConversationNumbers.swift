import Basics

/// The row numbers of conversations, remembered per connection to save a look-up per message. Numbers are never used
/// again (AUTOINCREMENT), so a stale one finds no row rather than a wrong one.
struct ConversationNumbers {
    private var numbers: [UUIDv7: Int64] = [:]
    private var identifiers: [Int64: UUIDv7] = [:]

    subscript(id: UUIDv7) -> Int64? { numbers[id] }
    subscript(number: Int64) -> UUIDv7? { identifiers[number] }

    mutating func remember(_ id: UUIDv7, _ number: Int64) {
        if numbers.count >= StoreLimits.rememberedConversations { forget() }
        numbers[id] = number
        identifiers[number] = id
    }

    /// Forgets all numbers, after a job was undone or a conversation was deleted.
    mutating func forget() {
        numbers.removeAll()
        identifiers.removeAll()
    }
}

private let numberOfConversation = SQL("SELECT number FROM conversation WHERE id = ? AND archived < 2")
private let conversationOfNumber = SQL("SELECT id FROM conversation WHERE number = ? AND archived < 2")

extension ReadTransaction {
    func conversationNumber(_ id: UUIDv7) throws(StoreError) -> Int64? {
        if let number = conversations[id] { return number }
        guard let number = try connection.integer(numberOfConversation, id) else { return nil }
        conversations.remember(id, number)
        return number
    }

    /// Returns nil for a conversation that is being removed.
    func conversationID(_ number: Int64) throws(StoreError) -> UUIDv7? {
        if let conversation = conversations[number] { return conversation }
        let conversation = try connection.first(conversationOfNumber, number) { row throws(StoreError) in
            try row.identifier(0)
        }
        guard let id = conversation else { return nil }
        conversations.remember(id, number)
        return id
    }

    func optionalConversationID(_ number: Int64?) throws(StoreError) -> UUIDv7? {
        guard let number else { return nil }
        return try conversationID(number)
    }
}
