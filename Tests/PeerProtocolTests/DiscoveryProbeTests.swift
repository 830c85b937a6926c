import Basics
import Crypto
import Testing

@testable import PeerProtocol

/// One machine among devices that the test plays.
@Suite("Discovery: probes and suspicion") struct DiscoveryProbeTests {
    private let start = DiscoveryFixture.start
    private let own = DiscoveryFixture.device(1)

    /// The machine of device 1, which has heard devices 2 to `count`, each from a socket of its own.
    private func machine(hearing count: UInt64) -> HeldMachine {
        let machine = HeldMachine(
            DiscoveryMachine(
                key: DiscoveryFixture.key(1), incarnation: 3, port: 4000, now: start, random: SeededGenerator(seed: 5)))
        _ = machine.start(now: start)
        for number in 2...count { _ = machine.receive(hello(of: number), from: source(number), now: start) }
        return machine
    }

    private func source(_ number: UInt64) -> SocketAddress {
        DiscoveryFixture.address(UInt32(number), port: UInt16(9000 + number))
    }

    private func hello(of number: UInt64) -> ArraySlice<UInt8> {
        DiscoveryDatagram(
            kind: .hello, device: DiscoveryFixture.device(number), incarnation: 1, sequence: 1, port: 4000
        ).encoded(signedBy: DiscoveryFixture.key(number))[...]
    }

    private func bytes(
        _ kind: DiscoveryDatagram.Kind, of number: UInt64, sequence: UInt32, about device: DeviceID,
        incarnation: UInt32 = 1, nonce: UInt64 = 0
    ) -> ArraySlice<UInt8> {
        DiscoveryDatagram(
            kind: kind, device: DiscoveryFixture.device(number), incarnation: 1, sequence: sequence, port: 4000,
            subject: ProbeSubject(device: device, incarnation: incarnation, nonce: nonce)
        ).encoded(signedBy: DiscoveryFixture.key(number))[...]
    }

    private struct Sent {
        let at: Instant
        let content: DiscoveryDatagram
        /// The receiver; nil for a broadcast.
        let to: SocketAddress?
    }

    private func sent(_ effects: [DiscoveryEffect], at moment: Instant) throws -> [Sent] {
        try effects.compactMap { effect in
            switch effect {
            case .broadcast(let bytes):
                Sent(at: moment, content: try ReceivedDatagram(decoding: bytes[...]).content, to: nil)
            case .send(let bytes, let address):
                Sent(at: moment, content: try ReceivedDatagram(decoding: bytes[...]).content, to: address)
            case .heard, .left, .expired: nil
            }
        }
    }

    /// What is sent until a moment, without HELLOs and beacons, and which devices are given up.
    private func run(_ machine: HeldMachine, until end: Instant) throws -> (sent: [Sent], lost: [(Instant, DeviceID)]) {
        var all: [Sent] = []
        var lost: [(Instant, DeviceID)] = []
        while let next = machine.nextDeadline, next <= end {
            let effects = machine.tick(now: next)
            all += try sent(effects, at: next).filter(\.content.kind.hasSubject)
            for case .expired(let device) in effects { lost.append((next, device)) }
        }
        return (all, lost)
    }

    @Test("a silent device is probed, then by three others, suspected before all, probed again and given up")
    func silence() throws {
        let machine = machine(hearing: 2)
        let victim = DiscoveryFixture.device(2)
        let (all, lost) = try run(machine, until: start + .seconds(6))
        #expect(all.map(\.content.kind).prefix(6) == [.probe, .probe, .suspect, .suspect, .probe, .probe])
        let first = try #require(all.first)
        #expect(first.content.subject?.device == victim && first.to == source(2))
        #expect(all.prefix(6).map { $0.at - first.at } == [0, 300, 1000, 3000, 3000, 3300].map { .milliseconds($0) })
        #expect(lost.map(\.1) == [victim] && lost.first.map { $0.0 - first.at } == .milliseconds(3600))
        #expect(machine.presentCount == 0 && machine.metrics.givenUp == 1 && machine.metrics.suspicions == 2)
    }

