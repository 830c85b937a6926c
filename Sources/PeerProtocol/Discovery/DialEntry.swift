import Basics

/// What the planner knows of one target.
struct DialEntry: Sendable {
    /// Where the device was heard, by announcement.
    var heardAt: SocketAddress?
    /// Where it was last met, in this run or before.
    var metAt: SocketAddress?
    /// For a target that is an address: who was there.
    var resident: DeviceID?

    /// Somebody asked for this: dialled first, once.
    var isRequested = false
    /// Something waits to be delivered.
    var isPending = false
    /// A static peer: dialled always.
    var isStatic = false
    /// A stranger that has not been looked at since it appeared.
    var isUnseen = false

    /// It has said goodbye or fallen silent, and nothing was heard of it since.
    var hasLeft = false

    /// Since when it is gone without a goodbye: its session broke, or it fell silent.
    var lostAt: Instant?

    /// Not dialled before this, unless somebody asks for it.
    var calmUntil: Instant?

    /// Failures in a row.
    var failures = 0
    /// When to dial; nil: nothing planned.
    var due: Instant?
    /// The address of the dial under way.
    var underWay: SocketAddress?
    /// When the last dial began.
    var beganAt: Instant?

    /// Where to dial a device next. The announced address first; where it fails the other one is tried in turn.
    var candidate: SocketAddress? {
        guard let heardAt else { return metAt }
        guard let metAt, metAt != heardAt else { return heardAt }
        return failures % 2 == 0 ? heardAt : metAt
    }

    /// Whether anything here is worth remembering.
    var isEmpty: Bool {
        heardAt == nil && metAt == nil && !isRequested && !isPending && !isStatic && underWay == nil
    }

    mutating func forget(_ address: SocketAddress) {
        if heardAt == address { heardAt = nil }
        if metAt == address { metAt = nil }
    }
}

/// What comes first when there are more targets than dials.
enum DialPriority: Int, Comparable {
    case requested, friend, fixed, stranger

    static func < (left: DialPriority, right: DialPriority) -> Bool { left.rawValue < right.rawValue }
}
