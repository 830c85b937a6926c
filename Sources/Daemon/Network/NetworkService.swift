import Basics
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// What the configuration says of the network.
struct NetworkConfiguration: Sendable {
    /// Nil for the usual port on all addresses.
    var listen: SocketAddress?
    /// The names of the interfaces that are used; nil for all.
    var interfaces: [String]?
    var discovery = true
    var discoveryPort: UInt16?
    /// Peers by address or name.
    var peers: [PeerAddress] = []
    var realmKey: RealmKey?
}

/// The account's network, which comes with the account's keys and goes with them.
@ReactorActor final class NetworkService {
    /// Nil while there are no keys.
    private(set) var current: PeerNetwork?
    let sessions = Sessions()
    private let environment: Environment
    private(set) var configuration: NetworkConfiguration

    init(environment: Environment, configuration: NetworkConfiguration) {
        self.environment = environment
        self.configuration = configuration
    }

    /// Begins to listen and to announce, if the account has keys for it.
    func open(_ services: NetworkServices, incarnation: UInt32) throws(StartError) {
        guard current == nil, let keys = services.account.keys, let profile = services.account.profile else { return }
        let network = try PeerNetwork(
            environment: environment, services: services, sessions: sessions, configuration: configuration,
            keys: keys, profile: profile, incarnation: incarnation)
        current = network
        network.start()
    }

    /// Says goodbye to everybody and goes silent.
    func close() {
        guard let network = current else { return }
        network.stop()
        network.presence.nobodyIsHere()
        current = nil
        sessions.removeAll()
    }

    /// The configuration was read again. Only the peers by address count at once; all else counts when a network is opened.
    func configure(_ configuration: NetworkConfiguration) {
        self.configuration = configuration
        current?.dialler.setStaticPeers(configuration.peers)
    }

    /// What one commit put into the outbox, in its order.
    func outboxGrew(_ rows: [OutboxRow]) { current?.outbox.grew(rows) }

    /// A contact's row is another one since the last commit.
    func contactChanged(_ row: ContactRow, before: ContactIndex.Entry?) {
        current?.follower.changed(row, before: before)
    }

    /// What was counted, with what open sessions have counted so far.
    var counted: Metrics {
        var all = environment.metrics
        for session in sessions.all { session.countFrames(in: &all) }
        return all
    }
}

extension NetworkService: ProfilePublisher {
    func cardChanged() { current?.cards.changed() }
    func presenceChanged(_ presence: Presence) { for session in sessions.all { session.tellPresence(presence) } }
}

extension NetworkService: BulkDialler {
    func dial(
        for account: AccountID, at address: SocketAddress, _ owner: any PeerConnectionOwner
    ) -> PeerConnection? {
        current?.connector.dialBulk(for: account, at: address, owner)
    }
}

extension NetworkService: DeviceFinder {
    func isPresent(_ device: DeviceID) -> Bool { current?.directory.entry(device)?.isPresent == true }

    func seek(_ device: DeviceID) {
        guard let dialler = current?.dialler, dialler.mayDial(device) else { return }
        dialler.pend(device)
    }
}
