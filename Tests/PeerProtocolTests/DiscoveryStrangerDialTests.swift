import Basics
import Testing

@testable import PeerProtocol

@Suite("DialPlanner: strangers") struct DiscoveryStrangerDialTests: DialPlannerSuite {
    @Test("a stranger is dialled once when it is to be looked at, and left alone when there was nothing left to say")
    func strangerOnce() throws {
        var planner = planner()
        let target = DialTarget.device(devices[31])
        planner.heard(devices[31], at: address(1), isNew: true, now: start)
        #expect(planner.nextDeadline == nil)
        planner.look(at: devices[31], now: start)
        let (moment, dials) = try #require(next(&planner))
        #expect(dials == [DialEffect(target: target, address: address(1))])
        planner.sessionOpened(devices[31], by: target, now: moment)
        planner.look(at: devices[31], now: moment)
        #expect(planner.nextDeadline == nil, "there is a session")
        planner.sessionClosed(devices[31], isClean: true, isIdle: true, now: moment + .seconds(10))
        #expect(planner.nextDeadline == nil)
        planner.heard(devices[31], at: address(1), isNew: false, now: moment + .seconds(30))
        planner.heard(devices[31], at: address(1), isNew: true, now: moment + .seconds(60))
        #expect(planner.nextDeadline == nil)
        planner.look(at: devices[31], now: moment + .seconds(60))
        #expect(planner.nextDeadline != nil)
        planner.spare(devices[31], now: moment + .seconds(60))
        #expect(planner.nextDeadline == nil, "another peer has shown its card")
        planner.look(at: devices[31], atOnce: true, now: moment + .seconds(60))
        #expect(planner.nextDeadline == moment + .seconds(60))
        planner.setPending(true, for: devices[31], now: moment + .seconds(60))
        planner.spare(devices[31], now: moment + .seconds(60))
        #expect(planner.nextDeadline != nil, "something waits for it")
    }

    @Test("only so many strangers wait to be dialled; further ones are counted, and friends don't count")
    func strangersLeftOut() {
        var planner = planner()
        let all = (100..<1140 as Range<UInt64>).map { DiscoveryFixture.device($0) }
        for (index, device) in all.enumerated() { appear(device, at: address(index + 1), to: &planner, start) }
        #expect(planner.strangersLeftOut == UInt64(all.count - DiscoveryLimits.waitingStrangers))
        planner.heard(devices[31], at: address(5000), isNew: true, now: start)
        planner.setFriends([devices[31]], now: start)
        #expect(planner.outlook(.device(devices[31]))?.due != nil)
        #expect(planner.strangersLeftOut == UInt64(all.count - DiscoveryLimits.waitingStrangers))
    }

    @Test("a stranger that can't be reached is tried four times, then again when it is heard")
    func strangerGivenUp() throws {
        var planner = planner()
        appear(devices[31], at: address(1), to: &planner, start)
        var attempts = 0
        while let (moment, dials) = next(&planner), attempts < 50 {
            attempts += dials.count
            for dial in dials { planner.dialFailed(dial.target, now: moment + .milliseconds(5)) }
        }
        #expect(attempts == DiscoveryLimits.strangerAttempts)
        planner.heard(devices[31], at: address(1), isNew: false, now: start + .seconds(30))
        #expect(next(&planner)?.dials.count == 1)
    }

    @Test("a thousand strangers are looked at in the end, at most twelve at a time")
    func manyStrangers() {
        var planner = planner(own: DiscoveryFixture.device(5000))
        let strangers = (1...1000 as ClosedRange<UInt64>).map { DiscoveryFixture.device($0) }
        for (number, device) in strangers.enumerated() {
            planner.heard(device, at: address(number), isNew: true, now: start)
        }
        #expect(planner.nextDeadline == nil, "no stranger is dialled unasked")
        for device in strangers { planner.look(at: device, now: start) }
        var seen: Set<DialTarget> = []
        var now = start
        while let deadline = planner.nextDeadline, seen.count < 2000 {
            now = max(now, deadline)
            let dials = planner.tick(now: now)
            #expect(planner.dialsUnderWay <= DiscoveryLimits.strangerDials)
            for dial in dials {
                #expect(seen.insert(dial.target).inserted)
                guard case .device(let device) = dial.target else { continue }
                planner.sessionOpened(device, by: dial.target, now: now)
            }
        }
        #expect(seen.count == 1000)
    }
}
