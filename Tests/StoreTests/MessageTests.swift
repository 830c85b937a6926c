import Basics
import Testing

@testable import Store

@Suite("Messages")
struct MessageTests {
    @Test("All columns of a message come back as they were stored, including a NUL in the text")
    func roundTrip() async throws {
        let fixture = try await Fixture()
        var row = Sample.message(1, text: "a\u{0}b\n\u{1F600}\u{202E}")
        row.kind = .file
        row.replyTo = Sample.id(77)
        row.editedAt = WallTime(milliseconds: 5)
        row.failureReason = .offline
        row.detail = ""
        var stored = row
        try await fixture.store.commit { [stored] in
            _ = try $0.insertOutgoing(stored, to: [Sample.friend, Sample.other])
        }
        stored.arrival = 1
        let (found, recipients) = try await fixture.store.read { [stored] in
            (try $0.message(stored.id), try $0.recipients(of: stored.id))
        }
        #expect(found == stored)
        #expect(Set(recipients.map(\.account)) == [Sample.friend, Sample.other])
        #expect(recipients.allSatisfy { $0.state == .queued && $0.at == row.sentAt && $0.reason == nil })
        fixture.store.close()
    }

    @Test("A repeated message changes nothing, from whichever device of its author it comes")
    func idempotence() async throws {
        let fixture = try await Fixture()
        let (first, again, moved) = try await fixture.store.commit { transaction in
            let first = try transaction.insertIncoming(Sample.message(1, from: 2, text: "first"))
            let again = try transaction.insertIncoming(Sample.message(1, from: 2, text: "again"))
            var other = Sample.message(1, from: 2, text: "from another device")
            other.senderDevice = Sample.device(9)
            return (first, again, try transaction.insertIncoming(other))
        }
        #expect(first == .inserted)
        #expect(again == .duplicate && moved == .duplicate)
        let (message, conversation) = try await fixture.store.read {
            (try $0.message(Sample.id(1)), try $0.conversation(Sample.conversation))
        }
        #expect(message?.text == "first")
        #expect(message?.state == .received)
        #expect(conversation?.unread == 1)
        await #expect(throws: StoreError.self) {
            try await fixture.store.commit {
                try $0.insertOutgoing(Sample.message(2), to: [Sample.friend])
                try $0.insertOutgoing(Sample.message(2), to: [Sample.friend])
            }
        }
        fixture.store.close()
    }

    @Test("Messages are counted from one on, by who wrote them, without lines of Kibo")
    func counting() async throws {
        let fixture = try await Fixture()
        let own = Sample.me
        func count(after number: Int64) async throws -> StoredMessages {
            try await fixture.store.read { try StoredMessages(after: number, own: own, in: $0) }
        }
        #expect(try await count(after: 0) == StoredMessages(sent: 0, received: 0, last: 0))
        try await fixture.store.commit { transaction throws in
            for number: UInt64 in 1...3 {
                #expect(try transaction.insertIncoming(Sample.message(number, from: 2)) == .inserted)
            }
        }
        // Nobody here has written yet, so nothing names the own account.
        #expect(try await count(after: 0) == StoredMessages(sent: 0, received: 3, last: 3))
        try await fixture.store.commit { transaction throws in
            try transaction.insertOutgoing(Sample.message(4), to: [Sample.friend])
            #expect(try transaction.insertSystem(Sample.message(5, from: 2)) == .inserted)
            #expect(try transaction.insertIncoming(Sample.message(1, from: 2)) == .duplicate)
        }
        #expect(try await count(after: 2) == StoredMessages(sent: 1, received: 1, last: 5))
        #expect(try await count(after: 5) == StoredMessages(sent: 0, received: 0, last: 5))
        fixture.store.close()
    }

    @Test("A message for an unknown conversation is refused")
    func unknownConversation() async throws {
        let fixture = try await Fixture(conversation: false)
        await #expect(throws: StoreError.missing(.conversation(Sample.conversation))) {
            try await fixture.store.commit { try $0.insertIncoming(Sample.message(1, from: 2)) }
        }
        fixture.store.close()
    }

    @Test("The last message of a conversation is the newest in clock order, not the last to arrive")
    func lastMessage() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction in
            for number: UInt64 in [5, 9, 7] { _ = try transaction.insertIncoming(Sample.message(number, from: 2)) }
        }
        let row = try await fixture.store.read { try $0.conversation(Sample.conversation) }
        #expect(row?.lastMessage == Sample.id(9))
        #expect(row?.unread == 3)
        fixture.store.close()
    }

    @Test("A peer's clock far ahead is clamped, and after a restart our clock continues from the stored times")
    func clock() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { _ = try $0.insertIncoming(Sample.message(1, from: 2, hlc: .max)) }
        let filed = try await fixture.store.read { try $0.message(Sample.id(1))?.hlc }
        let limit = fixture.clocks.wallTime + HybridClock.maximumLead
        #expect(filed?.milliseconds == limit.milliseconds)
        let store = try fixture.reopen()
        let next = try await store.commit { $0.clock.tick(at: $0.wallTime) }
        #expect(next > (filed ?? next))
        store.close()
    }

    @Test(
        "Walking a conversation in pages, either way, meets each message once, even with equal times",
        arguments: 0..<6 as Range<UInt64>)
    func paging(seed: UInt64) async throws {
        let fixture = try await Fixture()
        var random = SeededGenerator(seed: seed)
        let base = HybridTime(milliseconds: 1_700_000_000_000).rawValue
        let rows = (0..<57 as Range<UInt64>).map { number in
            Sample.message(number, hlc: base + UInt64.random(in: 0..<20, using: &random))
        }.shuffled(using: &random)
        try await fixture.store.commit { transaction in
            for row in rows { try transaction.insertOutgoing(row, to: []) }
        }
        let expected = rows.map { $0.position(in: .sent) }.sorted()
        let limit = Int.random(in: 1...20, using: &random)
        let (forwards, backwards) = try await fixture.store.read { transaction in
            var forwards: [MessagePosition] = []
            var page = MessagePage(messages: [], hasMore: true)
            var first = MessagePosition(key: 0, id: .zero)
            while page.hasMore {
                page = try transaction.messages(in: Sample.conversation, after: first, limit: limit)
                forwards += page.messages.map { $0.position(in: .sent) }
                first = forwards.last ?? first
            }
            var backwards: [MessagePosition] = []
            page.hasMore = true
            while page.hasMore {
                page = try transaction.messages(in: Sample.conversation, before: backwards.first, limit: limit)
                backwards = page.messages.map { $0.position(in: .sent) } + backwards
            }
            return (forwards, backwards)
        }
        #expect(forwards == expected)
        #expect(backwards == expected)
        fixture.store.close()
    }

    @Test("With both bounds a page holds the messages between, and knows whether there are more")
    func between() async throws {
        let fixture = try await Fixture()
        let rows = (1...9 as ClosedRange<UInt64>).map { Sample.message($0) }
        try await fixture.store.commit { transaction in
            for row in rows { try transaction.insertOutgoing(row, to: []) }
        }
        let (part, all) = try await fixture.store.read { transaction in
            (
                try transaction.messages(
                    in: Sample.conversation, before: rows[7].position(in: .sent), after: rows[1].position(in: .sent),
                    limit: 3),
                try transaction.messages(
                    in: Sample.conversation, before: rows[7].position(in: .sent), after: rows[1].position(in: .sent),
                    limit: 5)
            )
        }
        #expect(part.messages.map(\.id) == rows[2...4].map(\.id))
        #expect(part.hasMore)
        #expect(all.messages.map(\.id) == rows[2...6].map(\.id))
        #expect(!all.hasMore)
        fixture.store.close()
    }

    @Test("Positions sort as text like their values, and only their own form of text is read")
    func positions() {
        var random = SeededGenerator(seed: 1)
        let positions = (0..<200).map { _ in
            MessagePosition(
                key: UInt64.random(in: 0..<3, using: &random) << 60,
                id: UUIDv7(high: UInt64.random(in: 0...1, using: &random), low: random.next()))
        }
        #expect(positions.sorted().map(\.description) == positions.map(\.description).sorted())
        for position in positions { #expect(MessagePosition(position.description) == position) }
        let text = positions[0].description
        for bad in ["", "x", text.uppercased() + "0", "+" + text.dropFirst(), String(text.dropLast()), text + " "] {
            #expect(MessagePosition(bad) == nil)
        }
    }

    @Test("A client's key finds the message that was sent under it, and belongs to one message only")
    func sendKeys() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction in
            try transaction.insertOutgoing(Sample.message(1), to: [])
            try transaction.remember(key: "k", for: Sample.id(1))
        }
        #expect(try await fixture.store.read { try $0.message(sentUnder: "k") } == Sample.id(1))
        #expect(try await fixture.store.read { try $0.message(sentUnder: "l") } == nil)
        await #expect(throws: StoreError.self) {
            try await fixture.store.commit { try $0.remember(key: "k", for: Sample.id(1)) }
        }
        await #expect(throws: StoreError.missing(.message(Sample.id(2)))) {
            try await fixture.store.commit { try $0.remember(key: "l", for: Sample.id(2)) }
        }
        fixture.store.close()
    }
}
