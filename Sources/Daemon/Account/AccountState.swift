import Messaging
import Threads

/// How the account's keys are kept just now, for those who make objects of it on other threads. Changed on the reactor only.
final class AccountState: Sendable {
    struct Value: Sendable, Equatable {
        /// There is an account, and its keys are not in memory.
        var isLocked = false
        var hasPassphrase = false
        /// The daemon finds the passphrase by itself when it starts.
        var isRemembered = false
    }

    private let value = Lock(Value())

    var current: Value { value.withLock { $0 } }
    func change(_ body: (inout Value) -> Void) { value.withLock { body(&$0) } }
}

/// What the start finds out about the account before there is a ``CurrentAccount``.
struct AccountAtStart: Sendable {
    /// Nil while there is none or it is locked.
    var account: LocalAccount?
    /// Nil without a passphrase.
    var sealed: SealedKeys?
}