    @Test("three helpers are asked, never the device in question; an answer by one of them ends the matter")
    func helpers() throws {
        let machine = machine(hearing: 8)
        var asked: [Sent] = []
        while asked.isEmpty, let next = machine.nextDeadline {
            asked = try sent(machine.tick(now: next), at: next).filter { $0.content.kind == .probeRequest }
        }
        let subject = try #require(asked.first?.content.subject)
        #expect(asked.count == 3 && Set(asked.map(\.to)).count == 3)
        let victim = try #require((2...8).first { DiscoveryFixture.device($0) == subject.device })
        #expect(!asked.contains { $0.to == source(victim) })
        let now = try #require(asked.first?.at) + .milliseconds(100)
        let helpers = (2...8).filter { number in asked.contains { $0.to == source(number) } }
        let other = try #require((2...8).first { !helpers.contains($0) && $0 != victim })
        // These come from a device that wasn't asked, and for another probe.
        _ = machine.receive(
            bytes(.probeAck, of: other, sequence: 2, about: subject.device, nonce: subject.nonce), from: source(other),
            now: now)
        _ = machine.receive(
            bytes(.probeAck, of: helpers[0], sequence: 2, about: subject.device, nonce: subject.nonce ^ 1),
            from: source(helpers[0]), now: now)
        #expect(machine.stage(of: subject.device) == .indirect)
        _ = machine.receive(
            bytes(.probeAck, of: helpers[1], sequence: 2, about: subject.device, nonce: subject.nonce),
            from: source(helpers[1]), now: now)
        #expect(machine.stage(of: subject.device) == nil)
    }

    @Test("only a probe of a known device is answered, to its address, with equal length and nonce")
    func answers() throws {
        let machine = machine(hearing: 3)
        let probe = bytes(.probe, of: 2, sequence: 2, about: own, nonce: 77)
        let effects = machine.receive(probe, from: source(2), now: start)
        guard case .send(let answer, let address)? = effects.first, effects.count == 1 else {
            Issue.record("\(effects)")
            return
        }
        #expect(address == source(2) && answer.count == probe.count)
        let content = try ReceivedDatagram(decoding: answer[...]).content
        #expect(content.kind == .probeAck && content.subject == ProbeSubject(device: own, incarnation: 3, nonce: 77))
        func isAnswered(_ bytes: ArraySlice<UInt8>, _ source: SocketAddress) -> Bool {
            machine.receive(bytes, from: source, now: start).contains { if case .send = $0 { true } else { false } }
        }
        // These are a repetition, a probe for another device, one of a stranger, and one from an address where the
        // device never was.
        #expect(!isAnswered(probe, source(2)))
        #expect(!isAnswered(bytes(.probe, of: 2, sequence: 3, about: DiscoveryFixture.device(3)), source(2)))
        #expect(!isAnswered(bytes(.probe, of: 7, sequence: 1, about: own), source(7)))
        #expect(!isAnswered(bytes(.probe, of: 2, sequence: 4, about: own), source(3)))
        // The stranger has introduced itself by that probe.
        #expect(isAnswered(bytes(.probe, of: 7, sequence: 2, about: own), source(7)))
        _ = machine.stop(now: start)
        #expect(!isAnswered(bytes(.probe, of: 7, sequence: 3, about: own), source(7)))
    }

    @Test("probes are answered within the asker's budget")
    func answersAreBounded() {
        let machine = machine(hearing: 2)
        var answers = 0
        for index in 0..<1000 as Range<UInt32> {
            let effects = machine.receive(
                bytes(.probe, of: 2, sequence: 2 + index, about: own), from: source(2),
                now: start + .milliseconds(Int(index)))
            answers += effects.count { if case .send = $0 { true } else { false } }
        }
        #expect(answers <= 24 + 8)
    }

