import Basics
import Crypto
import Testing

@testable import PeerProtocol

/// Goal: strangers' datagrams in others' names silence no device, and what they make us remember is bounded.
@Suite("Discovery: floods in others' names") struct DiscoveryFloodTests {
    private let start = DiscoveryFixture.start

    // MARK: The round of probes

    @Test("a device that restarts five hundred times is probed in its turn and hides no failure of others")
    func restarts() throws {
        let machine = HeldMachine(
            DiscoveryMachine(
                own: DiscoveryFixture.device(1), signer: FloodScene.signer, incarnation: 3, port: 4000, now: start,
                random: SeededGenerator(seed: 5)))
        _ = machine.start(now: start)
        var now = start
        for incarnation in 1...500 as ClosedRange<UInt32> {
            now = now + .milliseconds(130)
            while let due = machine.nextDeadline, due <= now { _ = machine.tick(now: due) }
            let hello = FloodScene.datagram(.hello, of: 5, incarnation: incarnation, sequence: 1)
            _ = machine.receive(hello[...], from: FloodScene.source(5), now: now)
        }
        // A device comes, and falls silent at once.
        _ = machine.receive(FloodScene.datagram(.hello, of: 2, sequence: 1)[...], from: FloodScene.source(2), now: now)
        let came = now
        var lost: Instant?
        while lost == nil, let due = machine.nextDeadline, due < came + .seconds(100) {
            now = due
            let effects = machine.tick(now: now)
            if effects.contains(.expired(device: DiscoveryFixture.device(2))) { lost = now }
            // The other device answers.
            for case .send(let bytes, FloodScene.source(5)) in effects {
                let probe = try ReceivedDatagram(decoding: bytes[...]).content
                guard probe.kind == .probe, let subject = probe.subject else { continue }
                let answer = FloodScene.datagram(
                    .probeAck, of: 5, incarnation: 500, sequence: probe.sequence + 1, nonce: subject.nonce)
                _ = machine.receive(answer[...], from: FloodScene.source(5), now: now)
            }
        }
        #expect(lost.map { $0 - came <= .seconds(10) } == true, "\(String(describing: lost.map { $0 - came }))")
    }

    @Test("the round of probes holds each device once, and drops those that had to make room for others")
    func round() {
        var prober = Prober()
        var table = SightingTable()
        var random = SeededGenerator(seed: 1)
        prober.setOn(true, now: start, using: &random)
        for number in 0..<20_000 as Range<UInt64> {
            let device = FloodScene.madeUp(number)
            let place = DiscoveryFixture.address(UInt32(number))
            _ = table.set(FloodScene.sighting(at: place, now: start + .milliseconds(Int(number))), for: device)
            prober.heard(device, isNew: true, now: start, table: table, using: &random)
            if number % 10 == 0 { prober.heard(device, isNew: true, now: start, table: table, using: &random) }
        }
        #expect(prober.queued <= 2 * DiscoveryLimits.strangers + DiscoveryLimits.helperDraws)
    }

    @Test("devices that connect only once leave a bounded number of keys in the peer exchange's planner")
    func passersBy() {
        var planner = PeerExchangePlanner(own: DiscoveryFixture.device(1), random: SeededGenerator(seed: 1))
        for number in 0..<10_000 as Range<UInt64> {
            let device = FloodScene.madeUp(number)
            planner.known(device)
            planner.setConnected(device, true, now: start)
            planner.setConnected(device, false, now: start)
        }
        #expect(planner.knownCount == DiscoveryLimits.departedCards)
        planner.heard(DiscoveryFixture.device(2), differs: false, now: start)
        planner.known(DiscoveryFixture.device(2))
        #expect(planner.knownCount == DiscoveryLimits.departedCards + 1)
    }

    // MARK: Forgeries

    @Test(
        "with 5,000 forged datagrams a second from 20 known sockets, each device is heard in time and none is given up",
        arguments: [1, 2] as [UInt64])
    func forgeries(seed: UInt64) throws {
        var scene = FloodScene(acquaintances: 20, seed: seed)
        try scene.run(for: .seconds(6), forged: 5_000)
        // Answers to our probes carry a number that only we and the other side know.
        #expect(scene.answers >= 20 && scene.answersTaken == scene.answers, "\(scene.answersTaken) of \(scene.answers)")
        #expect(scene.givenUp == 0)
        let slowest = try #require(scene.heardAfter.values.max())
        #expect(scene.heardAfter.count == 20 && slowest <= .seconds(4), "\(slowest)")
        // The number of checked signatures is bounded, whatever comes.
        let known = DiscoveryLimits.fromKnown
        #expect(scene.metrics.signatureChecks <= UInt64(known.burst + 6 * known.perSecond) + UInt64(scene.answers) + 30)
    }

