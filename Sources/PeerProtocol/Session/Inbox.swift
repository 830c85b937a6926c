import Basics

/// Durable frames of the peer: which of them are handed out for commit, and which are not answered yet.
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

    /// The frames handed out for commit, by id, in the order in which they came: a peer may send many frames under one id.
    private var committing: [UUIDv7: [Handed]] = [:]
    private var committingFrames = 0
    private var held: [Frame] = []
    private var bytes = 0
    /// Whether held frames wait for the commit of a contact frame.
    private var isBlocked = false
    /// Whether a contact frame could not be stored and comes again: the relation may be about to change.
    private var isRelationOpen = false
    /// File statuses that could not be stored and come again, by transfer. Later ones of that transfer wait for them, because
    /// only the last of two statuses counts.
    private var lateStatuses: [UUIDv7: Set<UUIDv7>] = [:]
    private var lateCount = 0

    var isEmpty: Bool { committingFrames == 0 && held.isEmpty }

    /// Whether it has more than any peer that keeps to its window can bring about: reading has to stop.
    func isTooLong(for bound: Backlog) -> Bool {
        committingFrames + held.count > bound.frames || bytes > bound.bytes
    }
    /// Whether it still has too much to read again.
    func isLong(for bound: Backlog) -> Bool {
        committingFrames + held.count > bound.frames / 2 || bytes > bound.bytes / 2
    }

    private static let behind = Refusal(.busy, detail: "one before it could not be stored")
    private static let noFriendYet = Refusal(.busy, detail: "not known as a friend here yet")
    private static let noMate = Refusal(.busy, detail: "not known as a member of a group here")

    /// Takes a frame with an id: it is handed out for commit, refused, or waits for one before it.
    mutating func receive(_ frame: Frame, from peer: PeerStanding, _ output: inout SessionOutput) {
        if isBlocked {
            held.append(frame)
            bytes += frame.body.count
            return
        }
        guard let rule = DurableFrame.rules[frame.kind] else {
            return output.refuse(frame.id, Refusal(.unsupported, detail: "frame kind \(frame.kind.rawValue)"))
        }
        guard rule.gate.admits(peer) else {
            // Membership reaches each daemon at another time: a member who was just added may speak before we have heard of it.
            // Their frame waits at their end, until we have, or until they have heard that they are no member any more.
            if frame.kind.isOfGroups { return output.refuse(frame.id, Self.noMate) }
            // The person here has yet to say that they are a friend again.
            if rule.gate == .friends, peer.mayBeFriend { return output.refuse(frame.id, Self.noFriendYet) }
            // The frame that would make them a friend could not be stored yet, and comes again like this one.
            return output.refuse(frame.id, isRelationOpen ? Self.behind : Refusal(.notFriends))
        }
        do {
            let durable = try DurableFrame(frame)
            if mustWait(durable) { return putOff(frame, Self.behind, &output) }
            handOut(durable, bodyBytes: frame.body.count)
            output.commit(durable)
        } catch {
            output.refuse(frame.id, error.refusal)
        }
    }

    /// Answers for frames that were handed out for commit, and takes those that waited for them.
    mutating func answer(
        _ ids: [UUIDv7], _ outcome: CommitOutcome, from peer: PeerStanding, _ output: inout SessionOutput
    ) {
        switch outcome {
        case .stored: output.receipts(.stored, ids)
        case .refused(let refusal): output.receipts(.refused(refusal), ids)
        case .putOff(let refusal):
            for id in ids { output.refuse(id, refusal) }
            for frame in putOff(ids) { putOff(frame, refusal, &output) }
            return
        }
        for frame in settle(ids) { receive(frame, from: peer, &output) }
    }

    /// Makes a frame come again together with an earlier one that could not be stored.
    private mutating func putOff(_ frame: Frame, _ refusal: Refusal, _ output: inout SessionOutput) {
        if frame.kind == .fileStatus, let durable = try? DurableFrame(frame), let transfer = durable.statusOfTransfer {
            putOff(frame.id, status: transfer)
        }
        output.refuse(frame.id, refusal)
    }

    private mutating func handOut(_ frame: DurableFrame, bodyBytes: Int) {
        let handed = Handed(bytes: bodyBytes, isBarrier: frame.mayChangeRelation, transfer: frame.statusOfTransfer)
        committing[frame.id, default: []].append(handed)
        committingFrames += 1
        bytes += bodyBytes
        if handed.isBarrier { isBlocked = true }
    }

    /// Whether a frame has to come again because one before it, about the same transfer, does.
    private func mustWait(_ frame: DurableFrame) -> Bool {
        guard let transfer = frame.statusOfTransfer, let late = lateStatuses[transfer] else { return false }
        return !late.contains(frame.id)
    }

    /// Takes note of a frame that could not be stored, or waits for one that couldn't.
    private mutating func putOff(_ id: UUIDv7, status transfer: UUIDv7) {
        if lateCount >= PeerLimits.lateStatuses { (lateStatuses, lateCount) = ([:], 0) }
        if lateStatuses[transfer, default: []].insert(id).inserted { lateCount += 1 }
    }

    /// Takes note of frames that could not be stored and are to come again.
    /// - Returns: those that come again with them, because they could only be judged behind one of them.
    private mutating func putOff(_ ids: [UUIDv7]) -> [Frame] {
        var isBarrierGone = false
        for id in ids {
            guard let handed = removeFirst(id) else { continue }
            if handed.isBarrier { (isBarrierGone, isRelationOpen) = (true, true) }
            if let transfer = handed.transfer { putOff(id, status: transfer) }
        }
        return isBarrierGone ? releaseHeld() : []
    }

    /// Takes note of commits; gives back the frames that need wait no longer, to be judged afresh.
    private mutating func settle(_ ids: [UUIDv7]) -> [Frame] {
        var isBarrierGone = false
        for id in ids {
            guard let handed = removeFirst(id) else { continue }
            if handed.isBarrier { (isBarrierGone, isRelationOpen) = (true, false) }
            if let transfer = handed.transfer, lateStatuses[transfer]?.remove(id) != nil {
                lateCount -= 1
                if lateStatuses[transfer]?.isEmpty == true { lateStatuses[transfer] = nil }
            }
        }
        return isBarrierGone ? releaseHeld() : []
    }

    private mutating func removeFirst(_ id: UUIDv7) -> Handed? {
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
