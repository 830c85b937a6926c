import Basics
import Vocabulary

/// Gathers what one input brings about: frames into one buffer, so that they share records, and effects in their order,
/// with neighbours of a kind joined.
struct SessionOutput: Sendable {
    private var frames: [UInt8] = []
    private var effects: [SessionEffect] = []
    private var commits: [DurableFrame] = []
    private var stored: [UUIDv7] = []
    private var refused: (refusal: Refusal, ids: [UUIDv7])?
    /// Refusals since the beginning.
    private(set) var refusals: [Reason: UInt64] = [:]
    private var isPongDue = false
    private var end: SessionEnd?

    var hasFrames: Bool { !frames.isEmpty || isPongDue || refused != nil }

    mutating func frame(_ kind: FrameKind, id: UUIDv7 = .zero, body: [UInt8] = []) {
        flushRefused()
        Frame.append(kind: kind, id: id, body: body, to: &frames)
    }

    /// Answers all pings of an input at once: a flood of them is not returned in full.
    mutating func pong() { isPongDue = true }

    mutating func effect(_ effect: SessionEffect) {
        flushBatches()
        effects.append(effect)
    }

    /// A flood of hints that replace each other is one effect.
    mutating func hint(_ hint: Hint) {
        flushBatches()
        if case .hint(let earlier)? = effects.last, hint.replaces(earlier) { effects.removeLast() }
        effects.append(.hint(hint))
    }

    mutating func commit(_ frame: DurableFrame) {
        if !stored.isEmpty { flushBatches() }
        commits.append(frame)
    }

    /// The peer has these.
    mutating func stored(_ ids: [UUIDv7]) {
        if !commits.isEmpty { flushBatches() }
        stored += ids
    }

    /// A receipt for a frame of the peer that is not taken.
    mutating func refuse(_ id: UUIDv7, _ refusal: Refusal) {
        if let refused, refused.refusal != refusal || refused.ids.count == PeerLimits.receiptIDs { flushRefused() }
        if refused == nil { refused = (refusal, []) }
        refused?.ids.append(id)
    }

    /// Receipts for frames of the peer, as many in each as it holds.
    mutating func receipts(_ status: ReceiptBody.Status, _ ids: [UUIDv7]) {
        var rest = ids.filter { $0 != .zero }[...]
        if case .refused(let refusal) = status { for _ in rest { countRefusal(refusal) } }
        while !rest.isEmpty {
            let body = ReceiptBody(status: status, ids: Array(rest.prefix(PeerLimits.receiptIDs)))
            rest = rest.dropFirst(PeerLimits.receiptIDs)
            // Neither empty nor too long nor with a zero: it can't throw.
            if let bytes = try? body.encoded() { frame(.receipt, body: bytes) }
        }
    }

    private mutating func countRefusal(_ refusal: Refusal) { refusals[refusal.reason, default: 0] += 1 }

    mutating func end(_ end: SessionEnd) { self.end = end }

    /// Gives everything since the last call.
    mutating func drain() -> [SessionEffect] {
        flushBatches()
        if isPongDue, end == nil { frame(.pong) }
        isPongDue = false
        flushRefused()
        if !frames.isEmpty { effects.append(.send(frames)) }
        if let end { effects.append(.closed(end)) }
        defer {
            effects = []
            frames = []
        }
        return effects
    }

    private mutating func flushBatches() {
        if !commits.isEmpty { effects.append(.commit(commits)) }
        if !stored.isEmpty { effects.append(.receipts(.stored, stored)) }
        commits = []
        stored = []
    }

    private mutating func flushRefused() {
        guard let (refusal, ids) = refused else { return }
        refused = nil
        receipts(.refused(refusal), ids)
    }
}
