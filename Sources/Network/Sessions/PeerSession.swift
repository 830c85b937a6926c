import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// The network, as its sessions know it.
@ReactorActor package protocol PeerSessionOwner: AnyObject {
    /// The peer's card has come.
    func session(_ session: PeerSession, showed card: Card)
    /// The peer has said something that is not kept.
    func session(_ session: PeerSession, told hint: Hint)
    /// The peer is to see our other card.
    func showCard(in session: PeerSession)
    /// The account has answered about items that it was sent.
    func settled(_ ids: [UUIDv7], by account: AccountID, _ status: ReceiptBody.Status)
    /// A commit of what peers sent has found something that the couriers' service keeps in memory.
    func heard(_ news: [CourierNews])
    /// Whether the account may be a friend who is not known here: what only friends may send then waits on its side.
    func mayBeFriend(_ account: AccountID) -> Bool
    /// The name that the device shows; nil if it is not known.
    func displayName(of device: DeviceID) -> String?
    /// The interface on whose network an address lies; nil for one that is reached through a router.
    func link(of address: IPAddress) -> UInt32?
    /// The session is old, and its keys with it.
    func renew(_ device: DeviceID)
    func session(_ session: PeerSession, ended end: SessionEnd)
}

/// One open session with a peer's device: feeds a ``SessionMachine`` and carries out what it wants.
@ReactorActor package final class PeerSession: PeerConnectionReader {
    package let peer: PeerIdentity
    package let connection: PeerConnection
    let openedAt: Instant
    package let environment: Environment
    package let log: Logger
    private let contacts: ContactIndex
    /// Locking the account ends the network while something may still be being looked up for this session.
    package private(set) weak var owner: (any PeerSessionOwner)?
    package private(set) var machine: SessionMachine
    private var sentNotes = SentNotes()
    private var timer: TimerToken?
    private var armedFor = Instant(nanoseconds: .max)
    private var hasEnded = false
    private let incoming: IncomingFrames
    /// The lane where frames wait for their turn to be committed, and the number of this session there.
    package let lane: IncomingCommits
    package let number: Int
    /// Whether the peer's card has come. Before it we don't know whether the peer wants to speak to us, or reads what
    /// went out.
    package var isMet = false
    package var expected: [AccountID] = []  // Friends in whose place this peer may be, until its card tells.
    /// Whether the friend is here; nil before the first card.
    var peerPresence: Presence?
    /// Whether a request of the peer is expected in a moment, or else the peer takes us for a friend.
    var isExpectedToAsk = false
    package var discoveryKeys: DiscoveryKeysBody?  // The last that came, also of strangers.
    /// What the peer shows of itself; nil before it has.
    package private(set) var card: Card?

    /// The frames that pass, received and sent. They are followed at every log level: the level may become trace during
    /// the session, and a frame's beginning can't be found by somebody who has not followed from the start.
    private var heads = (received: FrameHeads(), sent: FrameHeads())

    package init(
        connection: PeerConnection, peer: PeerIdentity, owner: any PeerSessionOwner, lane: IncomingCommits,
        environment: Environment, contacts: ContactIndex, isGroupMate: Bool
    ) {
        self.connection = connection
        self.peer = peer
        self.owner = owner
        self.environment = environment
        self.contacts = contacts
        log = environment.log.labelled("session")
        openedAt = environment.clocks.now
        self.lane = lane
        number = lane.enter()
        incoming = IncomingFrames(lane: lane)
        machine = SessionMachine(
            peer: peer, relation: contacts.relation(peer.account), isGroupMate: isGroupMate,
            mayBeFriend: owner.mayBeFriend(peer.account), isDialler: connection.isDialled, now: openedAt)
        connection.reader = self
    }

    /// How we stand with the peer, as this session knows it.
    package var relation: Relation { machine.relation }
    var isSilent: Bool { machine.isSilent(now: environment.clocks.now) }
    /// Whether we share a group, as this session knows it.
    package var isGroupMate: Bool { machine.isGroupMate }

    /// Where the peer can be dialled: the address it comes from with the port it names.
    var dialAddress: SocketAddress? {
        guard let remote = connection.remoteAddress else { return nil }
        if connection.isDialled { return remote }
        return peer.listenPort.map { SocketAddress(remote.host, port: $0) }
    }

    /// Shows the peer our card and begins to send what waits.
    package func open(card: Card, presence: Presence) {
        tellPresence(presence)
        feed(.opened(card: card))
    }

    /// What we show has changed.
    package func cardChanged(_ card: Card) { feed(.cardChanged(card)) }
    func tellPresence(_ presence: Presence) { tell(.presence(PresenceBody(presence))) }

    /// Tells the session items that were just committed to the outbox for this account, in this order.
    package func outboxAppended(_ items: [OutboxItem]) { feed(.outboxAppended(isSuspended ? [] : items)) }

    /// Sends items again that came back for a reason that passes.
    package func outboxAgain(_ items: [OutboxItem]) { if !isSuspended { feed(.outboxAgain(items)) } }

    /// Sends everything that waits again: more came back than was remembered.
    package func outboxRestart() { if !isSuspended { feed(.outboxRestart) } }

    /// Sends what waited until the user had looked at the peer's key.
    package func resumed() { feed(.outboxAppended([])) }
    private var isSuspended: Bool { contacts.isSuspended(peer.account) }

    /// The relation to the peer has changed with the last commit.
    package func relationChanged() {
        let relation = contacts.relation(peer.account)
        guard relation != machine.relation else { return }
        let wasFriend = machine.relation == .friend
        lookWhetherFriend()
        feed(.relationChanged(relation))
        // Friends see another card than others: a new friend gets the one, and a former friend gets the other.
        if wasFriend != (relation == .friend) { owner?.showCard(in: self) }
    }

    /// What the owner says of the peer as a friend of before the disk was lost may have changed.
    func lookWhetherFriend() { feed(.mayBeFriend(owner?.mayBeFriend(peer.account) ?? false)) }

    /// Opens another session with the device, which takes this one's place: at once, or when this one is a few seconds old.
    func renew() { feed(.renew) }

    /// Ends the session with a reason that the peer can read.
    package func close(_ reason: CloseReason) { feed(.close(reason)) }
    /// Closes this session in favour of another one with the same device. The network forgets this one first.
    package func replaced() { feed(.close(.replaced)) }

    // MARK: Hints, which neither side keeps

    /// Tells the peer a hint, if it is one that may hear it.
    package func tell(_ hint: Hint) { feed(.hint(hint)) }

    /// Asks for the avatar that the peer's card names.
    func askAvatar(_ digest: [UInt8]) { tell(.avatarRequest(AvatarRequestBody(digest: digest))) }
    /// Answers the peer's question for an avatar; nil where there is no such avatar here.
    func giveAvatar(_ digest: [UInt8], _ file: [UInt8]?) { tell(.avatar(AvatarBody(digest: digest, file: file))) }

    /// Tells the peer that the user is typing to it, or no more.
    package func typing(_ isTyping: Bool) { tell(.typing(TypingBody(isTyping: isTyping))) }

    /// Tells a member of a group that the user is typing in it, or no more.
    package func groupTyping(_ root: EntryHash, _ isTyping: Bool) {
        tell(.group(.typing(GroupTypingBody(root: root, isTyping: isTyping))))
    }

    /// Tells the session whether it shares a group with the peer, if that has changed with the last commit.
    package func groupMateChanged(_ isMate: Bool) { if isMate != isGroupMate { feed(.groupMateChanged(isMate)) } }

    /// Asks the peer which devices it knows on its network.
    func askPeerExchange(_ request: PeerExchangeRequestBody) { tell(.peerExchangeRequest(request)) }
    func sendPeerExchange(_ page: PeerExchangeBody) { tell(.peerExchange(page)) }

    // MARK: PeerConnectionReader

    package func receive(_ plaintext: [UInt8]) {
        trace(heads.received.read(plaintext), .received)
        feed(.received(plaintext))
    }

    private func trace(_ frames: [(kind: FrameKind, bytes: Int)], _ direction: WireTrace.Direction) {
        guard log.isTracing else { return }
        WireTrace.shared.frames(frames, direction, peer.account, now: environment.clocks.now, to: log)
    }

    package func connectionEnded(_ failure: ConnectionFailure) {
        log.debug("connection ended", [("peer", peer.account.description), ("because", failure.dial.text)])
        if case .channel = failure { environment.metrics.count(.connectionsCut, failure.word) }
        feed(.interrupted)
    }

    // MARK: Effects

    package func feed(_ input: SessionInput) {
        guard !hasEnded else { return }
        for effect in machine.receive(input, now: environment.clocks.now) { perform(effect) }
        arm()
    }

    private func perform(_ effect: SessionEffect) {
        switch effect {
        case .send(let frames): send(frames)
        case .card(let card):
            self.card = card
            owner?.session(self, showed: card)
        case .hint(let hint): owner?.session(self, told: hint)
        case .commit(let frames): incoming.commit(frames, from: self)
        case .receipts(let status, let ids):
            sentNotes.settled(ids)
            owner?.settled(ids, by: peer.account, status)
        case .wantOutbox(let after, let limit, let maximumBytes):
            readOutbox(after: after, limit: limit, maximumBytes: maximumBytes)
        case .sent(let ids): sentNotes.sent(ids, now: environment.clocks.now)
        case .pauseReading: connection.pauseReading()
        case .resumeReading: connection.resumeReading()
        case .renewalDue: owner?.renew(peer.device)
        case .closed(let end): finish(end)
        }
    }

    private func send(_ frames: [UInt8]) {
        trace(heads.sent.read(frames), .sent)
        connection.send(frames)
        if connection.bufferedBytes > NetworkLimits.sessionOutputBytes {
            log.notice("a peer that doesn't read was disconnected", [("peer", peer.account.description)])
            environment.metrics.count(.connectionsCut, "not_reading")
            connection.end(.interrupted("the peer doesn't read"))
        }
    }

    /// Sets the timer, unless one is set already that isn't later than needed: most deadlines only move away.
    private func arm() {
        let deadlines = [machine.nextDeadline, isMet ? sentNotes.deadline : nil].compactMap { $0 }
        guard !hasEnded, let deadline = deadlines.min() else { return }
        if timer != nil, armedFor <= deadline { return }
        timer?.cancel()
        armedFor = deadline
        timer = Reactor.shared.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            timer = nil
            if isMet { markSent(sentNotes.due(now: environment.clocks.now)) }
            feed(.tick)
        }
    }

    private func finish(_ end: SessionEnd) {
        guard !hasEnded else { return }
        hasEnded = true
        timer?.cancel()
        if isMet { markSent(sentNotes.drain()) }
        lane.left(self)
        connection.closeAfterFlush()
        owner?.session(self, ended: end)
    }

    // MARK: The outbox

    private func readOutbox(after: Int64?, limit: Int, maximumBytes: Int) {
        if isSuspended { return Reactor.shared.post { [weak self] in self?.outboxRead(.success([])) } }
        let account = peer.account
        environment.store.read { transaction in
            try transaction.outbox(for: account, after: after ?? 0, limit: limit, maximumBytes: maximumBytes)
        } then: { [weak self] in
            self?.outboxRead($0)
        }
    }

    private func outboxRead(_ result: Result<[OutboxRow], any Error>) {
        switch result {
        case .success(let rows):
            feed(
                // A page may end by its bytes, too: only an empty one is surely the end.
                .outbox(rows.map(OutboxItem.init), hasMore: !rows.isEmpty))
        case .failure(let error):
            log.error("the outbox can't be read", [("error", "\(error)")])
            feed(.close(.busy))
        }
    }

    private func markSent(_ ids: [UUIDv7]) {
        guard let first = ids.first else { return }
        let account = peer.account
        environment.commits.commit(.sent(account, first)) { try $0.markSent(ids, to: account) }
    }
}