    @Test(
        "a contact's announcements among forged ones are taken with the documented probability",
        arguments: [1_500, 4_000])
    func announcements(rate: Int) throws {
        var (sent, taken) = (0, 0)
        for seed in 1...3 as ClosedRange<UInt64> {
            var scene = FloodScene(
                acquaintances: 1, seed: seed, isContact: true, isConnected: true, beaconsPerSecond: 50)
            try scene.run(for: .seconds(1), forged: rate)
            scene.forgetCounts()
            try scene.run(for: .seconds(4), forged: rate)
            sent += scene.beacons
            taken += scene.beaconsTaken
        }
        let expected = Double(DiscoveryLimits.fromContacts.perSecond) / Double(rate)
        let share = Double(taken) / Double(sent)
        #expect(sent >= 550 && share >= expected * 0.6, "\(taken) of \(sent), \(share), expected \(expected)")
    }

    @Test("a contact that moved is heard from its new address while forged datagrams come from there")
    func moved() throws {
        var scene = FloodScene(acquaintances: 1, seed: 7, isContact: true, isConnected: true, beaconsPerSecond: 50)
        scene.move(to: SocketAddress(.v4(0xC612_FF01), port: 7777))
        try scene.run(for: .seconds(4), forged: 2_500)
        #expect(scene.beaconsTaken >= 15, "\(scene.beaconsTaken) of \(scene.beacons)")
    }

    @Test("forged answers with guessed numbers end no suspicion, and cost what others cost")
    func guesses() throws {
        var scene = FloodScene(acquaintances: 2, seed: 4)
        scene.isSilent = true
        try scene.run(for: .seconds(8), forged: 1_000, kind: .probeAck)
        #expect(scene.givenUp == 2)
    }
}

/// A machine, honest acquaintances, and an attacker that forges datagrams in their names.
struct FloodScene {
    /// Signatures cost nothing here: a valid one is marked as such.
    static let signer = DatagramSigner(
        sign: { _ in [UInt8](repeating: 7, count: 64) },
        isAuthentic: { $0.bytes.suffix(64).allSatisfy { $0 == 7 } })

    static func madeUp(_ number: UInt64) -> DeviceID {
        var bytes: [UInt8] = []
        for word in 0..<4 as Range<UInt64> {
            var generator = SeededGenerator(seed: number &* 4 &+ word)
            bytes.appendBigEndian(generator.next() as UInt64)
        }
        return DeviceID(bytes: bytes) ?? DiscoveryFixture.device(1)
    }

    static func source(_ number: UInt64) -> SocketAddress {
        DiscoveryFixture.address(UInt32(number), port: UInt16(9000 + number))
    }

    static func datagram(
        _ kind: DiscoveryDatagram.Kind, of number: UInt64, incarnation: UInt32 = 1, sequence: UInt32,
        nonce: UInt64 = 0, isForged: Bool = false
    ) -> [UInt8] {
        let device = DiscoveryFixture.device(number)
        let subject = kind.hasSubject ? ProbeSubject(device: device, incarnation: incarnation, nonce: nonce) : nil
        var bytes = DiscoveryDatagram(
            kind: kind, device: device, incarnation: incarnation, sequence: sequence, port: 4000, subject: subject
        ).encoded(by: signer)
        if isForged { bytes[bytes.count - 1] = 8 }
        return bytes
    }

    static func sighting(at place: SocketAddress, now: Instant) -> SightingTable.Sighting {
        SightingTable.Sighting(
            address: place, source: place, incarnation: 1, sequence: 1, heardAt: now, interval: .seconds(30),
            isPresent: true, budget: DatagramLottery(DiscoveryLimits.perKnownDevice, now: now))
    }

    private let machine: HeldMachine
    private let numbers: [UInt64]
    private var random: SeededGenerator
    private var now = DiscoveryFixture.start
    private var sequences: [UInt64: UInt32] = [:]
    private let beaconPause: Duration
    private var place: SocketAddress?
    /// Whether the acquaintances send nothing.
    var isSilent = false

