import Basics
import Vocabulary

/// An event that a session takes in.
public enum SessionInput: Sendable {
    /// The handshake is through. This comes first and once; our card goes out.
    case opened(card: Card)
    /// The channel has opened this plaintext.
    case received([UInt8])
    /// Our side's relation to the peer has changed, after the commit. Report it before the commit of the frame that
    /// changed it is reported.
    case relationChanged(Relation)
    /// Whether the peer may be a friend who is not known here, because our disk was lost. What only friends may send then
    /// waits on the peer's side.
    case mayBeFriend(Bool)
    /// Whether the peer and we are members of some group together, after the commit. Report it before the commit of the frame
    /// that changed it is reported.
    case groupMateChanged(Bool)
    /// Our card has changed, or the peer should see another one of ours. It is sent at once, or soon if it changes
    /// often.
    case cardChanged(Card)
    /// Tell the peer this. Hints go only to the peers that they are for, once the session is open. A state of ours is
    /// remembered and sent when it may be; any other hint is lost if it can't be sent at once.
    case hint(Hint)
    /// The answer to ``SessionEffect/wantOutbox(after:limit:maximumBytes:)``: items in ascending order, and whether the
    /// outbox holds more behind them.
    case outbox([OutboxItem], hasMore: Bool)
    /// Items that were just committed to the outbox, in the order of their commits. An empty list says "look again"; items given
    /// here spare the question.
    case outboxAppended([OutboxItem])
    /// Items that the peer refused for a passing reason: send them again.
    case outboxAgain([OutboxItem])
    /// Read the outbox from its beginning: more was refused for a passing reason than was remembered.
    case outboxRestart
    /// Have a new session take this one's place, as soon as the two can't be taken for dials that crossed.
    case renew
    /// The outcome of durable frames of the peer.
    case committed([UUIDv7], CommitOutcome)
    /// End the session in good order.
    case close(CloseReason, detail: String? = nil)
    /// The connection ended, or the channel failed, without a close frame.
    case interrupted
    /// ``SessionMachine/nextDeadline`` has come.
    case tick
}

/// The answer of our store to a durable frame.
public enum CommitOutcome: Hashable, Sendable {
    /// It is on disk, now or since an earlier time. The peer gets a receipt.
    case stored
    /// It will never be taken. The peer gets a receipt with the reason.
    case refused(Refusal)
    /// The commit failed (no space, say). The peer gets a receipt with this reason, which must be a passing one
    /// (``Reason/isPassing``), and sends the frame again after a while. What must not overtake it comes again as well.
    case putOff(Refusal)
}

/// What the owner of a session has to do, in this order.
public enum SessionEffect: Hashable, Sendable {
    /// Seal these bytes (whole frames, one after another) and send them.
    case send([UInt8])
    /// The peer's card: valid, signed, and of the account and device that the channel has proved.
    case card(Card)
    /// The peer says or asks this, and is allowed to. Only the form was checked: for example, the owner must look up
    /// whether the peer is a member of the group that it mentions. Of several hints in a row that replace each other
    /// only the last is given. Presence comes with the first card, and at each change.
    case hint(Hint)
    /// Commit these, in this order, then report with ``SessionInput/committed(_:_:)``. A frame that was committed
    /// before is committed again: it changes nothing and gets its receipt.
    case commit([DurableFrame])
    /// The peer's receipts. The outbox forgets the ids, whatever the status; ids that are not in it mean nothing.
    case receipts(ReceiptBody.Status, [UUIDv7])
    /// Read the outbox for this peer: items with a sequence above `after` (nil: from the beginning), at most `limit`,
    /// and no more after `maximumBytes` of bodies are reached. Answer with ``SessionInput/outbox(_:hasMore:)``, once.
    case wantOutbox(after: Int64?, limit: Int, maximumBytes: Int)
    /// These items of the outbox are in a `send` of this call.
    case sent([UUIDv7])
    /// Stop reading from the connection: the peer is ahead of its budget, or the store behind.
    case pauseReading
    /// Read again.
    case resumeReading
    /// The keys are old: open a new session now. It comes to the side that has dialled, and again until the session ends.
    case renewalDue
    /// The session is over; nothing comes after it. Close the connection once what was sent is flushed.
    case closed(SessionEnd)
}

/// How a session ended.
public enum SessionEnd: Hashable, Sendable {
    /// We said goodbye.
    case closedHere(CloseReason, detail: String?)
    /// The peer did.
    case closedByPeer(CloseReason, detail: String?)
    /// The connection broke or was cut.
    case interrupted
    /// Nothing was heard for ``PeerLimits/silenceLimit``.
    case silence

    /// Whether one of the two sides meant to end it.
    public var isClean: Bool {
        switch self {
        case .closedHere, .closedByPeer: true
        case .interrupted, .silence: false
        }
    }

    /// Whether nothing was left to say: no failure, and no reason to dial again.
    public var isIdle: Bool {
        switch self {
        case .closedHere(let reason, _), .closedByPeer(let reason, _): reason == .idle
        case .interrupted, .silence: false
        }
    }
}
