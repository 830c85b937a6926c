import Basics
import Crypto
import PeerProtocol

// The DiscoverySimulation module: one simulated network segment with many hosts, for tests and figures. Each host runs
// the real DiscoveryMachine; a queue of events replaces the sockets, and the simulation sets the clock. Signatures are
// left out, since they would take nearly all the time (``SimulationFigures/checks`` counts them).

/// Hosts on one segment, which loses and delays datagrams as a seed determines.
package struct SimulatedSegment {
    /// The number of hosts and the kind of segment.
    package struct Shape: Sendable {
        package var hosts: Int
        /// The number of hosts, the first ones, that run a machine. The others are a crowd that only sends and answers
        /// as machines would, so that ten thousand hosts fit into memory.
        package var listeners: Int
        package var loss: Double
        package var seed: UInt64
        /// Whether hosts exchange cards and dial strangers.
        package var hasPeerExchange: Bool
        /// The delay of a datagram in microseconds.
        package var delay: ClosedRange<Int64> = 50...2_000

        package init(
            hosts: Int, listeners: Int? = nil, loss: Double = 0.01, hasPeerExchange: Bool = false, seed: UInt64 = 1
        ) {
            self.hosts = hosts
            self.listeners = listeners ?? hosts
            self.loss = loss
            self.hasPeerExchange = hasPeerExchange
            self.seed = seed
        }
    }

    enum Event {
        case broadcast(SimulatedPacket, from: Int)
        case unicast(SimulatedPacket, from: Int, to: Int)
        case wake(Int)
        case crowdSpeaks(Int, run: UInt32, hellos: Int)
        case crowdProbes(Int, run: UInt32)
        case dialled(from: Int, run: UInt32, to: Int)
        case mayBeIdle(SimulatedSessions.Pair)
        /// A question for the peer exchange, and a page of hosts by rank.
        case asked(PeerExchangeRequestBody, from: Int, to: Int)
        case page([Int], hasMore: Bool, from: Int, to: Int)
    }

    package private(set) var now = Instant(nanoseconds: 1_000_000_000_000)
    /// The figures since ``drainFigures()``.
    package internal(set) var figures = SimulationFigures()
    /// What is noticed of the watched host.
    package internal(set) var watched = SimulatedWatch()

    let shape: Shape
    package let hosts: SimulatedHosts
    var sessions = SimulatedSessions()
    var random: SeededGenerator
    private var events = EventQueue<Event>()
    private let signer = DatagramSigner(
        sign: { _ in [UInt8](repeating: 0, count: 64) }, isAuthentic: { _ in true })

    package init(_ shape: Shape) {
        self.shape = shape
        var random = SeededGenerator(seed: shape.seed)
        hosts = SimulatedHosts(shape, seeds: &random)
        self.random = random
    }

    // MARK: What happens to hosts

    package var hasPeerExchange: Bool { shape.hasPeerExchange }

    /// Starts all hosts, or all but one, evenly within that time.
    package mutating func startAll(within time: Duration, but except: Int? = nil) {
        let step = time / max(1, shape.hosts)
        for index in 0..<shape.hosts where index != except {
            start(index)
            run(for: step)
        }
    }

    package mutating func start(_ index: Int) {
        hosts[index].isUp = true
        hosts[index].incarnation += 1
        hosts[index].sequence = 0
        if index < shape.listeners {
            var machine = DiscoveryMachine(
                own: hosts[index].device, signer: signer, incarnation: hosts[index].incarnation, port: 9, now: now,
                random: SeededGenerator(seed: random.next()))
            let effects = machine.start(now: now)
            hosts[index].machine = machine
            if shape.hasPeerExchange { hosts[index].startPeerExchange(now: now, seeds: &random) }
            perform(effects, at: index)
            arm(index)
        } else {
            let run = hosts[index].incarnation
            schedule(.crowdSpeaks(index, run: run, hellos: 3), after: within(0...250_000))
            schedule(.crowdProbes(index, run: run), after: within(1_000_000...2_000_000))
        }
    }

    /// Ends the host without a goodbye.
    package mutating func crash(_ index: Int) {
        hosts[index].isUp = false
        hosts[index].forget()
        // The far ends notice at once, as with a process that was killed.
        for other in sessions.closeAll(of: index) { closed(at: other, with: index, isIdle: false) }
    }

    /// From now on ``watched`` is about this host.
    package mutating func watch(_ index: Int) { watched = SimulatedWatch(hosts[index].device) }

    /// Takes the figures, which then start from zero.
    package mutating func drainFigures() -> SimulationFigures {
        defer { figures = SimulationFigures() }
        return figures
    }

    // MARK: Time

    package mutating func run(for duration: Duration) {
        let end = now + duration
        while let (moment, event) = events.popFirst(through: end) {
            now = max(now, moment)
            handle(event)
        }
        now = end
        figures.time = figures.time + duration
    }

    mutating func schedule(_ event: Event, after delay: Duration) { events.insert(event, at: now + delay) }

    mutating func within(_ range: ClosedRange<Int64>) -> Duration {
        .microseconds(Int64.random(in: range, using: &random))
    }

    private mutating func isLost() -> Bool {
        shape.loss > 0 && Double(random.next() >> 11) < shape.loss * Double(1 << 53)
    }

    mutating func arm(_ index: Int) {
        guard let next = hosts[index].nextDeadline.map({ max($0, now) }) else { return }
        if let wakesAt = hosts[index].wakesAt, wakesAt <= next, wakesAt >= now { return }
        hosts[index].wakesAt = next
        events.insert(.wake(index), at: next)
    }

    // MARK: Events

    private mutating func handle(_ event: Event) {
        switch event {
        case .wake(let index):
            guard hosts[index].wakesAt.map({ $0 <= now }) ?? false else { return }
            hosts[index].wakesAt = nil
            guard let effects = hosts[index].machine?.tick(now: now) else { return }
            perform(effects, at: index)
            pump(index)
            arm(index)
        case .broadcast(let packet, let sender):
            let datagram = packet.datagram
            for index in 0..<shape.listeners where hosts[index].machine != nil && index != sender {
                if !isLost() { deliver(datagram, from: sender, to: index) }
            }
            // A host of the crowd answers suspicions as a machine does.
            if datagram.content.kind == .suspect, let subject = datagram.content.subject,
                let index = hosts.byDevice[subject.device], hosts[index].isUp, hosts[index].machine == nil, !isLost()
            {
                crowdSends(.beacon, from: index)
            }
        case .unicast(let packet, let sender, let index):
            let datagram = packet.datagram
            guard hosts[index].isUp else { return }
            guard hosts[index].machine != nil else { return crowdHears(datagram, from: sender, at: index) }
            deliver(datagram, from: sender, to: index)
        case .crowdSpeaks(let index, let run, let hellos):
            guard hosts[index].isUp, hosts[index].incarnation == run else { return }
            crowdSends(hellos > 0 ? .hello : .beacon, from: index)
            let fair = Int64(shape.hosts) * 200_000
            let interval = min(max(fair, 30_000_000), 300_000_000)
            let pause =
                hellos == 3 ? .seconds(1) : hellos == 2 ? .seconds(2) : within(interval * 3 / 4...interval * 5 / 4)
            schedule(.crowdSpeaks(index, run: run, hellos: max(0, hellos - 1)), after: pause)
        case .crowdProbes(let index, let run):
            guard hosts[index].isUp, hosts[index].incarnation == run else { return }
            let other = Int.random(in: 0..<shape.hosts, using: &random)
            if other != index {
                let subject = ProbeSubject(
                    device: hosts[other].device, incarnation: hosts[other].incarnation, nonce: random.next())
                crowdSends(.probe, from: index, to: other, about: subject)
            }
            schedule(.crowdProbes(index, run: run), after: within(900_000...1_100_000))
        case .dialled(let index, let run, let other): dialled(from: index, run: run, to: other)
        case .mayBeIdle(let pair): mayBeIdle(pair)
        case .asked(let request, let asker, let index): asked(request, from: asker, to: index)
        case .page(let page, let hasMore, let other, let index): came(page, hasMore: hasMore, from: other, to: index)
        }
    }

    private mutating func deliver(_ datagram: ReceivedDatagram, from sender: Int, to index: Int) {
        figures.received += 1
        let before = hosts[index].machine?.metrics.signatureChecks ?? 0
        let source = hosts[sender].address
        let effects = hosts[index].machine?.receive(datagram, from: source, now: now) ?? []
        figures.checks += Int((hosts[index].machine?.metrics.signatureChecks ?? 0) - before)
        if !effects.isEmpty {
            perform(effects, at: index)
            if effects.contains(where: { if case .send = $0 { false } else { true } }) { pump(index) }
        }
        arm(index)
    }

    mutating func perform(_ effects: [DiscoveryEffect], at index: Int) {
        for effect in effects {
            switch effect {
            case .broadcast(let bytes):
                guard let datagram = try? ReceivedDatagram(decoding: bytes[...]) else { continue }
                figures.count(datagram.content.kind, bytes.count)
                schedule(.broadcast(SimulatedPacket(datagram), from: index), after: within(shape.delay))
            case .send(let bytes, let address):
                guard let datagram = try? ReceivedDatagram(decoding: bytes[...]) else { continue }
                figures.count(datagram.content.kind, bytes.count)
                let other = hosts.index(at: address)
                if !isLost() {
                    schedule(.unicast(SimulatedPacket(datagram), from: index, to: other), after: within(shape.delay))
                }
            case .heard(let device, let address, let isNew):
                if isNew { watched.saw(device, by: index, now) }
                peerExchangeHeard(device, at: address, isNew: isNew, by: index)
            case .left(let device), .expired(let device):
                watched.lost(device, by: index, now)
                if let other = hosts.byDevice[device], hosts[other].isUp { figures.wronglyLost += 1 }
                peerExchangeLost(device, by: index)
            }
        }
    }

    // MARK: The crowd

    private mutating func crowdSends(
        _ kind: DiscoveryDatagram.Kind, from index: Int, to other: Int? = nil, about subject: ProbeSubject? = nil
    ) {
        hosts[index].sequence += 1
        let bytes = DiscoveryDatagram(
            kind: kind, device: hosts[index].device, incarnation: hosts[index].incarnation,
            sequence: hosts[index].sequence, port: 9, subject: subject
        ).encoded(by: signer)
        perform([other.map { .send(bytes, to: hosts[$0].address) } ?? .broadcast(bytes)], at: index)
    }

    private mutating func crowdHears(_ datagram: ReceivedDatagram, from sender: Int, at index: Int) {
        guard datagram.content.kind == .probe, let subject = datagram.content.subject else { return }
        let about = ProbeSubject(
            device: hosts[index].device, incarnation: hosts[index].incarnation, nonce: subject.nonce)
        crowdSends(.probeAck, from: index, to: sender, about: about)
    }
}
