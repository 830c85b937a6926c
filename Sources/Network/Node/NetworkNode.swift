import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// The account's network, which comes with the account's keys and goes with them.
@ReactorActor package final class NetworkNode {
    /// Nil while there are no keys.
    package private(set) var current: PeerNetwork?
    /// Why the network could not be opened when that was last tried; nil once it is open.
    package private(set) var failure: StartError?
    package let sessions = Sessions()
    private let environment: Environment
    package private(set) var configuration: NetworkConfiguration
    /// The configuration with which the open network was opened; nil while none is open. Only its peers may be older than those in
    /// use.
    package private(set) var opened: NetworkConfiguration?

    package init(environment: Environment, configuration: NetworkConfiguration) {
        self.environment = environment
        self.configuration = configuration
        environment.metrics.declareNetwork()
    }

    /// Begins to listen and to announce, if the account has keys for it.
    package func open(_ services: PeerServices, incarnation: UInt32) throws(StartError) {
        guard current == nil, let keys = services.account.keys, let profile = services.account.profile else { return }
        let network: PeerNetwork
        var doorway: ListenEndpoint?
        do {
            let opened = try ListenEndpoint(
                configuration: configuration, environment: environment, contacts: services.contacts.index)
            doorway = opened
            network = try PeerNetwork(
                environment: environment, services: services, sessions: sessions, configuration: configuration,
                doorway: opened, keys: keys, profile: profile, incarnation: incarnation)
        } catch {
            // A listener lives until it is closed, and the next try opens another.
            doorway?.close()
            failure = error
            throw error
        }
        failure = nil
        current = network
        opened = configuration
        network.start()
    }

    /// Gives what waits for friends who are away to their couriers, before the network closes: for two seconds at most.
    package func flush(then: @escaping @ReactorActor () -> Void) {
        guard let current else { return then() }
        current.couriers.flush(then: then)
    }

    /// Says goodbye to all peers and goes silent.
    package func close() {
        guard let network = current else { return }
        network.stop()
        network.presence.nobodyIsHere()
        current = nil
        opened = nil
        sessions.removeAll()
    }

    /// Applies a configuration that was read again. Only the peers by address count at once; everything else counts
    /// when a network is opened.
    package func configure(_ configuration: NetworkConfiguration) {
        self.configuration = configuration
        current?.dialler.setStaticPeers(configuration.peers)
    }

    /// Tells what one commit put into the outbox, in its order.
    package func outboxGrew(_ rows: [OutboxRow]) {
        current?.outbox.grew(rows)
        current?.couriers.grew(rows)
    }

    /// A contact's row has changed with the last commit.
    package func contactChanged(_ row: ContactRow, before: ContactIndex.Entry?) {
        current?.follower.changed(row, before: before)
    }

    /// What was counted, with what open sessions have counted so far.
    package var counted: Metrics {
        var all = environment.metrics
        for session in sessions.all { all.count(session) }
        return all
    }
}

extension NetworkNode: ProfilePublisher {
    package func cardChanged() { current?.cards.changed() }
    package func presenceChanged(_ presence: Presence) {
        for session in sessions.all { session.tellPresence(presence) }
    }
}

extension NetworkNode: BulkDialler {
    package func dial(
        for account: AccountID, at address: SocketAddress, _ owner: any PeerConnectionOwner
    ) -> PeerConnection? {
        current?.connector.dialBulk(for: account, at: address, owner)
    }
}

extension NetworkNode: DeviceFinder {
    package func isPresent(_ device: DeviceID) -> Bool { current?.directory.entry(device)?.isPresent == true }

    package func seek(_ device: DeviceID) {
        guard let dialler = current?.dialler, dialler.mayDial(device) else { return }
        dialler.pend(device)
    }
}
