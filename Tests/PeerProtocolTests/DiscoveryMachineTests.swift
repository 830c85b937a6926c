import Basics
import Crypto
import Testing

@testable import PeerProtocol

@Suite("DiscoveryMachine") struct DiscoveryMachineTests {
    private let start = DiscoveryFixture.start

    private func machine(
        _ number: UInt64 = 1, realm: RealmTag = .none, isProbing: Bool = false
    ) -> HeldMachine {
        HeldMachine(
            DiscoveryMachine(
                key: DiscoveryFixture.key(number), incarnation: 3, port: 4000, realm: realm,
                isProbing: isProbing, now: start, random: SeededGenerator(seed: number)))
    }

    /// A datagram of the device with that number.
    private func bytes(
        _ kind: DiscoveryDatagram.Kind = .hello, of number: UInt64, incarnation: UInt32 = 1, sequence: UInt32 = 1,
        port: UInt16 = 4000, realm: RealmTag = .none
    ) -> ArraySlice<UInt8> {
        DiscoveryDatagram(
            kind: kind, device: DiscoveryFixture.device(number), incarnation: incarnation, sequence: sequence,
            port: port, realm: realm
        ).encoded(signedBy: DiscoveryFixture.key(number))[...]
    }

    private func address(_ number: UInt32, port: UInt16 = 4000) -> SocketAddress {
        DiscoveryFixture.address(number, port: port)
    }

    private func contents(_ effects: [DiscoveryEffect]) throws -> [DiscoveryDatagram] {
        try effects.compactMap { effect in
            guard case .broadcast(let bytes) = effect else { return nil }
            let received = try ReceivedDatagram(decoding: bytes[...])
            #expect(received.isAuthentic())
            return received.content
        }
    }

    /// Everything that the machine sends until `end`, with the times.
    private func run(
        _ machine: HeldMachine, until end: Instant
    ) throws -> [(at: Instant, content: DiscoveryDatagram)] {
        var sent: [(Instant, DiscoveryDatagram)] = []
        while let next = machine.nextDeadline, next <= end {
            sent += try contents(machine.tick(now: next)).map { (next, $0) }
        }
        return sent
    }

    // MARK: Speaking

    @Test("three HELLOs come first and then beacons, each with the next sequence", arguments: 1..<20 as Range<UInt64>)
    func schedule(seed: UInt64) throws {
        let machine = machine(seed)
        #expect(machine.nextDeadline == nil)
        let first = machine.start(now: start)
        #expect(first.isEmpty)
        let sent = try run(machine, until: start + .seconds(200))
        #expect(sent.prefix(4).map(\.content.kind) == [.hello, .hello, .hello, .beacon])
        #expect(sent.dropFirst(3).allSatisfy { $0.content.kind == .beacon })
        #expect(sent.map(\.content.sequence) == (1...UInt32(sent.count)).map(\.self))
        #expect(sent.allSatisfy { $0.content.incarnation == 3 && $0.content.port == 4000 })
        #expect(sent[0].at - start <= .milliseconds(250))
        #expect(sent[1].at - sent[0].at == .seconds(1) && sent[2].at - sent[0].at == .seconds(3))
        for (one, next) in zip(sent.dropFirst(2), sent.dropFirst(3)) {
            #expect(next.at - one.at >= .milliseconds(22_500) && next.at - one.at <= .milliseconds(37_500))
        }
        #expect(machine.metrics.sent == UInt64(sent.count))
    }

    @Test("BYE is sent three times, then nothing more")
    func goodbye() throws {
        let machine = machine()
        _ = machine.start(now: start)
        _ = try run(machine, until: start + .seconds(10))
        let byes = try contents(machine.stop(now: start + .seconds(10)))
        #expect(byes.map(\.kind) == [.bye, .bye, .bye])
        #expect(byes.map(\.sequence) == [4, 5, 6])
        #expect(machine.nextDeadline == nil)
        #expect(machine.tick(now: start + .seconds(1000)).isEmpty)
    }

    @Test("a changed network restarts the HELLOs; a night of sleep makes one datagram, not many")
    func restartAndSleep() throws {
        let machine = machine()
        _ = machine.start(now: start)
        _ = try run(machine, until: start + .seconds(60))
        _ = machine.start(now: start + .seconds(60))
        let again = try run(machine, until: start + .seconds(64))
        #expect(again.map(\.content.kind) == [.hello, .hello, .hello])
        let morning = start + .seconds(36_000)
        #expect(try contents(machine.tick(now: morning)).count == 1)
        let next = try #require(machine.nextDeadline)
        #expect(next - morning > .seconds(20))
    }

