import Basics
import Vocabulary

/// How a dial failed.
package struct FailedDial: Error, Hashable, Sendable, CustomStringConvertible {
    package let problem: DialProblem
    /// Details that the code leaves open.
    package let detail: String?

    package init(_ problem: DialProblem, detail: String? = nil) {
        self.problem = problem
        self.detail = detail
    }

    package var text: String { problem.words(detail) }

    package var description: String { text }
}

/// What was tried to reach a device, and what comes next.
package struct DialOutlook: Sendable {
    /// Nil if none is known.
    package let address: SocketAddress?
    package let isUnderWay: Bool
    /// When the next attempt begins; nil if none is planned.
    package let next: WallTime?
    /// How the last attempt failed; nil before it.
    package let last: (at: WallTime, dial: FailedDial)?

    package init(
        address: SocketAddress?, isUnderWay: Bool, next: WallTime?, last: (at: WallTime, dial: FailedDial)?
    ) {
        self.address = address
        self.isUnderWay = isUnderWay
        self.next = next
        self.last = last
    }

    /// Among several devices the one that is dialled first comes first.
    package var order: Int64 { isUnderWay ? 0 : next?.milliseconds ?? .max }
}

/// When and how queued items for an account will be delivered.
package struct DeliveryOutlook: Sendable {
    package let isConnected: Bool
    /// Nil if it isn't known where the account could be.
    package let dial: DialOutlook?
    /// Whether couriers have lost so much for the account that they are given nothing until it was here.
    package let isWithoutCouriers: Bool

    package init(isConnected: Bool, dial: DialOutlook?, isWithoutCouriers: Bool = false) {
        self.isConnected = isConnected
        self.dial = dial
        self.isWithoutCouriers = isWithoutCouriers
    }
}
