import Basics
import Messaging
import Store

/// What the senders of several messages are called, looked up once for each. It is good for one transaction.
struct SenderNames {
    private struct Place: Hashable {
        let sender: AccountID
        let conversation: UUIDv7
    }

    private var known: [Place: String] = [:]

    mutating func name(of row: MessageRow, in transaction: ReadTransaction) throws -> String {
        let place = Place(sender: row.sender, conversation: row.conversation)
        if let name = known[place] { return name }
        let name = try Names.shown(row.sender, in: row.conversation, transaction)
        known[place] = name
        return name
    }
}
