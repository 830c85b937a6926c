import Basics
import Glibc
import Testing
import Vocabulary

@testable import Store

/// Goal: an id belongs to the account that has made it. Nobody makes anybody else's message, transfer, call or change of one vanish,
/// be another one or be refused by using its id first, or later.
@Suite("Ids that several accounts have used")
struct WireIDTests {
    private static let id = Sample.id(1)
    private static let withOther = Sample.id(1_000_001)
    private static let time = HybridTime(milliseconds: 1_700_000_001_000)

    /// A store with this account and conversations with two others.
    private func fixture() async throws -> Fixture {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction throws in
            try transaction.saveOwnAccount(
                AccountRow(
                    account: Sample.me, device: Sample.device(1), deviceName: "here", displayName: "Me",
                    createdAt: transaction.wallTime))
            _ = try transaction.openConversation(with: Sample.other, newID: Self.withOther)
        }
        return fixture
    }

    private static func message(from sender: UInt8, _ text: String) -> MessageRow {
        Sample.message(1, from: sender, text: text, in: sender == 3 ? withOther : Sample.conversation)
    }

    /// Stores what two accounts have sent under one id.
    private func receiveBoth(in transaction: WriteTransaction) throws {
        for (sender, text): (UInt8, String) in [(3, "theirs"), (2, "hers")] {
            #expect(try transaction.insertIncoming(Self.message(from: sender, text)) == .inserted)
        }
    }

    private func texts(_ transaction: ReadTransaction) throws -> [String] {
        try [Self.withOther, Sample.conversation].flatMap {
            try transaction.messages(in: $0, limit: 9).messages.map(\.text)
        }
    }

    @Test("Both messages are here, each under an id of its own and by its author's; a repeat of either is one")
    func both() async throws {
        let fixture = try await fixture()
        try await fixture.store.commit { transaction throws in
            try receiveBoth(in: transaction)
            try expectBoth(in: transaction)
        }
        let store = try fixture.reopen()
        try await store.commit { transaction throws in
            try expectBoth(in: transaction)
            #expect(try texts(transaction) == ["theirs", "hers"])
        }
        store.close()
    }

    private func expectBoth(in transaction: WriteTransaction) throws {
        let theirs = try #require(try transaction.message(Self.id, by: Sample.other))
        let hers = try #require(try transaction.message(Self.id, by: Sample.friend))
        #expect(theirs.text == "theirs" && hers.text == "hers" && theirs.id != hers.id)
        #expect(theirs.id == Self.id && theirs.wire == nil && hers.wire == Self.id && hers.wireID == Self.id)
        #expect(try transaction.message(hers.id) == hers && transaction.message(Self.id, by: Sample.account(9)) == nil)
        for sender: UInt8 in [2, 3] {
            #expect(try transaction.insertIncoming(Self.message(from: sender, "again")) == .duplicate)
        }
        #expect(try transaction.conversation(Sample.conversation)?.unread == 1)
        #expect(try transaction.conversation(Sample.conversation)?.lastMessage == hers.id)
    }

    @Test("Each account edits, deletes and removes its own; what is removed stays away, the other's stays")
    func changes() async throws {
        let fixture = try await fixture()
        try await fixture.store.commit { transaction throws in
            try receiveBoth(in: transaction)
            func edit(_ account: AccountID, _ text: String) throws -> Amendment {
                try transaction.applyEdit(
                    of: Self.id, by: account, text: text, at: transaction.wallTime, time: Self.time)
            }
            #expect(try edit(Sample.friend, "hers, edited") == .changed)
            #expect(try texts(transaction) == ["theirs", "hers, edited"])
            // Nothing is told of what others have said under that id.
            #expect(try edit(Sample.account(9), "mine") == .waits)
            let (amendment, _) = try transaction.applyDeletion(Self.message(from: 3, ""))
            #expect(amendment == .changed)
            #expect(try texts(transaction) == ["", "hers, edited"])
            try transaction.remove(try #require(try transaction.message(Self.id, by: Sample.other)))
            #expect(try transaction.insertIncoming(Self.message(from: 3, "again")) == .duplicate)
            #expect(try texts(transaction) == ["hers, edited"])
            try transaction.remove(try #require(try transaction.message(Self.id, by: Sample.friend)))
            #expect(try transaction.insertIncoming(Self.message(from: 2, "again")) == .duplicate)
            #expect(try edit(Sample.friend, "late") == .unchanged)
            #expect(try texts(transaction).isEmpty)
            // The id is still free for a third account, also in its turn.
            #expect(try transaction.insertIncoming(Self.message(from: 4, "third")) == .inserted)
            try transaction.remove(try #require(try transaction.message(Self.id, by: Sample.account(4))))
            #expect(try transaction.insertIncoming(Self.message(from: 4, "third")) == .duplicate)
        }
        let store = try fixture.reopen()
        try await store.commit { transaction throws in
            for sender: UInt8 in [2, 3, 4] {
                #expect(try transaction.insertIncoming(Self.message(from: sender, "again")) == .duplicate)
            }
        }
        store.close()
    }

    @Test("A conversation that goes takes only its own messages' ids with it")
    func conversations() async throws {
        let fixture = try await fixture()
        try await fixture.store.commit { transaction throws in
            try receiveBoth(in: transaction)
            #expect(try transaction.remove(conversation: Sample.conversation))
            #expect(try transaction.insertIncoming(Self.message(from: 3, "again")) == .duplicate)
            while try transaction.removeDoomed(limit: 1) {}
            #expect(try transaction.isKnown(Self.id, by: Sample.friend))
            #expect(try !transaction.isKnown(Self.id, by: Sample.account(9)))
            #expect(try transaction.message(Self.id, by: Sample.other)?.text == "theirs")
        }
        fixture.store.close()
    }

    @Test("Between two, a reaction is for the other one's message first, and never for a third account's")
    func reactions() async throws {
        let fixture = try await fixture()
        try await fixture.store.commit { transaction throws in
            func react(_ account: AccountID) throws -> Amendment? {
                try transaction.applyReaction(
                    to: MessageName(Self.id, in: .between(account)), by: account, emoji: "👍", removed: false,
                    time: Self.time)
            }
            // Before anything has come, and while another account's message is here.
            #expect(try react(Sample.friend) == .waits)
            #expect(try transaction.insertIncoming(Self.message(from: 3, "theirs")) == .inserted)
            #expect(try transaction.reactions(to: Self.id).isEmpty)
            #expect(try react(Sample.friend) == .unchanged)
            #expect(try transaction.insertIncoming(Self.message(from: 2, "hers")) == .inserted)
            let hers = try #require(try transaction.message(Self.id, by: Sample.friend))
            #expect(try transaction.reactions(to: hers.id).map(\.account) == [Sample.friend])
            #expect(try react(Sample.other) == .changed)
            #expect(try transaction.reactions(to: Self.id).map(\.account) == [Sample.other])

            // A friend uses the id of a message of ours: its reactions to that one are what it says they are.
            try transaction.insertOutgoing(Sample.message(2), to: [Sample.friend])
            #expect(try transaction.insertIncoming(Sample.message(2, from: 2)) == .inserted)
            let name = MessageName(Sample.id(2), in: .between(Sample.friend))
            #expect(
                try transaction.applyReaction(to: name, by: Sample.friend, emoji: "👍", removed: false, time: Self.time)
                    == .changed)
            #expect(try transaction.reactions(to: Sample.id(2)).map(\.account) == [Sample.friend])
            // And what is ours is neither edited nor deleted by anybody else.
            #expect(
                try transaction.applyEdit(
                    of: Sample.id(2), by: Sample.other, text: "x", at: transaction.wallTime, time: Self.time)
                    == .notTheirs)
            #expect(try transaction.message(Sample.id(2))?.text == "hello")
        }
        fixture.store.close()
    }

    @Test("Edits and reactions that wait for a message wait for its author's, whatever comes under its id before")
    func early() async throws {
        let fixture = try await fixture()
        try await fixture.store.commit { transaction throws in
            #expect(
                try transaction.applyEdit(
                    of: Self.id, by: Sample.friend, text: "edited", at: transaction.wallTime, time: Self.time) == .waits
            )
            #expect(try transaction.insertIncoming(Self.message(from: 3, "theirs")) == .inserted)
            let (amendment, _) = try transaction.applyDeletion(Self.message(from: 3, ""))
            #expect(amendment == .changed)
            try transaction.remove(try #require(try transaction.message(Self.id, by: Sample.other)))
            #expect(try transaction.insertIncoming(Self.message(from: 2, "hers")) == .inserted)
            #expect(try texts(transaction) == ["edited"])
        }
        fixture.store.close()
    }

    @Test("A message of ours whose id a peer has used goes out under that id, and its receipts count for it alone")
    func outgoing() async throws {
        let fixture = try await fixture()
        try await fixture.store.commit { transaction throws in
            #expect(try transaction.insertIncoming(Self.message(from: 2, "first")) == .inserted)
            let own = try transaction.insertOutgoing(Self.message(from: 1, "ours"), to: [Sample.friend])
            #expect(own.wireID == Self.id && own.id != Self.id)
            try transaction.appendOutbox(for: Sample.friend, id: own.wireID, kind: 48, body: [1], message: own.id)
            #expect(try transaction.outbox(carrying: own.id).map(\.id) == [Self.id])
            #expect(try transaction.outboxItem(Self.id, for: Sample.friend)?.message == own.id)
            try transaction.replaceOutboxBody(of: own.id, with: [2])
            #expect(try transaction.outboxItem(Self.id, for: Sample.friend)?.body == [2])
            try transaction.markSent([Self.id], to: Sample.friend)
            try transaction.acknowledge([Self.id], by: Sample.other)
            #expect(try transaction.message(own.id)?.state == .sent)
            try transaction.acknowledge([Self.id], by: Sample.friend)
            #expect(try transaction.message(own.id)?.state == .delivered)
            try transaction.advance([Self.id], at: Sample.other, to: .read)
            try transaction.advance([Self.id], at: Sample.friend, to: .read)
            #expect(try transaction.message(own.id)?.state == .read)
            #expect(try transaction.message(Self.id)?.state == .received)
            #expect(try transaction.ownMessage(Self.id)?.id == own.id)
            #expect(throws: StoreError.self) {
                try transaction.insertOutgoing(Self.message(from: 1, "again"), to: [Sample.friend])
            }
        }
        fixture.store.close()
    }

    @Test("What was read is told its author by the id that the author knows")
    func seen() async throws {
        let fixture = try await fixture()
        try await fixture.store.commit { transaction throws in
            try receiveBoth(in: transaction)
            let hers = try #require(try transaction.message(Self.id, by: Sample.friend))
            let read = try transaction.markRead(SeenRange(last: hers), in: Sample.conversation, limit: 9)
            #expect(read == [ReadMessage(id: hers.id, wireID: Self.id, sender: Sample.friend, kind: .text)])
        }
        fixture.store.close()
    }

    @Test("A line of Kibo itself is shown, though a member has used its id for a message, and only once")
    func lines() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            var line = Sample.message(1, from: 2, text: "joined", in: GroupSample.conversation)
            line.kind = .system
            let message = Sample.message(1, from: 2, text: "first", in: GroupSample.conversation)
            #expect(try transaction.insertIncoming(message) == .inserted)
            #expect(try transaction.insertSystem(line) == .inserted)
            #expect(try transaction.insertSystem(line) == .duplicate)
            #expect(try transaction.insertIncoming(message) == .duplicate)
            let shown = try transaction.messages(in: GroupSample.conversation, limit: 9).messages
            #expect(Set(shown.map(\.text)) == ["joined", "first"])
            for row in shown { try transaction.remove(row) }
            #expect(try transaction.insertSystem(line) == .duplicate)
            #expect(try transaction.insertIncoming(message) == .duplicate)
        }
        fixture.store.close()
    }

    @Test("A message that its author takes back takes no content of another member's from the group's log")
    func logContents() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            let group = GroupSample.id
            func entry(_ device: UInt8, hash: UInt8, kind: Int64 = 1) -> LogEntryRow {
                var row = GroupSample.entry(device, UInt64(hash), hash: hash, kind: kind, about: Self.id)
                if kind == 1 { row.id = Self.id }
                return row
            }
            for (sender, hash): (UInt8, UInt8) in [(2, 1), (3, 2)] {
                let row = Sample.message(1, from: sender, in: GroupSample.conversation)
                #expect(try transaction.insertIncoming(row) == .inserted)
                try transaction.logChanges.insert(entry(sender, hash: hash), in: group)
                try transaction.logChanges.insert(entry(sender, hash: hash + 2, kind: 2), in: group)
            }
            let (amendment, _) = try transaction.applyDeletion(Sample.message(1, from: 3, in: GroupSample.conversation))
            #expect(amendment == .changed)
            let kept = try (1...4).map { (number: UInt8) in
                try transaction.log.logEntry(GroupSample.entryHash(number), of: group)?.content != nil
            }
            #expect(kept == [true, false, true, false])
            #expect(try transaction.message(Self.id, by: Sample.friend)?.deleted == false)
        }
        fixture.store.close()
    }

    @Test("In a group a reaction names the author; without one it is for none of several, and for the only one")
    func groupReactions() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            func react(_ author: AccountID?, _ emoji: String) throws -> Amendment? {
                try transaction.applyReaction(
                    to: MessageName(Self.id, in: .group(GroupSample.id), by: author), by: Sample.me, emoji: emoji,
                    removed: false, time: Self.time)
            }
            #expect(try react(Sample.friend, "🙂") == .waits)
            for sender: UInt8 in [3, 2] {
                let row = Sample.message(1, from: sender, in: GroupSample.conversation)
                #expect(try transaction.insertIncoming(row) == .inserted)
                if sender == 3 { #expect(try react(nil, "👍") == .changed) }
            }
            #expect(try react(Sample.friend, "👎") == .changed)
            #expect(try react(nil, "😀") == .unchanged)
            let (theirs, hers) = (
                try #require(try transaction.message(Self.id, by: Sample.other)),
                try #require(try transaction.message(Self.id, by: Sample.friend))
            )
            #expect(try transaction.reactions(to: theirs.id).map(\.emoji) == ["👍"])
            #expect(Set(try transaction.reactions(to: hers.id).map(\.emoji)) == ["🙂", "👎"])
        }
        fixture.store.close()
    }

    @Test("Both transfers are here; a repeat of either is one; each is found by its author, and by its root")
    func transfers() async throws {
        let fixture = try await fixture()
        let root = [UInt8](repeating: 7, count: 32)
        try await fixture.store.commit { transaction throws in
            var theirs = Sample.transfer(1, peer: Sample.other)
            var hers = Sample.transfer(1)
            hers.fileRoot = root
            for outcome in [try transaction.place(&theirs), try transaction.place(&hers)] {
                #expect(outcome == .inserted)
            }
            #expect(theirs.id == Self.id && hers.id != Self.id && hers.wireID == Self.id)
            #expect(try transaction.insert(Sample.transfer(1)) == .duplicate)
            #expect(try transaction.insert(Sample.transfer(1, peer: Sample.other)) == .duplicate)
            #expect(try transaction.transfer(Self.id, from: Sample.friend) == hers)
            #expect(try transaction.transfer(Self.id, from: Sample.other) == theirs)
            #expect(try transaction.transfer(Self.id, from: Sample.me) == nil)
            #expect(try transaction.transfers(Self.id, root: root) == [hers])
            #expect(try transaction.transfer(hers.id) == hers)
            hers.state = .done
            try transaction.update(hers)
            #expect(try transaction.transfer(Self.id, from: Sample.other)?.state == .offered)
        }
        fixture.store.close()
    }

    @Test("A call's record is its caller's; a group's is set by who began it")
    func calls() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            let start = WallTime(milliseconds: 1_700_000_000_000)
            let record = CallRecord(media: .audio, outcome: .answered, startedAt: start, duration: 5)
            let missed = CallRecord(media: .audio, outcome: .unanswered, startedAt: start)
            for sender: UInt8 in [3, 2] {
                var row = Sample.message(1, from: sender, text: "", in: GroupSample.conversation)
                row.kind = .call
                row.call = record
                #expect(try transaction.insertIncoming(row) == .inserted)
            }
            #expect(try transaction.setCall(Self.id, in: GroupSample.id, by: Sample.friend, missed))
            #expect(try transaction.message(Self.id, by: Sample.friend)?.call == missed)
            #expect(try transaction.message(Self.id, by: Sample.other)?.call == record)
            #expect(try !transaction.setCall(Self.id, in: GroupSample.id, by: Sample.account(9), missed))
            #expect(try transaction.setCall(Self.id, in: GroupSample.id, by: nil, missed))
            #expect(try transaction.message(Self.id, by: Sample.other)?.call == missed)
            try transaction.correctCall(Self.id, of: Sample.other, record)
            #expect(try transaction.message(Self.id, by: Sample.friend)?.call == missed)
            #expect(try transaction.message(Self.id, by: Sample.other)?.call == record)
        }
        fixture.store.close()
    }

    @Test("What is looked up by the ids of peers is found by an index, in a database of any size")
    func plans() async throws {
        let fixture = try await Fixture()
        fixture.store.close()
        let connection = try Connection(path: fixture.directory.database, purpose: .reader)
        let lookups = messageLookups + transferLookups + earlyReactionLookups
        #expect(lookups.count > 8)
        for sql in lookups {
            let plan = try connection.rows(SQL("EXPLAIN QUERY PLAN " + sql.text)) { $0.text(3) }
            // The own account's table has one row.
            let scans = plan.filter {
                $0.hasPrefix("SCAN") && !$0.hasPrefix("SCAN account") && $0 != "SCAN CONSTANT ROW"
            }
            #expect(scans.isEmpty, "\(sql.text): \(plan)")
        }
        connection.close()
    }
}
