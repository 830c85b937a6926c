import Basics
import ControlProtocol
import PeerProtocol
import Reactor

/// What the doctor asks: what was heard and refused, and whether our announcements come back.
extension DiscoveryService {
    /// What was heard and refused.
    package var metrics: DiscoveryMetrics { machine.metrics }

    func noteEcho(_ source: Datagram.Source) {
        for interface in watch.current where interface.index == source.interfaceIndex {
            echoes.insert(Self.place(interface, isFour: source.address.host.isFour))
        }
    }

    private static func place(_ interface: NetworkInterface, isFour: Bool) -> String {
        interface.name + (isFour ? " (IPv4)" : " (IPv6)")
    }

    /// What is announced, and to which peers.
    package var announces: DiscoveryModeSetting { mode }

    /// Devices of contacts whose clock is more than twenty minutes from ours, and how many minutes it is ahead,
    /// roughly.
    package var wrongClocks: [DeviceID: Int] { machine.wrongClocks.mapValues { $0 * 10 } }

    /// Greets the network, and waits for our own announcement to come back. A silent daemon doesn't.
    /// - Returns: interfaces and families on which it did not come back.
    package func echo(within limit: Duration) async -> [String] {
        let wanted = Set(
            watch.current.filter { $0.broadcast != nil || $0.hasLinkLocalGroup }
                .map { Self.place($0, isFour: $0.address.isFour) })
        echoes = []
        announce()
        let deadline = environment.clocks.now + limit
        return await withCheckedContinuation { continuation in
            look(for: wanted, until: deadline) { continuation.resume(returning: $0) }
        }
    }

    private func look(
        for wanted: Set<String>, until deadline: Instant, then: @escaping @ReactorActor ([String]) -> Void
    ) {
        let missing = wanted.subtracting(echoes)
        let now = environment.clocks.now
        if missing.isEmpty || now >= deadline { return then(missing.sorted()) }
        _ = Reactor.shared.schedule(at: now + .milliseconds(50)) { [self] in
            look(for: wanted, until: deadline, then: then)
        }
    }
}
