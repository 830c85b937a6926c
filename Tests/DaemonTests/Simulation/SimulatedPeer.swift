import Basics
import Crypto
import Messaging
import Store

@testable import Daemon
@testable import PeerProtocol

/// A person with one device. The same number always gives the same keys.
struct SimulatedPerson: Sendable {
    let card: Card
    let peer: PeerIdentity

    init(_ number: UInt8) throws {
        func secret(_ use: UInt8) -> SecretBytes {
            var bytes = [UInt8](repeating: number, count: 16) + [UInt8](repeating: use, count: 16)
            return SecretBytes(moving: &bytes)
        }
        let (accountKey, deviceKey) = (try SigningKey(seed: secret(1)), try SigningKey(seed: secret(2)))
        let certificate = try DeviceCertificate.issue(
            by: accountKey, for: DeviceID(deviceKey.publicKey), name: "host-\(number)",
            created: WallTime(milliseconds: 1_720_000_000_000))
        card = try Card.issue(
            by: deviceKey, certificate: certificate, profile: Card.Profile(displayName: "Peer \(number)"), version: 1)
        peer = PeerIdentity(
            certificate: certificate, staticKey: try AgreementKey(secret: secret(3)).publicKey, listenPort: 15426,
            capabilities: [], softwareVersion: "kibod")
    }
}

/// A daemon: the real store, committer and machines, with shells around them that are like those of the real one.
final class SimulatedPeer {
    /// What goes wrong at a daemon's disk, in percent of what comes in.
    struct Trouble {
        var failing = 0
        var refusing = 0
        var repeating = 0
        /// New messages that are refused for good.
        var rejecting = 0
    }

    let number: Int
    let person: SimulatedPerson
    let timeline: Timeline
    let clocks: SkewedClocks
    let database: SimulatedDatabase
    let random: SharedRandom
    var trouble = Trouble()
    /// Called when a session has ended, because the peers may need another one.
    var onEnd: (SimulatedPeer, SimulatedPeer) -> Void = { _, _ in }
    private var delivery: DeliveryMachine<SharedRandom>
    private var sessions: [Int: SimulatedSession] = [:]
    private var friends: [AccountID: Int] = [:]
    private(set) var isUp = false
    /// Counts the runs: a callback of an earlier run must not reach a later one.
    private var run = 0
    private var posted: Instant
    private var readAt: Instant
    private var isGroupSet = false
    private var armedFor: Instant?

    var account: AccountID { person.peer.account }
    var now: Instant { timeline.now }

    init(_ number: Int, _ person: SimulatedPerson, skew: Duration, timeline: Timeline, random: SharedRandom) throws {
        (self.number, self.person, self.timeline, self.random) = (number, person, timeline, random)
        clocks = SkewedClocks(timeline, skew: skew)
        database = try SimulatedDatabase(clocks: clocks)
        delivery = DeliveryMachine(random: random)
        (posted, readAt) = (timeline.now, timeline.now)
        database.observer = { [weak self] record in
            self?.post { [weak self] in self?.grew(record.outbox) }
        }
    }

    // MARK: Runs

    /// - Parameter others: its friends.
    func start(_ others: [SimulatedPeer]) throws {
        friends = Dictionary(uniqueKeysWithValues: others.map { ($0.account, $0.number) })
        run += 1
        isUp = true
        isGroupSet = false
        armedFor = nil
        delivery = DeliveryMachine(random: random)
        (posted, readAt) = (now, now)
        try database.start()
        perform(delivery.pending(try database.read { try $0.pendingAccounts() }))
    }

    /// Ends the daemon as kill -9 does.
    func crash() {
        isUp = false
        run += 1
        database.stop()
        for number in sessions.keys.sorted() {
            sessions[number]?.forget()
            sessions[number]?.line.cut()
        }
        sessions = [:]
    }

    // MARK: Sessions

    func session(with other: SimulatedPeer) -> SimulatedSession? { sessions[other.number] }

    func open(_ other: SimulatedPeer, on line: SimulatedLine) -> SimulatedSession {
        let session = SimulatedSession(self, with: other, on: line)
        let old = sessions[other.number]
        sessions[other.number] = session
        old?.feed(.close(.replaced))
        delivery.connected(other.account)
        arm()
        return session
    }

    func ended(_ session: SimulatedSession) {
        guard sessions[session.other.number] === session else { return }
        sessions[session.other.number] = nil
        delivery.disconnected(session.other.account)
        arm()
        onEnd(self, session.other)
    }

    // MARK: Delivery

    private func grew(_ rows: [OutboxRow]) {
        var rest = rows[...]
        while let account = rest.first?.account {
            let items = rest.prefix { $0.account == account }
            rest = rest.dropFirst(items.count)
            perform(delivery.appended(items.map(OutboxItem.init), for: account))
        }
    }

    func settled(_ ids: [UUIDv7], by other: SimulatedPeer, _ status: ReceiptBody.Status) {
        perform(delivery.settled(ids, by: other.account, status, now: now))
    }

    /// The user doesn't want to wait.
    func retry(_ account: AccountID) { perform(delivery.retry(account)) }

