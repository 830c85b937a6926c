import Basics

/// Durable frames of the peer that are not answered yet.
///
/// A frame that may change the relation (a contact request, answer or removal) holds back all durable frames behind it
/// until its commit is reported: a friend's first message comes right behind the answer that makes a friend.
struct Inbox: Sendable {
    /// A frame that was handed out for commit.
    private struct Handed {
        let bytes: Int
        let isBarrier: Bool
        /// The transfer of a file status.
        let transfer: UUIDv7?
    }

    /// Handed out for commit, by id, in the order of their coming: a peer may send many frames under one id.
    private var committing: [UUIDv7: [Handed]] = [:]
    private var committingFrames = 0
    private var held: [Frame] = []
    private var bytes = 0
    /// The contact frame for whose commit the held ones wait.
    private var isBlocked = false
    /// Whether a contact frame could not be stored and comes again: the relation may be about to change.
    private(set) var isRelationOpen = false
    /// File statuses that could not be stored and come again, by transfer. Later ones of that transfer wait for them: of two
    /// statuses the last counts.
    private var lateStatuses: [UUIDv7: Set<UUIDv7>] = [:]
    private var lateCount = 0

    var isEmpty: Bool { committingFrames == 0 && held.isEmpty }
    var isHolding: Bool { isBlocked }

    /// More than any peer that keeps to its window can bring about: stop reading.
    func isTooLong(for bound: Backlog) -> Bool {
        committingFrames + held.count > bound.frames || bytes > bound.bytes
    }
    /// Still too much to read again.
    func isLong(for bound: Backlog) -> Bool {
        committingFrames + held.count > bound.frames / 2 || bytes > bound.bytes / 2
    }

    mutating func hold(_ frame: Frame) {
        held.append(frame)
        bytes += frame.body.count
    }

    mutating func handOut(_ frame: DurableFrame, bodyBytes: Int) {
        let handed = Handed(bytes: bodyBytes, isBarrier: frame.mayChangeRelation, transfer: frame.statusOfTransfer)
        committing[frame.id, default: []].append(handed)
        committingFrames += 1
        bytes += bodyBytes
        if handed.isBarrier { isBlocked = true }
    }

    /// Whether a frame has to come again because one before it, about the same transfer, does.
    func mustWait(_ frame: DurableFrame) -> Bool {
        guard let transfer = frame.statusOfTransfer, let late = lateStatuses[transfer] else { return false }
        return !late.contains(frame.id)
    }

    /// Takes note of a frame that could not be stored, or waits for one that couldn't.
    mutating func putOff(_ id: UUIDv7, status transfer: UUIDv7) {
        if lateCount >= PeerLimits.lateStatuses { (lateStatuses, lateCount) = ([:], 0) }
        if lateStatuses[transfer, default: []].insert(id).inserted { lateCount += 1 }
    }

    /// Takes note of frames that could not be stored and are to come again.
    /// - Returns: those that come again with them, because they could only be judged behind one of them.
    mutating func putOff(_ ids: [UUIDv7]) -> [Frame] {
        var isBarrierGone = false
        for id in ids {
            guard let handed = take(id) else { continue }
            if handed.isBarrier { (isBarrierGone, isRelationOpen) = (true, true) }
            if let transfer = handed.transfer { putOff(id, status: transfer) }
        }
        return isBarrierGone ? releaseHeld() : []
    }

    /// Takes note of commits; gives back the frames that need wait no longer, to be judged afresh.
    mutating func settle(_ ids: [UUIDv7]) -> [Frame] {
        var isBarrierGone = false
        for id in ids {
            guard let handed = take(id) else { continue }
            if handed.isBarrier { (isBarrierGone, isRelationOpen) = (true, false) }
            if let transfer = handed.transfer, lateStatuses[transfer]?.remove(id) != nil {
                lateCount -= 1
                if lateStatuses[transfer]?.isEmpty == true { lateStatuses[transfer] = nil }
            }
        }
        return isBarrierGone ? releaseHeld() : []
    }

    private mutating func take(_ id: UUIDv7) -> Handed? {
        guard var handed = committing.removeValue(forKey: id), let first = handed.first else { return nil }
        handed.removeFirst()
        if !handed.isEmpty { committing[id] = handed }
        committingFrames -= 1
        bytes -= first.bytes
        return first
    }

    private mutating func releaseHeld() -> [Frame] {
        isBlocked = false
        defer { held = [] }
        for frame in held { bytes -= frame.body.count }
        return held
    }
}

/// How much of one peer may wait for its commit.
struct Backlog: Sendable {
    let frames: Int
    let bytes: Int
}
