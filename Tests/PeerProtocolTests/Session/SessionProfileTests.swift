import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("Session: cards and avatars")
struct SessionProfileTests {
    private let digest = [UInt8](repeating: 7, count: 32)

    private func card(_ name: String, version: UInt64, of person: Person) throws -> Card {
        try Card.issue(
            by: person.deviceKey, certificate: person.certificate, profile: Card.Profile(displayName: name),
            version: version)
    }

    private func names(_ side: SessionSide) throws -> [String] {
        try side.sent.filter { $0.kind == .card }.map { try Card(decoding: $0.body).profile.displayName }
    }

    @Test("A new card is sent at once, an unchanged one is not sent again")
    func cards() throws {
        let side = try SessionSide(.friend)
        try side.open()
        let card = try card("Zoë", version: 2, of: side.person)
        try side.give(.cardChanged(card), at: 1)
        try side.give(.cardChanged(card), at: 1)
        #expect(try names(side) == ["Zoë"])
    }

    @Test("A thousand changes stay within what the other side accepts, and the last one arrives")
    func pace() throws {
        let side = try SessionSide(.friend)
        let other = SessionSide(.friend, person: side.other, other: side.person)
        try other.open()
        try side.open()
        for number in 1...1000 {
            try side.give(
                .cardChanged(card("Name \(number)", version: UInt64(number), of: side.person)), at: Double(number) / 500
            )
        }
        try side.run(from: 2, to: 6)
        let sent = try names(side)
        #expect(sent.last == "Name 1000" && sent.count <= 12, "\(sent)")
        for frame in side.sent where frame.kind == .card { try other.hear(frame, at: 6) }
        #expect(!other.machine.isClosed)
    }

    @Test("A waiting card is not sent to a former friend, and no card to a blocked peer")
    func privateCard() throws {
        let side = try SessionSide(.friend)
        try side.open()
        for number in 1...9 {
            try side.give(.cardChanged(card("secret \(number)", version: UInt64(number), of: side.person)), at: 1)
        }
        let before = try names(side).count
        try side.give(.relationChanged(.none), at: 1)
        try side.give(.cardChanged(card("public", version: 9, of: side.person)), at: 1)
        try side.run(from: 1, to: 9)
        #expect(try names(side).dropFirst(before) == ["public"])
        let blocked = try SessionSide(.friend)
        try blocked.open()
        try blocked.give(.relationChanged(.blocked), at: 1)
        try blocked.give(.cardChanged(card("secret", version: 3, of: blocked.person)), at: 2)
        #expect(try names(blocked).isEmpty)
    }

    private var question: Hint { .avatarRequest(AvatarRequestBody(digest: digest)) }

    private func request() throws -> Frame {
        Frame(kind: .avatarRequest, body: try AvatarRequestBody(digest: digest).encoded())
    }

    @Test("Avatars are requested, given and taken among friends only", arguments: Relation.allCases)
    func gate(relation: Relation) throws {
        guard relation != .blocked else { return }
        let side = try SessionSide(relation)
        let answer = AvatarBody(digest: digest, file: [1, 2, 3])
        try side.give(.hint(question))
        try side.give(.hint(.avatar(answer)))
        #expect(side.sent.isEmpty, "not before the session is open")
        try side.open()
        try side.give(.hint(question))
        try side.give(.hint(.avatar(answer)))
        try side.hear(request(), Frame(kind: .avatar, body: answer.encoded()))
        if relation == .friend {
            #expect(side.sent == [try request(), Frame(kind: .avatar, body: try answer.encoded())])
            #expect(side.effects == [.hint(question), .hint(.avatar(answer))])
        } else {
            #expect(side.sent.isEmpty && side.effects.isEmpty && !side.machine.isClosed)
        }
    }

    @Test("A friend that asks all the time is answered now and then")
    func flood() throws {
        let side = try SessionSide(.friend)
        try side.open()
        for number in 0..<10_000 { try side.hear(request(), at: Double(number) / 1000) }
        let asked = side.effects.filter { $0 == .hint(question) }.count
        #expect(1...5 ~= asked, "\(asked)")
        #expect(!side.machine.isClosed)
    }

    @Test("A malformed body is ignored; with an id it is refused")
    func malformed() throws {
        let side = try SessionSide(.friend)
        try side.open()
        for kind in [FrameKind.avatar, .avatarRequest] {
            for body in [[], [0xFF], CBOR.map([:]).encoded(), CBOR.map([1: .bytes([1])]).encoded()] {
                try side.hear(Frame(kind: kind, body: body))
            }
        }
        #expect(side.sent.isEmpty && side.effects.isEmpty && !side.machine.isClosed)
        try side.hear(Frame(kind: .avatarRequest, id: id(1), body: AvatarRequestBody(digest: digest).encoded()))
        #expect(try side.receipts().first?.ids == [id(1)])
        #expect(side.effects.isEmpty)
    }

    @Test("An avatar of the greatest size fits into a frame and arrives whole")
    func largest() throws {
        let side = try SessionSide(.friend)
        try side.open()
        let avatar = AvatarBody(digest: digest, file: [UInt8](repeating: 5, count: PeerLimits.avatarBytes))
        let bytes = Frame(kind: .avatar, body: try avatar.encoded()).encoded()
        try side.give(.received(Array(bytes.prefix(100_000))))
        try side.give(.received(Array(bytes.dropFirst(100_000))))
        #expect(side.effects == [.hint(.avatar(avatar))])
    }
}