    private(set) var beacons = 0
    private(set) var beaconsTaken = 0
    private(set) var answers = 0
    private(set) var answersTaken = 0
    private(set) var givenUp = 0
    private(set) var heardAfter: [UInt64: Duration] = [:]
    var metrics: DiscoveryMetrics { machine.metrics }

    init(
        acquaintances: UInt64, seed: UInt64, isContact: Bool = false, isConnected: Bool = false,
        beaconsPerSecond: Int = 0
    ) {
        random = SeededGenerator(seed: seed)
        numbers = Array(2..<2 + acquaintances)
        beaconPause = beaconsPerSecond > 0 ? .seconds(1) / beaconsPerSecond : .seconds(30)
        machine = HeldMachine(
            DiscoveryMachine(
                own: DiscoveryFixture.device(1), signer: Self.signer, incarnation: 3, port: 4000, now: now,
                random: SeededGenerator(seed: seed)))
        if isContact { machine.setContacts(Set(numbers.map { DiscoveryFixture.device($0) })) }
        _ = machine.start(now: now)
        for number in numbers {
            let hello = Self.datagram(.hello, of: number, sequence: 1)
            _ = machine.receive(hello[...], from: Self.source(number), now: now)
            sequences[number] = 1
            if isConnected { _ = machine.setConnected(DiscoveryFixture.device(number), true, now: now) }
        }
    }

    /// All datagrams, genuine and forged ones, come from there from now on.
    mutating func move(to place: SocketAddress) { self.place = place }

    mutating func forgetCounts() {
        (beacons, beaconsTaken) = (0, 0)
    }

    /// Sends forged datagrams at that rate per second in the acquaintances' names and from their sockets, each newer
    /// than the last one heard.
    mutating func run(for duration: Duration, forged rate: Int, kind: DiscoveryDatagram.Kind = .beacon) throws {
        let (begin, step) = (now, Duration.seconds(1) / rate)
        var due: [(at: Instant, number: UInt64, probe: UInt64?)] = numbers.map { number in
            (begin + .random(in: beaconPause, using: &random), number, nil)
        }
        while now < begin + duration {
            now = now + step
            while let next = machine.nextDeadline, next <= now {
                for effect in machine.tick(now: next) { try note(effect, &due) }
            }
            while let index = due.firstIndex(where: { $0.at <= now }) {
                let (_, number, probe) = due.remove(at: index)
                guard !isSilent else { continue }
                try speak(number, probe, since: begin, &due)
            }
            let number = numbers[Int.random(in: numbers.indices, using: &random)]
            let forged = Self.datagram(
                kind, of: number, sequence: (sequences[number] ?? 0) + UInt32.random(in: 1...50, using: &random),
                nonce: random.next(), isForged: true)
            for effect in machine.receive(forged[...], from: place ?? Self.source(number), now: now) {
                try note(effect, &due)
            }
        }
    }

    private mutating func speak(
        _ number: UInt64, _ probe: UInt64?, since begin: Instant,
        _ due: inout [(at: Instant, number: UInt64, probe: UInt64?)]
    ) throws {
        let sequence = (sequences[number] ?? 0) + 1
        sequences[number] = sequence
        let before = machine.metrics.believed
        let bytes = Self.datagram(probe == nil ? .beacon : .probeAck, of: number, sequence: sequence, nonce: probe ?? 0)
        for effect in machine.receive(bytes[...], from: place ?? Self.source(number), now: now) {
            try note(effect, &due)
        }
        let isTaken = machine.metrics.believed > before
        if isTaken, heardAfter[number] == nil { heardAfter[number] = now - begin }
        if probe == nil {
            beacons += 1
            if isTaken { beaconsTaken += 1 }
            due.append((now + beaconPause, number, nil))
        } else {
            answers += 1
            if isTaken { answersTaken += 1 }
        }
    }

    private mutating func note(
        _ effect: DiscoveryEffect, _ due: inout [(at: Instant, number: UInt64, probe: UInt64?)]
    ) throws {
        switch effect {
        case .expired: givenUp += 1
        case .send(let bytes, let address):
            let content = try ReceivedDatagram(decoding: bytes[...]).content
            guard content.kind == .probe, let subject = content.subject,
                let number = numbers.first(where: { Self.source($0) == address })
            else { return }
            due.append((now + .milliseconds(1), number, subject.nonce))
        case .broadcast, .heard, .left: break
        }
    }
}