    private func perform(_ effects: [DeliveryEffect]) {
        for effect in effects {
            switch effect {
            case .hand(let account, let items): session(account)?.feed(.outboxAppended(items))
            case .again(let account, let ids):
                readStore { transaction in
                    try ids.compactMap { try transaction.outboxItem($0, for: account) }
                } then: { [weak self] rows in
                    let items = rows.map(OutboxItem.init).sorted { $0.sequence < $1.sequence }
                    self?.session(account)?.feed(.outboxAgain(items))
                }
            case .restart(let account): session(account)?.feed(.outboxRestart)
            case .seek: break
            case .delivered(let account, let ids): settle(ids, account) { _ = try $0.acknowledge(ids, by: account) }
            case .seen(let account, let ids): submit { try $0.advance(ids, at: account, to: .read) }
            case .postpone(let account, let ids, let refusal):
                submit { try $0.postpone(ids, by: account, reason: refusal.reason, detail: refusal.detail) }
            case .fail(let account, let ids, let refusal):
                settle(ids, account) {
                    _ = try $0.refuse(ids, by: account, reason: refusal.reason, detail: refusal.detail)
                }
            }
        }
        arm()
    }

    /// The real router does the same: if the store fails, the frame is sent and answered once more.
    private func settle(_ ids: [UUIDv7], _ account: AccountID, _ body: @escaping (WriteTransaction) throws -> Void) {
        let isFailing = random.chance(trouble.failing)
        submit { transaction in
            if isFailing { throw StoreError.full }
            try body(transaction)
        } done: { [weak self] result in
            guard case .failure = result else { return }
            self?.post { [weak self] in
                guard let self else { return }
                perform(delivery.settled(ids, by: account, .refused(Refusal(.internal)), now: now))
            }
        }
    }

    private func session(_ account: AccountID) -> SimulatedSession? { friends[account].flatMap { sessions[$0] } }

    private func arm() {
        guard let deadline = delivery.nextDeadline else { return }
        if let armedFor, armedFor <= deadline { return }
        armedFor = deadline
        timeline.schedule(at: deadline) { [weak self, run] in
            guard let self, self.run == run, armedFor == deadline else { return }
            armedFor = nil
            perform(delivery.tick(now: now))
        }
    }

    // MARK: What comes in

    func commit(_ frames: [DurableFrame], for session: SimulatedSession) {
        let committer = IncomingCommitter(peer: session.other.person.peer, name: nil, choices: .stored, random: random)
        let rejecting = trouble.rejecting
        if rejecting == 0, random.chance(trouble.repeating) {
            // The frames come again, as if by another way.
            timeline.schedule(at: now + random.milliseconds(0...20_000)) { [weak self] in
                self?.submit { _ = try committer.commit(frames, in: $0) }
            }
        }
        let refusal = Refusal(.noSpace)
        let isFailing = random.chance(trouble.failing)
        let taken = frames.filter { _ in !random.chance(trouble.refusing) }
        let refused = frames.filter { !taken.contains($0) }.map(\.id)
        submit { [random] transaction in
            if isFailing { throw StoreError.full }
            let rejected = try taken.filter { frame in
                guard case .message = frame.content, random.chance(rejecting) else { return false }
                return try !transaction.isKnown(frame.id, by: committer.peer.account)
            }
            let kept = taken.filter { !rejected.contains($0) }
            return (try committer.commit(kept, in: transaction).outcomes, rejected.map(\.id))
        } done: { [weak self, weak session] result in
            self?.post {
                switch result {
                case .success(let (outcomes, rejected)):
                    if !refused.isEmpty { session?.feed(.committed(refused, .refused(refusal))) }
                    if !rejected.isEmpty { session?.feed(.committed(rejected, .refused(Refusal(.notAllowed)))) }
                    for (outcome, ids) in outcomes { session?.feed(.committed(ids, outcome)) }
                case .failure: session?.feed(.committed(frames.map(\.id), .putOff(refusal)))
                }
            }
        }
    }

    // MARK: Threads

    /// Runs a job on the writing thread, in a group with the other waiting jobs.
    func submit<Value>(
        _ body: @escaping (WriteTransaction) throws -> Value,
        done: @escaping (Result<Value, any Error>) -> Void = { _ in }
    ) {
        guard isUp else { return }
        database.submit(body, done: done)
        setGroup()
    }

    private func setGroup() {
        guard !isGroupSet else { return }
        isGroupSet = true
        let delay = random.milliseconds(0...(random.chance(3) ? 500 : 6))
        timeline.schedule(at: now + delay) { [weak self, run] in
            guard let self, self.run == run else { return }
            isGroupSet = false
            database.runGroup(random.chance(70) ? 1024 : random.int(1...5))
            if database.hasJobs { setGroup() }
        }
    }

    /// Runs an action on the reactor, behind all that were posted before.
    private func post(_ action: @escaping () -> Void) {
        posted = max(posted, now + random.milliseconds(0...2))
        timeline.schedule(at: posted) { [weak self, run] in
            if self?.run == run { action() }
        }
    }

    /// Runs a job on the reading thread, and then continues on the reactor.
    func readStore<Value>(
        _ body: @escaping (ReadTransaction) throws -> Value, then: @escaping (Value) -> Void
    ) {
        readAt = max(readAt, now + random.milliseconds(0...3))
        timeline.schedule(at: readAt) { [weak self, run] in
            guard let self, self.run == run else { return }
            let value = try database.read(body)
            post { then(value) }
        }
    }
}
