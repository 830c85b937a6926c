import Basics
import Crypto
import PeerProtocol

/// What it costs to recognise the announcements of many friends, each with two keys. Only the machine runs.
struct VeilBench {
    let friends: Int

    func run() throws {
        var random = SeededGenerator(seed: 1)
        func key() -> [UInt8] { (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) } }
        var keys: [SharedKey: [VeilOwner]] = [:]
        for _ in 0..<friends {
            guard let device = DeviceID(bytes: key()), let shared = SharedKey(bytes: key()),
                let pair = SharedKey(bytes: key())
            else { throw BenchFailure(description: "32 bytes are a key") }
            keys[shared] = [VeilOwner(device)]
            keys[pair] = [VeilOwner(device, isPair: true)]
        }
        guard let other = SharedKey(bytes: key()), let ours = SharedKey(bytes: key()) else { return }
        let start = Instant(nanoseconds: 1_000_000_000)
        func machine() -> DiscoveryMachine<SeededGenerator> {
            var machine = DiscoveryMachine(
                key: SigningKey(), incarnation: 1, port: 4000, now: start, random: SeededGenerator(seed: 2))
            machine.setClock(WallTime(milliseconds: 1_790_000_000_000), now: start)
            return machine
        }
        var stranger = machine()
        stranger.veil = Veil(shared: other)
        _ = stranger.start(now: start)
        guard case .broadcast(let bytes)? = stranger.tick(now: start + .seconds(1)).first else {
            throw BenchFailure(description: "no announcement")
        }
        var hearer = machine()
        let source = SocketAddress(.v4(0xC612_0001), port: 9)
        let clock = ContinuousClock()
        func milliseconds(_ body: () -> Void) -> Double { clock.measure(body) / .milliseconds(1) }
        var table = Table(["\(friends) friends", "ms"])
        func add(_ name: String, _ time: Double) { table.add([name, Figures.text(time, digits: 4)]) }
        var now = start
        hearer.setVeils(keys)
        add("the first veiled datagram", milliseconds { _ = hearer.receive(bytes[...], from: source, now: now) })
        let turns = (0..<9).map { _ in
            now = now + .seconds(600)
            return milliseconds { _ = hearer.receive(bytes[...], from: source, now: now) }
        }
        add("the first after ten minutes (median of 9)", Figures(turns).median)
        let unknown = milliseconds { for _ in 0..<100_000 { _ = hearer.receive(bytes[...], from: source, now: now) } }
        add("one of a stranger", unknown / 100_000)
        keys[ours] = []
        add("one more friend's key", milliseconds { hearer.setVeils(keys) })
        table.print()
    }
}
