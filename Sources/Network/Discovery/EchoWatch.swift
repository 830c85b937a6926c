import Basics
import Reactor

/// Whether our own announcements come back to us, as they go to all other peers.
@ReactorActor final class EchoWatch {
    private let watch: NetworkWatch
    private let clocks: any Clocks
    /// What was sent last.
    private var sent: Set<[UInt8]> = []
    /// Where it came back: `eth0 (IPv4)`.
    private var echoes: Set<String> = []

    init(watch: NetworkWatch, clocks: any Clocks) {
        self.watch = watch
        self.clocks = clocks
    }

    func announced(_ datagrams: [[UInt8]]) { if !datagrams.isEmpty { sent = Set(datagrams) } }

    func received(_ bytes: ArraySlice<UInt8>, from source: Datagram.Source) {
        guard sent.contains(Array(bytes)) else { return }
        for interface in watch.current where interface.index == source.interfaceIndex {
            echoes.insert(Self.name(interface, isFour: source.address.host.isFour))
        }
    }

    private static func name(_ interface: NetworkInterface, isFour: Bool) -> String {
        interface.name + (isFour ? " (IPv4)" : " (IPv6)")
    }

    /// Forgets what came back before.
    func begin() { echoes = [] }

    /// Waits for the echoes of what was announced since ``begin()``.
    /// - Returns: interfaces and families on which it did not come back.
    func missing(within limit: Duration) async -> [String] {
        let wanted = Set(
            watch.current.filter { $0.address.isFour || $0.hasLinkLocalGroup }
                .map { Self.name($0, isFour: $0.address.isFour) })
        let deadline = clocks.now + limit
        return await withCheckedContinuation { continuation in
            look(for: wanted, until: deadline) { continuation.resume(returning: $0) }
        }
    }

    private func look(
        for wanted: Set<String>, until deadline: Instant, then: @escaping @ReactorActor ([String]) -> Void
    ) {
        let missing = wanted.subtracting(echoes)
        let now = clocks.now
        if missing.isEmpty || now >= deadline { return then(missing.sorted()) }
        _ = Reactor.shared.schedule(at: now + .milliseconds(50)) { [self] in
            look(for: wanted, until: deadline, then: then)
        }
    }
}
