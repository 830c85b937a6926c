// The Session folder has what two authenticated daemons owe each other: cards, gates by relation, receipts after
// commit, the send window, keep-alive, budgets, the end. It may use Wire, Basics and Crypto's value types. It has no
// sockets, no store and no clock: inputs come in with the time, effects go out.

import Basics
import Vocabulary

/// One session with one peer, from the end of the handshake to the close.
///
///     var session = SessionMachine(peer: identity, relation: .friend, isDialler: true, now: now)
///     perform(session.receive(.opened(card: ourCard), now: now))
///     perform(session.receive(.received(plaintext), now: now))      // and so on; a tick at nextDeadline
///
/// Nothing that the peer sends makes it throw or trap: a peer that breaks the rules gets a close frame with the reason.
/// After ``SessionEffect/closed(_:)`` every input gives no effects.
///
/// It only connects machines that have their own state: ``FrameStream`` reads, ``HintExchange`` and ``Inbox`` take what comes,
/// ``SendWindow`` sends the outbox, ``KeepAlive`` watches, ``SessionOutput`` gathers the effects.
public struct SessionMachine: Sendable {
    public let peer: PeerIdentity
    public private(set) var isClosed = false

    private var standing: PeerStanding
    /// Whether we have sent the answer that makes the peer a friend. The outbox holds only what is committed, and the peer may write
    /// as soon as it has read the answer. So its first message may come before this session hears of the new relation.
    private var hasMadeFriend = false
    /// The standing by which the peer's frames are judged.
    private var admitted: PeerStanding {
        var admitted = standing
        if hasMadeFriend { admitted.relation = .friend }
        return admitted
    }
    private var isOpen = false
    private var hasPeerCard = false
    /// When this side opens a new session in this one's place: the side that dialled after a while, either one if it has a reason.
    private var renewal: Instant?
    /// When this session is old enough that a new one replaces it, whichever side dials.
    private let isSettledAt: Instant
    /// The last frame in either direction that is not keep-alive.
    private var lastTraffic: Instant
    private var ownCard = Paced<Card>(PeerLimits.ownCards)
    private var keepAlive: KeepAlive
    private var stream: FrameStream
    private var hints = HintExchange()
    private var inbox = Inbox()
    private var window = SendWindow()
    private var output = SessionOutput()

    /// - Parameters:
    ///   - relation: our side's relation to the peer, as committed.
    ///   - isGroupMate: whether we share a group, as committed.
    ///   - mayBeFriend: whether the peer may be a friend who is not known here, because our disk was lost.
    ///   - isDialler: whether we opened the connection.
    public init(
        peer: PeerIdentity, relation: Relation, isGroupMate: Bool = false, mayBeFriend: Bool = false,
        isDialler: Bool, now: Instant
    ) {
        self.peer = peer
        standing = PeerStanding(relation: relation, isGroupMate: isGroupMate, mayBeFriend: mayBeFriend)
        stream = FrameStream(from: standing, now: now)
        keepAlive = KeepAlive(now: now)
        lastTraffic = now
        renewal = isDialler ? now + PeerLimits.renewalAge : nil
        isSettledAt = now + DiscoveryLimits.settledSession
    }

    /// Our side's relation to the peer, as last reported.
    public var relation: Relation { standing.relation }
    /// Whether nothing was heard of the peer for a moment; the session may still live.
    public func isSilent(now: Instant) -> Bool { keepAlive.isSilent(now: now) }

    /// Whether the peer is a member of a group of ours, as last reported.
    public var isGroupMate: Bool { standing.isGroupMate }

    /// Durable frames of the peer that were refused, by reason.
    public var refused: [Reason: UInt64] { output.refusals }

    /// Hints of the peer that were not obeyed, by reason.
    public var ignored: [IgnoredFrame: UInt64] { hints.ignored }

    /// How many frames of ours wait for the peer's receipt.
    public var unacknowledged: Int { window.count }

    /// When a tick is due; nil once closed.
    public var nextDeadline: Instant? {
        guard isOpen, !isClosed else { return nil }
        var deadline = keepAlive.pingAt
        if !stream.isPaused { deadline = min(deadline, keepAlive.deadAt) }
        for due in [
            stream.deadline, window.deadline, idleAt, renewal, ownCard.nextDeadline, hints.deadline(for: standing),
        ] {
            if let due { deadline = min(deadline, due) }
        }
        return deadline
    }

