import Basics
import Crypto
import Testing

@testable import PeerProtocol

/// What friends may do to each other, and to devices that are hidden from most.
@Suite("Veiled announcements: owner of a key, order of friends, cost") struct DiscoveryVeilOwnersTests {
    private typealias Machine = DiscoveryMachine<SeededGenerator>
    private let start = DiscoveryFixture.start
    private let noon = WallTime(milliseconds: 1_790_000_000_000)

    private func machine(_ number: UInt64) -> Machine {
        var machine = Machine(
            key: DiscoveryFixture.key(number), incarnation: 1, port: 4000, isProbing: false, now: start,
            random: SeededGenerator(seed: number))
        machine.setClock(noon, now: start)
        return machine
    }

    private func device(_ number: UInt64) -> DeviceID { DeviceID(DiscoveryFixture.key(number).publicKey) }
    private func keys(_ number: UInt64) -> DiscoveryKeys { DiscoveryKeys(DiscoveryFixture.key(number)) }
    private func account(_ number: UInt64) -> AccountID { AccountID(DiscoveryFixture.key(number + 1000).publicKey) }

    /// All datagrams that it sends until then.
    private func sent(_ machine: inout Machine, _ number: UInt64, until end: Instant) -> [(bytes: [UInt8], at: Instant)]
    {
        var sent: [(bytes: [UInt8], at: Instant)] = []
        var effects = machine.start(now: start)
        var now = start
        while true {
            for case .broadcast(let bytes) in effects { sent.append((bytes, now)) }
            guard let next = machine.nextDeadline, next <= end else { return sent }
            now = next
            effects = machine.tick(now: now)
        }
    }

