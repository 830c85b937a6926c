import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Runtime

/// Notices when a data directory was copied and both copies are in use: a friend's, or our own.
@ReactorActor package final class CopyNotice: PeerConnectionOwner {
    private let environment: Environment
    private let contacts: ContactIndex
    private let groups: GroupIndex
    private let connector: Connector
    private var isRunning = false
    private let log: Logger
    private var watch = CopyWatch()
    /// Where and when a copy of our own data was last seen.
    private var own: (place: String, at: Instant)?
    /// The dial to the host that announces itself as this device.
    private var dial: PeerConnection?
    private var dialledAt: Instant?

    package init(environment: Environment, contacts: ContactIndex, groups: GroupIndex, connector: Connector) {
        self.environment = environment
        self.contacts = contacts
        self.groups = groups
        self.connector = connector
        log = environment.log.labelled("copies")
    }

    package func start() { isRunning = true }

    package func stop() {
        isRunning = false
        dial?.end(.closed)
        dial = nil
    }

    // MARK: Friends

    /// Where a friend's device is in use, and where another copy of it is.
    package var friends: [(account: AccountID, places: [SocketAddress])] {
        watch.copies(now: environment.clocks.now).compactMap { device, places in
            contacts.account(of: device).map { ($0, places) }
        }.sorted { $0.account < $1.account }
    }

    /// Call when a handshake with the device of a friend or group mate is complete.
    /// - Parameter open: the session that is open with the device already.
    /// - Returns: whether the new connection must go and the open session stays, because both copies are there at the
    ///   same time.
    func mustGo(_ connection: PeerConnection, _ peer: PeerIdentity, besides open: PeerSession?) -> Bool {
        let place =
            connection.isDialled
            ? connection.remoteAddress
            : connection.remoteAddress.map { SocketAddress($0.host, port: peer.listenPort ?? $0.port) }
        let verdict = watch.met(
            peer.device, run: peer.staticKey, at: place, open: open?.peer.staticKey,
            isFriend: contacts.relation(peer.account) == .friend, now: environment.clocks.now)
        if case .copy(let isNews, _) = verdict, isNews {
            let places = watch.places(of: peer.device).map(\.description).joined(separator: " and ")
            log.warning(
                "a device is in use at two places at once: its data directory was copied; the connection that is open stays",
                [("peer", peer.account.description), ("places", places)])
        }
        guard case .copy(_, let stays) = verdict else { return false }
        return stays
    }

    /// The text for the other copy.
    package func detail(for device: DeviceID) -> String {
        "another copy of this device's data is connected"
            + (watch.places(of: device).last.map { ", at \($0)" } ?? "")
    }

    // MARK: Our own device

    /// Where another copy of our own data was seen lately; nil if none was.
    package var ownCopy: String? {
        guard let own, environment.clocks.now - own.at < NetworkLimits.copyMemory else { return nil }
        return own.place
    }

    /// Call when a peer has turned us away because another copy of our data is connected with it.
    package func told(by account: AccountID, _ detail: String?) {
        // A stranger's word is no reason for alarm.
        guard isRunning, contacts.isFriendOrGroupMate(account, groups) else { return }
        let name = contacts.entry(account)?.displayName ?? account.description
        found("\(name) says: \(detail ?? "another copy is connected")")
    }

    /// Call when a handshake has shown this very device, but from another run than this one.
    package func found(at address: SocketAddress?) { found("at \(address?.description ?? "an address that is gone")") }

    private func found(_ place: String) {
        let isNews = ownCopy == nil
        own = (place, environment.clocks.now)
        guard isNews else { return }
        log.warning(
            "this device's data is in use by another Kibo, too: its data directory was copied; stop one of the two",
            [("seen", place)])
    }

    /// Call when a host announces itself as this device from a place that is not ours. That may be an old datagram of
    /// ours that another host has sent again: a handshake shows which.
    func heardOurselves(at address: SocketAddress) {
        guard isRunning, dial == nil, environment.settings[SettingsCatalogue.discoveryMode] == .open
        else { return }
        let now = environment.clocks.now
        if let dialledAt, now - dialledAt < NetworkLimits.copyDialPause { return }
        dialledAt = now
        dial = connector.dial(address, purpose: .session, owner: self)
    }

    package func connection(_ connection: PeerConnection, established peer: PeerIdentity, purpose: ChannelPurpose) {
        // Another device answered: it was an old datagram.
        dial = nil
        connection.end(.closed)
    }

    package func connection(_ connection: PeerConnection, endedBeforeEstablished failure: ConnectionFailure) {
        dial = nil
        if failure == .channel(.copy) { found(at: connection.remoteAddress) }
    }
}
