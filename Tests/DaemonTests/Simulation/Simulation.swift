import Basics
import Store

@testable import Daemon

/// Three daemons, friends of each other, and everything that can go wrong between and around them.
final class Simulation {
    let timeline = Timeline()
    let random: SharedRandom
    let peers: [SimulatedPeer]
    let ledger = Ledger()
    private(set) var problems: [String] = []
    /// The clocks are further apart than they may follow each other.
    let isClockless: Bool
    private var partitions: Set<[Int]> = []
    private var dialling: Set<[Int]> = []
    private var isStormy = true
    private var clients: [SimulatedClient]

    static let people: Result<[SimulatedPerson], any Error> = Result { try (1...3).map { try SimulatedPerson($0) } }

    init(seed: UInt64, hasClients: Bool = false) throws {
        let random = SharedRandom(seed: seed)
        let isClockless = random.chance(30)
        (self.random, self.isClockless) = (random, isClockless)
        clients = hasClients ? [SimulatedClient](repeating: SimulatedClient(), count: 3) : []
        let timeline = timeline
        peers = try Self.people.get().enumerated().map { number, person in
            try SimulatedPeer(
                number, person, skew: Self.skew(random, isClockless), timeline: timeline, random: random)
        }
        for peer in peers {
            peer.onEnd = { [weak self] one, other in self?.dial(one, other) }
            try start(peer)
            befriend(peer)
        }
    }

    deinit { timeline.end() }

    /// Returns an error of a clock: within the clamp of five minutes between two clocks, or far beyond it.
    private static func skew(_ random: SharedRandom, _ isClockless: Bool) -> Duration {
        random.milliseconds(isClockless ? -1_200_000...1_200_000 : -130_000...130_000)
    }

    private func befriend(_ peer: SimulatedPeer) {
        let others = peers.filter { $0 !== peer }
        peer.database.submit { transaction in
            let device = peer.person.peer.device
            try transaction.saveOwnAccount(
                AccountRow(
                    account: peer.account, device: device, deviceName: "host", displayName: "Peer \(peer.number)",
                    createdAt: transaction.wallTime))
            for other in others {
                try transaction.save(
                    ContactRow(
                        account: other.account, device: other.person.peer.device, displayName: "Peer \(other.number)",
                        relation: .friend, createdAt: transaction.wallTime))
            }
        } done: { [weak self] result in
            if case .failure(let error) = result { self?.complain("no friends: \(error)") }
        }
        peer.database.runGroup(1)
    }

    private func complain(_ problem: String) { problems.append(problem) }

    // MARK: Connections

    private func start(_ peer: SimulatedPeer) throws {
        try peer.start(peers.filter { $0 !== peer })
        for other in peers where other !== peer { dial(peer, other) }
    }

    private func pair(_ one: SimulatedPeer, _ other: SimulatedPeer) -> [Int] { [one.number, other.number].sorted() }

    /// Makes a connection soon, if nothing prevents it by then.
    private func dial(_ one: SimulatedPeer, _ other: SimulatedPeer) {
        let pair = pair(one, other)
        guard dialling.insert(pair).inserted else { return }
        timeline.schedule(at: timeline.now + random.milliseconds(20...1500)) { [weak self] in
            guard let self else { return }
            dialling.remove(pair)
            guard one.isUp, other.isUp, !partitions.contains(pair) else { return }
            guard one.session(with: other) == nil || other.session(with: one) == nil else { return }
            let (dialler, acceptor) = random.chance(50) ? (one, other) : (other, one)
            _ = SimulatedLine(dialler: dialler, acceptor: acceptor, timeline: timeline, random: random)
        }
    }

    private func cut(_ one: SimulatedPeer, _ other: SimulatedPeer) {
        one.session(with: other)?.line.cut()
        other.session(with: one)?.line.cut()
        // One of them notices this at last, and dials the other.
        dial(one, other)
    }

    // MARK: Trouble

