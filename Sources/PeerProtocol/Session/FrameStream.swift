import Basics

/// The peer's bytes: they are cut into frames, charged to the peer's budgets, and not read while the peer is ahead of
/// them or our store is behind.
struct FrameStream: Sendable {
    private var decoder = FrameDecoder()
    private var budget: PeerBudget
    /// When the frame began that has not ended yet.
    private var frameBegan: Instant?
    /// Whether a frame has ended since bytes came last.
    private var hasFrame = false
    private(set) var isPaused = false
    /// When a pause ends by itself; nil for one that waits for our store.
    private var pausedUntil: Instant?

    init(from peer: PeerStanding, now: Instant) {
        budget = PeerBudget(peer)
        decoder.keptBodyBytes = peer.keptBodyBytes
    }

    /// The peer may send more or less from now on.
    mutating func change(to peer: PeerStanding) {
        budget.change(to: peer)
        decoder.keptBodyBytes = peer.keptBodyBytes
    }

    mutating func append(_ bytes: [UInt8], now: Instant) {
        budget.charge(bytes: bytes.count, now: now)
        decoder.append(bytes)
        hasFrame = false
    }

    /// The next whole frame of what was appended, nil after the last.
    mutating func next(now: Instant) throws(WireError) -> Frame? {
        guard let frame = try decoder.next() else {
            frameBegan = decoder.isMidFrame ? (hasFrame ? now : frameBegan ?? now) : nil
            return nil
        }
        hasFrame = true
        budget.charge(frame, now: now)
        return frame
    }

    /// Whether the peer has gone far beyond its budgets.
    func isOverdrawn(now: Instant) -> Bool {
        budget.repaid(after: now).map { $0 - now > PeerLimits.overdraft } ?? false
    }

    /// Whether a frame has taken too long. The time doesn't count while nothing is read.
    func isLate(now: Instant) -> Bool {
        guard !isPaused, let frameBegan else { return false }
        return now >= frameBegan + PeerLimits.frameTime
    }

    /// When a frame is late or a pause may end; nil for neither.
    var deadline: Instant? { isPaused ? pausedUntil : frameBegan.map { $0 + PeerLimits.frameTime } }

    /// Begins or ends a pause in reading.
    /// - Returns: whether there is one from now on; nil where nothing changes.
    mutating func adjust(to inbox: Inbox, _ backlog: Backlog, now: Instant) -> Bool? {
        pausedUntil = budget.repaid(after: now)
        let mustWait = pausedUntil != nil || (isPaused ? inbox.isLong(for: backlog) : inbox.isTooLong(for: backlog))
        guard mustWait != isPaused else { return nil }
        isPaused = mustWait
        if !mustWait, frameBegan != nil { frameBegan = now }
        return mustWait
    }

    /// Stops reading for good.
    mutating func close() { decoder = FrameDecoder() }
}
