import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime

/// Remembers the peers with which no session opens, because their clocks and ours are weeks apart.
@ReactorActor package final class ClockNotice {
    /// A peer that has proved who it is, and how its clock stands.
    package struct Peer {
        package let account: AccountID
        /// How many days its clock is ahead of ours, roughly; negative if it is behind.
        package let days: Int64
    }

    /// The newest last.
    private var found: [(device: DeviceID, peer: Peer)] = []
    private let contacts: ContactIndex
    private let log: Logger

    init(contacts: ContactIndex, log: Logger) {
        self.contacts = contacts
        self.log = log
    }

    /// Call when a connection has ended before a session was open.
    func failed(_ failure: ConnectionFailure) {
        guard case .channel(.identity(.clocksApart(let device, let account, let days))) = failure else { return }
        let isNew = !found.contains { $0.device == device }
        forget(device)
        found.append((device, Peer(account: account, days: days)))
        if found.count > NetworkLimits.wrongClocks { found.removeFirst() }
        guard isNew else { return }
        log.warning(
            "no session: the clocks are too far apart",
            [
                ("peer", contacts.entry(account)?.displayName ?? "\(account)"),
                ("its clock", "\(IdentityError.offset(days)) ours"),
            ])
    }

    /// Call when a session with the device is open.
    func forget(_ device: DeviceID) { found.removeAll { $0.device == device } }

    /// The peer to tell the user about: a friend, if there is one.
    package var foremost: Peer? {
        (found.last { contacts.relation($0.peer.account) == .friend } ?? found.last)?.peer
    }
}
