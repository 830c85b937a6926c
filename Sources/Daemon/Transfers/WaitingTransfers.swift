import Basics

/// Incoming transfers that are to be fetched, in the order of their acceptance, each with the time of its next attempt.
/// A value without I/O.
struct WaitingTransfers {
    struct Item: Equatable, Sendable {
        let id: UUIDv7
        let peer: AccountID
        var nextAttempt: Instant
        /// How long to wait after this attempt, if it brings nothing.
        var pause: Duration
    }

    private var items: [Item] = []

    func contains(_ id: UUIDv7) -> Bool { items.contains { $0.id == id } }

    /// Puts a transfer at the end; one that waits already keeps its place.
    mutating func put(
        _ id: UUIDv7, of peer: AccountID, at time: Instant, pause: Duration = DaemonLimits.transferRetry.first
    ) {
        let item = Item(id: id, peer: peer, nextAttempt: time, pause: pause)
        if let index = items.firstIndex(where: { $0.id == id }) { items[index] = item } else { items.append(item) }
    }

    mutating func remove(_ id: UUIDv7) { items.removeAll { $0.id == id } }

    /// What waits for this account need not wait for its pause to end.
    mutating func hurry(_ peer: AccountID, now: Instant) {
        for index in items.indices where items[index].peer == peer {
            items[index].nextAttempt = now
            items[index].pause = DaemonLimits.transferRetry.first
        }
    }

    /// Takes out the first that is due and may run.
    ///
    /// - Parameter mayRun: whether the peer is there and has room for another.
    mutating func takeDue(now: Instant, mayRun: (AccountID) -> Bool) -> Item? {
        guard let index = items.firstIndex(where: { $0.nextAttempt <= now && mayRun($0.peer) }) else { return nil }
        return items.remove(at: index)
    }

    /// When to look again.
    ///
    /// - Parameter isHere: those whose peer is away wait for the peer, not for a time.
    func nextAttempt(after now: Instant, isHere: (AccountID) -> Bool) -> Instant? {
        items.filter { $0.nextAttempt > now && isHere($0.peer) }.map(\.nextAttempt).min()
    }
}