    /// Takes one input. Effects are to be carried out in their order.
    public mutating func receive(_ input: SessionInput, now: Instant) -> [SessionEffect] {
        guard !isClosed else { return [] }
        switch input {
        case .opened(let card): open(card, now)
        case .received(let bytes): hear(bytes, now)
        case .relationChanged(let relation): change(to: relation, now)
        case .mayBeFriend(let mayBe): standing.mayBeFriend = mayBe
        case .groupMateChanged(let isMate): change(isGroupMate: isMate, now)
        case .cardChanged(let card): tell(card, now)
        case .hint(let hint):
            if let (kind, body) = hints.tell(hint, to: standing, isOpen: isOpen, now: now) { send(kind, body, now) }
        case .outbox(let items, let hasMore): send(window.accept(page: items, hasMore: hasMore, now: now), now)
        case .outboxAppended(let items): send(window.accept(appended: items, now: now), now)
        case .outboxAgain(let items): send(window.accept(again: items, now: now), now)
        case .outboxRestart: window.restart()
        case .renew: renewal = max(now, isSettledAt)
        case .committed(let ids, let outcome):
            lastTraffic = now
            inbox.answer(ids, outcome, from: admitted, &output)
        case .close(let reason, let detail): close(reason, detail: detail)
        case .interrupted: end(.interrupted)
        case .tick: tick(now)
        }
        if isOpen, !isClosed {
            // Behind all else that an input brings: only the last of several changes in it is seen.
            if hasPeerCard { for hint in hints.show(of: standing, now: now) { output.hint(hint) } }
            adjustReading(now)
            askForOutbox()
        }
        if output.hasFrames { keepAlive.sent(now: now) }
        return output.drain()
    }

    // MARK: Beginning and end

    private mutating func open(_ card: Card, _ now: Instant) {
        guard !isOpen else { return }
        isOpen = true
        // Not a byte goes out: to a blocked peer this daemon looks as if it had just gone.
        guard relation != .blocked else { return end(.closedHere(.goodbye, detail: nil)) }
        tell(card, now)
        tellStates(now)
    }

    private mutating func close(_ reason: CloseReason, detail: String? = nil) {
        let body = CloseBody(reason: reason, detail: detail)
        output.frame(.close, body: body.encoded())
        end(.closedHere(reason, detail: body.detail))
    }

    private mutating func end(_ end: SessionEnd) {
        guard !isClosed else { return }
        isClosed = true
        stream.close()
        inbox = Inbox()
        output.end(end)
    }

    private mutating func change(to relation: Relation, _ now: Instant) {
        guard relation != standing.relation else { return }
        standing.relation = relation
        hasMadeFriend = false
        stream.change(to: standing)
        hints.change(to: standing)
        lastTraffic = now
        // A card that waits was for what we were before; the owner gives the one for what we are.
        ownCard.drop()
        tellStates(now)
        // A blocked peer sees us leave like every daemon that stops.
        if relation == .blocked, isOpen { close(.goodbye) }
    }

    private mutating func change(isGroupMate: Bool, _ now: Instant) {
        guard isGroupMate != standing.isGroupMate else { return }
        standing.isGroupMate = isGroupMate
        stream.change(to: admitted)
        lastTraffic = now
    }

    // MARK: Frames in

    private mutating func hear(_ bytes: [UInt8], _ now: Instant) {
        guard isOpen else { return close(.protocolError, detail: "not open") }
        keepAlive.heard(now: now)
        stream.append(bytes, now: now)
        do {
            while !isClosed, let frame = try stream.next(now: now) {
                if frame.kind != .ping, frame.kind != .pong { lastTraffic = now }
                handle(frame, now)
            }
        } catch {
            close(.protocolError, detail: error.refusal.detail)
        }
        if !isClosed, stream.isOverdrawn(now: now) { close(.busy) }
    }

    private mutating func handle(_ frame: Frame, _ now: Instant) {
        switch frame.kind {
        case .ping: return output.pong()
        case .pong: return
        case .close: return handleClose(frame)
        case .card: return handleCard(frame)
        default: break
        }
        // Names come first: a peer that asks for something has said who it is.
        guard hasPeerCard else { return close(.protocolError, detail: "\(frame.kind) before the card") }
        if frame.kind == .receipt { return handleReceipt(frame, now) }
        if frame.needsReceipt { return inbox.receive(frame, from: admitted, &output) }
        if let rule = Hint.rules[frame.kind] {
            if let hint = hints.receive(frame, rule, from: standing, now: now) { output.hint(hint) }
        } else if DurableFrame.rules[frame.kind] != nil {
            close(.protocolError, detail: "\(frame.kind) without id")
        } else if frame.kind.isOfGroups, !frame.kind.gate.admits(standing) {
            hints.ignore(.notAllowed)
        }
        // An unknown frame that asks for no answer gets none.
    }