    @Test("an indirect probe is passed on, and its answer comes back to the asker")
    func indirectProbe() throws {
        let machine = machine(hearing: 3)
        let there = DiscoveryFixture.device(3)
        let asked = try sent(
            machine.receive(
                bytes(.probeRequest, of: 2, sequence: 2, about: there, nonce: 5), from: source(2), now: start),
            at: start)
        let probe = try #require(asked.first)
        #expect(asked.count == 1 && probe.content.kind == .probe && probe.to == source(3))
        let nonce = try #require(probe.content.subject?.nonce)
        let told = try sent(
            machine.receive(
                bytes(.probeAck, of: 3, sequence: 2, about: there, nonce: nonce), from: source(3), now: start),
            at: start)
        #expect(told.count == 1 && told.first?.to == source(2) && told.first?.content.kind == .probeAck)
        #expect(told.first?.content.subject?.device == there && told.first?.content.subject?.nonce == 5)
        // It is passed on only once, and not for an unknown device.
        #expect(
            machine.receive(
                bytes(.probeAck, of: 3, sequence: 3, about: there, nonce: nonce), from: source(3), now: start
            )
            .isEmpty)
        let unknown = bytes(.probeRequest, of: 2, sequence: 3, about: DiscoveryFixture.device(50), nonce: 6)
        #expect(machine.receive(unknown, from: source(2), now: start).isEmpty)
    }

    @Test(
        "the number of indirect probes at once is limited; further ones are counted, and room returns with time"
    )
    func indirectProbes() throws {
        let machine = machine(hearing: 6)
        let there = DiscoveryFixture.device(6)
        func ask(_ sequences: Range<UInt32>, at moment: Instant) throws -> Int {
            var probes = 0
            for number in 2...5 as ClosedRange<UInt64> {
                for sequence in sequences {
                    let request = bytes(
                        .probeRequest, of: number, sequence: sequence, about: there, nonce: UInt64(sequence))
                    probes += try sent(machine.receive(request, from: source(number), now: moment), at: moment).count
                }
            }
            return probes
        }
        #expect(try ask(2..<22, at: start) == DiscoveryLimits.indirectProbes)
        #expect(machine.machine.metrics.indirectProbesLeftOut == UInt64(80 - DiscoveryLimits.indirectProbes))
        #expect(try ask(22..<24, at: start + .seconds(5)) == 8)
        #expect(machine.machine.metrics.indirectProbesLeftOut == UInt64(80 - DiscoveryLimits.indirectProbes))
    }

    @Test("a suspicion of ourselves is answered by a BEACON, at most one a second; one of an earlier start is not")
    func refutation() throws {
        let machine = machine(hearing: 2)
        func suspect(_ sequence: UInt32, _ incarnation: UInt32, at moment: Instant) -> Int {
            machine.receive(
                bytes(.suspect, of: 2, sequence: sequence, about: own, incarnation: incarnation), from: source(2),
                now: moment
            ).count { if case .broadcast = $0 { true } else { false } }
        }
        #expect(suspect(2, 2, at: start) == 0)
        #expect(suspect(3, 3, at: start + .milliseconds(300)) >= 1)
        #expect(machine.metrics.refutations == 1)
        for index in 4..<14 as Range<UInt32> {
            #expect(suspect(index, 3, at: start + .milliseconds(300 + Int(index))) == 0)
        }
        _ = try run(machine, until: start + .milliseconds(1299))
        #expect(machine.metrics.refutations == 1)
        _ = try run(machine, until: start + .milliseconds(1300))
        #expect(machine.metrics.refutations == 2)
        _ = try run(machine, until: start + .milliseconds(2900))
        #expect(machine.metrics.refutations == 2)
    }

    @Test("a liar makes no device vanish: a device that others suspect is probed, and its answer counts")
    func liar() throws {
        let machine = machine(hearing: 3)
        let victim = DiscoveryFixture.device(3)
        _ = machine.receive(bytes(.suspect, of: 2, sequence: 2, about: victim), from: source(2), now: start)
        #expect(machine.stage(of: victim) == .accused && machine.metrics.suspicionsOfOthers == 1)
        var sequence: UInt32 = 3
        var end = start
        var lost: [DeviceID] = []
        while let next = machine.nextDeadline, next <= start + .seconds(20) {
            end = next
            let effects = machine.tick(now: next)
            for case .expired(let device) in effects { lost.append(device) }
            // The victim answers its probes but has missed the suspicion, and the liar continues to lie.
            for probe in try sent(effects, at: next) where probe.content.kind == .probe {
                sequence += 1
                let number: UInt64 = probe.to == source(3) ? 3 : 2
                let nonce = try #require(probe.content.subject?.nonce)
                _ = machine.receive(
                    bytes(
                        .probeAck, of: number, sequence: sequence, about: DiscoveryFixture.device(number), nonce: nonce),
                    from: source(number), now: next)
                sequence += 1
                _ = machine.receive(
                    bytes(.suspect, of: 2, sequence: sequence, about: victim), from: source(2), now: next)
            }
        }
        #expect(end > start + .seconds(19) && lost.isEmpty && machine.presentCount == 2)
        #expect(machine.metrics.suspicionsOfOthers > 2)
    }

    @Test("a suspected device that is really gone is given up on our own evidence, within its time and the spread")
    func suspicionsOfOthers() throws {
        let machine = machine(hearing: 3)
        let victim = DiscoveryFixture.device(3)
        _ = machine.receive(bytes(.suspect, of: 2, sequence: 2, about: victim), from: source(2), now: start)
        let (_, lost) = try run(machine, until: start + .seconds(4))
        let moment = try #require(lost.first { $0.1 == victim }).0 - start
        #expect(moment >= .milliseconds(2600) && moment <= .milliseconds(2600 + 6))
    }

    @Test("a suspicion of a device unknown to us, of an earlier start or by a stranger is ignored")
    func idleSuspicions() {
        let machine = machine(hearing: 3)
        let victim = DiscoveryFixture.device(3)
        _ = machine.receive(
            bytes(.suspect, of: 2, sequence: 2, about: DiscoveryFixture.device(50)), from: source(2), now: start)
        _ = machine.receive(
            bytes(.suspect, of: 2, sequence: 3, about: victim, incarnation: 0), from: source(2), now: start)
        _ = machine.receive(bytes(.suspect, of: 60, sequence: 1, about: victim), from: source(60), now: start)
        #expect(
            machine.metrics.suspicionsOfOthers == 0 && machine.metrics.idleProbes == 3
                && machine.stage(of: victim) == nil)
    }

    @Test("a device with a session is neither probed nor suspected; when the session breaks, it is probed at once")
    func sessions() throws {
        let machine = machine(hearing: 3)
        let friend = DiscoveryFixture.device(3)
        _ = machine.setConnected(friend, true, now: start)
        _ = machine.receive(bytes(.suspect, of: 2, sequence: 2, about: friend), from: source(2), now: start)
        #expect(machine.metrics.suspicionsOfOthers == 0)
        let (all, lost) = try run(machine, until: start + .seconds(10))
        #expect(!all.contains { $0.content.subject?.device == friend } && !lost.contains { $0.1 == friend })
        let now = start + .seconds(10)
        let effects = try sent(machine.setConnected(friend, false, isLost: true, now: now), at: now)
        #expect(effects.map(\.content.kind) == [.probe] && effects.first?.to == source(3))
    }

    @Test("after a sleep no device is given up for what wasn't heard meanwhile")
    func sleep() throws {
        let machine = machine(hearing: 2)
        _ = try run(machine, until: start + .seconds(1))
        #expect(
            machine.stage(of: DiscoveryFixture.device(2)) == .direct
                || machine.stage(of: DiscoveryFixture.device(2)) == .indirect)
        let late = start + .seconds(60)
        #expect(!machine.tick(now: late).contains { if case .expired = $0 { true } else { false } })
        _ = machine.receive(
            bytes(.probeAck, of: 2, sequence: 9, about: DiscoveryFixture.device(2)), from: source(2),
            now: late + .milliseconds(100))
        #expect(machine.stage(of: DiscoveryFixture.device(2)) == nil && machine.presentCount == 1)
    }

    @Test("a device with two addresses is answered and probed at both; its probes move it to neither")
    func twoAddresses() throws {
        let machine = machine(hearing: 2)
        let second = DiscoveryFixture.address(500, port: 9002)
        machine.heard(DiscoveryFixture.device(2), alsoFrom: second)
        let effects = machine.receive(bytes(.probe, of: 2, sequence: 2, about: own, nonce: 7), from: second, now: start)
        guard case .send(_, let address)? = effects.first, effects.count == 1 else {
            Issue.record("\(effects)")
            return
        }
        #expect(address == second)
        let (all, _) = try run(machine, until: start + .seconds(3))
        #expect(all.prefix(2).map(\.to) == [source(2), second])
    }
}
