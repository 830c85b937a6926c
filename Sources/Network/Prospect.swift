import Basics
import PeerProtocol

/// What was tried to reach a device, and what comes next.
package struct DialOutlook: Sendable {
    package let address: SocketAddress?
    package let isUnderWay: Bool
    /// In a row.
    package let failures: Int
    package let next: WallTime?
    package let last: (at: WallTime, text: String)?

    /// Of several devices the one that is dialled first comes first.
    package var order: Int64 { isUnderWay ? 0 : next?.milliseconds ?? .max }
}

/// How it looks for what waits for an account.
package struct Prospect: Sendable {
    package let isConnected: Bool
    /// Nil if it isn't known where the account could be.
    package let dial: DialOutlook?
}
