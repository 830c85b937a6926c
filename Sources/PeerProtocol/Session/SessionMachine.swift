// The Session room: what two authenticated daemons owe each other. Cards, gates by relation, receipts after commit, the
// send window, keep-alive, budgets, the end. May use Wire, Basics and Crypto's value types. No sockets, no store, no
// clock: inputs come in with the time, effects go out.

import Basics

/// Why a frame that asks for no receipt was not obeyed.
public enum IgnoredFrame: String, Hashable, Sendable, CaseIterable {
    /// It can't be read.
    case malformed
    /// Not from whoever stands so with us.
    case notAllowed = "not_allowed"
    /// Its sender has had its share for now.
    case tooOften = "too_often"
    /// An answer to nothing.
    case unasked
}

/// One session with one peer, from the end of the handshake to the close.
///
///     var session = SessionMachine(peer: identity, relation: .friend, isDialler: true, now: now)
///     perform(session.receive(.opened(card: ourCard), now: now))
///     perform(session.receive(.received(plaintext), now: now))      // and so on; a tick at nextDeadline
///
/// Nothing that the peer sends makes it throw or trap: a peer that breaks the rules gets a close frame with the reason.
/// After ``SessionEffect/closed(_:)`` every input gives no effects.
public struct SessionMachine: Sendable {
    public let peer: PeerIdentity
    /// Our side's relation to the peer, as last reported.
    public private(set) var relation: PeerRelation
    /// Whether the peer is a member of a group of ours, as last reported.
    public private(set) var isGroupMate: Bool
    public private(set) var isClosed = false

    private let isDialler: Bool
    private var isOpen = false
    var hasPeerCard = false
    private var decoder = FrameDecoder()
    /// When the frame began that has not ended yet.
    private var frameBegan: Instant?
    private var budget: PeerBudget
    private var keepAlive: KeepAlive
    private var renewal: Instant?
    /// The last frame in either direction that is not keep-alive.
    private var lastTraffic: Instant
    private var isPaused = false
    /// When a pause ends by itself; nil for one that waits for our store.
    private var pausedUntil: Instant?
    private var ownCard = Paced<Card>(PeerLimits.ownCards)
    private var ownPresence = PeerPresence.online
    /// A session begins with both sides online.
    private var toldPresence = Paced(PeerLimits.presenceChanges, told: PeerPresence.online)
    /// What the peer says of its person; counts while they are a friend.
    var peerPresence = PeerPresence.online
    private var shownPresence = Paced<PeerPresence>(PeerLimits.presenceChanges)
    private var ownKeys: DiscoveryKeysBody?
    private var toldKeys = Paced<DiscoveryKeysBody>(PeerLimits.discoveryKeys)
    var keysMeter = RateLimiter(PeerLimits.discoveryKeysTaken)
    var peerExchangeMeter = RateLimiter(PeerLimits.peerExchangePages)
    /// Pages that we have asked for and not got: what nobody has asked for costs no checks of signatures.
    var peerExchangePagesAwaited = 0
    var avatarMeter = RateLimiter(PeerLimits.avatarAnswers)
    var reachMeter = RateLimiter(PeerLimits.reachAnswers)
    var window = SendWindow()
    var inbox = Inbox()
    var output = SessionOutput()

    /// - Parameters:
    ///   - relation: our side's, as committed.
    ///   - isGroupMate: whether we share a group, as committed.
    ///   - isDialler: whether we opened the connection.
    public init(
        peer: PeerIdentity, relation: PeerRelation, isGroupMate: Bool = false, isDialler: Bool, now: Instant
    ) {
        self.peer = peer
        self.relation = relation
        self.isGroupMate = isGroupMate
        self.isDialler = isDialler
        budget = PeerBudget(relation, isGroupMate: isGroupMate)
        keepAlive = KeepAlive(now: now)
        lastTraffic = now
        renewal = isDialler ? now + PeerLimits.renewalAge : nil
        decoder.keptBodyBytes = relation.keptBodyBytes(isGroupMate: isGroupMate)
    }

    /// Frames of the peer that were refused, by reason.
    public var refused: [ReasonKind: UInt64] { output.refusals }

    /// Frames of the peer that have no receipt and were not obeyed, by reason.
    public internal(set) var ignored: [IgnoredFrame: UInt64] = [:]

    /// Frames of ours that wait for the peer's receipt.
    public var unacknowledged: Int { window.count }

    /// When a tick is due; nil once closed.
    public var nextDeadline: Instant? {
        guard isOpen, !isClosed else { return nil }
        var deadline = keepAlive.pingAt
        if isPaused {
            if let pausedUntil { deadline = min(deadline, pausedUntil) }
        } else {
            deadline = min(deadline, keepAlive.deadAt)
            if let frameBegan { deadline = min(deadline, frameBegan + PeerLimits.frameTime) }
        }
        if let due = window.deadline { deadline = min(deadline, due) }
        if let idleAt { deadline = min(deadline, idleAt) }
        if let renewal { deadline = min(deadline, renewal) }
        if let due = paceDeadline { deadline = min(deadline, due) }
        return deadline
    }

