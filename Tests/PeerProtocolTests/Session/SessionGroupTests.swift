import Basics
import PeerProtocol
import Testing
import Vocabulary

/// Goal: a peer that shares a group with us may send what concerns groups, and nothing else.
@Suite("Session: groups")
struct SessionGroupTests {
    private static let words: [GroupFrame] = [
        .heads(GroupHeadsBody(root: someRoot, heads: [hash(2)], digest: hash(3))),
        .tops(GroupTopsBody(root: someRoot, tops: [], isReply: true)),
        .want(GroupWantBody(root: someRoot, hashes: [hash(4)])),
        .entries(GroupEntriesBody(root: someRoot, hasMore: true)),
        .typing(GroupTypingBody(root: someRoot, isTyping: true)),
    ]

    @Test(
        "Frames without a receipt are taken and sent among friends and group mates only",
        arguments: Relation.allCases,
        [false, true])
    func hints(relation: Relation, isGroupMate: Bool) throws {
        guard relation != .blocked else { return }
        let isAdmitted = relation == .friend || isGroupMate
        for word in Self.words {
            let side = try SessionSide(relation, isGroupMate: isGroupMate)
            try side.open()
            let frame = Frame(kind: word.kind, body: try word.body())
            try side.hear(frame)
            #expect(side.effects == (isAdmitted ? [.hint(.group(word))] : []) && side.sent.isEmpty)
            _ = side.take()
            try side.give(.hint(.group(word)))
            #expect(side.sent == (isAdmitted ? [frame] : []))
            #expect(!side.machine.isClosed)
        }
    }

    @Test("A malformed frame is ignored, and the session continues", arguments: [64, 65, 66, 67, 71] as [UInt16])
    func malformed(kind: UInt16) throws {
        let side = try SessionSide(.none, isGroupMate: true)
        try side.open()
        for body: [UInt8] in [[], [0xFF], [0xA0], [0x80]] {
            try side.hear(Frame(kind: FrameKind(rawValue: kind), body: body))
        }
        #expect(side.effects.isEmpty && side.sent.isEmpty && !side.machine.isClosed)
    }

    @Test("The last one of many typing frames in one group is reported")
    func typing() throws {
        let side = try SessionSide(.none, isGroupMate: true)
        try side.open()
        func word(_ root: UInt64, _ isTyping: Bool) -> Frame {
            Frame(kind: .groupTyping, body: GroupTypingBody(root: hash(root), isTyping: isTyping).encoded())
        }
        try side.hear(word(1, true), word(1, false), word(1, true), word(2, true), word(2, false))
        #expect(
            side.effects == [
                .hint(.group(.typing(GroupTypingBody(root: hash(1), isTyping: true)))),
                .hint(.group(.typing(GroupTypingBody(root: hash(2), isTyping: false)))),
            ])
    }

    @Test("A peer becomes a group mate, and is one no more")
    func changes() throws {
        let side = try SessionSide(.none)
        try side.open()
        let frame = Frame(kind: .groupEntry, id: id(1), body: try groupBody(.groupEntry))
        try side.hear(frame)
        #expect(
            try side.receipts().map(\.status) == [
                .refused(
                    Refusal(.busy, detail: "not known as a member of a group here"))
            ])
        _ = side.take()
        try side.give(.groupMateChanged(true))
        try side.hear(frame)
        #expect(side.commits.map(\.id) == [id(1)])
        _ = side.take()
        try side.give(.committed([id(1)], .stored))
        // A message between two people is still refused.
        try side.hear(message(2))
        #expect(try side.receipts().last?.status == .refused(Refusal(.notFriends)))
        _ = side.take()
        try side.give(.groupMateChanged(false))
        try side.hear(Frame(kind: .groupEntry, id: id(3), body: try groupBody(.groupEntry)))
        #expect(side.commits.isEmpty)
    }

    @Test("A group mate's long page is kept, a stranger's is thrown away unread")
    func length() throws {
        let long = GroupEntriesBody(root: someRoot, unavailable: (0..<256).map { hash($0) })
        let page = GroupEntriesBody(
            root: someRoot,
            entries: [GroupEntryBody(header: [1], signature: [2], content: [UInt8](repeating: 1, count: 60_000))],
            unavailable: long.unavailable)
        let frame = Frame(kind: .groupEntries, body: try page.encoded())
        for isGroupMate in [false, true] {
            let side = try SessionSide(.none, isGroupMate: isGroupMate)
            try side.open()
            try side.hear(frame)
            #expect(side.effects == (isGroupMate ? [.hint(.group(.entries(page)))] : []))
        }
    }

    @Test("A session with a group mate doesn't end for silence, and ends soon after it is no mate any more")
    func idle() throws {
        let side = try SessionSide(.none, isGroupMate: true)
        try side.open()
        for second in stride(from: 1.0, through: 60, by: 2) { try side.hear(Frame(kind: .ping), at: second) }
        try side.give(.tick, at: 60)
        #expect(!side.machine.isClosed)
        try side.give(.groupMateChanged(false), at: 61)
        for second in stride(from: 62.0, through: 74, by: 2) { try side.hear(Frame(kind: .ping), at: second) }
        try side.give(.tick, at: 74)
        #expect(try side.closeBody()?.reason == .idle)
    }
}
