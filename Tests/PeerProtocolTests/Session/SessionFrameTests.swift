import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("Session: frames")
struct SessionFrameTests {
    /// A frame of this kind that a session takes from a friend.
    private static func frame(_ kind: FrameKind, id: UUIDv7) throws -> Frame {
        let (five, now) = (PeerProtocolTests.id(5), WallTime(milliseconds: 1))
        let time = HybridTime(milliseconds: 1)
        let body: [UInt8] =
            switch kind {
            case .close: CloseBody(reason: .goodbye).encoded()
            case .receipt: try ReceiptBody(status: .stored, ids: [PeerProtocolTests.id(77)]).encoded()
            case .card: try Person(2).card.encoded
            case .contactRequest: try ContactRequestBody(note: "hi").encoded()
            case .contactAnswer: try ContactAnswerBody(accepted: true).encoded()
            case .contactRemoval: ContactRemovalBody().encoded()
            case .typing: TypingBody(isTyping: true).encoded()
            case .message: try textMessage("hi").encoded()
            case .fileStatus: try FileStatusBody(transfer: PeerProtocolTests.id(5), status: .accepted).encoded()
            case .edit: try EditBody(message: five, text: "hi", time: time, editedAt: now).encoded()
            case .deletion: try DeletionBody(message: five, time: time, sentAt: now).encoded()
            case .reaction: try ReactionBody(message: five, emoji: "👍", time: time, removed: false).encoded()
            case .seen: try SeenBody(messages: [five]).encoded()
            case .parcel:
                try ParcelBody(
                    from: Person(2).card.account, to: Person(1).card.account, days: 1, sealed: [1]
                ).encoded()
            case .parcelNews: try ParcelNewsBody([.init(five, .dropped)]).encoded()
            case .had: try HadBody(stored: [five]).encoded()
            case _ where kind.isOfGroups: try groupBody(kind)
            default: []
            }
        return Frame(kind: kind, id: id, body: body)
    }

    private static let durable: Set<FrameKind> = [
        .message, .contactRequest, .contactAnswer, .contactRemoval, .fileStatus, .edit, .deletion, .reaction, .seen,
        .groupChange, .groupEntry, .groupSeen, .parcel, .parcelNews, .had,
    ]

