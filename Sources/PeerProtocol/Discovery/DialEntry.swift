import Basics

/// The planner's knowledge of one target.
struct DialEntry: Sendable {
    /// Where the device was heard, by announcement.
    var heardAt: SocketAddress?
    /// Where it was last met, in this run or before.
    var metAt: SocketAddress?
    /// The device that was met at a target that is an address.
    var resident: DeviceID?

    /// The user or another module asked for this: it is dialled first, and once.
    var isRequested = false
    /// Something waits to be delivered.
    var isPending = false
    /// A static peer, which is dialled always.
    var isStatic = false
    /// A stranger that has not been looked at since it appeared.
    var isUnseen = false

    /// It has said goodbye or fallen silent, and nothing was heard of it since.
    var hasLeft = false

    /// Since when the device is gone without a goodbye: its session broke, or it fell silent.
    var lostAt: Instant?

    /// It is not dialled before this, unless it is asked for.
    var calmUntil: Instant?

    /// Failures in a row.
    var failures = 0
    /// When to dial; nil: nothing planned.
    var due: Instant?
    /// The address of the dial under way.
    var underWay: SocketAddress?
    /// When the last dial began.
    var beganAt: Instant?

    /// Where to dial a device next. The announced address comes first; where it fails the other one is tried in turn.
    var candidate: SocketAddress? {
        guard let heardAt else { return metAt }
        guard let metAt, metAt != heardAt else { return heardAt }
        return failures % 2 == 0 ? heardAt : metAt
    }

    /// Whether the device is gone without a goodbye, and not for long.
    func isLost(now: Instant) -> Bool {
        guard !hasLeft, let lostAt else { return false }
        return now - lostAt < DiscoveryLimits.lostTime
    }

    /// Whether anything here is worth remembering.
    var isEmpty: Bool {
        heardAt == nil && metAt == nil && !isRequested && !isPending && !isStatic && underWay == nil
    }

    /// A session with the device is open: there is no reason to dial it any more, and none to wait.
    mutating func met() {
        (isUnseen, isRequested, hasLeft) = (false, false, false)
        (lostAt, calmUntil) = (nil, nil)
    }

    mutating func forget(_ address: SocketAddress) {
        if heardAt == address { heardAt = nil }
        if metAt == address { metAt = nil }
    }
}

/// Which targets come first when there are more of them than dials.
enum DialPriority: Int, Comparable {
    case requested, friend, fixed, stranger

    static func < (left: DialPriority, right: DialPriority) -> Bool { left.rawValue < right.rawValue }
}
