import Basics
import Store
import Vocabulary

/// Decides which transfer gets the next slot. A value without I/O.
///
/// Each peer has a queue in the order of acceptance. Peers get slots in rotation, so that one with a hundred files holds no
/// other up. Some of the slots are for small transfers. Transfers that come in and those that go out (where we have to
/// dial) have slots of their own.
package struct TransferQueue {
    package struct Item: Equatable, Sendable {
        package let id: UUIDv7
        package let peer: AccountID
        package let direction: TransferDirection
        package let isSmall: Bool
        /// The conversation of a group's file, which comes from any of its members.
        package var group: UUIDv7?
        var nextAttempt: Instant
        /// How long to wait after this attempt, if it brings nothing.
        package var pause = TransferServiceLimits.transferRetry.first
        fileprivate var order: UInt64 = 0

        package init(_ row: TransferRow, at time: Instant) {
            self.init(
                id: row.id, peer: row.peer, direction: row.direction,
                isSmall: row.size - row.bytesDone <= TransferServiceLimits.smallTransferBytes, at: time)
            if row.fileRoot != nil { group = row.conversation }
        }

        package init(id: UUIDv7, peer: AccountID, direction: TransferDirection, isSmall: Bool, at time: Instant) {
            self.id = id
            self.peer = peer
            self.direction = direction
            self.isSmall = isSmall
            nextAttempt = time
        }
    }

    /// The items that wait, by ``Item/order``.
    package private(set) var waiting: [Item] = []
    package private(set) var running: [UUIDv7: Item] = [:]
    /// When each peer got its last slot, as a number that grows.
    private var lastSlots: [AccountID: UInt64] = [:]
    private var count: UInt64 = 0

    package func waits(_ id: UUIDv7) -> Bool { waiting.contains { $0.id == id } }

    /// Puts a transfer behind all others. One that waits keeps its rank and gets the new time; one that runs
    /// stays.
    package mutating func put(_ item: Item) {
        guard running[item.id] == nil else { return }
        var item = item
        if let index = waiting.firstIndex(where: { $0.id == item.id }) {
            item.order = waiting[index].order
            waiting[index] = item
        } else {
            count += 1
            item.order = count
            waiting.append(item)
        }
    }

    package mutating func remove(_ id: UUIDv7) { waiting.removeAll { $0.id == id } }

    /// Ends the pauses of the transfers that wait for this account. An outgoing one still gives the receiver time to
    /// dial.
    /// - Parameters:
    ///   - sharing: whether the account is in the group of a conversation.
    ///   - keeping: whether the account is a courier that has the file of a transfer.
    mutating func hurry(
        _ peer: AccountID, sharing: (UUIDv7) -> Bool = { _ in false }, keeping: (UUIDv7) -> Bool = { _ in false },
        now: Instant
    ) {
        for index in waiting.indices {
            let item = waiting[index]
            guard item.peer == peer || item.group.map(sharing) ?? keeping(item.id) else { continue }
            hurry(at: index, now: now)
        }
    }

    /// Ends the pause of one transfer that waits.
    mutating func hurry(_ id: UUIDv7, now: Instant) {
        if let index = waiting.firstIndex(where: { $0.id == id }) { hurry(at: index, now: now) }
    }

    private mutating func hurry(at index: Int, now: Instant) {
        let isIncoming = waiting[index].direction == .incoming
        waiting[index].nextAttempt = isIncoming ? now : now + TransferServiceLimits.transferCall
        waiting[index].pause = TransferServiceLimits.transferRetry.first
    }

    /// Takes out the next transfer that is due, for which a slot is free, and whose peer can be reached.
    package mutating func next(now: Instant, isHere: (Item) -> Bool) -> Item? {
        var best: Int?
        for index in waiting.indices {
            let item = waiting[index]
            guard item.nextAttempt <= now, hasSlot(item), isHere(item) else { continue }
            guard let other = best else {
                best = index
                continue
            }
            // The peer whose last slot was longest ago comes first, with the transfer that was accepted first.
            if lastSlots[item.peer, default: 0] < lastSlots[waiting[other].peer, default: 0] { best = index }
        }
        guard let best else { return nil }
        let item = waiting[best]
        begin(item)
        return item
    }

    /// Takes a slot for a transfer out of rotation: its peer has dialled for it.
    /// - Returns: false if no slot is free.
    package mutating func claim(_ item: Item) -> Bool {
        guard running[item.id] == nil, hasSlot(item) else { return false }
        var item = item
        item.order = waiting.first { $0.id == item.id }?.order ?? 0
        begin(item)
        return true
    }

    private mutating func begin(_ item: Item) {
        remove(item.id)
        running[item.id] = item
        count += 1
        lastSlots[item.peer] = count
    }

    /// Gives the slot back.
    package mutating func ended(_ id: UUIDv7) {
        guard let item = running.removeValue(forKey: id) else { return }
        if !waiting.contains(where: { $0.peer == item.peer }), !running.values.contains(where: { $0.peer == item.peer })
        {
            lastSlots[item.peer] = nil
        }
    }

    /// Gives the slot back. The transfer keeps its rank and waits for its pause, which doubles each time that an
    /// attempt brings nothing.
    /// - Parameter isOutOfSpace: whether a disk is full; that is checked at a steady pace.
    package mutating func again(_ item: Item, madeProgress: Bool, isOutOfSpace: Bool = false, now: Instant) {
        ended(item.id)
        guard !waits(item.id) else { return }
        var item = item
        let first =
            item.direction == .incoming ? TransferServiceLimits.transferRetry.first : TransferServiceLimits.transferCall
        let pause = max(madeProgress ? first : item.pause, first)
        item.nextAttempt = now + (isOutOfSpace ? TransferServiceLimits.spaceLook : pause)
        item.pause = isOutOfSpace ? first : min(pause * 2, TransferServiceLimits.transferRetry.longest)
        if item.order == 0 {
            count += 1
            item.order = count
        }
        let index = waiting.firstIndex { $0.order > item.order } ?? waiting.count
        waiting.insert(item, at: index)
    }

    /// When to look again. Transfers whose peer is away wait for the peer, and those without a free slot for a slot;
    /// neither needs a time.
    func nextAttempt(after now: Instant, isHere: (Item) -> Bool) -> Instant? {
        waiting.filter { $0.nextAttempt > now && isHere($0) }.map(\.nextAttempt).min()
    }

    private func hasSlot(_ item: Item) -> Bool {
        var (all, large, peers, peersLarge) = (0, 0, 0, 0)
        for other in running.values where other.direction == item.direction {
            all += 1
            if !other.isSmall { large += 1 }
            guard other.peer == item.peer else { continue }
            peers += 1
            if !other.isSmall { peersLarge += 1 }
        }
        guard all < TransferServiceLimits.activeTransfers, peers < TransferServiceLimits.activeTransfersPerPeer else {
            return false
        }
        return item.isSmall
            || large < TransferServiceLimits.largeTransfers && peersLarge < TransferServiceLimits.largeTransfersPerPeer
    }
}
