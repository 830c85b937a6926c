import Basics
import PeerProtocol
import Testing

@Suite("Session: the outbox and its window")
struct SessionWindowTests {
    private func ids(_ frames: [Frame]) -> [UUIDv7] { frames.filter { $0.kind == .message }.map(\.id) }

    @Test("Items are sent in order, once, and are reported")
    func order() throws {
        let side = try SessionSide(.friend)
        try side.give(.opened(card: side.person.card))
        try side.give(.outbox([item(3), item(5), item(8)], hasMore: false))
        #expect(ids(side.sent) == [id(3), id(5), id(8)])
        #expect(side.effects.contains(.sent([id(3), id(5), id(8)])))
        #expect(side.machine.unacknowledged == 3)
        _ = side.take()
        // Nothing is sent twice within a session, and nothing more is requested.
        try side.give(.outboxAppended([item(5), item(8)]))
        #expect(side.sent.isEmpty)
    }

    @Test("A new item is sent without reading the outbox, if it is next")
    func directPath() throws {
        let side = try SessionSide(.friend)
        try side.open()
        try side.give(.outboxAppended([item(1), item(2)]))
        #expect(ids(side.sent) == [id(1), id(2)])
        #expect(side.wants.isEmpty)
        // An empty list asks for a look at the outbox.
        try side.give(.outboxAppended([]))
        #expect(side.wants == [.wantOutbox(after: 2, limit: 510, maximumBytes: (1 << 20) - 20)])
    }

    @Test("Items written while a page is read come with the next page, in order")
    func appendedMeanwhile() throws {
        let side = try SessionSide(.friend)
        try side.give(.opened(card: side.person.card))
        try side.give(.outboxAppended([item(7)]))
        #expect(ids(side.sent).isEmpty)
        try side.give(.outbox([item(1)], hasMore: false))
        #expect(ids(side.sent) == [id(1)])
        #expect(side.wants.last == .wantOutbox(after: 1, limit: 511, maximumBytes: (1 << 20) - 10))
        try side.give(.outbox([item(7)], hasMore: false))
        #expect(ids(side.sent) == [id(1), id(7)])
        #expect(side.wants.count == 2)
    }

    @Test("Reading the outbox again from its beginning brings returned items, but none under way")
    func restart() throws {
        let side = try SessionSide(.friend)
        try side.open(outbox: [item(1), item(2), item(3)])
        _ = side.take()
        try side.hear(receipt(.refused(Refusal(.busy)), [id(1), id(3)]))
        _ = side.take()
        try side.give(.outboxRestart)
        #expect(side.wants == [.wantOutbox(after: nil, limit: 511, maximumBytes: (1 << 20) - 10)])
        // This comes again while the page is being read, and the next page begins at the outbox's beginning.
        try side.give(.outboxRestart)
        try side.give(.outbox([item(1), item(2), item(3)], hasMore: true))
        #expect(ids(side.sent) == [id(1), id(3)])
        #expect(side.wants.last == .wantOutbox(after: nil, limit: 509, maximumBytes: (1 << 20) - 30))
        try side.give(.outbox([item(1), item(2), item(3)], hasMore: true))
        try side.give(.outbox([], hasMore: false))
        #expect(ids(side.sent) == [id(1), id(3)] && side.wants.count == 3)
    }

    @Test("At most 512 frames wait for receipts; when half are free, the next page is requested")
    func frameWindow() throws {
        let side = try SessionSide(.friend)
        try side.open(outbox: (1...600).map { item($0) }, hasMore: true)
        #expect(side.machine.unacknowledged == 512)
        try side.hear(receipt(.stored, (1...255).map { id($0) }))
        #expect(side.wants.isEmpty, "a page isn't requested for every receipt")
        try side.hear(receipt(.stored, [id(256)]))
        #expect(side.wants == [.wantOutbox(after: 512, limit: 256, maximumBytes: (1 << 20) - 2560)])
        _ = side.take()
        try side.give(.outbox((513...600).map { item($0) }, hasMore: false))
        #expect(ids(side.sent) == (513...600).map { id($0) })
    }

