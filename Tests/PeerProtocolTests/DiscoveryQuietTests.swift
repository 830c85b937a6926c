import Basics
import Testing

@testable import PeerProtocol

@Suite("Discovery: a hidden device dials no strangers") struct DiscoveryQuietTests {
    @Test(
        "planned dials to strangers are dropped; friends, waiting items and requests are dialled all the same")
    func planned() {
        let start = DiscoveryFixture.start
        var planner = DialPlanner(own: DiscoveryFixture.device(1), random: SeededGenerator(seed: 1))
        let devices = (2...6).map { DiscoveryFixture.device(UInt64($0)) }
        planner.setFriends([devices[0]], now: start)
        for (index, device) in devices.enumerated() {
            planner.heard(device, at: DiscoveryFixture.address(UInt32(index)), isNew: true, now: start)
            planner.look(at: device, now: start)
        }
        planner.setPending(true, for: devices[1], now: start)
        planner.request(.device(devices[2]), now: start)
        planner.lookAtNobody()
        var dialled: Set<DialTarget> = []
        while let next = planner.nextDeadline, next <= start + .seconds(5) {
            dialled.formUnion(planner.tick(now: next).map(\.target))
        }
        #expect(dialled == Set(devices[..<3].map { .device($0) }))
        // Waiting items don't change that.
        planner.setPending(true, for: devices[0], now: start + .seconds(5))
        #expect(planner.unpend { $0 == devices[0] } == [devices[1]])
        #expect(planner.unpend { $0 == devices[0] }.isEmpty)
        planner.dialFailed(.device(devices[0]), now: start + .seconds(5))
        planner.dialFailed(.device(devices[1]), now: start + .seconds(5))
        dialled = []
        while let next = planner.nextDeadline, next <= start + .seconds(6) {
            dialled.formUnion(planner.tick(now: next).map(\.target))
        }
        #expect(dialled == [.device(devices[0])])
        // The device is open again and the stranger has restarted, so it is dialled as before.
        planner.heard(devices[4], at: DiscoveryFixture.address(4), isNew: true, now: start + .seconds(7))
        planner.look(at: devices[4], now: start + .seconds(7))
        var later: [DialTarget] = []
        while let next = planner.nextDeadline, next <= start + .seconds(9) {
            later += planner.tick(now: next).map(\.target)
        }
        #expect(later == [.device(devices[4])])
    }
}