    @Test(
        "Each kind from each peer is taken, refused or ignored", arguments: Relation.allCases, [false, true])
    func gate(relation: Relation, isGroupMate: Bool) throws {
        guard relation != .blocked else { return }
        for number in UInt16(0)...130 {
            let kind = FrameKind(rawValue: number)
            let side = try SessionSide(relation, isGroupMate: isGroupMate)
            try side.open()
            try side.hear(Self.frame(kind, id: id(1)))
            let outcome = Comment(rawValue: "\(kind) from \(relation)")
            switch kind {
            case .ping: #expect(side.sent == [Frame(kind: .pong)], outcome)
            case .pong: #expect(side.sent.isEmpty && side.effects.isEmpty, outcome)
            case .close: #expect(side.ends == [.closedByPeer(.goodbye, detail: nil)] && side.sent.isEmpty, outcome)
            case .receipt: #expect(side.effects == [.receipts(.stored, [id(77)])], outcome)
            case .card: #expect(side.effects == [.card(side.other.card)], outcome)
            case _ where Self.durable.contains(kind):
                let isTaken: Bool =
                    switch kind {
                    case .contactRequest, .contactAnswer: true
                    case .contactRemoval: relation != .none
                    case _ where kind.isOfGroups: relation == .friend || isGroupMate
                    default: relation == .friend
                    }
                if isTaken {
                    #expect(side.commits.map(\.id) == [id(1)] && side.sent.isEmpty, outcome)
                } else {
                    #expect(side.effects.isEmpty, outcome)
                    let refusal =
                        kind.isOfGroups
                        ? Refusal(.busy, detail: "not known as a member of a group here") : Refusal(.notFriends)
                    #expect(
                        try side.receipts() == [ReceiptBody(status: .refused(refusal), ids: [id(1)])], outcome)
                }
            default:
                #expect(side.effects.isEmpty, outcome)
                let refusal = Refusal(.unsupported, detail: "frame kind \(number)")
                #expect(try side.receipts() == [ReceiptBody(status: .refused(refusal), ids: [id(1)])], outcome)
            }
            #expect(side.machine.isClosed == (kind == .close), outcome)
        }
    }

    @Test("Without an id, typing is taken from friends and ignored from others", arguments: Relation.allCases)
    func typing(relation: Relation) throws {
        guard relation != .blocked else { return }
        let side = try SessionSide(relation)
        try side.open()
        try side.hear(Self.frame(.typing, id: .zero))
        #expect(
            side.effects == (relation == .friend ? [.hint(.typing(TypingBody(isTyping: true)))] : [])
                && side.sent.isEmpty)
    }

    @Test("Without an id, unknown kinds are ignored and durable kinds break the rules")
    func withoutID() throws {
        for number in UInt16(0)...130 {
            let kind = FrameKind(rawValue: number)
            let side = try SessionSide(.friend)
            try side.open()
            try side.hear(Self.frame(kind, id: .zero))
            if Self.durable.contains(kind) {
                #expect(side.ends == [.closedHere(.protocolError, detail: "\(kind) without id")])
            } else if ![1, 2, 3, 4, 16, 33, 64, 65, 66, 67, 71].contains(number) {
                #expect(side.sent.isEmpty && side.effects.isEmpty)
            }
        }
    }

    @Test("A blocked peer's session ends at once, at the start or later, without a reason")
    func blocked() throws {
        let side = try SessionSide(.blocked)
        try side.give(.opened(card: side.person.card))
        #expect(side.sent.isEmpty, "neither our card nor a reason is sent")
        #expect(side.ends == [.closedHere(.goodbye, detail: nil)])
        let later = try SessionSide(.friend)
        try later.open()
        try later.give(.relationChanged(.blocked))
        #expect(try later.closeBody() == CloseBody(reason: .goodbye), "the close is that of a daemon that stops")
    }

    @Test("Our card goes first, and the peer's must come first", arguments: Relation.allCases)
    func cardsFirst(relation: Relation) throws {
        guard relation != .blocked else { return }
        let side = try SessionSide(relation)
        try side.give(.opened(card: side.person.card))
        #expect(side.sent == [Frame(kind: .card, body: side.person.card.encoded)])
        #expect(side.effects == [.wantOutbox(after: nil, limit: 512, maximumBytes: 1 << 20)])
        _ = side.take()
        // Keep-alive needs no card.
        try side.hear(Frame(kind: .ping), Frame(kind: .pong))
        #expect(side.sent == [Frame(kind: .pong)] && !side.machine.isClosed)
        try side.hear(Self.frame(.contactRequest, id: id(1)))
        #expect(side.ends == [.closedHere(.protocolError, detail: "contactRequest before the card")])
    }

    @Test("Another peer's card and a damaged one end the session; our changed one is sent")
    func cards() throws {
        let side = try SessionSide(.friend)
        try side.open()
        try side.hear(Frame(kind: .card, body: try Person(3).card.encoded))
        #expect(side.ends == [.closedHere(.protocolError, detail: "somebody else's card")])

        let damaged = try SessionSide(.friend)
        try damaged.open()
        try damaged.hear(Frame(kind: .card, body: [0xA0]))
        #expect(damaged.ends == [.closedHere(.protocolError, detail: "card: card: missing")])

        let changed = try SessionSide(.friend)
        try changed.open()
        let card = try Person(1, name: "New Name").card
        try changed.give(.cardChanged(card))
        #expect(changed.sent == [Frame(kind: .card, body: card.encoded)])
    }

    @Test("A body that breaks the rules is refused with the reason, and the session continues")
    func malformedDurable() throws {
        let side = try SessionSide(.friend)
        try side.open()
        try side.hear(
            Frame(kind: .message, id: id(1), body: [0xFF]), Frame(kind: .message, id: id(2), body: [0xA0]),
            message(3))
        #expect(side.commits.map(\.id) == [id(3)])
        #expect(
            try side.receipts() == [
                ReceiptBody(status: .refused(Refusal(.invalid, detail: "not valid CBOR")), ids: [id(1)]),
                ReceiptBody(status: .refused(Refusal(.invalid, detail: "conversation kind: missing")), ids: [id(2)]),
            ])
        #expect(!side.machine.isClosed)
    }

    @Test("Damaged receipts and closes end the session; statuses of a later version don't")
    func malformedControl() throws {
        for kind in [FrameKind.receipt, .close] {
            let side = try SessionSide(.friend)
            try side.open()
            try side.hear(Frame(kind: kind, body: [0x80]))
            #expect(side.ends == [.closedHere(.protocolError, detail: "\(kind): body: wrong type")])
        }
        let side = try SessionSide(.friend)
        try side.open()
        let later = CBOR.map([1: .unsigned(9), 2: .array([.bytes(id(1).bytes)])]).encoded()
        try side.hear(Frame(kind: .receipt, body: later))
        #expect(side.effects.isEmpty && !side.machine.isClosed)
    }

    @Test("A frame that is too long ends the session")
    func tooLong() throws {
        let side = try SessionSide(.friend)
        try side.open()
        try side.give(.received([0, 48, 0, 0, 0, 16, 0, 1] + [UInt8](repeating: 1, count: 16)))
        #expect(side.ends == [.closedHere(.protocolError, detail: "frame")])
    }

    @Test("Random bytes never trap, and end in a close", arguments: 0..<50 as Range<UInt64>)
    func garbage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let side = try SessionSide(.friend)
        try side.open()
        for _ in 0..<50 {
            // These frames have a plausible header and random bodies.
            let body = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            let kind = FrameKind(rawValue: [1, 2, 4, 16, 17, 18, 19, 48, 80, 999].randomElement(using: &random) ?? 1)
            try side.hear(Frame(kind: kind, id: id(UInt64.random(in: 0...5, using: &random)), body: body))
        }
        try side.give(.received((0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }))
    }

    @Test("A session ends in good order by us, by the peer, or without a close")
    func ends() throws {
        let ours = try SessionSide(.friend)
        try ours.open()
        try ours.give(.close(.goodbye, detail: "shutting down"))
        #expect(try ours.closeBody() == CloseBody(reason: .goodbye, detail: "shutting down"))
        #expect(ours.ends == [.closedHere(.goodbye, detail: "shutting down")])
        #expect(ours.ends.allSatisfy { $0.isClean })

        let theirs = try SessionSide(.friend)
        try theirs.open()
        try theirs.hear(Frame(kind: .close, body: CloseBody(reason: .replaced).encoded()), message(1))
        #expect(theirs.effects == [.closed(.closedByPeer(.replaced, detail: nil))], "later frames don't count")
        #expect(theirs.ends.allSatisfy { $0.isClean })

        let cut = try SessionSide(.friend)
        try cut.open()
        try cut.give(.interrupted)
        #expect(cut.ends == [.interrupted] && cut.sent.isEmpty)
        #expect(cut.ends.allSatisfy { !$0.isClean })

        for side in [ours, theirs, cut] {
            _ = side.take()
            #expect(side.machine.isClosed && side.machine.nextDeadline == nil)
            try side.hear(message(2), at: 1)
            try side.give(.tick, at: 100)
            try side.give(.outboxAppended([item(1)]), at: 100)
            try side.give(.interrupted, at: 100)
            #expect(side.sent.isEmpty && side.effects.isEmpty)
        }
    }

    @Test(
        "A long message is refused from strangers, and taken from a friend, even one made by the frame before it")
    func longMessages() throws {
        let long = try message(2, text: String(repeating: "x", count: PeerLimits.strangerBodyBytes))
        for relation in [Relation.none, .incoming] {
            let side = try SessionSide(relation)
            try side.open()
            try side.hear(long)
            #expect(try side.receipts() == [ReceiptBody(status: .refused(Refusal(.notFriends)), ids: [id(2)])])
        }
        let asked = try SessionSide(.requested)
        try asked.open()
        try asked.hear(Self.frame(.contactAnswer, id: id(1)), long)
        try asked.give(.relationChanged(.friend))
        try asked.give(.committed([id(1)], .stored))
        #expect(asked.commits.map(\.id) == [id(1), id(2)])
        let answered = try SessionSide(.incoming)
        try answered.open()
        try answered.give(.relationChanged(.friend))
        try answered.hear(long)
        #expect(answered.commits.map(\.id) == [id(2)])
    }
}
