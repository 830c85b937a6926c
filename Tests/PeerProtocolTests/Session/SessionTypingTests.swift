import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("Session: typing")
struct SessionTypingTests {
    private func typing(_ isTyping: Bool) -> Hint { .typing(TypingBody(isTyping: isTyping)) }

    private func frame(_ isTyping: Bool) -> Frame {
        Frame(kind: .typing, body: TypingBody(isTyping: isTyping).encoded())
    }

    @Test(
        "Typing is sent to friends as a frame without an id, to others not at all", arguments: Relation.allCases)
    func sending(relation: Relation) throws {
        guard relation != .blocked else { return }
        let side = try SessionSide(relation)
        try side.give(.hint(typing(true)))
        #expect(side.sent.isEmpty, "not before the session is open")
        try side.open()
        try side.give(.hint(typing(true)))
        #expect(side.sent == (relation == .friend ? [frame(true)] : []))
    }

    @Test("Only the last of many in one piece counts, but a message in between keeps its place")
    func joined() throws {
        let side = try SessionSide(.friend)
        try side.open()
        try side.give(.received((0..<1000).flatMap { frame($0 % 2 == 0).encoded() }))
        #expect(side.effects == [.hint(typing(false))])
        _ = side.take()
        let message = Frame(kind: .message, id: id(1), body: try textMessage("hi").encoded())
        try side.hear(frame(true), message, frame(true), frame(false), frame(true))
        guard side.effects.count == 3, case .commit = side.effects[1] else {
            Issue.record("\(side.effects)")
            return
        }
        #expect(side.effects[0] == .hint(typing(true)) && side.effects[2] == .hint(typing(true)))
    }

    @Test("Malformed and later states are ignored; before the card they break the rules")
    func malformed() throws {
        let side = try SessionSide(.friend)
        try side.open()
        let group = CBOR.map([1: .boolean(true), 2: .unsigned(1), 3: .bytes([1])]).encoded()
        for body in [[], [0xFF], CBOR.map([:]).encoded(), CBOR.unsigned(1).encoded(), group] {
            try side.hear(Frame(kind: .typing, body: body))
        }
        #expect(side.sent.isEmpty && side.effects.isEmpty && !side.machine.isClosed)
        let early = try SessionSide(.friend)
        try early.give(.opened(card: early.person.card))
        try early.hear(frame(true))
        #expect(early.ends == [.closedHere(.protocolError, detail: "typing before the card")])
    }
}
