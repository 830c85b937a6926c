import Basics
import Vocabulary

/// What happens to a session.
public enum SessionInput: Sendable {
    /// The handshake is through. First and once; our card goes out.
    case opened(card: Card)
    /// Plaintext of the channel.
    case received([UInt8])
    /// Our side's relation to the peer has changed, after the commit. Report it before the commit of the frame that
    /// changed it is reported.
    case relationChanged(Relation)
    /// Whether the peer and we are members of some group together, after the commit. Report it before the commit of the frame
    /// that changed it is reported.
    case groupMateChanged(Bool)
    /// Say this to the peer, about a group that we share. Nothing is sent to one who is neither a friend nor a group mate.
    case group(GroupFrame)
    /// Our card has changed, or the peer is to see another one of ours. Goes out at once, or soon where it changes often.
    case cardChanged(Card)
    /// Whether our person is here. Told to friends, now or once the session is open; nobody else learns of it.
    case presence(Presence)
    /// The keys by which the peer recognises us. Told to friends and to whom we have asked, now or once they are.
    case discoveryKeys(DiscoveryKeysBody)
    /// Ask the friend for the picture with this digest.
    case askAvatar([UInt8])
    /// The picture that the friend has asked for; nil if it isn't here.
    case avatar([UInt8], file: [UInt8]?)
    /// Ask the peer whom it knows on its network.
    case askPeerExchange(PeerExchangeRequestBody)
    /// The page that the peer has asked for.
    case peerExchange(PeerExchangeBody)
    /// Ask the friend to dial us back, or say how that went.
    case reach(ReachTalk)
    /// The answer to ``SessionEffect/wantOutbox(after:limit:maximumBytes:)``: items in ascending order, and whether the
    /// outbox holds more behind them.
    case outbox([OutboxItem], hasMore: Bool)
    /// Items that were just committed to the outbox. Optional for correctness only in that an empty list does, too: it
    /// says "look again". Items given here spare the question; they must come in the order of their commits.
    case outboxAppended([OutboxItem])
    /// Items that the peer refused for a passing reason: send them once more.
    case outboxAgain([OutboxItem])
    /// Read the outbox from its beginning: of what was refused for a passing reason there is more than was remembered.
    case outboxRestart
    /// What became of durable frames of the peer.
    case committed([UUIDv7], CommitOutcome)
    /// Tell the peer that somebody here is typing to it, or has ceased to. Nothing is sent to one who is no friend.
    case typing(Bool)
    /// End the session in good order.
    case close(CloseReason, detail: String? = nil)
    /// The connection ended, or the channel failed, without a close frame.
    case interrupted
    /// ``SessionMachine/nextDeadline`` has come.
    case tick
}

/// What our store did with a durable frame.
public enum CommitOutcome: Hashable, Sendable {
    /// It is on disk, now or since an earlier time. The peer gets a receipt.
    case stored
    /// It will never be taken. The peer gets a receipt with the reason.
    case refused(Refusal)
    /// The commit failed (no space, say). The peer gets a receipt with this reason, which must be a passing one
    /// (``ReasonKind/isPassing``), and sends the frame again after a while. What must not overtake it comes again as well.
    case putOff(Refusal)
}

/// What the owner of a session has to do, in this order.
public enum SessionEffect: Hashable, Sendable {
    /// Seal these bytes (whole frames, one behind the other) and send them.
    case send([UInt8])
    /// The peer's card: valid, signed, and of the account and device that the channel has proved.
    case card(Card)
    /// The friend is typing, or has ceased to. Of several in a row only the last is told.
    case typing(Bool)
    /// The friend's person is here, or away. Comes with the first card, and at each change.
    case presence(Presence)
    /// The keys by which the peer is recognised, if it is somebody whom we want to recognise.
    case discoveryKeys(DiscoveryKeysBody)
    /// The friend asks for our picture with this digest. Answer with ``SessionInput/avatar(_:file:)``.
    case avatarWanted([UInt8])
    /// The friend's answer, asked for or not: compare it with the digest, and don't decode it.
    case avatar(AvatarBody)
    /// The peer asks whom we know. Answer with ``SessionInput/peerExchange(_:)``.
    case peerExchangeWanted(PeerExchangeRequestBody)
    /// The peer's answer to a question of ours. Nothing in it is checked yet.
    case peerExchange(PeerExchangeBody)
    /// The friend asks to be dialled back, or says how it went for us.
    case reach(ReachTalk)
    /// The peer says this about a group. Whether they are a member of it is for the owner to look up. Of several words in a
    /// row about typing in one group only the last is told.
    case group(GroupFrame)
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
    /// The keys are old: whoever dialled opens a new session now. Comes once, and only to that side.
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
    /// The connection broke, or somebody cut it.
    case interrupted
    /// Nothing was heard for ``PeerLimits/silenceLimit``.
    case silence

    /// Whether one of the two sides meant it.
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
