import Basics

/// What people are called before they have told their name.
package enum Names {
    package static func placeholder(for account: AccountID) -> String { String(account.description.prefix(13)) + "…" }
}
