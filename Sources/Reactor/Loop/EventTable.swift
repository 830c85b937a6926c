import CLinux
import Glibc

/// Something with a descriptor that epoll watches.
@ReactorActor protocol EventSource: AnyObject {
    /// The descriptor is ready, or a turn has come that the source asked for with `EventLoop.again` (then `events` is
    /// empty).
    func ready(_ events: Readiness)
}

/// Maps descriptors to sources.
///
/// epoll's tag carries the descriptor and a generation. A source may be removed in the middle of a turn and its
/// descriptor number reused at once. An event of the old source that epoll has already handed over carries the old
/// generation and is dropped. The table keeps its sources alive.
@ReactorActor struct EventTable {
    private struct Slot {
        var generation: UInt32 = 0
        var source: (any EventSource)?
    }

    /// No descriptor is as large as this tag.
    static nonisolated let wakeUpTag = UInt64.max

    private let epoll: CInt
    /// Slots by descriptor. The kernel gives the lowest free number, so the array stays as short as the number of
    /// descriptors.
    private var slots: [Slot] = []
    /// The number of watched sources.
    private(set) var count = 0

    init(epoll: CInt) { self.epoll = epoll }

    /// Starts watching. Events that are ready already are reported in the next turn.
    mutating func add(_ fd: CInt, _ source: any EventSource, _ interest: Readiness) throws(SocketError) {
        let index = Int(fd)
        while slots.count <= index { slots.append(Slot()) }
        slots[index].generation &+= 1
        var event = epoll_event(events: interest.rawValue, data: .init(u64: tag(fd)))
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 else { throw .system("epoll_ctl", errno) }
        slots[index].source = source
        count += 1
    }

    /// Changes what is waited for. Events that are ready already are reported again, edge-triggered or not.
    func change(_ fd: CInt, _ interest: Readiness) {
        var event = epoll_event(events: interest.rawValue, data: .init(u64: tag(fd)))
        epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event)
    }

    /// Stops watching. Call it before closing the descriptor.
    mutating func remove(_ fd: CInt) {
        // The removal is explicit, since a descriptor that a fork duplicated would otherwise stay watched after it is
        // closed.
        epoll_ctl(epoll, EPOLL_CTL_DEL, fd, nil)
        slots[Int(fd)].source = nil
        slots[Int(fd)].generation &+= 1
        count -= 1
    }

    /// The source that an event was meant for; nil for a stale one.
    func source(of tag: UInt64) -> (any EventSource)? {
        guard let index = Int(exactly: tag & 0xFFFF_FFFF), index < slots.count else { return nil }
        let slot = slots[index]
        return UInt64(slot.generation) == tag >> 32 ? slot.source : nil
    }

    /// The tag under which `fd` is watched now.
    func tag(_ fd: CInt) -> UInt64 { UInt64(slots[Int(fd)].generation) << 32 | UInt64(UInt32(bitPattern: fd)) }
}
