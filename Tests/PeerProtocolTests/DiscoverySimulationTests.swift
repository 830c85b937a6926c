import Basics
import Crypto
import Testing

@testable import PeerProtocol

@Suite("Discovery in simulated networks") struct DiscoverySimulationTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let hosts: Int
        let loss: Double
        let seed: UInt64
        var testDescription: String { "\(hosts) hosts, loss \(loss), seed \(seed)" }
    }

    static let cases =
        (0..<10).map { Case(hosts: 2, loss: 0, seed: $0) } + (0..<6).map { Case(hosts: 9, loss: 0, seed: $0) }
    static let lossyCases = (0..<10).map { Case(hosts: 9, loss: 0.05, seed: $0) }

    /// Starts all hosts, at most 40 ms after each other.
    private func startedWorld(_ test: Case) -> DiscoveryWorld {
        var weather = DiscoveryWorld.Weather()
        weather.loss = test.loss
        weather.repeats = test.loss
        var world = DiscoveryWorld(hosts: test.hosts, seed: test.seed, weather: weather)
        var random = SeededGenerator(seed: test.seed)
        for index in 0..<test.hosts {
            if index > 0 { world.run(for: .milliseconds(Int64.random(in: 0...40, using: &random))) }
            world.start(index)
        }
        return world
    }

    private func everybody(_ world: DiscoveryWorld, except index: Int) -> Set<DeviceID> {
        Set(world.hosts.indices.filter { $0 != index && world.hosts[$0].isUp }.map { world.hosts[$0].device })
    }

    /// The number of missing names, of all hosts together.
    private func missing(_ world: DiscoveryWorld) -> Int {
        world.hosts.indices.filter { world.hosts[$0].isUp }.reduce(0) {
            $0 + everybody(world, except: $1).subtracting(world.hosts[$1].named).count
        }
    }

    /// Whether both ends of every session are the same session.
    private func sessionsAgree(_ world: DiscoveryWorld) -> Bool {
        let byDevice = Dictionary(world.hosts.map { ($0.device, $0) }, uniquingKeysWith: { first, _ in first })
        return world.hosts.allSatisfy { host in
            host.sessions.allSatisfy { byDevice[$0.key]?.sessions[host.device] == $0.value }
        }
    }

    @Test(
        "all hosts know all within two seconds of the last start, by little more than one dial for each pair",
        arguments: cases)
    func allMeet(_ test: Case) {
        var world = startedWorld(test)
        world.run(for: .seconds(2))
        #expect(missing(world) == 0)
        let agree = sessionsAgree(world)
        #expect(agree)
        #expect(world.hosts.allSatisfy { $0.mostDials <= DiscoveryLimits.dials })
        // A host that hears of the other's dial in time saves its own.
        let dials = world.hosts.reduce(0) { $0 + $1.dials }
        let pairs = test.hosts * (test.hosts - 1) / 2
        #expect(dials <= pairs + pairs / 4 + 1)
    }

    @Test(
        "where every twentieth datagram is lost, nearly all know all in two seconds and all in five",
        arguments: lossyCases)
    func allMeetInBadWeather(_ test: Case) {
        var world = startedWorld(test)
        world.run(for: .seconds(2))
        let few = test.hosts * test.hosts / 50
        #expect(missing(world) <= few)
        world.run(for: .seconds(3))
        #expect(missing(world) == 0)
        let agree = sessionsAgree(world)
        #expect(agree)
    }

    @Test(
        "a newcomer knows all and is known by all within two seconds, though its datagrams get no answers",
        arguments: 0..<4 as Range<UInt64>)
    func newcomer(seed: UInt64) {
        var world = DiscoveryWorld(hosts: 30, seed: seed)
        for index in 0..<29 { world.start(index) }
        world.run(for: .seconds(20))
        world.closeIdleSessions()
        let sent = world.capture.count
        let before = world.hosts.reduce(0) { $0 + $1.dials }
        world.start(29)
        world.run(for: .seconds(2))
        #expect(missing(world) == 0)
        let dials = world.hosts.reduce(0) { $0 + $1.dials } - before
        #expect(dials <= 2 * 30, "\(dials)")
        // The newcomer sends two HELLOs; the others' beacons come by the clock alone.
        #expect(world.capture.count - sent <= 2 + 29)
    }

    @Test(
        "among many hosts, all know all by a few connections each, and a newcomer by one peer exchange"
    )
    func peerExchange() {
        let count = 90
        var weather = DiscoveryWorld.Weather()
        weather.loss = 0.01
        var world = DiscoveryWorld(hosts: count, seed: 5, weather: weather)
        for index in 0..<count - 1 {
            world.start(index)
            world.run(for: .milliseconds(40))
        }
        world.run(for: .seconds(45))
        let pairs = (count - 1) * (count - 2) / 2
        // A lost beacon may have been the only one so far.
        #expect(missing(world) <= pairs / 500, "\(missing(world))")
        let dials = world.hosts.reduce(0) { $0 + $1.dials }
        // Each newcomer is dialled by its sponsors, and each host asks a few times.
        #expect(dials < pairs / 3, "\(dials) of \(pairs)")

        world.closeIdleSessions()
        world.run(for: .seconds(1))
        let before = world.hosts.reduce(0) { $0 + $1.dials }
        world.start(count - 1)
        world.run(for: .seconds(2))
        #expect(missing(world) <= pairs / 500, "\(missing(world))")
        world.run(for: .seconds(23))
        // The newcomer gets one page of all, and every other host one page, over whatever session there is.
        let after = world.hosts.reduce(0) { $0 + $1.dials }
        #expect(after - before <= 3 * count, "\(after - before)")
        #expect(world.hosts[count - 1].exchanges >= (count - 1) / 26)
    }

    @Test("a host that leaves is gone everywhere within a second, in spite of loss", arguments: 0..<6 as Range<UInt64>)
    func leaver(seed: UInt64) {
        var world = DiscoveryWorld(hosts: 12, seed: seed)
        world.weather.loss = 0.05
        for index in 0..<12 { world.start(index) }
        world.run(for: .seconds(5))
        let device = world.hosts[4].device
        #expect(world.hosts.filter { $0.heard.contains(device) }.count == 11)
        world.stop(4)
        world.run(for: .seconds(1))
        #expect(world.hosts.filter { $0.heard.contains(device) || $0.sessions[device] != nil }.isEmpty)
        // It stays gone when its old datagrams are replayed.
        for (bytes, source) in world.capture where source == world.hosts[4].address {
            for index in [0, 1, 2] { world.inject(bytes, from: source, to: index) }
        }
        world.run(for: .seconds(1))
        #expect(world.hosts.filter { $0.heard.contains(device) }.isEmpty)
        // When it is back, it is seen at once, or at its third HELLO if two were lost.
        world.start(4)
        world.run(for: .seconds(5))
        #expect(world.hosts.filter { $0.named.contains(device) && $0.heard.contains(device) }.count == 11)
    }

    @Test("a crashed host is given up everywhere within ten seconds; no other one is in ten minutes")
    func crash() {
        var world = DiscoveryWorld(hosts: 5, seed: 7)
        for index in 0..<5 { world.start(index) }
        world.run(for: .seconds(40))
        let device = world.hosts[0].device
        world.crash(0)
        world.run(for: .seconds(2))
        #expect(world.hosts.filter { $0.heard.contains(device) }.count == 4)
        world.run(for: .seconds(8))
        #expect(world.hosts.filter { $0.heard.contains(device) }.isEmpty)
        world.run(for: .seconds(600))
        for index in 1..<5 { #expect(world.hosts[index].heard == everybody(world, except: index)) }
    }

    @Test("friends reconnect by themselves after a crash and restart", arguments: 0..<6 as Range<UInt64>)
    func friendsReconnect(seed: UInt64) {
        var world = DiscoveryWorld(hosts: 2, seed: seed)
        let (one, two) = (world.hosts[0].device, world.hosts[1].device)
        for index in 0..<2 { world.start(index) }
        world.befriend(0, [two])
        world.befriend(1, [one])
        world.run(for: .seconds(30))
        #expect(world.hosts[0].sessions[two] != nil)
        // Host 1 crashes without a goodbye and starts again; host 0 still believes in its session.
        world.crash(1)
        world.run(for: .seconds(1))
        world.start(1)
        world.befriend(1, [one])
        world.run(for: .seconds(2))
        let session = world.hosts[1].sessions[one]
        #expect(session != nil && world.hosts[0].sessions[two] == session)
        #expect(session?.runs[two] == 2)
    }

    @Test("crossing dials end in the same session on both sides", arguments: 0..<60 as Range<UInt64>)
    func crossingDials(seed: UInt64) {
        var world = DiscoveryWorld(hosts: 2, seed: seed)
        // Dials are so slow that the larger key stops waiting before the smaller key's dial is through.
        world.weather.dialTime = 380_000...480_000
        world.weather.delay = 1_000...60_000
        for index in 0..<2 { world.start(index) }
        world.run(for: .seconds(4))
        let sessions = world.hosts.map { $0.sessions.values.first }
        #expect(sessions[0] != nil && sessions[0] == sessions[1])
    }

    @Test("crossing dials do happen in that test, and the smaller key's session wins")
    func crossingsHappen() {
        var crossings = 0
        for seed in 0..<60 as Range<UInt64> {
            var world = DiscoveryWorld(hosts: 2, seed: seed)
            world.weather.dialTime = 380_000...480_000
            world.weather.delay = 1_000...60_000
            for index in 0..<2 { world.start(index) }
            world.run(for: .seconds(4))
            guard world.hosts[0].tieBreaks > 0, world.hosts[1].tieBreaks > 0 else { continue }
            crossings += 1
            #expect(world.hosts[0].sessions.values.first?.dialler == world.hosts.map(\.device).min())
        }
        #expect(crossings >= 5)
    }
}
