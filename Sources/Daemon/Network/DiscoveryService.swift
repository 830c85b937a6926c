import Basics
import Crypto
import PeerProtocol
import Reactor

/// Announcements: two UDP sockets joined with a ``DiscoveryMachine``.
///
/// One socket is bound to the port that every daemon of the network shares; the other is this daemon's own, and
/// everything is sent from it, so that several daemons on one host have addresses of their own.
@ReactorActor final class DiscoveryService {
    private let context: Context
    private let log: Logger
    private let port: UInt16
    private let interfaces: InterfaceChoice
    private var machine: DiscoveryMachine<SodiumGenerator>
    private var shared: DatagramSocket?
    private var own: DatagramSocket?
    private var timer: TimerToken?
    private weak var network: PeerNetwork?
    /// Interfaces at the last look; looked at again before each announcement.
    private var current: [NetworkInterface] = []
    private var hasComplained = false

    init(
        account: LocalAccount, incarnation: UInt32, listenPort: UInt16, port: UInt16, interfaces: InterfaceChoice,
        context: Context
    ) throws(StartError) {
        self.context = context
        self.port = port
        self.interfaces = interfaces
        log = context.log.labelled("discovery")
        machine = DiscoveryMachine(
            key: account.deviceKey, incarnation: incarnation, port: listenPort,
            realm: context.options.realmKey.map { RealmTag(realm: $0.id) } ?? .none, now: context.clocks.now,
            random: SodiumGenerator())
        let host: IPAddress = .any
        do {
            shared = try DatagramSocket(
                bind: SocketAddress(host, port: port), reuseAddress: true, broadcast: true
            ) { [weak self] bytes, source in self?.received(bytes, source) }
            own = try DatagramSocket(
                bind: SocketAddress(host, port: 0), reuseAddress: false, broadcast: true
            ) { [weak self] bytes, source in self?.received(bytes, source) }
        } catch {
            throw .failed("announcements can't be sent or heard on UDP port \(port): \(error)")
        }
    }

    func start(network: PeerNetwork) {
        self.network = network
        current = interfaces.current()
        contactsChanged()
        perform(machine.start(now: context.clocks.now))
    }

    /// Says goodbye and goes silent.
    func stop() {
        perform(machine.stop(now: context.clocks.now))
        timer?.cancel()
        network = nil
        shared?.close()
        own?.close()
    }

    func contactsChanged() {
        machine.setContacts(Set(context.contacts.all.values.compactMap(\.device)))
    }

    /// A session has been opened or has ended: while there is one, its keep-alive watches the peer and probes needn't.
    func setConnected(_ device: DeviceID, _ isConnected: Bool, isLost: Bool = false) {
        perform(machine.setConnected(device, isConnected, isLost: isLost, now: context.clocks.now))
    }

    private func received(_ bytes: ArraySlice<UInt8>, _ source: Datagram.Source) {
        // Only neighbours on a chosen interface: an announcement never comes through a router.
        let isNeighbour = current.contains { $0.index == source.interfaceIndex && $0.contains(source.address.host) }
        guard isNeighbour else { return }
        perform(machine.receive(bytes, from: source.address, now: context.clocks.now))
    }

    private func perform(_ effects: [DiscoveryEffect]) {
        for effect in effects {
            switch effect {
            case .broadcast(let bytes): broadcast(bytes)
            // A probe that can't be sent is one that isn't answered.
            case .send(let bytes, let address): try? own?.send(bytes, to: address)
            case .heard(let device, let address, let isNew): network?.heard(device, at: address, isNew: isNew)
            case .left(let device), .expired(let device): network?.left(device)
            }
        }
        arm()
    }

    private func arm() {
        timer?.cancel()
        timer = nil
        guard network != nil, let deadline = machine.nextDeadline else { return }
        timer = Reactor.shared.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            perform(machine.tick(now: context.clocks.now))
        }
    }

    private func broadcast(_ bytes: [UInt8]) {
        current = interfaces.current()
        for interface in current {
            guard let address = interface.broadcast else { continue }
            do {
                try own?.send(bytes, to: SocketAddress(address, port: port), interfaceIndex: interface.index)
                hasComplained = false
            } catch {
                // An unplugged cable is no news every half minute.
                if !hasComplained {
                    log.warning(
                        "an announcement could not be sent", [("interface", interface.name), ("error", "\(error)")])
                }
                hasComplained = true
            }
        }
    }
}
