import Basics
import Messaging
import PeerProtocol
import Reactor

/// The open sessions: one for each device at most, and not more than this daemon can serve.
///
/// Other services look up sessions here, also while the account is locked: then there are none.
@ReactorActor package final class Sessions {
    /// What becomes of a connection that has just shown which peer it leads to.
    package enum Verdict {
        /// There is a session with that device already, and both sides agree that it stays.
        case keepsOther
        case full
        case opens(replacing: PeerSession?)
    }

    private var sessions: [DeviceID: PeerSession] = [:]

    package var count: Int { sessions.count }
    package var all: [PeerSession] { Array(sessions.values) }

    package func with(_ device: DeviceID) -> PeerSession? { sessions[device] }
    /// The session with an account. If several of its devices are here, it is the newest session that answers, or else
    /// the newest.
    package func with(_ account: AccountID) -> PeerSession? {
        let theirs = sessions.values.filter { $0.peer.account == account }
        guard theirs.count > 1 else { return theirs.first }
        let answering = theirs.filter { !$0.isSilent }
        return (answering.isEmpty ? theirs : answering).max { $0.openedAt < $1.openedAt }
    }
    /// Where an account with a session can be dialled; nil without a session, and for a peer that names no port.
    package func address(of account: AccountID) -> SocketAddress? { with(account)?.dialAddress }
    package func at(_ address: SocketAddress) -> PeerSession? { sessions.values.first { $0.dialAddress == address } }

    package func judge(
        _ connection: PeerConnection, with peer: PeerIdentity, own: DeviceID, now: Instant
    ) -> Verdict {
        guard let other = sessions[peer.device] else {
            return count < NetworkLimits.sessions ? .opens(replacing: nil) : .full
        }
        let keepsNew = SessionTieBreak.keepsNew(
            own: own, peer: peer.device, newIsDialledByUs: connection.isDialled,
            oldIsDialledByUs: other.connection.isDialled, oldAge: now - other.openedAt,
            isOtherRun: other.peer.staticKey != peer.staticKey)
        return keepsNew ? .opens(replacing: other) : .keepsOther
    }

    /// The session that must make room for one with an account that is no friend: the oldest, once such accounts have
    /// as many as they may. So a peer that opens sessions by the hundred keeps out neither friends nor newcomers.
    func crowdedOut() -> PeerSession? {
        guard count >= NetworkLimits.strangerSessions else { return nil }
        let strangers = sessions.values.filter { $0.relation != .friend && !$0.isGroupMate }
        guard strangers.count >= NetworkLimits.strangerSessions else { return nil }
        return strangers.min { $0.openedAt < $1.openedAt }
    }

    /// The session that has to make room for one more of its account: the oldest, once there are as many as one may
    /// have.
    func crowdedOut(of account: AccountID) -> PeerSession? {
        guard count >= NetworkLimits.sessionsOfAccount else { return nil }
        let theirs = sessions.values.filter { $0.peer.account == account }
        guard theirs.count >= NetworkLimits.sessionsOfAccount else { return nil }
        return theirs.min { $0.openedAt < $1.openedAt }
    }

    package func insert(_ session: PeerSession) { sessions[session.peer.device] = session }

    /// Forgets all sessions, because the network is closed.
    package func removeAll() { sessions = [:] }

    /// Returns false for a session that was replaced: it is no longer ours to speak of.
    package func remove(_ session: PeerSession) -> Bool {
        guard sessions[session.peer.device] === session else { return false }
        sessions[session.peer.device] = nil
        return true
    }
}

extension ContactIndex {
    /// Whether the account is a friend or a member of our groups. Sessions of other accounts can't push out theirs.
    func isFriendOrGroupMate(_ account: AccountID, _ groups: GroupIndex) -> Bool {
        relation(account) == .friend || groups.isMate(account)
    }
}