    @Test("At most 1 MiB waits for receipts, and one frame may go beyond")
    func byteWindow() throws {
        let side = try SessionSide(.friend)
        try side.open(
            outbox: [item(1, bodyBytes: (1 << 20) - 1), item(2, bodyBytes: 1 << 20), item(3)], hasMore: false)
        #expect(side.machine.unacknowledged == 2)
        try side.hear(receipt(.stored, [id(1)]))
        #expect(side.wants.isEmpty)
        try side.hear(receipt(.stored, [id(2)]))
        #expect(side.wants == [.wantOutbox(after: 2, limit: 512, maximumBytes: 1 << 20)])
    }

    @Test("Refusals count as answers; receipts for unknown frames are reported and change nothing")
    func receipts() throws {
        let side = try SessionSide(.friend)
        try side.open(outbox: [item(1), item(2)])
        let refused = ReceiptBody.Status.refused(Refusal(.notFriends))
        try side.hear(receipt(refused, [id(1)]), receipt(.stored, [id(2), id(99)]), receipt(.read, [id(50)]))
        #expect(
            side.effects == [
                .receipts(refused, [id(1)]), .receipts(.stored, [id(2), id(99)]), .receipts(.read, [id(50)]),
            ])
        #expect(side.machine.unacknowledged == 0)
    }

    @Test("Adjacent receipts are joined")
    func joinedReceipts() throws {
        let side = try SessionSide(.friend)
        try side.open(outbox: [item(1), item(2), item(3)])
        try side.hear(receipt(.stored, [id(1)]), receipt(.stored, [id(2), id(3)]))
        #expect(side.effects == [.receipts(.stored, [id(1), id(2), id(3)])])
    }

    @Test("An item that fits no frame doesn't block the others")
    func unsendable() throws {
        let side = try SessionSide(.friend)
        try side.give(.opened(card: side.person.card))
        try side.give(.outbox([item(1, bodyBytes: (1 << 20) + 1), item(2)], hasMore: false))
        #expect(ids(side.sent) == [id(2)])
        #expect(side.effects.contains(.receipts(.refused(Refusal(.tooLarge, detail: "frame")), [id(1)])))
    }

    @Test("An unrequested page is ignored, and so is the promise of an empty one")
    func oddPages() throws {
        let side = try SessionSide(.friend)
        try side.give(.opened(card: side.person.card))
        try side.give(.outbox([], hasMore: true))
        #expect(side.wants.count == 1, "asking again at once would never end")
        try side.give(.outbox([item(1)], hasMore: false))
        #expect(ids(side.sent).isEmpty)
    }

    @Test("A peer that owes receipts for a minute is given up; progress restarts the minute")
    func receiptTimeout() throws {
        let side = try SessionSide(.friend)
        try side.open(outbox: [item(1), item(2)])
        func live(to end: Int, from start: Int) throws {
            for second in start..<end {
                try side.hear(Frame(kind: .pong), at: Double(second))
                try side.run(from: Double(second), to: Double(second) + 0.99)
            }
        }
        try live(to: 59, from: 1)
        try side.hear(receipt(.stored, [id(1)]), at: 59)
        try live(to: 118, from: 60)
        #expect(!side.machine.isClosed)
        try live(to: 121, from: 118)
        #expect(side.ends == [.closedHere(.unresponsive, detail: "no receipt")])
    }

    @Test("A new session sends again what got no receipt in the last one")
    func newSession() throws {
        let first = try SessionSide(.friend)
        try first.open(outbox: [item(1), item(2)])
        try first.hear(receipt(.stored, [id(1)]))
        try first.give(.interrupted)
        let second = try SessionSide(.friend)
        try second.give(.opened(card: second.person.card))
        #expect(second.wants == [.wantOutbox(after: nil, limit: 512, maximumBytes: 1 << 20)])
        try second.give(.outbox([item(2)], hasMore: false))
        #expect(ids(second.sent) == [id(2)])
    }
}
