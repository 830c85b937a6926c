import Basics

/// Durable frames of the peer that are not answered yet.
///
/// A frame that may change the relation (a contact request, answer or removal) holds back all durable frames behind it
/// until its commit is reported: a friend's first message comes right behind the answer that makes a friend.
struct Inbox: Sendable {
    /// Handed out for commit: body sizes by id.
    private var committing: [UUIDv7: Int] = [:]
    private var held: [Frame] = []
    private var bytes = 0
    /// The frame for whose commit the held ones wait.
    private var barrier: UUIDv7?
    /// A commit failed. What comes after it is dropped unanswered: the peer sends all of it again on its next session,
    /// in order, and nothing overtakes what was lost.
    private(set) var hasFailed = false

    var isEmpty: Bool { committing.isEmpty && held.isEmpty }
    var isHolding: Bool { barrier != nil }

    /// More than any peer that keeps to its window can bring about: stop reading.
    var isTooLong: Bool {
        committing.count + held.count > PeerLimits.backlogFrames || bytes > PeerLimits.backlogBytes
    }
    /// Still too much to read again.
    var isLong: Bool {
        committing.count + held.count > PeerLimits.backlogFrames / 2 || bytes > PeerLimits.backlogBytes / 2
    }

    mutating func hold(_ frame: Frame) {
        held.append(frame)
        bytes += frame.body.count
    }

    mutating func handOut(_ frame: DurableFrame, bodyBytes: Int) {
        if let earlier = committing.updateValue(bodyBytes, forKey: frame.id) { bytes -= earlier }
        bytes += bodyBytes
        if frame.mayChangeRelation { barrier = frame.id }
    }

    /// Takes note of commits that failed.
    mutating func fail(_ ids: [UUIDv7]) {
        hasFailed = true
        barrier = nil
        _ = settle(ids)
    }

    /// Takes note of commits; gives back the frames that need wait no longer, to be judged afresh.
    mutating func settle(_ ids: [UUIDv7]) -> [Frame] {
        for id in ids {
            if let size = committing.removeValue(forKey: id) { bytes -= size }
            if id == barrier { barrier = nil }
        }
        guard barrier == nil, !held.isEmpty else { return [] }
        defer { held = [] }
        for frame in held { bytes -= frame.body.count }
        return held
    }
}
