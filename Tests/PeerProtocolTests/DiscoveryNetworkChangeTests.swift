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

    @Test("after a change of the host's network, failed peers are tried at once, and those that said goodbye are not")
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

    @Test("a friend lost without a goodbye is tried every few seconds for ten minutes, then rarely")
    func lost() throws {
        var planner = DialPlanner(own: devices[0], random: SeededGenerator(seed: 2))
        let target = DialTarget.device(devices[1])
        planner.setFriends([devices[1]], now: start)
        planner.setLastAddress(address(1), of: devices[1], now: start)
        let (moment, _) = try #require(next(&planner))
        planner.sessionOpened(devices[1], by: target, now: moment)
        let broke = moment + .seconds(60)
        planner.sessionClosed(devices[1], isClean: false, now: broke)
        planner.left(devices[1], isGoodbye: false, now: broke + .seconds(1))
        // It fell silent at this moment, so what was planned until then is planned anew.
        var (last, longest, rarely) = (broke + .seconds(1), Duration.zero, Duration.zero)
        for _ in 0..<900 {
            guard let (at, dials) = next(&planner) else { break }
            #expect(dials.map(\.target) == [target])
            if last < broke + .seconds(600) {
                longest = max(longest, at - last)
            } else {
                rarely = max(rarely, at - last)
            }
            last = at
            planner.dialFailed(target, now: at)
            if at > broke + .seconds(1200) { break }
        }
        #expect(longest <= .seconds(1))
        #expect(rarely >= .seconds(45))
    }

    @Test(
        "the pause for a lost friend counts from the beginning of a dial, so a slow dial is followed at once"
    )
    func lostPause() throws {
        var planner = DialPlanner(own: devices[0], random: SeededGenerator(seed: 4))
        let target = DialTarget.device(devices[1])
        planner.setFriends([devices[1]], now: start)
        planner.setLastAddress(address(1), of: devices[1], now: start)
        planner.sessionOpened(devices[1], by: target, now: try #require(next(&planner)).at)
        planner.sessionClosed(devices[1], isClean: false, now: start + .seconds(60))
        var gaps: [Duration] = []
        for (count, took) in [Duration.milliseconds(1), .milliseconds(400), .seconds(2), .seconds(5)].enumerated() {
            // After many failures in a row, the pause of a friend that isn't lost would be long by now.
            let (began, _) = try #require(next(&planner))
            planner.dialFailed(target, now: began + took)
            if count > 0 { #expect(planner.outlook(target)?.failures == count + 1) }
            gaps.append(try #require(planner.nextDeadline) - began)
        }
        // The first pause is short, as after any first failure.
        #expect(gaps[0] <= .milliseconds(700))
        #expect(gaps[1] <= .milliseconds(1000))
        #expect(gaps[2] == .milliseconds(2050))
        #expect(gaps[3] == .milliseconds(5050))
    }

    @Test("a friend that said goodbye is tried once a minute, even if its session broke meanwhile")
    func goodbye() throws {
        var planner = DialPlanner(own: devices[0], random: SeededGenerator(seed: 3))
        planner.setFriends([devices[1]], now: start)
        planner.setLastAddress(address(1), of: devices[1], now: start)
        let (moment, _) = try #require(next(&planner))
        planner.sessionOpened(devices[1], by: .device(devices[1]), now: moment)
        planner.left(devices[1], now: moment + .seconds(20))
        planner.sessionClosed(devices[1], isClean: false, now: moment + .seconds(20))
        #expect(try #require(planner.nextDeadline) - moment >= .seconds(20 + 45))
    }
}
