import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime

/// Decides what becomes of a connection once it is known which peer is at its other end: a session, or nothing.
@ReactorActor package final class Admission {
    private let own: DeviceID
    private let environment: Environment
    private let services: PeerServices
    private let sessions: Sessions
    private let keys: DiscoveryKeyStore
    private let copies: CopyNotice
    private let meetings: AddressLookups
    private let dialler: Dialler
    private let presence: PresencePublisher
    private let log: Logger
    private var lanes = CommitLanes()
    private var contacts: ContactIndex { services.contacts.index }

    package init(
        own: DeviceID, environment: Environment, services: PeerServices, sessions: Sessions, keys: DiscoveryKeyStore,
        copies: CopyNotice, meetings: AddressLookups, dialler: Dialler, presence: PresencePublisher
    ) {
        self.own = own
        self.environment = environment
        self.services = services
        self.sessions = sessions
        self.keys = keys
        self.copies = copies
        self.meetings = meetings
        self.dialler = dialler
        self.presence = presence
        log = environment.log.labelled("network")
    }

    /// - Parameter dial: what led to the connection; nil for a peer that dialled us.
    /// - Returns: the session that the connection becomes; nil if it was closed.
    package func admit(
        _ connection: PeerConnection, _ peer: PeerIdentity, by dial: DialEffect?, for owner: any PeerSessionOwner
    ) -> PeerSession? {
        guard contacts.relation(peer.account) != .blocked, !keys.isFromBefore(connection, with: peer.account) else {
            turnAway(connection, peer, by: dial)
            return nil
        }
        if case .address(let address)? = dial?.target {
            meetings.answered(address, by: peer.device)
        } else if dial != nil, dial?.target != .device(peer.device) {
            log.info("another device than expected answered", [("address", dial?.address.description ?? "")])
        }
        if isFriendOrGroupMate(peer.account), copies.mustGo(connection, peer, besides: sessions.with(peer.device)) {
            turnAwayCopy(connection, peer, by: dial)
            return nil
        }
        var replaced: PeerSession?
        switch sessions.judge(connection, with: peer, own: own, now: environment.clocks.now) {
        case .keepsOther:
            log.debug("a second session was closed", [("peer", peer.account.description)])
            stays(peer.device, by: dial)
            connection.closeAfterFlush()
            return nil
        case .full:
            log.warning("too many sessions are open; one was refused")
            environment.metrics.count(.sessionsRefused, "full")
            connection.end(.closed)
            // The dial is over. Tell this to the clients that wait for its outcome.
            if let dial { dialler.failed(dial) }
            meetings.failed(peer.device, .ended(.noRoom))
            return nil
        case .opens(let other):
            if let other, sessions.remove(other) { replace(other) }
            replaced = other
        }
        if !isFriendOrGroupMate(peer.account) { sessions.crowdedOut()?.close(.busy) }
        sessions.crowdedOut(of: peer.account)?.close(.busy)
        let session = PeerSession(
            connection: connection, peer: peer, owner: owner, lane: lane(for: peer.account),
            environment: environment, contacts: contacts, isGroupMate: services.groups.index.knows(peer.account))
        // A peer that changes from one session to the next is not away in between.
        session.peerPresence = sessions.with(peer.account)?.peerPresence ?? replaced?.peerPresence
        session.expected = expected(by: dial, besides: peer.account)
        sessions.insert(session)
        environment.metrics.count(.sessionsOpened)
        return session
    }

    private func isFriendOrGroupMate(_ account: AccountID) -> Bool {
        contacts.isFriendOrGroupMate(account, services.groups.index)
    }

    private func lane(for account: AccountID) -> IncomingCommits {
        let company = lanes.company
        return lanes.lane(for: account) {
            IncomingCommits(environment: environment, services: services, company: company)
        }
    }

    /// Notes that the session already open with the device stays.
    private func stays(_ device: DeviceID, by dial: DialEffect?) {
        dialler.opened(device, by: dial?.target)
        if let entry = presence.directory.entry(device), entry.displayName != nil { meetings.succeeded(entry) }
    }

    /// Closes the connection of a blocked peer, or of a stranger that we have just stopped letting in. The peer has
    /// seen only the handshake, which came before we knew who it is: to the peer it looks as if the daemon were killed
    /// at this moment.
    private func turnAway(_ connection: PeerConnection, _ peer: PeerIdentity, by dial: DialEffect?) {
        environment.metrics.count(.sessionsRefused, "blocked")
        connection.end(.closed)
        guard let dial else { return }
        dialler.failed(dial)
        guard case .address(let address) = dial.target else { return }
        if let entry = presence.directory.entry(peer.device), entry.displayName != nil {
            meetings.answered(address, by: peer.device)
            meetings.succeeded(entry)
        } else {
            meetings.failed(address, .ended(.notWanted))
        }
    }

    /// Turns away another copy of a friend's device while one is connected, and tells it so, so that it stays away for
    /// a while.
    private func turnAwayCopy(_ connection: PeerConnection, _ peer: PeerIdentity, by dial: DialEffect?) {
        environment.metrics.count(.sessionsRefused, "copy")
        let body = CloseBody(reason: .copied, detail: copies.detail(for: peer.device))
        connection.send(Frame(kind: .close, body: body.encoded()).encoded())
        connection.closeAfterFlush()
        stays(peer.device, by: dial)
    }

    /// Ends a session that a new one with the same device replaces. The new one begins its group catch-up again.
    private func replace(_ session: PeerSession) {
        services.groups.ended(session)
        services.avatars.ended(session)
        session.replaced()
    }

    /// The friends that a dial was for, or that were last seen at the address that it reached.
    private func expected(by dial: DialEffect?, besides account: AccountID) -> [AccountID] {
        guard let dial else { return [] }
        var friends = Set(contacts.friends(at: dial.address))
        if case .device(let device) = dial.target, let owner = contacts.account(of: device),
            contacts.relation(owner) == .friend
        {
            friends.insert(owner)
        }
        friends.remove(account)
        return Array(friends)
    }
}
