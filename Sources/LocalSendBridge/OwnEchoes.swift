import Basics
import LocalSend

/// Tells our own announcements from those of others. One that comes back to us has left this host, and came in as those of others do:
/// the kernel gives senders what they send to a group that they have joined (IP_MULTICAST_LOOP, on by default), after the firewall's
/// rules for what goes out and for what comes in.
struct OwnEchoes {
    /// What a datagram is.
    enum Hearing {
        case ofOthers
        /// The first one of ours on its interface since ``begin()``.
        case first
        case again
    }

    private let links: [BridgeOrder.Link]
    private let own: Set<[UInt8]>
    private var known: Set<UInt32> = []

    init(links: [BridgeOrder.Link], own: DeviceInfo) {
        self.links = links
        self.own = Set([true, false].map { Announcement(own, wantsAnswers: $0).datagram })
    }

    /// Forgets what has come back.
    mutating func begin() { known = [] }

    /// A copy of ours that comes from elsewhere counts as one of others. From our own address none comes from outside: the kernel
    /// drops those.
    mutating func hear(_ bytes: ArraySlice<UInt8>, from source: IPAddress, on interface: UInt32) -> Hearing {
        guard links.contains(where: { $0.index == interface && $0.address == source }), own.contains(Array(bytes))
        else {
            return .ofOthers
        }
        return known.insert(interface).inserted ? .first : .again
    }
}