    private func trouble() throws {
        guard isStormy, let one = random.pick(peers), let other = random.pick(peers.filter({ $0 !== one })) else {
            return
        }
        switch random.int(0...99) {
        case 0..<40: cut(one, other)
        case 40..<60:
            guard one.isUp else { return }
            one.crash()
            after(0...4000) {
                // Perhaps the clock was corrected meanwhile.
                if $0.random.chance(50) { one.clocks.skew = Self.skew($0.random, $0.isClockless) }
                if !one.isUp { try $0.start(one) }
            }
        case 60..<75:
            partitions.insert(pair(one, other))
            cut(one, other)
            after(500...15_000) {
                $0.partitions.remove($0.pair(one, other))
                $0.dial(one, other)
            }
        case 75..<85:
            try one.database.setFull(true)
            after(100...5000) { _ in try one.database.setFull(false) }
        case 85..<95:
            one.trouble = .init(
                failing: random.int(0...10), refusing: random.int(0...30), repeating: random.int(0...30),
                rejecting: random.chance(20) ? 40 : 0)
        default: one.clocks.skew = Self.skew(random, isClockless)
        }
    }

    private func after(_ milliseconds: ClosedRange<Int>, _ action: @escaping (Simulation) throws -> Void) {
        timeline.schedule(at: timeline.now + random.milliseconds(milliseconds)) { [weak self] in
            if let self { try action(self) }
        }
    }

    // MARK: A run

    /// Runs a storm, and then fair weather until nothing is left to do.
    /// - Returns: everything that is not as it should be in the end.
    func run(operations count: Int) throws -> [String] {
        let operations = Operations(random: random, ledger: ledger) { [weak self] in self?.complain($0) }
        let storm = 40_000
        for _ in 0..<count {
            after(0...storm) { if let peer = $0.random.pick($0.peers) { operations.perform(peer, $0.peers) } }
        }
        if !clients.isEmpty {
            for _ in 0..<60 { after(0...storm) { try $0.follow() } }
        }
        for _ in 0..<random.int(0...25) { after(0...storm) { try $0.trouble() } }
        try timeline.run(until: timeline.now + .milliseconds(Int64(storm)))
        isStormy = false
        partitions = []
        for peer in peers {
            if !peer.isUp { try start(peer) }
            try peer.database.setFull(false)
            peer.trouble = .init()
        }
        // An open connection may stay open: it must come to rest by itself.
        for peer in peers {
            for other in peers where other.number > peer.number && random.chance(50) { cut(peer, other) }
        }
        for _ in 0..<400 {
            if try isQuiet() { break }
            for peer in peers where try peer.database.read({ try $0.hasRemains() }) { operations.keepHouse(peer) }
            for peer in peers where try !peer.database.read({ try $0.failedIDs().isEmpty }) { operations.retry(peer) }
            try timeline.run(until: timeline.now + .seconds(3))
            for peer in peers {
                for other in peers where peer.session(with: other) == nil { dial(peer, other) }
            }
        }
        if try !isQuiet() { complain("it never comes to rest") }
        return problems + (try ledger.problems(peers, sameOrder: !isClockless))
    }

    /// Lets one program read some new events.
    private func follow() throws {
        let number = random.int(0...2)
        let (read, count) = (random.int(1...30), random.int(0...30))
        if random.chance(20) { clients[number].goBack(random.int(1...20)) }
        try peers[number].database.read { try clients[number].follow($0, reading: read, applying: count) }
    }

    /// Returns what programs show that is wrong.
    func clientProblems() throws -> [String] {
        try clients.indices.flatMap { number in
            try peers[number].database.read { try clients[number].differences($0) }
        }
    }

    private func isQuiet() throws -> Bool {
        try peers.allSatisfy { peer in
            if peer.database.hasJobs { return false }
            return try peer.database.read {
                try $0.outboxCount() == 0 && !$0.hasRemains() && $0.failedIDs().isEmpty
            }
        }
    }
}