    @Test("the beacon's interval grows with the number of devices, between 30 and 300 seconds")
    func interval() {
        let machine = machine(500_000)
        var now = start
        #expect(machine.beaconInterval == .seconds(30))
        for count in 1...1600 as ClosedRange<UInt32> {
            now = now + .milliseconds(5)
            _ = machine.receive(bytes(of: UInt64(count)), from: address(count), now: now)
            if count == 149 { #expect(machine.beaconInterval == .seconds(30)) }
            if count == 499 { #expect(machine.beaconInterval == .seconds(100)) }
        }
        #expect(machine.presentCount == 1600 && machine.beaconInterval == .seconds(300))
        // All fall silent. They are given up by an interval that has grown meanwhile, and the interval shrinks again.
        var expired = 0
        while let next = machine.nextDeadline, expired < 1600 {
            expired += machine.tick(now: next).count { if case .expired = $0 { true } else { false } }
            now = next
        }
        #expect(now - start >= .seconds(1200) && now - start < .seconds(1300))
        #expect(machine.presentCount == 0 && machine.beaconInterval == .seconds(30))
    }

    // MARK: Hearing

    @Test("the address is the datagram's source with the port that it names")
    func heard() {
        let machine = machine()
        let effects = machine.receive(bytes(of: 2, port: 4711), from: address(9, port: 60_000), now: start)
        #expect(
            effects == [.heard(device: DiscoveryFixture.device(2), address: address(9, port: 4711), isNew: true)])
        #expect(machine.metrics.believed == 1)
    }

    @Test("news are the first datagram, a new start and a return, but not the next beacon")
    func news() {
        let machine = machine()
        func isNew(_ effects: [DiscoveryEffect]) -> Bool? {
            for case .heard(_, _, let isNew) in effects { return isNew }
            return nil
        }
        func hear(
            _ kind: DiscoveryDatagram.Kind, _ incarnation: UInt32, _ sequence: UInt32, after seconds: Int
        ) -> Bool? {
            isNew(
                machine.receive(
                    bytes(kind, of: 2, incarnation: incarnation, sequence: sequence), from: address(2),
                    now: start + .seconds(seconds)))
        }
        #expect(hear(.hello, 5, 1, after: 0) == true)
        #expect(hear(.hello, 5, 2, after: 1) == false)
        #expect(hear(.beacon, 5, 9, after: 30) == false)
        #expect(hear(.beacon, 6, 1, after: 60) == true)
        #expect(machine.tick(now: start + .seconds(200)) == [.expired(device: DiscoveryFixture.device(2))])
        #expect(hear(.beacon, 6, 2, after: 201) == true)
    }

    @Test("broadcasts are not answered")
    func noAnswers() {
        let machine = machine()
        var random = SeededGenerator(seed: 4)
        for number in 2..<40 as Range<UInt64> {
            for kind in [DiscoveryDatagram.Kind.hello, .beacon, .bye] {
                let effects = machine.receive(
                    bytes(kind, of: number, sequence: UInt32.random(in: 1...9, using: &random)),
                    from: address(UInt32(number)), now: start)
                #expect(
                    !effects.contains { if case .heard = $0 { false } else if case .left = $0 { false } else { true } })
            }
        }
        #expect(machine.metrics.sent == 0)
    }

