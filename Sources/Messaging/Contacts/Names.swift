import Basics

/// Names that Kibo gives.
package enum Names {
    /// The title of the conversation with oneself, for clients that have no word of their own.
    package static let notes = "Notes"

    /// The name that people have here until they have told us theirs.
    package static func placeholder(for account: AccountID) -> String { String(account.description.prefix(13)) + "…" }
}
