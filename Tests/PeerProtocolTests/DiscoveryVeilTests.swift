import Basics
import Crypto
import Testing

@testable import PeerProtocol

/// Devices that announce themselves under a veil, and others that receive them with or without a key.
@Suite("Veiled announcements") struct DiscoveryVeilTests {
    private let start = DiscoveryFixture.start
    private let noon = WallTime(milliseconds: 1_790_000_000_000)

    /// A device with a clock of its own, in a mode, and with others' keys.
    private final class Host {
        let number: UInt64
        let device: DeviceID
        let keys: DiscoveryKeys
        var shared: UInt32 = 1
        var machine: DiscoveryMachine<SeededGenerator>
        /// How far its wall clock is ahead.
        var error: Duration = .zero
        var held: [SharedKey: [VeilOwner]] = [:]

        init(_ number: UInt64, incarnation: UInt32 = 1, isProbing: Bool = false) {
            self.number = number
            let key = DiscoveryFixture.key(number)
            device = DeviceID(key.publicKey)
            keys = DiscoveryKeys(key)
            machine = DiscoveryMachine(
                key: key, incarnation: incarnation, port: 4000, isProbing: isProbing, now: DiscoveryFixture.start,
                random: SeededGenerator(seed: number))
        }

        var address: SocketAddress { DiscoveryFixture.address(UInt32(number)) }
        /// Any account: a device's friends are accounts, and these tests have none.
        var account: AccountID { AccountID(DiscoveryFixture.key(number + 1000).publicKey) }

        func hide(from pairs: [Host] = [], _ others: [Host] = []) {
            machine.veil = Veil(
                shared: keys.shared(shared), pairs: pairs.map { keys.pair(with: $0.account) },
                others: others.map { keys.pair(with: $0.account) })
        }

        /// Takes another host's keys, as by a frame of a session.
        func take(_ other: Host, pair: Bool = true) {
            held = held.filter { $0.value.first?.device != other.device }
            held[other.keys.shared(other.shared)] = [VeilOwner(other.device)]
            if pair { held[other.keys.pair(with: account)] = [VeilOwner(other.device, isPair: true)] }
            machine.setVeils(held)
        }

        func turn(_ now: Instant, _ noon: WallTime) {
            machine.setClock(noon + (now - DiscoveryFixture.start) + error, now: now)
        }
    }

    private func broadcasts(_ effects: [DiscoveryEffect]) -> [[UInt8]] {
        effects.compactMap { if case .broadcast(let bytes) = $0 { bytes } else { nil } }
    }

    /// All datagrams that the host sends until then.
    private func speak(_ host: Host, until end: Instant) -> [[UInt8]] {
        var sent: [[UInt8]] = []
        while let next = host.machine.nextDeadline, next <= end {
            host.turn(next, noon)
            sent += broadcasts(host.machine.tick(now: next))
        }
        return sent
    }

    private func hear(_ host: Host, _ bytes: [UInt8], from other: Host, at now: Instant) -> [DiscoveryEffect] {
        host.turn(now, noon)
        return host.machine.receive(bytes[...], from: other.address, now: now)
    }

    private func start(_ host: Host, at now: Instant) -> [[UInt8]] {
        host.turn(now, noon)
        return broadcasts(host.machine.start(now: now))
    }

    private func isThere(_ other: Host, for host: Host) -> Bool { host.machine.table.isPresent(other.device) }