    /// Takes one input. Effects are to be carried out in their order.
    public mutating func receive(_ input: SessionInput, now: Instant) -> [SessionEffect] {
        guard !isClosed else { return [] }
        switch input {
        case .opened(let card): open(card, now)
        case .received(let bytes): hear(bytes, now)
        case .relationChanged(let relation): change(to: relation, now)
        case .groupMateChanged(let isMate): change(isGroupMate: isMate, now)
        case .group(let frame):
            // What can't be encoded would not be taken either; the owner's bounds keep it from getting here.
            if isOpen, admits(frame.kind), let body = try? frame.body() { send(frame.kind, body, now) }
        case .cardChanged(let card): tell(card, now)
        case .presence(let presence):
            ownPresence = presence
            tellPresence(now)
        case .discoveryKeys(let keys):
            ownKeys = keys
            tellKeys(now)
        case .askAvatar(let digest): ask(for: digest, now)
        case .avatar(let digest, let file): give(AvatarBody(digest: digest, file: file), now)
        case .askPeerExchange(let request):
            guard isOpen, relation != .blocked else { break }
            peerExchangePagesAwaited += 1
            send(.peerExchangeRequest, request.encoded(), now)
        case .peerExchange(let page): if isOpen, relation != .blocked { send(.peerExchange, page.encoded(), now) }
        case .reach(let talk): say(talk, now)
        case .outbox(let items, let hasMore): send(window.take(page: items, hasMore: hasMore, now: now), now)
        case .outboxAppended(let items): send(window.take(appended: items, now: now), now)
        case .outboxAgain(let items): send(window.take(again: items, now: now), now)
        case .outboxRestart: window.restart()
        case .committed(let ids, let outcome):
            lastTraffic = now
            answer(ids, outcome)
        case .typing(let isTyping):
            if isOpen, relation.admits(.typing) { send(.typing, TypingBody(isTyping: isTyping).encoded(), now) }
        case .close(let reason, let detail): close(reason, detail: detail)
        case .interrupted: end(.interrupted)
        case .tick: tick(now)
        }
        if isOpen, !isClosed {
            showPresence(now)
            adjustReading(now)
            askForOutbox()
        }
        if output.hasFrames { keepAlive.sent(now: now) }
        return output.take()
    }

    // MARK: Beginning and end

    private mutating func open(_ card: Card, _ now: Instant) {
        guard !isOpen else { return }
        isOpen = true
        // Not a byte: to them this daemon looks as if it had just gone.
        guard relation != .blocked else { return end(.closedHere(.goodbye, detail: nil)) }
        tell(card, now)
        tellPresence(now)
        tellKeys(now)
    }

    mutating func close(_ reason: CloseReason, detail: String? = nil) {
        let body = CloseBody(reason: reason, detail: detail)
        output.frame(.close, body: body.encoded())
        end(.closedHere(reason, detail: body.detail))
    }

    mutating func end(_ end: SessionEnd) {
        guard !isClosed else { return }
        isClosed = true
        decoder = FrameDecoder()
        inbox = Inbox()
        output.end(end)
    }

    private mutating func change(to relation: PeerRelation, _ now: Instant) {
        guard relation != self.relation else { return }
        self.relation = relation
        adapt(now)
        // A card that waits was for what we were before; the owner gives the one for what we are.
        ownCard.drop()
        if relation == .friend {
            tellPresence(now)
        } else {
            toldPresence.forget()
            shownPresence.forget()
        }
        if relation.isGivenDiscoveryKeys { tellKeys(now) } else { toldKeys.forget() }
        // In the words of a daemon that stops: whoever is blocked sees us leave like anybody who goes.
        if relation == .blocked, isOpen { close(.goodbye) }
    }

    private mutating func change(isGroupMate: Bool, _ now: Instant) {
        guard isGroupMate != self.isGroupMate else { return }
        self.isGroupMate = isGroupMate
        adapt(now)
    }

    /// What the peer may send has changed.
    private mutating func adapt(_ now: Instant) {
        budget.change(to: relation, isGroupMate: isGroupMate)
        decoder.keptBodyBytes = relation.keptBodyBytes(isGroupMate: isGroupMate)
        lastTraffic = now
    }

    /// Whether a frame of this kind is taken from the peer, and sent to it.
    func admits(_ kind: FrameKind) -> Bool { relation.admits(kind, isGroupMate: isGroupMate) }

    // MARK: Frames in

    private mutating func hear(_ bytes: [UInt8], _ now: Instant) {
        guard isOpen else { return close(.protocolError, detail: "not open") }
        keepAlive.heard(now: now)
        budget.charge(bytes: bytes.count, now: now)
        decoder.append(bytes)
        var hasFrame = false
        do {
            while !isClosed, let frame = try decoder.next() {
                hasFrame = true
                budget.charge(frame, now: now)
                if frame.kind != .ping, frame.kind != .pong { lastTraffic = now }
                handle(frame, now)
            }
        } catch {
            close(.protocolError, detail: error.refusal.detail)
        }
        guard !isClosed else { return }
        frameBegan = decoder.isMidFrame ? (hasFrame ? now : frameBegan ?? now) : nil
        if let repaid = budget.repaid(after: now), repaid - now > PeerLimits.overdraft { close(.busy) }
    }