    @Test("a friend that passes another's key off as its own hides no device and speaks for none")
    func sameKey() throws {
        var (hidden, thief, friend) = (machine(1), machine(2), machine(3))
        let key = keys(1).shared(1)
        for owners in [[1, 2], [2, 1]] as [[UInt64]] {
            friend.setVeils([key: owners.map { VeilOwner(device($0)) }])
            hidden.veil = Veil(shared: key)
            thief.veil = Veil(shared: key)
            for (number, bytes) in [
                (1, try #require(sent(&hidden, 1, until: start + .seconds(1)).first?.bytes)),
                (2, try #require(sent(&thief, 2, until: start + .seconds(1)).first?.bytes)),
            ] as [(UInt64, [UInt8])] {
                let now = start + .seconds(1)
                _ = friend.receive(bytes[...], from: DiscoveryFixture.address(UInt32(number)), now: now)
                #expect(friend.table.isPresent(device(number)), "\(number) of \(owners)")
            }
            #expect(friend.metrics.brokenVeils == 0)
        }
        // No other device does, even with the key.
        var third = machine(4)
        third.veil = Veil(shared: key)
        let bytes = try #require(sent(&third, 4, until: start + .seconds(1)).first?.bytes)
        #expect(friend.receive(bytes[...], from: DiscoveryFixture.address(4), now: start).isEmpty)
        #expect(friend.metrics.brokenVeils == 1 && !friend.table.isPresent(device(4)))
    }

    @Test("a device heard only once in a long rotation counts as present all the time")
    func turns() {
        var hidden = machine(1)
        // The friend is one of 200 that lack the shared key, all of them away.
        let pairs = (0..<200).map { keys(1).pair(with: account(100 + $0)) }
        hidden.veil = Veil(shared: keys(1).shared(2), pairs: pairs)
        var friend = machine(2)
        friend.setVeils([
            keys(1).shared(1): [VeilOwner(device(1))], pairs[150]: [VeilOwner(device(1), isPair: true)],
        ])
        var (heard, gone) = (0, 0)
        for (bytes, at) in sent(&hidden, 1, until: start + .seconds(7200)) {
            while let due = friend.nextDeadline, due <= at {
                gone += friend.tick(now: due).count { if case .expired = $0 { true } else { false } }
            }
            let effects = friend.receive(bytes[...], from: DiscoveryFixture.address(1), now: at)
            heard += effects.count { if case .heard = $0 { true } else { false } }
        }
        #expect(heard > 5 && gone == 0)
        // The presence also ends.
        var end = start + .seconds(7200)
        while let due = friend.nextDeadline, friend.table.isPresent(device(1)) {
            end = due
            _ = friend.tick(now: due)
        }
        #expect(!friend.table.isPresent(device(1)) && end < start + .seconds(7200 + 33 * 60))
    }

    @Test(
        "friends that surely have another key come first, but all that may have one come", arguments: [0, 5, 9, 100])
    func order(behind: Int) {
        var hidden = machine(1)
        let pairs = (0..<UInt64(behind)).map { keys(1).pair(with: account(100 + $0)) }
        let others = (0..<60).map { keys(1).pair(with: account(500 + $0)) }
        hidden.veil = Veil(shared: keys(1).shared(2), pairs: pairs, others: others)
        let sent = sent(&hidden, 1, until: start + .seconds(4))
        #expect(sent.count == 3 * (1 + DiscoveryLimits.helloPairs))
        var said: [ShortTag: Int] = [:]
        for (bytes, _) in sent { ShortTag(bytes: bytes[8..<24]).map { said[$0, default: 0] += 1 } }
        func reached(_ keys: [SharedKey]) -> Int {
            let epoch = hidden.epoch(start)
            return keys.count { ShortTag(bytes: VeiledDatagram.tag($0, epoch)).map { said[$0] != nil } ?? false }
        }
        #expect(reached([keys(1).shared(2)]) == 1)
        #expect(reached(pairs) == min(behind, 3 * 24))
        #expect(reached(others) >= min(60, 3 * 8) && (behind > 12 || reached(others) == 60))
        // Beacons continue with the friends that are next.
        var beacons: Set<[UInt8]> = []
        while beacons.count < 1 + behind + 60, let due = hidden.nextDeadline, due < start + .seconds(3600) {
            hidden.setClock(noon, now: due)
            let announced = hidden.tick(now: due)
            #expect(announced.count <= 1 + DiscoveryLimits.veilPairs)
            for case .broadcast(let bytes) in announced { beacons.insert(Array(bytes[8..<24])) }
        }
        #expect(beacons.count == 1 + behind + 60)
    }

    @Test("a known tag before noise costs a bounded number of checks, and silences neither its source nor others")
    func noise() throws {
        var (hidden, friend) = (machine(1), machine(2))
        hidden.veil = Veil(shared: keys(1).shared(1))
        friend.setVeils([keys(1).shared(1): [VeilOwner(device(1))]])
        let bytes = try #require(sent(&hidden, 1, until: start + .seconds(1)).first?.bytes)
        let now = start + .seconds(1)
        var noise = bytes
        noise[100] ^= 1
        for _ in 0..<10_000 { _ = friend.receive(noise[...], from: DiscoveryFixture.address(9), now: now) }
        let most = UInt64(DiscoveryLimits.brokenVeils.burst + DiscoveryLimits.unreadVeils.burst)
        #expect(friend.metrics.brokenVeils <= most && friend.metrics.overBudget >= 10_000 - most)
        #expect(!friend.receive(bytes[...], from: DiscoveryFixture.address(1), now: now).isEmpty)
        // A readable datagram costs the source none of this budget.
        let broken = friend.metrics.brokenVeils
        for _ in 0..<500 { _ = friend.receive(bytes[...], from: DiscoveryFixture.address(1), now: now) }
        #expect(friend.metrics.stale + friend.metrics.overBudget >= 500 && friend.metrics.brokenVeils == broken)

        // An attacker floods from the device's own address, with noise under its tag; the device is heard all the same.
        var heard = 0
        let genuine = sent(&hidden, 1, until: start + .seconds(90)).dropFirst().map(\.bytes)
        for (second, bytes) in genuine.enumerated() {
            let begin = start + .seconds(100 + second)
            for index in 0..<2000 {
                _ = friend.receive(
                    noise[...], from: DiscoveryFixture.address(1), now: begin + .microseconds(index * 100))
            }
            let effects = friend.receive(bytes[...], from: DiscoveryFixture.address(1), now: begin + .milliseconds(200))
            heard += effects.isEmpty ? 0 : 1
        }
        #expect(genuine.count >= 4 && heard == genuine.count, "\(heard) of \(genuine.count)")
    }
}
