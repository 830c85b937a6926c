import Basics
import PeerProtocol
import Testing
import Vocabulary

/// A daemon in miniature: a store with an outbox that survives everything, and a session that doesn't.
private final class ToyDaemon {
    let person: Person
    let other: Person
    private var relation = Relation.none
    private var outbox: [OutboxItem] = []
    private var nextSequence: Int64 = 1
    private var seen: Set<UUIDv7> = []
    /// The texts of the peer's messages, in the order in which they were stored.
    private(set) var stored: [String] = []
    private(set) var refusals: [Refusal] = []
    /// Messages to be written once the other side is a friend.
    private var unwritten: [String]

    private(set) var session: SessionMachine?
    /// Bytes on their way to the other side.
    var wire: [UInt8] = []
    private var commits: [[DurableFrame]] = []
    private var question: (after: Int64?, limit: Int, bytes: Int)?

    init(_ person: Person, _ other: Person, messages: [String], asks: Bool) throws {
        (self.person, self.other, unwritten) = (person, other, messages)
        if asks {
            relation = .requested
            write(.contactRequest, try ContactRequestBody(note: "hi").encoded())
        }
    }

    var isFriend: Bool { relation == .friend }
    var hasAllWritten: Bool { unwritten.isEmpty }
    var isQuiet: Bool { outbox.isEmpty && commits.isEmpty && question == nil && unwritten.isEmpty && wire.isEmpty }

    @discardableResult
    private func write(_ kind: FrameKind, _ body: [UInt8]) -> OutboxItem {
        let number = UInt64(nextSequence) << 8 | UInt64(person.account.bytes[0])
        let item = OutboxItem(sequence: nextSequence, id: id(number), kind: kind, body: body)
        nextSequence += 1
        outbox.append(item)
        return item
    }

    /// Writes the next message, and tells the session with or without the item.
    func writeMessage(_ now: Instant, tellingItem: Bool) throws {
        guard isFriend, !unwritten.isEmpty else { return }
        let item = write(.message, try textMessage(unwritten.removeFirst()).encoded())
        feed(.outboxAppended(tellingItem ? [item] : []), now)
    }

    func open(_ now: Instant, isDialler: Bool) {
        session = SessionMachine(peer: other.peer, relation: relation, isDialler: isDialler, now: now)
        feed(.opened(card: person.card), now)
    }

    /// Breaks the connection. A crash also loses what the store has not begun.
    func cut(_ now: Instant, isCrash: Bool) {
        if isCrash { session = nil } else { feed(.interrupted, now) }
        session = nil
        wire = []
        question = nil
        if isCrash { commits = [] }
    }

    func feed(_ input: SessionInput, _ now: Instant) {
        guard let effects = session?.receive(input, now: now) else { return }
        for effect in effects {
            switch effect {
            case .send(let bytes): wire += bytes
            case .commit(let frames): commits.append(frames)
            case .receipts(let status, let ids):
                if case .refused(let refusal) = status { refusals.append(refusal) }
                let gone = Set(ids)
                outbox.removeAll { gone.contains($0.id) }
            case .wantOutbox(let after, let limit, let bytes): question = (after, limit, bytes)
            case .closed: session = nil
            case .card, .hint, .sent, .pauseReading, .resumeReading, .renewalDue: break
            }
        }
    }

    func answerQuestion(_ now: Instant) {
        guard let (after, limit, bytes) = question else { return }
        question = nil
        let rest = outbox.filter { $0.sequence > after ?? 0 }
        var page: [OutboxItem] = []
        var size = 0
        for item in rest.prefix(limit) where size < bytes {
            page.append(item)
            size += item.body.count
        }
        feed(.outbox(page, hasMore: page.count < rest.count), now)
    }

    /// One turn of the store: commits a batch, then reports it if its session is still there.
    func commitNext(_ now: Instant) throws {
        guard !commits.isEmpty else { return }
        let batch = commits.removeFirst()
        let before = relation
        for frame in batch where seen.insert(frame.id).inserted {
            switch frame.content {
            case .message(let body): stored.append(body.text)
            case .contactRequest:
                relation = .friend
                write(.contactAnswer, try ContactAnswerBody(accepted: true, request: frame.id).encoded())
            case .contactAnswer(let body): if body.accepted { relation = .friend }
            case .contactRemoval, .fileStatus, .edit, .deletion, .reaction, .seen, .groupChange, .groupEntry,
                .groupSeen, .parcel, .parcelNews, .had:
                break
            }
        }
        if relation != before { feed(.relationChanged(relation), now) }
        feed(.committed(batch.map(\.id), .stored), now)
        feed(.outboxAppended([]), now)
    }
}

