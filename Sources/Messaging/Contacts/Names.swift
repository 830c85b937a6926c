import Basics
import Store

/// Names that Kibo gives.
package enum Names {
    /// The title of the conversation with oneself, for clients that have no word of their own.
    package static let notes = "Notes"

    /// The name that people have here until they have told us theirs.
    package static func placeholder(for account: AccountID) -> String { String(account.description.prefix(13)) + "…" }

    /// What the writer of a message is called here: their own name for this account, the alias or name of a contact, and for others
    /// the name by which the group knows them.
    package static func shown(
        _ account: AccountID, in conversation: UUIDv7, _ transaction: ReadTransaction
    ) throws -> String {
        if let own = try transaction.ownAccount(), own.account == account { return own.displayName }
        if let contact = try transaction.contact(account) { return contact.shownName }
        let group = try transaction.conversation(conversation)?.group
        return try group.flatMap { try transaction.member(account, of: $0)?.name } ?? placeholder(for: account)
    }
}