    // MARK: Frames out

    mutating func send(_ kind: FrameKind, _ body: [UInt8], _ now: Instant) {
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
    }

    private mutating func askForOutbox() {
        guard let request = window.nextRequest() else { return }
        output.effect(
            .wantOutbox(after: request.after, limit: request.limit, maximumBytes: request.maximumBytes))
    }

    // MARK: Card, presence, avatars

    private mutating func tell(_ card: Card, _ now: Instant) {
        guard isOpen, !isClosed, let card = ownCard.offer(card, now: now) else { return }
        send(.card, card.encoded, now)
    }

    private mutating func tellPresence(_ now: Instant) {
        guard isOpen, !isClosed, relation.admits(.presence), let state = toldPresence.offer(ownPresence, now: now)
        else { return }
        send(.presence, PresenceBody(state).encoded(), now)
    }

    private mutating func tellKeys(_ now: Instant) {
        guard isOpen, !isClosed, relation.isGivenDiscoveryKeys, let ownKeys,
            let keys = toldKeys.offer(ownKeys, now: now)
        else { return }
        send(.discoveryKeys, keys.encoded(), now)
    }

    /// Behind all else that an input brings: of several changes in it only the last is seen.
    private mutating func showPresence(_ now: Instant) {
        guard hasPeerCard, relation == .friend, let state = shownPresence.offer(peerPresence, now: now) else { return }
        output.effect(.presence(state))
    }

    private mutating func ask(for digest: [UInt8], _ now: Instant) {
        guard isOpen, admits(.avatarRequest),
            let body = try? AvatarRequestBody(digest: digest).encoded()
        else { return }
        send(.avatarRequest, body, now)
    }

    private mutating func give(_ avatar: AvatarBody, _ now: Instant) {
        guard isOpen, admits(.avatar), let body = try? avatar.encoded() else { return }
        send(.avatar, body, now)
    }

    private mutating func say(_ talk: ReachTalk, _ now: Instant) {
        guard isOpen, relation.admits(.reach) else { return }
        switch talk {
        case .request(let body): send(.reachRequest, body.encoded(), now)
        case .answer(let body): send(.reach, body.encoded(), now)
        }
    }

    /// When something of these has waited long enough.
    private var paceDeadline: Instant? {
        var deadlines = [ownCard.nextDeadline, shownPresence.nextDeadline]
        if relation == .friend { deadlines.append(toldPresence.nextDeadline) }
        if relation.isGivenDiscoveryKeys { deadlines.append(toldKeys.nextDeadline) }
        return deadlines.compactMap { $0 }.min()
    }

    private mutating func keepPace(_ now: Instant) {
        if let card = ownCard.take(now: now) { send(.card, card.encoded, now) }
        tellPresence(now)
        tellKeys(now)
    }

    // MARK: Time

    /// When a session with somebody who is neither a friend nor a group mate has lasted long enough; nil while there is something to do.
    private var idleAt: Instant? {
        guard relation != .friend, !isGroupMate, window.isIdle, inbox.isEmpty else { return nil }
        return lastTraffic + PeerLimits.strangerIdleTime
    }

    private mutating func tick(_ now: Instant) {
        guard isOpen else { return }
        if !isPaused {
            if now >= keepAlive.deadAt { return end(.silence) }
            if let frameBegan, now >= frameBegan + PeerLimits.frameTime {
                return close(.protocolError, detail: "a frame took too long")
            }
        }
        if let due = window.deadline, now >= due { return close(.unresponsive, detail: "no receipt") }
        if let idleAt, now >= idleAt { return close(.idle) }
        if let renewal, now >= renewal {
            // Again, until the session that comes of it takes this one's place: a dial may fail.
            self.renewal = now + PeerLimits.renewalRetry
            output.effect(.renewalDue)
        }
        keepPace(now)
        if now >= keepAlive.pingAt {
            output.frame(.ping)
            keepAlive.pinged(now: now)
        }
    }

    private var backlog: Backlog { relation.backlog(isGroupMate: isGroupMate) }

    /// Backpressure: while paused the peer's silence is our own deafness.
    private mutating func adjustReading(_ now: Instant) {
        pausedUntil = budget.repaid(after: now)
        let mustWait = pausedUntil != nil || (isPaused ? inbox.isLong(for: backlog) : inbox.isTooLong(for: backlog))
        guard mustWait != isPaused else { return }
        isPaused = mustWait
        if !mustWait {
            keepAlive.heard(now: now)
            if frameBegan != nil { frameBegan = now }
        }
        output.effect(mustWait ? .pauseReading : .resumeReading)
    }
}
