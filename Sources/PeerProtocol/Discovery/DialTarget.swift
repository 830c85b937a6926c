import Basics

/// The target of a dial.
public enum DialTarget: Hashable, Sendable, Comparable {
    /// This device, wherever it was heard or met last.
    case device(DeviceID)
    /// The device that listens there.
    case address(SocketAddress)

    /// Any total order will do: it only makes the planner's choices repeatable.
    public static func < (left: DialTarget, right: DialTarget) -> Bool {
        switch (left, right) {
        case (.device(let left), .device(let right)): left < right
        case (.device, .address): true
        case (.address, .device): false
        case (.address(let left), .address(let right)): left.description < right.description
        }
    }
}

/// A dial to be made: connect to the address, do the handshake, and report how it ended, exactly once, by
/// ``DialPlanner/sessionOpened(_:by:now:)`` or ``DialPlanner/dialFailed(_:_:now:)``.
public struct DialEffect: Hashable, Sendable {
    public let target: DialTarget
    public let address: SocketAddress

    public init(target: DialTarget, address: SocketAddress) {
        self.target = target
        self.address = address
    }
}

/// Why a dial failed.
public enum DialFailure: Hashable, Sendable {
    /// No device answered, or the handshake failed.
    case unreachable
    /// Another device was there than the target.
    case wrongDevice
    /// We were there ourselves.
    case ourselves
}
