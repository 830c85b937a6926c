import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: each source has its own budget of requests, and a host that has many addresses has no more than one that has one.
@Suite("Budgets of requests") struct RequestMeterTests {
    private func taken(
        _ count: Int, _ asker: Asker, by meter: inout RequestMeter, at now: Instant, _ source: (UInt64) -> IPAddress
    ) -> Int {
        (0..<UInt64(count)).count { meter.acquire(source($0), asker, now: now) }
    }

    @Test("A thousand requests of one address leave others theirs, and it has two a minute later on")
    func address() {
        var meter = RequestMeter(salt: 1)
        #expect(taken(1000, .nearby, by: &meter, at: someInstant) { _ in .v4(0xC000_0201) } == 20)
        #expect(taken(1000, .nearby, by: &meter, at: someInstant + .seconds(60)) { _ in .v4(0xC000_0201) } == 2)
        #expect(taken(1, .nearby, by: &meter, at: someInstant) { _ in .v4(0xC000_0202) } == 1)
        #expect(taken(1, .mate, by: &meter, at: someInstant) { _ in .v4(0xC000_0201) } == 1)
        #expect(taken(1000, .nearby, by: &meter, at: someInstant) { _ in .loopback } == 20)
    }

    @Test("All addresses of a /64 behind a router, and all of a link, are one source; many networks share a bound")
    func six() {
        func far(_ network: UInt64, _ host: UInt64) -> IPAddress {
            IPAddress.v6(high: 0x2001_0DB8_0000_0000 + network, low: host, scope: 0).source(
                link: nil, joinsNeighbours: true)
        }
        func near(_ host: UInt64) -> IPAddress {
            let address: IPAddress =
                host % 2 == 0
                ? .v6(high: 0xFE80 << 48, low: host, scope: 3) : .v6(high: 0x2001_0DB8_0000_0001, low: host, scope: 0)
            return address.source(link: 3, joinsNeighbours: true)
        }
        var meter = RequestMeter(salt: 1)
        #expect(taken(1000, .faraway, by: &meter, at: someInstant) { far(1, $0) } == 20)
        #expect(taken(1000, .nearby, by: &meter, at: someInstant, near) == 20)
        #expect(Set((0..<10).map(near)).count == 1 && near(0) != far(0, 0))
        meter = RequestMeter(salt: 2)
        #expect(taken(5000, .faraway, by: &meter, at: someInstant) { far($0, 1) } == 100)
        #expect(taken(1, .nearby, by: &meter, at: someInstant, near) == 1, "neighbours have theirs all the same")
        #expect(taken(1, .faraway, by: &meter, at: someInstant) { _ in .v4(5) } == 1)
        // Loopback and IPv4 are what they are.
        let six = IPAddress.v6(high: 0, low: 1, scope: 0)
        #expect(six.source(link: 1, joinsNeighbours: true) == six)
        #expect(IPAddress.v4(9).source(link: 1, joinsNeighbours: true) == .v4(9))
    }
}