    @Test(
        "repeated, reordered and replayed datagrams, also of an earlier start, are stale and cost no signature check")
    func replay() {
        let machine = machine()
        let old = [
            bytes(.hello, of: 2, incarnation: 4, sequence: 8), bytes(.bye, of: 2, incarnation: 4, sequence: 9),
            bytes(.hello, of: 2, incarnation: 5, sequence: 1), bytes(.beacon, of: 2, incarnation: 5, sequence: 2),
        ]
        _ = machine.receive(bytes(.beacon, of: 2, incarnation: 5, sequence: 2), from: address(2), now: start)
        let checks = machine.metrics.signatureChecks
        for bytes in old { #expect(machine.receive(bytes, from: address(2), now: start).isEmpty) }
        #expect(machine.metrics.stale == 4 && machine.metrics.signatureChecks == checks)
        #expect(machine.presentCount == 1)
    }

    @Test("earlier datagrams don't undo a BYE; a device that sends again after it is back")
    func byes() {
        let machine = machine()
        let device = DiscoveryFixture.device(2)
        func hear(_ kind: DiscoveryDatagram.Kind, _ incarnation: UInt32, _ sequence: UInt32) -> [DiscoveryEffect] {
            machine.receive(
                bytes(kind, of: 2, incarnation: incarnation, sequence: sequence), from: address(2), now: start)
        }
        #expect(hear(.bye, 5, 9).isEmpty && machine.metrics.idleByes == 1)
        _ = hear(.hello, 5, 1)
        #expect(hear(.bye, 4, 99).isEmpty)
        #expect(hear(.bye, 5, 4) == [.left(device: device)])
        #expect(hear(.bye, 5, 5).isEmpty && hear(.beacon, 5, 3).isEmpty && hear(.hello, 4, 100).isEmpty)
        #expect(machine.presentCount == 0)
        // The device goes from open to silent and back, within one start.
        #expect(hear(.hello, 5, 6) == [.heard(device: device, address: address(2), isNew: true)])
        #expect(hear(.bye, 5, 7) == [.left(device: device)])
        #expect(hear(.hello, 6, 1) == [.heard(device: device, address: address(2), isNew: true)])
        // The next start's HELLO was lost, but not its BYE.
        #expect(hear(.bye, 7, 4) == [.left(device: device)])
    }

    @Test("a forged datagram for a known device changes neither its address nor its presence")
    func forged() {
        let machine = machine()
        let device = DiscoveryFixture.device(2)
        _ = machine.receive(bytes(of: 2, incarnation: 5), from: address(2), now: start)
        for kind in [DiscoveryDatagram.Kind.hello, .beacon, .bye] {
            let forged = DiscoveryDatagram(kind: kind, device: device, incarnation: 9, sequence: 9, port: 666)
                .encoded(signedBy: DiscoveryFixture.key(666))
            #expect(machine.receive(forged[...], from: address(66), now: start).isEmpty)
        }
        #expect(machine.metrics.forged == 3)
        #expect(
            machine.receive(bytes(of: 2, incarnation: 5, sequence: 2), from: address(2), now: start)
                == [.heard(device: device, address: address(2), isNew: false)])
    }

    @Test("datagrams that aren't for us are counted by their reason, and cost no signature check")
    func refusals() {
        let realm = RealmTag(rawValue: 5)
        let machine = machine(realm: realm)
        var later = Array(bytes(of: 2, realm: realm))
        later[4] = 3
        var probe = Array(bytes(of: 2, realm: realm))
        probe[5] = 8
        _ = machine.receive([], from: address(2), now: start)
        _ = machine.receive(ArraySlice(repeating: 0, count: 65_507), from: address(2), now: start)
        _ = machine.receive(bytes(of: 2, port: 0, realm: realm), from: address(2), now: start)
        _ = machine.receive(later[...], from: address(2), now: start)
        _ = machine.receive(probe[...], from: address(2), now: start)
        _ = machine.receive(bytes(of: 1, incarnation: 99, realm: realm), from: address(2), now: start)
        _ = machine.receive(bytes(of: 2), from: address(2), now: start)
        _ = machine.receive(bytes(of: 2, realm: RealmTag(rawValue: 6)), from: address(2), now: start)
        var expected = DiscoveryMetrics()
        expected.received = 8
        expected.malformed = 3
        expected.unknown = 2
        expected.own = 1
        expected.otherRealm = 2
        #expect(machine.metrics == expected)
        #expect(machine.receive(bytes(of: 2, realm: realm), from: address(2), now: start).count == 1)
    }

    // MARK: Floods

    @Test("ten thousand datagrams a second from one source cost few signature checks, and a neighbour is still heard")
    func floodFromOneSource() {
        let machine = machine()
        let forged = Array(bytes(of: 2)).dropLast() + [0xFF]
        for index in 0..<10_000 {
            _ = machine.receive(forged[...], from: address(66), now: start + .microseconds(index * 100))
        }
        #expect(machine.metrics.signatureChecks <= 24 + 4)
        #expect(machine.metrics.overBudget >= 9_900)
        #expect(machine.receive(bytes(of: 3), from: address(3), now: start + .seconds(1)).count == 1)
    }

