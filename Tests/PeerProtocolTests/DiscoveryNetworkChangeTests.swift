import Basics
import Testing

@testable import PeerProtocol

@Suite("DialPlanner: a network that changes") struct DiscoveryNetworkChangeTests {
    private let start = DiscoveryFixture.start
    private let devices = (1...3 as ClosedRange<UInt64>).map { DiscoveryFixture.device($0) }.sorted()

    private func address(_ number: Int) -> SocketAddress { DiscoveryFixture.address(UInt32(number)) }

    private func next(_ planner: inout DialPlanner<SeededGenerator>) -> (at: Instant, dials: [DialEffect])? {
        guard let moment = planner.nextDeadline else { return nil }
        return (moment, planner.tick(now: moment))
    }

    @Test("when the host's network changes, who failed before is tried at once, and who said goodbye is not")
    func networkChanged() throws {
        var planner = DialPlanner(own: devices[0], random: SeededGenerator(seed: 1))
        planner.setFriends([devices[1], devices[2]], now: start)
        for number in [1, 2] { planner.setLastAddress(address(number), of: devices[number], now: start) }
        var now = start
        for _ in 0..<12 {
            guard let (moment, dials) = next(&planner) else { break }
            now = moment
            for dial in dials { planner.dialFailed(dial.target, now: now) }
        }
        planner.left(devices[2], now: now)
        try #require(try #require(planner.nextDeadline) - now > .seconds(5))
        planner.networkChanged(now: now)
        let (moment, dials) = try #require(next(&planner))
        #expect(moment - now <= .milliseconds(50))
        #expect(dials.map(\.target) == [.device(devices[1])])
        planner.dialFailed(.device(devices[1]), now: moment)
        #expect(try #require(planner.nextDeadline) - moment <= .seconds(1))
    }
}
