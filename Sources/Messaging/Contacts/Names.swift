import Basics

/// The name that people have here before they have told theirs.
package enum Names {
    package static func placeholder(for account: AccountID) -> String { String(account.description.prefix(13)) + "…" }
}
