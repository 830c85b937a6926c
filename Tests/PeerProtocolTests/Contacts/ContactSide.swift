import Basics
import PeerProtocol
import Testing

/// One side with the frames that it has sent, for the other side to receive.
final class ContactSide {
    /// A frame that was sent.
    struct Sent: Equatable {
        let kind: FrameKind
        let id: UUIDv7
        let body: [UInt8]
    }

    var machine = ContactMachine()
    var sent: [Sent] = []
    /// How often everything that waited was dropped.
    var ends = 0
    private var count: UInt64

    init(_ number: UInt64) { count = number * 1000 }

    /// A copy of the state that goes its own way.
    func copy() -> ContactSide {
        let other = ContactSide(count)
        other.machine = machine
        return other
    }

    func freshID() -> UUIDv7 {
        count += 1
        return PeerProtocolTests.id(count)
    }

    func take(_ effects: [ContactEffect]) {
        for effect in effects {
            switch effect {
            case .end:
                ends += 1
                sent = []
            case .send(let kind, let id, let body): sent = [Sent(kind: kind, id: id, body: body)]
            }
        }
    }

    func act(_ action: ContactAction, at time: WallTime = someTime) throws {
        take(try machine.act(action, now: time, id: freshID()))
    }

    @discardableResult
    func hear(
        _ frame: Sent, rules: ContactRules = ContactRules(), at time: WallTime = someTime
    ) throws -> CommitOutcome {
        let content: ContactFrame =
            switch frame.kind {
            case .contactRequest: .request(try ContactRequestBody(decoding: frame.body))
            case .contactAnswer: .answer(try ContactAnswerBody(decoding: frame.body))
            default: .removal(try ContactRemovalBody(decoding: frame.body))
            }
        let (outcome, effects) = machine.hear(content, id: frame.id, rules: rules, now: time, fresh: freshID())
        take(effects)
        return outcome
    }

    func refused(_ id: UUIDv7, _ refusal: Refusal) -> Bool { machine.refused(id, refusal) }

    /// The frame that waits.
    func speak() throws -> Sent {
        let last = sent.popLast()
        return try #require(last)
    }
}
