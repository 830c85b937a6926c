import Basics
import Vocabulary

private let columns = messageColumns
private let named = SQL(
    """
    SELECT \(columns) FROM message AS m WHERE m.id = ?1 AND m.sender = ?2 AND m.wire IS NULL AND m.kind <> 3
    UNION ALL SELECT \(columns) FROM message AS m WHERE m.wire = ?1 AND m.sender = ?2 AND m.kind <> 3 LIMIT 1
    """)
private let called = SQL(
    """
    SELECT \(columns) FROM message AS m WHERE m.id = ?1 AND m.wire IS NULL AND m.kind <> 3
    UNION ALL SELECT \(columns) FROM message AS m WHERE m.wire = ?1 AND m.kind <> 3
    """)
private let hasNumber = SQL(
    """
    SELECT 1 FROM message WHERE id = ?1 AND sender = ?2 AND wire IS NULL AND kind <> 3
    UNION ALL SELECT 1 FROM message WHERE wire = ?1 AND sender = ?2 AND kind <> 3 LIMIT 1
    """)
private let own = SQL(
    """
    SELECT number FROM message
    WHERE id = ?1 AND wire IS NULL AND (state <> 5 OR sender = (SELECT account FROM account))
    UNION ALL
    SELECT number FROM message WHERE wire = ?1 AND (state <> 5 OR sender = (SELECT account FROM account)) LIMIT 1
    """)
private let wasRemovedByID = SQL("SELECT account, wire IS NULL FROM removed_message WHERE id = ?")
private let wasRemovedByWire = SQL("SELECT 1 FROM removed_message WHERE wire = ? AND account = ? LIMIT 1")
private let anyRemoved = SQL(
    """
    SELECT 1 FROM removed_message WHERE id = ?1 AND wire IS NULL
    UNION ALL SELECT 1 FROM removed_message WHERE wire = ?1 LIMIT 1
    """)
private let line = SQL(
    """
    SELECT 1 FROM message WHERE id = ?1 AND kind = 3 UNION ALL SELECT 1 FROM message WHERE wire = ?1 AND kind = 3
    UNION ALL SELECT 1 FROM removed_message WHERE id = ?1 AND account IS NULL AND wire IS NULL
    UNION ALL SELECT 1 FROM removed_message WHERE wire = ?1 AND account IS NULL LIMIT 1
    """)

/// How a frame names a message: by the id that its author gave it. An id belongs to its author's account, so messages
/// of several accounts may have the same one.
public struct MessageName: Hashable, Sendable {
    /// Where the frame was said. It can mean only messages of this conversation.
    public enum Place: Hashable, Sendable {
        case between(AccountID)
        case group(UUIDv7)
    }

    public let id: UUIDv7
    public let place: Place
    /// Whose message it is, if the frame says so. Between two people it need not.
    public let author: AccountID?

    public init(_ id: UUIDv7, in place: Place, by author: AccountID? = nil) {
        self.id = id
        self.place = place
        self.author = author
    }
}

/// What a ``MessageName`` means here.
public enum NamedMessage: Hashable, Sendable {
    case here(MessageRow)
    /// It was here once, or several could be meant.
    case gone
    /// It has not come yet.
    case unknown
}

extension MessageName {
    /// Finds the message that is meant. Between two people, that is a message of the other account than `teller`, or
    /// else one of the teller's own: an account that reuses an id of its peer's only confuses itself. In a group
    /// without an author it is the only message with that id.
    /// - Parameter teller: the account that sent the frame.
    public func meaning(in transaction: ReadTransaction, toldBy teller: AccountID) throws(StoreError) -> NamedMessage {
        var rows: [MessageRow] = []
        for row in try transaction.connection.rows(called, id, read: transaction.messageRow) {
            guard let row, author ?? row.sender == row.sender, try lies(row, transaction) else { continue }
            rows.append(row)
        }
        if case .between = place, let other = rows.first(where: { $0.sender != teller }) { return .here(other) }
        guard rows.count < 2 else { return .gone }
        if let only = rows.first { return .here(only) }
        if let author { return try transaction.isKnown(id, by: author) ? .gone : .unknown }
        switch place {
        case .between(let peer):
            // A message of our own can't still be on its way.
            if try transaction.isKnown(id, by: peer) { return .gone }
            guard let own = try transaction.ownAccount(), try transaction.isKnown(id, by: own.account) else {
                return .unknown
            }
            return .gone
        case .group: return try transaction.connection.integer(anyRemoved, id) != nil ? .gone : .unknown
        }
    }

    private func lies(_ row: MessageRow, _ transaction: ReadTransaction) throws(StoreError) -> Bool {
        guard let conversation = try transaction.conversation(row.conversation) else { return false }
        return switch place {
        case .between(let peer): conversation.contact == peer
        case .group(let group): conversation.group == group
        }
    }
}

extension ReadTransaction {
    /// The message that an account has sent under an id of its own.
    public func message(_ wireID: UUIDv7, by author: AccountID) throws(StoreError) -> MessageRow? {
        guard let author = try keys.number(of: author.key) else { return nil }
        return try connection.first(named, wireID, author, read: messageRow) ?? nil
    }

    /// A message of our own, by the id that the others know.
    public func ownMessage(_ wireID: UUIDv7) throws(StoreError) -> MessageRow? {
        guard let number = try connection.integer(own, wireID) else { return nil }
        return try connection.first(byNumber, number, read: messageRow) ?? nil
    }

    /// Whether a message of this account with this id is or was ever here. Removed messages and messages of a
    /// conversation that is being removed count too.
    public func isKnown(_ wireID: UUIDv7, by author: AccountID) throws(StoreError) -> Bool {
        guard let number = try keys.number(of: author.key) else { return false }
        if try connection.integer(hasNumber, wireID, number) != nil { return true }
        return try lookForRemoved(wireID, by: number).isTheirs
    }

    /// Looks among the removed messages.
    /// - Returns: whether that message was removed, and whether a removed message had the id on this host.
    func lookForRemoved(_ wireID: UUIDv7, by author: Int64) throws(StoreError) -> (isTheirs: Bool, takesID: Bool) {
        let removal = try connection.first(wasRemovedByID, wireID) { row in (row.optionalInteger(0), row.flag(1)) }
        if let (account, isWire) = removal, isWire, account == author { return (true, true) }
        return (try connection.integer(wasRemovedByWire, wireID, author) != nil, removal != nil)
    }

    /// Whether a line of Kibo itself with this id is or was here.
    func isKnownLine(_ id: UUIDv7) throws(StoreError) -> Bool { try connection.integer(line, id) != nil }

    /// The row number of a message of our own, by the id that the others know.
    func ownMessageNumber(_ wireID: UUIDv7) throws(StoreError) -> Int64? { try connection.integer(own, wireID) }
}

private let byNumber = SQL("SELECT \(messageColumns) FROM message AS m WHERE m.number = ?")

/// All look-ups, so that tests can look at how SQLite carries them out.
let messageLookups = [
    named, called, hasNumber, own, wasRemovedByID, wasRemovedByWire, anyRemoved, line, byNumber,
]