    @Test("a flood from ever new sources is bounded in all, and an acquaintance is still heard")
    func floodFromManySources() {
        let machine = machine()
        _ = machine.receive(bytes(of: 3), from: address(3), now: start)
        let forged = Array(bytes(of: 2)).dropLast() + [0xFF]
        for index in 0..<20_000 {
            _ = machine.receive(
                forged[...], from: address(UInt32(100 + index)), now: start + .microseconds(index * 100))
        }
        let limit = DiscoveryLimits.fromStrangers
        #expect(machine.metrics.signatureChecks <= UInt64(limit.burst + 2 * limit.perSecond) + 2)
        #expect(
            machine.receive(bytes(.beacon, of: 3, sequence: 2), from: address(3), now: start + .seconds(2)).count == 1)
    }

    @Test("a host with all addresses of a link and a network leaves a quarter to others, and friends their share")
    func floodFromOneLink() {
        let machine = machine()
        let friend = SocketAddress(.v6(high: 0xFE80 << 48, low: 3, scope: 2), port: 4000)
        _ = machine.receive(bytes(of: 3), from: friend, now: start)
        let forged = Array(bytes(of: 2)).dropLast() + [0xFF]
        for index in 0..<20_000 as Range<UInt64> {
            let high: UInt64 = index % 2 == 0 ? 0xFE80 << 48 : 0x2001_0DB8_0000_0001
            let source = IPAddress.v6(high: high, low: 1000 + index, scope: index % 2 == 0 ? 2 : 0)
            _ = machine.receive(
                forged[...], from: SocketAddress(source, port: 4000), now: start + .microseconds(Int64(index) * 100))
        }
        let limit = DiscoveryLimits.fromSix
        #expect(machine.metrics.forged <= UInt64(limit.burst + 2 * limit.perSecond))
        #expect(machine.metrics.forged >= UInt64(limit.burst), "the limit is reached, or this shows nothing")
        let later = start + .seconds(2)
        #expect(machine.receive(bytes(of: 4), from: address(4), now: later).count == 1, "a newcomer by IPv4")
        #expect(machine.receive(bytes(.beacon, of: 3, sequence: 2), from: friend, now: later).count == 1)
    }

    @Test("one source gets exactly as many checks at once as its bucket holds, in either family")
    func sourceAtItsLimit() {
        for source in [address(66), SocketAddress(.v6(high: 0xFE80 << 48, low: 1, scope: 2), port: 4000)] {
            let machine = machine()
            let burst = UInt64(DiscoveryLimits.perSource.burst)
            for number in 1...burst { _ = machine.receive(bytes(of: 10 + number), from: source, now: start) }
            #expect(machine.metrics.believed == burst && machine.metrics.overBudget == 0)
            _ = machine.receive(bytes(of: 99), from: source, now: start)
            #expect(machine.metrics.believed == burst && machine.metrics.overBudget == 1)
        }
    }

    @Test("a flood in the name and from the address of one acquaintance silences only that one")
    func floodInAName() {
        let machine = machine()
        for number in [3, 4] as [UInt64] {
            _ = machine.receive(bytes(of: number), from: address(UInt32(number)), now: start)
        }
        let forged = Array(bytes(of: 3, sequence: 50)).dropLast() + [0xFF]
        for index in 0..<10_000 {
            _ = machine.receive(forged[...], from: address(3), now: start + .microseconds(index * 100))
        }
        #expect(machine.metrics.forged <= 24 + 8)
        #expect(
            machine.receive(bytes(.beacon, of: 4, sequence: 2), from: address(4), now: start + .seconds(1)).count == 1)
        // That one is heard again, too, once the flood is over.
        #expect(
            machine.receive(bytes(.beacon, of: 3, sequence: 2), from: address(3), now: start + .seconds(3)).count == 1)
    }

    @Test("many daemons of one host are all heard over loopback")
    func loopback() {
        let machine = machine(900)
        let effects = (1...100 as ClosedRange<UInt64>).flatMap {
            machine.receive(
                bytes(of: $0, port: UInt16(4000 + $0)), from: SocketAddress(.loopback, port: UInt16(9000 + $0)),
                now: start)
        }
        #expect(effects.count == 100)
    }

    @Test("strangers beyond the cap displace those heard least recently; contacts stay")
    func cap() {
        let machine = machine(500_000)
        let contacts: Set = [DiscoveryFixture.device(1), DiscoveryFixture.device(2)]
        machine.setContacts(contacts)
        var now = start
        var expired: Set<DeviceID> = []
        let count = UInt32(DiscoveryLimits.strangers + 100)
        for number in 1...count {
            now = now + .milliseconds(5)
            for case .expired(let device) in machine.receive(
                bytes(of: UInt64(number)), from: address(number), now: now)
            { expired.insert(device) }
        }
        #expect(machine.metrics.believed == UInt64(count))
        #expect(expired.isDisjoint(with: contacts) && UInt64(expired.count) == machine.metrics.evicted)
        #expect(machine.presentCount == Int(count) - expired.count)
        #expect(machine.presentCount <= DiscoveryLimits.strangers + contacts.count)
        #expect(
            expired.contains(DiscoveryFixture.device(3)) && !expired.contains(DiscoveryFixture.device(UInt64(count))))
    }
}
