import Basics
import Testing

@testable import PeerProtocol

@Suite("DialPlanner") struct DiscoveryDialPlannerTests: DialPlannerSuite {
    @Test("the smaller key dials within 50 ms, the larger one waits 400 ms", arguments: 0..<20 as Range<UInt64>)
    func firstMove(seed: UInt64) throws {
        var smaller = planner(seed: seed)
        appear(devices[31], at: address(1), to: &smaller, start)
        #expect(try #require(smaller.nextDeadline) - start <= .milliseconds(50))
        var larger = planner(seed: seed)
        appear(devices[29], at: address(1), to: &larger, start)
        let wait = try #require(larger.nextDeadline) - start
        #expect(wait >= .milliseconds(400) && wait <= .milliseconds(450))
        // The other side's dial came through in the meantime.
        larger.sessionOpened(devices[29], by: nil, now: start + .milliseconds(60))
        #expect(larger.nextDeadline == nil)
    }

    @Test(
        "a known address shortens no wait, so a friend whose sessions end at once is not dialled in a circle"
    )
    func knownAddress() throws {
        var planner = planner()
        let target = DialTarget.device(devices[31])
        planner.setFriends([devices[31]], now: start)
        planner.setLastAddress(address(1), of: devices[31], now: start)
        let (moment, _) = try #require(next(&planner))
        planner.sessionOpened(devices[31], by: target, now: moment)
        planner.sessionClosed(devices[31], isClean: true, now: moment)
        let due = try #require(planner.nextDeadline)
        // The note of the address comes from the database, after the session's end.
        planner.setLastAddress(address(1), of: devices[31], now: moment + .milliseconds(5))
        #expect(planner.nextDeadline == due)
    }