    @Test(
        "a device with the key recognises the sender, no other one does, and all datagrams look alike",
        arguments: 1...20 as ClosedRange<UInt64>)
    func holders(seed: UInt64) throws {
        let (hidden, friend, stranger) = (Host(seed), Host(seed + 100), Host(seed + 200))
        hidden.hide()
        friend.take(hidden)
        stranger.take(Host(seed + 300))
        let sent = start(hidden, at: start) + speak(hidden, until: start + .seconds(300))
        #expect(sent.count > 5)
        #expect(sent.allSatisfy { $0.count == DiscoveryLimits.veiledDatagramBytes })
        for bytes in sent {
            #expect(
                hear(friend, bytes, from: hidden, at: start + .seconds(300)).contains { effect in
                    if case .heard(hidden.device, _, _) = effect { true } else { false }
                })
            #expect(hear(stranger, bytes, from: hidden, at: start + .seconds(300)).isEmpty)
            // Its own datagrams come back.
            #expect(hear(hidden, bytes, from: hidden, at: start + .seconds(300)).isEmpty)
        }
        #expect(isThere(hidden, for: friend) && !isThere(hidden, for: stranger))
        #expect(friend.machine.metrics.believed == UInt64(sent.count))
        #expect(stranger.machine.metrics.unknownVeils == UInt64(sent.count))
        #expect(hidden.machine.metrics.own == UInt64(sent.count))
        // None of it is passed on: neither its announcement nor a probe.
        #expect(friend.machine.announcement(of: hidden.device) == nil && !friend.machine.isOpen(hidden.device))
        hidden.turn(start + .seconds(300), noon)
        for bytes in broadcasts(hidden.machine.stop(now: start + .seconds(300))) {
            _ = hear(friend, bytes, from: hidden, at: start + .seconds(300))
        }
        #expect(!isThere(hidden, for: friend))
    }

    @Test(
        "two epochs have no eight bytes in common, and nothing reveals the device",
        arguments: 1...4 as ClosedRange<UInt64>)
    func unlinkable(seed: UInt64) {
        let hidden = Host(seed)
        let friends = (0..<3).map { Host(seed * 100 + $0) }
        hidden.hide(from: friends)
        var sent = start(hidden, at: start).map { ($0, hidden.machine.epoch(start)) }
        while let next = hidden.machine.nextDeadline, next <= start + .seconds(3600) {
            hidden.turn(next, noon)
            sent += broadcasts(hidden.machine.tick(now: next)).map { ($0, hidden.machine.epoch(next)) }
        }
        #expect(Set(sent.map(\.1)).count >= 6)
        var seen: [[UInt8]: VeilEpoch] = [:]
        var repeats = 0
        for (bytes, epoch) in sent {
            for index in 8...bytes.count - 8 {
                let piece = Array(bytes[index..<index + 8])
                if let before = seen[piece], before != epoch { repeats += 1 }
                seen[piece] = epoch
            }
            for secret in [hidden.device.bytes] + friends.map(\.account.bytes) {
                #expect(!seen.keys.contains(Array(secret[..<8])))
            }
        }
        // The header of eight bytes is left out.
        #expect(repeats == 0)
    }

    @Test("clocks up to 25 minutes apart are tolerated, an hour is not", arguments: -5...5)
    func skew(step: Int) {
        for minute in 0..<10 {
            let (hidden, friend) = (Host(1), Host(2))
            friend.error = .seconds(step * 300)
            friend.take(hidden)
            hidden.hide()
            let now = start + .seconds(minute * 60)
            hidden.turn(now, noon)
            let bytes = broadcasts(hidden.machine.start(now: now)) + speak(hidden, until: now + .seconds(1))
            for one in bytes { _ = hear(friend, one, from: hidden, at: now + .seconds(1)) }
            #expect(isThere(hidden, for: friend), "\(step * 5) minutes, \(minute) into the epoch")
            let wrong = friend.machine.wrongClocks[hidden.device]
            if abs(step) <= 4 { #expect(wrong == nil, "\(step * 5) minutes") }
            let lost = Host(3)
            lost.error = .seconds(step < 0 ? -3600 : 3600)
            lost.take(hidden)
            for one in bytes { _ = hear(lost, one, from: hidden, at: now + .seconds(1)) }
            #expect(!isThere(hidden, for: lost) && lost.machine.metrics.unknownVeils > 0)
        }
        let (hidden, friend) = (Host(1), Host(2))
        // Three epochs are accepted at any moment.
        friend.error = .seconds(-1800)
        friend.take(hidden)
        hidden.hide()
        for one in start(hidden, at: start) + speak(hidden, until: start + .seconds(1)) {
            _ = hear(friend, one, from: hidden, at: start + .seconds(1))
        }
        #expect(friend.machine.wrongClocks == [hidden.device: 3])
    }

    @Test(
        "a former friend recognises nothing; a friend that was away during the change of keys has a key of its own"
    )
    func removal() {
        let (hidden, removed) = (Host(1), Host(2))
        // There are more of them than fit into one announcement.
        let away = (10..<30).map { Host($0) }
        for friend in [removed] + away { friend.take(hidden) }
        hidden.shared = 2
        hidden.hide(from: away)
        let sent = start(hidden, at: start) + speak(hidden, until: start + .seconds(10))
        // HELLO is sent three times, each under the new key and under all others.
        #expect(sent.count == 63)
        for bytes in sent {
            for friend in [removed] + away { _ = hear(friend, bytes, from: hidden, at: start + .seconds(10)) }
        }
        #expect(!isThere(hidden, for: removed))
        #expect(away.allSatisfy { isThere(hidden, for: $0) })
        // The copies have equal content, and a friend with both keys believes only one.
        let present = Host(3)
        present.take(hidden)
        hidden.hide(from: [present])
        for bytes in start(hidden, at: start + .seconds(20)) + speak(hidden, until: start + .seconds(30)) {
            _ = hear(present, bytes, from: hidden, at: start + .seconds(30))
        }
        #expect(present.machine.metrics.believed == 3 && present.machine.metrics.stale == 3)
    }

    @Test("a device with the key can't speak for the key's owner, nor remove the veil for others")
    func forgery() throws {
        let (hidden, friend, victim) = (Host(1), Host(2), Host(3))
        hidden.hide()
        for one in [friend, victim] { one.take(hidden) }
        let bytes = try #require((start(hidden, at: start) + speak(hidden, until: start + .seconds(1))).first)
        let now = start + .seconds(1)
        let epoch = hidden.machine.epoch(now)
        let key = hidden.keys.shared(1)
        let inner = try #require(try VeiledDatagram(decoding: bytes[...]).opened(with: key, in: epoch))
        #expect(inner.isAuthentic() && inner.content.device == hidden.device)
        // Without the veil the signature is invalid.
        let open = try ReceivedDatagram(decoding: inner.bytes[...])
        #expect(!open.isAuthentic())
        #expect(hear(victim, inner.bytes, from: friend, at: now).isEmpty && victim.machine.metrics.forged == 1)
        // It is also invalid in another epoch.
        let later = VeilEpoch(rawValue: epoch.rawValue + 1)
        let nonce = [UInt8](repeating: 7, count: 24)
        #expect(
            hear(victim, VeiledDatagram.sealed(inner.bytes, under: key, in: later, nonce: nonce), from: friend, at: now)
                .isEmpty)
        #expect(victim.machine.metrics.forged == 2)
        // What the friend signs is the friend's own, and not for this key; datagrams about others are never veiled.
        let own = DiscoveryDatagram(kind: .hello, device: friend.device, incarnation: 9, sequence: 1, port: 1)
        let probe = DiscoveryDatagram(
            kind: .probe, device: hidden.device, incarnation: 9, sequence: 1, port: 1,
            subject: ProbeSubject(device: victim.device, incarnation: 1, nonce: 1))
        for (datagram, number) in [(own, UInt64(2)), (probe, 1)] {
            let inner = datagram.encoded(in: epoch, by: .ed25519(DiscoveryFixture.key(number)))
            let bytes = VeiledDatagram.sealed(inner, under: key, in: epoch, nonce: nonce)
            #expect(hear(victim, bytes, from: friend, at: now).isEmpty)
        }
        #expect(victim.machine.metrics.brokenVeils == 1 && victim.machine.metrics.unknown == 1)
        // This flips one bit at places after the tag.
        for index in stride(from: 24, to: bytes.count, by: 7) {
            var changed = bytes
            changed[index] ^= 1
            #expect(hear(victim, changed, from: friend, at: now).isEmpty)
        }
        #expect(!isThere(hidden, for: victim))
        #expect(!hear(victim, bytes, from: hidden, at: now).isEmpty && isThere(hidden, for: victim))
        #expect(hear(victim, bytes, from: hidden, at: now).isEmpty && victim.machine.metrics.stale == 1)
        #expect(hear(victim, Array(bytes.dropLast(60)), from: hidden, at: now).isEmpty)
        #expect(victim.machine.metrics.malformed == 1)
    }

    @Test("from open to veiled and back: all get a goodbye, and a device with the key sees both modes")
    func modes() {
        let (host, friend, stranger) = (Host(1), Host(2), Host(3))
        friend.take(host)
        func tell(_ sent: [[UInt8]], _ now: Instant) {
            for bytes in sent { for one in [friend, stranger] { _ = hear(one, bytes, from: host, at: now) } }
        }
        var now = start
        tell(start(host, at: now) + speak(host, until: now + .seconds(5)), now + .seconds(5))
        #expect(isThere(host, for: friend) && isThere(host, for: stranger) && friend.machine.isOpen(host.device))
        for _ in 0..<2 {
            now = now + .seconds(10)
            host.turn(now, noon)
            tell(broadcasts(host.machine.stop(now: now)), now)
            #expect(!isThere(host, for: friend) && !isThere(host, for: stranger))
            host.hide()
            tell(start(host, at: now) + speak(host, until: now + .seconds(5)), now + .seconds(5))
            #expect(isThere(host, for: friend) && !isThere(host, for: stranger) && !friend.machine.isOpen(host.device))
            now = now + .seconds(10)
            host.turn(now, noon)
            tell(broadcasts(host.machine.stop(now: now)), now)
            #expect(!isThere(host, for: friend))
            host.machine.veil = nil
            tell(start(host, at: now) + speak(host, until: now + .seconds(5)), now + .seconds(5))
            #expect(isThere(host, for: friend) && isThere(host, for: stranger) && friend.machine.isOpen(host.device))
        }
    }

    @Test("a veiled device neither probes nor answers, and others don't probe, suspect or pass on a veiled one")
    func probes() throws {
        let (hidden, friend) = (Host(1, isProbing: true), Host(2, isProbing: true))
        hidden.hide()
        friend.take(hidden)
        for bytes in start(hidden, at: start) + speak(hidden, until: start + .seconds(1)) {
            _ = hear(friend, bytes, from: hidden, at: start + .seconds(1))
        }
        // The hidden device hears the open one, which asks it something.
        _ = start(friend, at: start + .seconds(1))
        var sent = 0
        while let next = friend.machine.nextDeadline, next <= start + .seconds(20) {
            friend.turn(next, noon)
            for effect in friend.machine.tick(now: next) {
                switch effect {
                case .broadcast(let bytes):
                    #expect(try ReceivedDatagram(decoding: bytes[...]).content.subject == nil)
                    _ = hear(hidden, bytes, from: friend, at: next)
                    sent += 1
                case .send: Issue.record("a probe")
                default: break
                }
            }
        }
        #expect(sent == 3 && isThere(friend, for: hidden))
        let now = start + .seconds(21)
        #expect(friend.machine.setConnected(hidden.device, true, now: now).isEmpty)
        #expect(friend.machine.setConnected(hidden.device, false, isLost: true, now: now).isEmpty)
        for (sequence, kind) in [DiscoveryDatagram.Kind.probe, .probeRequest, .suspect].enumerated() {
            let asked = DiscoveryDatagram(
                kind: kind, device: friend.device, incarnation: 1, sequence: 1000 + UInt32(sequence), port: 4000,
                subject: ProbeSubject(device: hidden.device, incarnation: 1, nonce: 5))
            let effects = hear(hidden, asked.encoded(signedBy: DiscoveryFixture.key(2)), from: friend, at: now)
            #expect(broadcasts(effects).isEmpty)
            #expect(!effects.contains { if case .send = $0 { true } else { false } })
        }
        // Only its silence tells that it has gone.
        var gone = false
        while let next = friend.machine.nextDeadline, next <= start + .seconds(400), !gone {
            friend.turn(next, noon)
            gone = friend.machine.tick(now: next).contains(.expired(device: hidden.device))
        }
        #expect(gone)
    }

    @Test("the table of tags follows the clock and the contacts, whatever changes first")
    func table() throws {
        var random = SeededGenerator(seed: 4)
        var table = TagTable<Int>(label: "test", reach: 3)
        var owners: [SharedKey: Int] = [:]
        var now: UInt64 = 1000
        for step in 0..<300 {
            if Bool.random(using: &random) {
                let key = try #require(
                    SharedKey(bytes: [UInt8](repeating: UInt8.random(in: 0...20, using: &random), count: 32)))
                owners[key] = Bool.random(using: &random) ? step : nil
                table.set(owners)
            } else {
                now = now &+ UInt64.random(in: 0...9, using: &random) - 4
            }
            for (key, owner) in owners {
                for offset in 0...8 as ClosedRange<UInt64> {
                    let found = table.find(TagTable<Int>.tag("test", key, now - 4 + offset), at: now)
                    #expect(found?.owner == (1...7 ~= offset ? owner : nil))
                    #expect(found == nil || found?.epoch == now - 4 + offset && found?.key == key)
                }
            }
            let other = try #require(SharedKey(bytes: [UInt8](repeating: 99, count: 32)))
            #expect(table.find(TagTable<Int>.tag("test", other, now), at: now) == nil)
            #expect(table.find([1, 2, 3], at: now) == nil)
        }
    }
}
