import Basics
import Crypto
import PeerProtocol
import Testing
import Vocabulary

/// A session machine under test, with its effects sorted by kind.
final class SessionSide {
    private(set) var machine: SessionMachine
    let person: Person
    let other: Person
    /// The frames that the machine has sent since the last ``take``.
    private(set) var sent: [Frame] = []
    /// All effects but `send`, in order.
    private(set) var effects: [SessionEffect] = []

    /// Makes a session with Person(2), seen by Person(1).
    init(
        _ relation: Relation, isGroupMate: Bool = false, isDialler: Bool = false, person: Person, other: Person
    ) {
        self.person = person
        self.other = other
        machine = SessionMachine(
            peer: other.peer, relation: relation, isGroupMate: isGroupMate, isDialler: isDialler, now: someInstant)
    }

    convenience init(_ relation: Relation, isGroupMate: Bool = false, isDialler: Bool = false) throws {
        self.init(
            relation, isGroupMate: isGroupMate, isDialler: isDialler, person: try Person(1), other: try Person(2))
    }

    @discardableResult
    func give(_ input: SessionInput, at seconds: Double = 0) throws -> [SessionEffect] {
        let new = machine.receive(input, now: at(seconds))
        for effect in new {
            if case .send(let bytes) = effect { sent += try frames(bytes) } else { effects.append(effect) }
        }
        return new
    }

    func hear(_ frames: Frame..., at seconds: Double = 0) throws {
        try give(.received(frames.flatMap { $0.encoded() }), at: seconds)
    }

    /// Opens the session, takes the peer's card and an empty outbox, and drops the effects of all that.
    func open(at seconds: Double = 0, outbox: [OutboxItem] = [], hasMore: Bool = false) throws {
        try give(.opened(card: person.card), at: seconds)
        try give(.outbox(outbox, hasMore: hasMore), at: seconds)
        try hear(Frame(kind: .card, body: other.card.encoded), at: seconds)
        _ = take()
    }

    func take() -> (sent: [Frame], effects: [SessionEffect]) {
        defer { (sent, effects) = ([], []) }
        return (sent, effects)
    }

    /// Ticks at each deadline until `end`, as a shell would.
    func run(from start: Double, to end: Double) throws {
        var now = at(start)
        for _ in 0..<100_000 {
            guard let deadline = machine.nextDeadline, deadline <= at(end) else { return }
            now = max(now, deadline)
            let new = machine.receive(.tick, now: now)
            for effect in new {
                if case .send(let bytes) = effect { sent += try frames(bytes) } else { effects.append(effect) }
            }
        }
        Issue.record("the deadline never moves on")
    }

    var ends: [SessionEnd] {
        effects.compactMap { if case .closed(let end) = $0 { end } else { nil } }
    }
    var commits: [DurableFrame] {
        effects.flatMap { if case .commit(let frames) = $0 { frames } else { [] as [DurableFrame] } }
    }
    var wants: [SessionEffect] {
        effects.filter { if case .wantOutbox = $0 { true } else { false } }
    }
    /// The receipts among the frames sent.
    func receipts() throws -> [ReceiptBody] {
        try sent.filter { $0.kind == .receipt }.map { try ReceiptBody(decoding: $0.body) }
    }
    /// The close frame among the frames sent.
    func closeBody() throws -> CloseBody? {
        try sent.first { $0.kind == .close }.map { try CloseBody(decoding: $0.body) }
    }
}

func message(_ number: UInt64, text: String = "hi") throws -> Frame {
    Frame(kind: .message, id: id(number), body: try textMessage(text).encoded())
}

func item(_ number: UInt64, bodyBytes: Int = 10) -> OutboxItem {
    OutboxItem(
        sequence: Int64(number), id: id(number), kind: .message, body: [UInt8](repeating: 0, count: bodyBytes))
}

func receipt(_ status: ReceiptBody.Status, _ ids: [UUIDv7]) throws -> Frame {
    Frame(kind: .receipt, body: try ReceiptBody(status: status, ids: ids).encoded())
}