@Suite("Simulation: two sessions, two stores, a network that breaks")
struct SimulationTests {
    @Test("Every message arrives exactly once and in order, whatever breaks", arguments: 0..<150 as Range<UInt64>)
    func exactlyOnce(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = [3, 40, 700][Int(seed % 3)]
        let leftTexts = (0..<count).map { "left \($0)" }
        let rightTexts = (0..<count / 2).map { "right \($0)" }
        let left = try ToyDaemon(Person(1), Person(2), messages: leftTexts, asks: true)
        let right = try ToyDaemon(Person(2), Person(1), messages: rightTexts, asks: false)
        var now = someInstant
        var steps = 0
        // There is trouble for a while; then the network holds, and everything must come to rest.
        let troubled = Int.random(in: 200...4000, using: &random)
        while !(steps > troubled && left.isQuiet && right.isQuiet && left.isFriend && right.isFriend) {
            steps += 1
            try #require(steps < troubled + 60_000, "never comes to rest")
            if left.session == nil || right.session == nil {
                reconnect(left, right, now, &random)
                continue
            }
            now = now + .milliseconds(Int64.random(in: 0...3, using: &random))
            let (one, other) = Bool.random(using: &random) ? (left, right) : (right, left)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<40: deliver(from: one, to: other, now, &random)
            case 40..<60: try one.commitNext(now)
            case 60..<70: one.answerQuestion(now)
            case 70..<95: try one.writeMessage(now, tellingItem: Bool.random(using: &random))
            case 95..<98: one.feed(.tick, now)
            default:
                guard steps < troubled, Int.random(in: 0..<4, using: &random) == 0 else { break }
                // Some of what was under way may still arrive on one side.
                if Bool.random(using: &random) { deliver(from: one, to: other, now, &random) }
                one.cut(now, isCrash: Bool.random(using: &random))
                other.cut(now, isCrash: Bool.random(using: &random))
            }
        }
        #expect(right.stored == leftTexts)
        #expect(left.stored == rightTexts)
        #expect(left.refusals.isEmpty && right.refusals.isEmpty)
    }

    private func reconnect(
        _ left: ToyDaemon, _ right: ToyDaemon, _ now: Instant, _ random: inout SeededGenerator
    ) {
        left.cut(now, isCrash: false)
        right.cut(now, isCrash: false)
        let leftDials = Bool.random(using: &random)
        left.open(now, isDialler: leftDials)
        right.open(now, isDialler: !leftDials)
    }

    private func deliver(
        from sender: ToyDaemon, to receiver: ToyDaemon, _ now: Instant, _ random: inout SeededGenerator
    ) {
        guard !sender.wire.isEmpty else { return }
        let count =
            Bool.random(using: &random) ? sender.wire.count : Int.random(in: 1...sender.wire.count, using: &random)
        let bytes = Array(sender.wire.prefix(count))
        sender.wire.removeFirst(count)
        receiver.feed(.received(bytes), now)
    }

    @Test("Two machines and two channels carry 20,000 messages and their receipts quickly")
    func throughput() throws {
        let (dialler, acceptor) = try connectedPair()
        let left = try SessionSide(.friend)
        let right = SessionSide(.friend, person: try Person(2), other: try Person(1))
        let body = try textMessage("a message of an ordinary length, as people write them all day").encoded()
        try left.give(.opened(card: left.person.card))
        try right.give(.opened(card: right.person.card))

        /// Carries what one machine wants sent over a channel into the other machine.
        func carry(_ effects: [SessionEffect], _ out: Endpoint, _ into: Endpoint) throws -> [UInt8] {
            for case .send(let bytes) in effects { try into.feed(out.seal(bytes)) }
            return into.takePlaintext()
        }

        let started = SystemClocks().now
        var next: UInt64 = 1
        var received = 0
        while received < 20_000 {
            let items = (next..<next + 250).map {
                OutboxItem(sequence: Int64($0), id: id($0), kind: .message, body: body)
            }
            next += 250
            let input: SessionInput = next == 251 ? .outbox(items, hasMore: false) : .outboxAppended(items)
            let plain = try carry(left.give(input), dialler, acceptor)
            var ids: [UUIDv7] = []
            if next == 251 { try right.hear(Frame(kind: .card, body: right.other.card.encoded)) }
            for case .commit(let frames) in try right.give(.received(plain)) { ids += frames.map(\.id) }
            received += ids.count
            let receipts = try carry(right.give(.committed(ids, .stored)), acceptor, dialler)
            if next == 251 { try left.hear(Frame(kind: .card, body: left.other.card.encoded)) }
            try left.give(.received(receipts))
            _ = (left.take(), right.take())
        }
        #expect(received == 20_000)
        #expect(left.machine.unacknowledged == 0)
        let elapsed = SystemClocks().now - started
        print("20,000 messages with receipts, both ends on one core: \(elapsed.milliseconds) ms")
        #expect(elapsed < .seconds(60))
    }
}