    @Test(
        "a friend is dialled for ever, with waits that double from half a second to a minute",
        arguments: 0..<10 as Range<UInt64>)
    func backoff(seed: UInt64) throws {
        var planner = planner(seed: seed)
        planner.setFriends([devices[31]], now: start)
        #expect(planner.nextDeadline == nil, "no address is known")
        planner.setLastAddress(address(1), of: devices[31], now: start)
        var waits: [Int64] = []
        var last = start
        for _ in 0..<12 {
            let (moment, dials) = try #require(next(&planner))
            waits.append((moment - last).milliseconds)
            last = moment
            for dial in dials { planner.dialFailed(dial.target, now: moment) }
        }
        for (wait, round) in zip(
            waits.dropFirst(), [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
        {
            #expect(Int64(round * 3 / 4)...Int64(round * 5 / 4) ~= wait)
        }
        // The friend was heard, so it is there and is dialled at once.
        planner.heard(devices[31], at: address(2), isNew: true, now: last)
        let (moment, dials) = try #require(next(&planner))
        #expect(moment - last <= .milliseconds(50) && dials.map(\.address) == [address(2)])
        planner.dialFailed(.device(devices[31]), now: moment)
        #expect(try #require(planner.nextDeadline) - moment <= .milliseconds(625), "the backoff starts over")
    }

    @Test("the late note of where a friend was met does not shorten the pause after it hung up")
    func lateNote() throws {
        var planner = planner()
        planner.setFriends([devices[31]], now: start)
        planner.setLastAddress(address(1), of: devices[31], now: start)
        var (moment, dials) = try #require(next(&planner))
        for _ in 0..<4 {
            for dial in dials { planner.sessionOpened(devices[31], by: dial.target, now: moment) }
            planner.sessionClosed(devices[31], isClean: false, now: moment)
            let due = try #require(planner.nextDeadline)
            planner.setLastAddress(address(1), of: devices[31], now: moment)
            #expect(planner.nextDeadline == due)
            (moment, dials) = try #require(next(&planner))
        }
    }

    @Test("where the announced address fails, the address where the friend was last met is tried in turn")
    func twoAddresses() throws {
        var planner = planner()
        planner.setFriends([devices[31]], now: start)
        planner.setLastAddress(address(1), of: devices[31], now: start)
        planner.heard(devices[31], at: address(2), isNew: true, now: start)
        var tried: [SocketAddress] = []
        for _ in 0..<4 {
            let (moment, dials) = try #require(next(&planner))
            tried += dials.map(\.address)
            for dial in dials { planner.dialFailed(dial.target, now: moment) }
        }
        #expect(tried == [address(2), address(1), address(2), address(1)])
    }

    @Test("sixteen dials at once, twelve for strangers; requests come first, then friends, then static peers")
    func cap() throws {
        var planner = planner(own: devices[0])
        for number in 1..<41 { appear(devices[number], at: address(number), to: &planner, start) }
        let later = start + .seconds(1)
        let looks = planner.tick(now: later)
        #expect(looks.count == DiscoveryLimits.strangerDials)
        #expect(planner.nextDeadline == nil, "the planner doesn't wake up while strangers wait for a place")
        planner.setStaticPeers([address(100), address(101), address(102)], now: later)
        for number in 50...52 { planner.heard(devices[number], at: address(number), isNew: true, now: later) }
        planner.setFriends([devices[50], devices[51]], now: later)
        planner.request(.device(devices[52]), now: later)
        let dials = planner.tick(now: later + .seconds(1))
        #expect(planner.dialsUnderWay == DiscoveryLimits.dials)
        try #require(dials.count == 4)
        #expect(dials.first?.target == .device(devices[52]))
        #expect(Set(dials[1...2].map(\.target)) == [.device(devices[50]), .device(devices[51])])
        let none = planner.tick(now: later + .seconds(2))
        #expect(none.isEmpty)
        planner.dialFailed(dials[3].target, now: later + .seconds(2))
        let one = planner.tick(now: later + .seconds(2))
        #expect(one.count == 1)
    }

    @Test("a friend whose session broke is dialled at once, and ever more slowly if sessions keep breaking")
    func brokenSessions() throws {
        var planner = planner()
        planner.setFriends([devices[31]], now: start)
        planner.heard(devices[31], at: address(1), isNew: true, now: start)
        var now = start
        func reopen() throws {
            let (moment, dials) = try #require(next(&planner))
            #expect(dials.count == 1)
            now = max(now, moment)
            planner.sessionOpened(devices[31], by: .device(devices[31]), now: now)
        }
        try reopen()
        now = now + .seconds(60)
        planner.sessionClosed(devices[31], isClean: false, now: now)
        #expect(try #require(planner.nextDeadline) - now <= .milliseconds(50))
        var waits: [Duration] = []
        for _ in 0..<8 {
            try reopen()
            now = now + .milliseconds(100)
            planner.sessionClosed(devices[31], isClean: false, now: now)
            waits.append(try #require(planner.nextDeadline) - now)
        }
        #expect(waits.last.map { $0 >= .seconds(45) } == true)
        #expect(waits.allSatisfy { $0 >= .milliseconds(375) })
    }

    @Test("a friend that said goodbye is dialled rarely")
    func leaver() throws {
        var planner = planner()
        planner.setFriends([devices[31]], now: start)
        planner.heard(devices[31], at: address(1), isNew: true, now: start)
        _ = next(&planner)
        planner.sessionOpened(devices[31], by: .device(devices[31]), now: start)
        planner.left(devices[31], now: start + .seconds(60))
        planner.sessionClosed(devices[31], isClean: true, now: start + .seconds(60))
        let wait = try #require(planner.nextDeadline) - (start + .seconds(60))
        #expect(wait >= .seconds(45) && wait <= .seconds(75))
        // A stranger that left is not dialled at all, and is forgotten.
        planner.heard(devices[32], at: address(2), isNew: true, now: start + .seconds(61))
        planner.left(devices[32], now: start + .seconds(61))
        #expect(planner.entries[.device(devices[32])] == nil)
    }

    @Test("static peers are dialled again and again, unless they are connected or ourselves")
    func staticPeers() throws {
        var planner = planner()
        planner.setStaticPeers([address(1), address(2)], now: start)
        let both = planner.tick(now: start)
        #expect(both.count == 2)
        planner.dialFailed(.address(address(2)), .ourselves, now: start)
        planner.sessionOpened(devices[31], by: .address(address(1)), now: start)
        #expect(planner.nextDeadline == nil)
        planner.sessionClosed(devices[31], isClean: false, now: start + .seconds(60))
        let (_, again) = try #require(next(&planner))
        #expect(again.map(\.target) == [.address(address(1))])
        // A stranger there is dialled now and then, so that it stays in the list, and at once when something waits for
        // it.
        let met = start + .seconds(61)
        planner.sessionOpened(devices[31], by: .address(address(1)), now: met)
        planner.sessionClosed(devices[31], isClean: true, isIdle: true, now: met + .seconds(10))
        let pause = try #require(planner.nextDeadline) - met - .seconds(10)
        #expect(pause >= DiscoveryLimits.idleStaticPause * 3 / 4 && pause <= DiscoveryLimits.idleStaticPause * 5 / 4)
        var waiting = planner
        waiting.setPending(true, for: devices[31], now: met + .seconds(11))
        #expect(waiting.nextDeadline == met + .seconds(11))
        let (_, last) = try #require(next(&planner))
        #expect(last.map(\.target) == [.address(address(1))])
        planner.setStaticPeers([], now: start + .seconds(200))
        planner.dialFailed(.address(address(1)), now: start + .seconds(200))
        #expect(planner.nextDeadline == nil && planner.entries[.address(address(1))] == nil)
    }

    @Test("one address is dialled once, for any number of reasons")
    func sameAddress() {
        var planner = planner()
        planner.setFriends([devices[31]], now: start)
        planner.setStaticPeers([address(1)], now: start)
        planner.heard(devices[31], at: address(1), isNew: true, now: start)
        let dials = planner.tick(now: start + .seconds(1))
        #expect(dials.count == 1)
        #expect(planner.nextDeadline == nil)
    }

    @Test("if another device answers, the address is forgotten and the session counts for that device")
    func wrongDevice() {
        var planner = planner()
        planner.setFriends([devices[31]], now: start)
        planner.setLastAddress(address(1), of: devices[31], now: start)
        _ = planner.tick(now: start + .seconds(1))
        planner.sessionOpened(devices[32], by: .device(devices[31]), now: start + .seconds(1))
        #expect(planner.isConnected(devices[32]) && !planner.isConnected(devices[31]))
        #expect(planner.nextDeadline == nil && planner.dialsUnderWay == 0)
        let isPossible1 = planner.request(.device(devices[31]), now: start + .seconds(2))
        #expect(!isPossible1)
    }

    @Test("a stranger for whom something waits is dialled like a friend")
    func pending() throws {
        var planner = planner()
        planner.heard(devices[31], at: address(1), isNew: false, now: start)
        #expect(planner.nextDeadline == nil)
        planner.setPending(true, for: devices[31], now: start)
        let (_, dials) = try #require(next(&planner))
        #expect(dials.count == 1)
        planner.setPending(false, for: devices[31], now: start + .seconds(1))
        planner.dialFailed(.device(devices[31]), now: start + .seconds(2))
        #expect(planner.nextDeadline == nil)
    }

    @Test("waiting items are no reason to skip the growing pauses while sessions break again and again")
    func pendingBehindBrokenSessions() throws {
        var planner = planner()
        planner.setPending(true, for: devices[31], now: start)
        planner.heard(devices[31], at: address(1), isNew: true, now: start)
        var now = start
        for round in 0..<5 as Range<Int64> {
            let (moment, dials) = try #require(next(&planner))
            #expect(dials.map(\.target) == [.device(devices[31])])
            if round > 0 { #expect(moment - now >= .milliseconds(375 << (round - 1))) }
            now = moment
            planner.sessionOpened(devices[31], by: .device(devices[31]), now: now)
            planner.setPending(false, for: devices[31], now: now)
            planner.setPending(true, for: devices[31], now: now)
            #expect(planner.nextDeadline == nil)
            planner.sessionClosed(devices[31], isClean: false, now: now)
        }
    }

    @Test("a request is dialled once, even beside an open session")
    func requests() throws {
        var planner = planner()
        let isPossible2 = planner.request(.device(devices[31]), now: start)
        #expect(!isPossible2)
        let isPossible3 = planner.request(.address(address(5)), now: start)
        #expect(isPossible3)
        let first = planner.tick(now: start)
        #expect(first.map(\.target) == [.address(address(5))])
        planner.dialFailed(.address(address(5)), now: start)
        #expect(planner.nextDeadline == nil && planner.entries.isEmpty)
        planner.heard(devices[31], at: address(1), isNew: true, now: start)
        planner.sessionOpened(devices[31], by: nil, now: start)
        let isPossible4 = planner.request(.device(devices[31]), now: start + .seconds(3600))
        #expect(isPossible4)
        let second = planner.tick(now: start + .seconds(3600))
        #expect(second.count == 1)
    }

    @Test("a friend's new start is dialled although its old session still seems open")
    func restartedFriend() throws {
        var planner = planner()
        planner.setFriends([devices[31]], now: start)
        planner.heard(devices[31], at: address(1), isNew: true, now: start)
        _ = next(&planner)
        planner.sessionOpened(devices[31], by: .device(devices[31]), now: start)
        planner.heard(devices[31], at: address(1), isNew: false, now: start + .seconds(30))
        #expect(planner.nextDeadline == nil)
        planner.heard(devices[31], at: address(1), isNew: true, now: start + .seconds(40))
        #expect(next(&planner)?.dials.count == 1)
    }

    @Test("we never dial ourselves")
    func ourselves() {
        var planner = planner()
        planner.heard(devices[30], at: address(1), isNew: true, now: start)
        planner.setFriends([devices[30]], now: start)
        planner.setLastAddress(address(1), of: devices[30], now: start)
        planner.setPending(true, for: devices[30], now: start)
        let isPossible5 = planner.request(.device(devices[30]), now: start)
        #expect(!isPossible5)
        #expect(planner.nextDeadline == nil)
    }

    @Test("after random inputs each dial has a place, and each place a dial", arguments: 0..<20 as Range<UInt64>)
    func randomInputs(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var planner = planner(seed: seed)
        var underWay: [DialTarget] = []
        var now = start
        for _ in 0..<1500 {
            now = now + .milliseconds(Int64.random(in: 0...800, using: &random))
            let device = devices[Int.random(in: 0..<60, using: &random)]
            let place = address(Int.random(in: 0..<70, using: &random))
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: planner.heard(device, at: place, isNew: Bool.random(using: &random), now: now)
            case 2: planner.left(device, now: now)
            case 3: planner.sessionOpened(device, by: nil, now: now)
            case 4: planner.sessionClosed(device, isClean: Bool.random(using: &random), now: now)
            case 5: planner.setPending(Bool.random(using: &random), for: device, now: now)
            case 6:
                planner.setFriends(Set(devices.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }), now: now)
            case 7: planner.setStaticPeers([place, address(3)], now: now)
            case 8: planner.request(Bool.random(using: &random) ? .device(device) : .address(place), now: now)
            case 9: planner.setLastAddress(place, of: device, now: now)
            default:
                guard let target = underWay.randomElement(using: &random) else { continue }
                underWay.removeAll { $0 == target }
                switch (target, Int.random(in: 0..<3, using: &random)) {
                case (.device(let reached), 0): planner.sessionOpened(reached, by: target, now: now)
                case (_, 1): planner.sessionOpened(device, by: target, now: now)
                default: planner.dialFailed(target, now: now)
                }
            }
            for dial in planner.tick(now: now) {
                #expect(!underWay.contains(dial.target) && dial.target != .device(devices[30]))
                underWay.append(dial.target)
            }
            #expect(planner.dialsUnderWay == underWay.count && underWay.count <= DiscoveryLimits.dials)
            if let deadline = planner.nextDeadline { #expect(deadline > now, "tick leaves nothing due") }
        }
    }
}
