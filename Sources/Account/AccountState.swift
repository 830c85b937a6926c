import Threads

/// How the account's keys are kept now. The reactor changes it; other threads read it when they make objects for clients.
package final class AccountState: Sendable {
    package struct Value: Sendable, Equatable {
        /// There is an account, and its keys are not in memory.
        package var isLocked = false
        package var hasPassphrase = false
        /// The daemon finds the passphrase by itself when it starts.
        package var isRemembered = false
    }

    private let value = Lock(Value())

    package init() {}

    /// The state as it was changed last.
    package var current: Value { value.withLock { $0 } }
    /// Changes the state.
    package func change(_ body: (inout Value) -> Void) { value.withLock { body(&$0) } }
}