    private mutating func handleClose(_ frame: Frame) {
        do {
            let body = try CloseBody(decoding: frame.body)
            end(.closedByPeer(body.reason, detail: body.detail))
        } catch {
            close(.protocolError, detail: "close: \(error.refusal.detail ?? "")")
        }
    }

    private mutating func handleCard(_ frame: Frame) {
        do {
            let card = try Card(decoding: frame.body)
            guard card.account == peer.account, card.device == peer.device else {
                return close(.protocolError, detail: "somebody else's card")
            }
            hasPeerCard = true
            output.effect(.card(card))
        } catch {
            close(.protocolError, detail: "card: \(error.refusal.detail ?? "")")
        }
    }

    private mutating func handleReceipt(_ frame: Frame, _ now: Instant) {
        do {
            let body = try ReceiptBody(decoding: frame.body)
            switch body.status {
            case .stored:
                window.settle(body.ids, now: now)
                output.stored(body.ids)
            case .read:
                output.effect(.receipts(.read, body.ids))
            case .refused:
                window.settle(body.ids, now: now)
                output.effect(.receipts(body.status, body.ids))
            }
        } catch .unsupported {
            // A status of a later version says nothing to us.
        } catch {
            close(.protocolError, detail: "receipt: \(error.refusal.detail ?? "")")
        }
    }

    // MARK: Frames out

    private mutating func send(_ kind: FrameKind, _ body: [UInt8], _ now: Instant) {
        output.frame(kind, body: body)
        lastTraffic = now
    }

    private mutating func send(_ batch: SendWindow.Batch, _ now: Instant) {
        guard isOpen else { return }
        for item in batch.unsendable { output.effect(.receipts(.refused(item.refusal), [item.id])) }
        guard !batch.items.isEmpty else { return }
        for item in batch.items { output.frame(item.kind, id: item.id, body: item.body) }
        output.effect(.sent(batch.items.map(\.id)))
        lastTraffic = now
        guard standing.relation == .incoming, batch.items.contains(where: \.makesFriend) else { return }
        hasMadeFriend = true
        stream.change(to: admitted)
    }

    private mutating func askForOutbox() {
        guard let request = window.nextRequest() else { return }
        output.effect(
            .wantOutbox(after: request.after, limit: request.limit, maximumBytes: request.maximumBytes))
    }

    private mutating func tell(_ card: Card, _ now: Instant) {
        guard isOpen, !isClosed, let card = ownCard.offer(card, now: now) else { return }
        send(.card, card.encoded, now)
    }

    private mutating func tellStates(_ now: Instant) {
        guard isOpen, !isClosed else { return }
        for (kind, body) in hints.tellStates(to: standing, now: now) { send(kind, body, now) }
    }

    // MARK: Time

    /// When a session with a peer that is neither a friend nor a group mate has lasted long enough; nil while there is something
    /// to do.
    private var idleAt: Instant? {
        guard relation != .friend, !isGroupMate, window.isIdle, inbox.isEmpty else { return nil }
        return lastTraffic + PeerLimits.strangerIdleTime
    }

    private mutating func tick(_ now: Instant) {
        guard isOpen else { return }
        // While nothing is read the peer's silence is our own deafness.
        if !stream.isPaused, now >= keepAlive.deadAt { return end(.silence) }
        if stream.isLate(now: now) { return close(.protocolError, detail: "a frame took too long") }
        if let due = window.deadline, now >= due { return close(.unresponsive, detail: "no receipt") }
        if let idleAt, now >= idleAt { return close(.idle) }
        if let renewal, now >= renewal {
            // It is due again, until the session that comes of it takes this one's place: a dial may fail.
            self.renewal = now + PeerLimits.renewalRetry
            output.effect(.renewalDue)
        }
        if let card = ownCard.due(now: now) { send(.card, card.encoded, now) }
        tellStates(now)
        // A tick that comes a little early sends the ping, too: that saves the session another tick.
        if now + PeerLimits.pingLeeway >= keepAlive.pingAt {
            output.frame(.ping)
            keepAlive.pinged(now: now)
        }
    }

    private mutating func adjustReading(_ now: Instant) {
        guard let mustWait = stream.adjust(to: inbox, standing.backlog, now: now) else { return }
        if !mustWait { keepAlive.heard(now: now) }
        output.effect(mustWait ? .pauseReading : .resumeReading)
    }
}
