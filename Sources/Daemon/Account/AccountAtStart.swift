import Messaging

/// What the start finds out about the account before there is a ``CurrentAccount``.
struct AccountAtStart: Sendable {
    /// Nil while there is none or it is locked.
    var account: LocalAccount?
    /// Nil without a passphrase.
    var sealed: SealedKeys?
}
