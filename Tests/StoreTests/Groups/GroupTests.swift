import Basics
import Testing
import Vocabulary

@testable import Store

@Suite("Groups")
struct GroupTests {
    @Test("A group comes back as it was stored, by id and by root, also after a restart")
    func roundTrip() async throws {
        let fixture = try await GroupSample.fixture()
        var row = GroupSample.row(name: "Ramblers")
        row.description = "On Sundays"
        row.avatar = [1]
        row.shownAvatar = [2]
        row.heads = [GroupSample.hash(1), GroupSample.hash(2)]
        row.entries = 7
        row.ownRole = nil
        row.state = .removed
        row.addedBy = Sample.friend
        let changed = row
        try await fixture.store.commit { try $0.update(changed) }
        let store = try fixture.reopen()
        row.conversation = GroupSample.conversation
        let expected = row
        try await store.read { transaction throws in
            #expect(try transaction.group(GroupSample.id) == expected)
            #expect(try transaction.group(root: GroupSample.root) == expected)
            #expect(try transaction.groups() == [expected])
            #expect(try transaction.group(Sample.id(1)) == nil)
            #expect(try transaction.group(root: GroupSample.hash(1)) == nil)
        }
        store.close()
    }

    @Test("An id or a root that is taken is refused; so is a change of a missing group")
    func refusals() async throws {
        let fixture = try await GroupSample.fixture()
        await #expect(throws: StoreError.self) { try await fixture.store.commit { try $0.insert(GroupSample.row()) } }
        var other = GroupSample.row()
        other.id = Sample.id(5)
        let missing = other
        await #expect(throws: StoreError.missing(.group(Sample.id(5)))) {
            try await fixture.store.commit { try $0.update(missing) }
        }
        await #expect(throws: StoreError.missing(.group(Sample.id(5)))) {
            try await fixture.store.commit { _ = try $0.openConversation(of: Sample.id(5), newID: Sample.id(6)) }
        }
        fixture.store.close()
    }

    @Test("The conversation has the group's name and follows it; both appear in each other's events")
    func conversation() async throws {
        let fixture = try await GroupSample.fixture()
        let seq = try await fixture.store.read { try $0.latestEvent() }
        try await fixture.store.commit { transaction throws in
            let known = try transaction.openConversation(of: GroupSample.id, newID: Sample.id(9))
            #expect(known.id == GroupSample.conversation)
            #expect(known.kind == .group)
            #expect(known.contact == nil)
            #expect(known.group == GroupSample.id)
            #expect(known.title == "Hikers")
            try transaction.update(GroupSample.row(name: "Ramblers"))
        }
        let (record, events) = try await fixture.store.read {
            (try $0.conversationRecord(GroupSample.conversation), try $0.events(since: seq, limit: 10))
        }
        #expect(record?.title == "Ramblers")
        #expect(Set(events.map(\.object)) == [.conversation(GroupSample.conversation), .group(GroupSample.id)])
        // A change that leaves the name alone does not change the conversation.
        let before = try await fixture.store.read { try $0.latestEvent() }
        try await fixture.store.commit { transaction throws in
            var row = GroupSample.row(name: "Ramblers")
            row.entries = 2
            try transaction.update(row)
        }
        let later = try await fixture.store.read { try $0.events(since: before, limit: 10) }
        #expect(later.map(\.object) == [.group(GroupSample.id)])
        fixture.store.close()
    }

    @Test("Owners come first, former members are kept apart, and only differences are written")
    func members() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            try transaction.setMembers(
                of: GroupSample.id,
                to: [GroupSample.member(3), GroupSample.member(1, .owner), GroupSample.member(4, .admin)],
                devices: [GroupSample.device(4)])
        }
        let seq = try await fixture.store.read { try $0.latestEvent() }
        try await fixture.store.read { transaction throws in
            let present = try transaction.members(of: GroupSample.id)
            #expect(present.map(\.account) == [1, 4, 3].map(Sample.account))
            let all = try transaction.members(of: GroupSample.id, former: true)
            #expect(all.map(\.account) == [1, 4, 3, 2].map(Sample.account))
            #expect(all.last?.isPresent == false)
            #expect(all.last?.name == "person 2")
            #expect(try transaction.member(Sample.friend, of: GroupSample.id)?.isPresent == false)
            #expect(try transaction.member(Sample.account(9), of: GroupSample.id) == nil)
            #expect(
                Set(try transaction.devices(ofGroup: GroupSample.id).map(\.device))
                    == Set([1, 2, 3, 4].map(Sample.device)))
            #expect(try transaction.account(of: Sample.device(2), in: GroupSample.id) == Sample.friend)
            #expect(try transaction.account(of: Sample.device(9), in: GroupSample.id) == nil)
        }
        try await fixture.store.commit { transaction throws in
            try transaction.setMembers(
                of: GroupSample.id,
                to: [GroupSample.member(1, .owner), GroupSample.member(3), GroupSample.member(4, .admin)],
                devices: [])
        }
        #expect(try await fixture.store.read { try $0.latestEvent() } == seq)
        // This undoes the change.
        try await fixture.store.commit { transaction throws in
            try transaction.setMembers(of: GroupSample.id, to: [GroupSample.member(2)], devices: [])
        }
        #expect(try await fixture.store.read { try $0.members(of: GroupSample.id).map(\.account) } == [Sample.friend])
        fixture.store.close()
    }

    @Test("A contact's new name is shown in groups: they get an event for a name change and for nothing else")
    func names() async throws {
        let fixture = try await GroupSample.fixture()
        func groupEvents(_ change: @escaping @Sendable (WriteTransaction) throws -> Void) async throws -> Int {
            let seq = try await fixture.store.read { try $0.latestEvent() }
            try await fixture.store.commit { try change($0) }
            return try await fixture.store.read { try $0.events(since: seq, limit: 10) }
                .filter { $0.object == .group(GroupSample.id) }.count
        }
        let row = ContactRow(
            account: Sample.friend, displayName: "Ada", createdAt: WallTime(milliseconds: 1_700_000_000_000))
        #expect(try await groupEvents { try $0.save(row) } == 1)
        #expect(
            try await groupEvents {
                var row = row
                row.statusText = "out"
                try $0.save(row)
            } == 0)
        #expect(
            try await groupEvents {
                var row = row
                row.alias = "Countess"
                try $0.save(row)
            } == 1)
        #expect(try await groupEvents { try $0.removeContact(Sample.friend) } == 1)
        fixture.store.close()
    }

    @Test("Membership entries come back in the order in which they were appended, each once")
    func entries() async throws {
        let fixture = try await GroupSample.fixture()
        let rows = [9, 3, 7].map { GroupEntryRow(hash: GroupSample.hash($0), bytes: [$0]) }
        let counts = try await fixture.store.commit { transaction throws in
            [try transaction.append(rows, to: GroupSample.id), try transaction.append(rows, to: GroupSample.id)]
        }
        #expect(counts == [3, 0])
        let (all, one, none) = try await fixture.store.read {
            (
                try $0.membershipEntries(of: GroupSample.id),
                try $0.membershipEntry(GroupSample.hash(3), of: GroupSample.id),
                try $0.membershipEntry(GroupSample.hash(4), of: GroupSample.id)
            )
        }
        #expect(all == rows)
        #expect(one == [3])
        #expect(none == nil)
        fixture.store.close()
    }

    @Test(
        "If a member deletes the conversation the group stays, its log's contents go, the next message opens another"
    )
    func conversationGoes() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            for number: UInt8 in 1...3 {
                let row = Sample.message(UInt64(number), from: 2, in: GroupSample.conversation)
                #expect(try transaction.insertIncoming(row) == .inserted)
                try transaction.logChanges.insert(
                    GroupSample.entry(2, UInt64(number), hash: number, about: row.id), in: GroupSample.id)
            }
            #expect(try transaction.remove(conversation: GroupSample.conversation))
        }
        while try await fixture.store.commit({ try $0.removeDoomed(limit: 2) }) {}
        try await fixture.store.commit { transaction throws in
            #expect(try transaction.group(GroupSample.id)?.state == .member)
            #expect(try transaction.group(GroupSample.id)?.conversation == nil)
            #expect(try transaction.conversation(of: GroupSample.id) == nil)
            for sequence: UInt64 in 1...3 {
                let entries = try transaction.log.logEntries(
                    of: Sample.device(2), at: sequence, in: GroupSample.id, limit: 9)
                #expect(entries.count == 1 && entries.allSatisfy { $0.content == nil })
            }
            let fresh = try transaction.openConversation(of: GroupSample.id, newID: Sample.id(77))
            #expect(fresh.id == Sample.id(77))
            // A removed message stays away, even if a member gives it again.
            #expect(
                try transaction.insertIncoming(Sample.message(1, from: 2, in: Sample.id(77))) == .duplicate)
        }
        fixture.store.close()
    }

    @Test("If a former member deletes the conversation the group goes with it, and can come again as new")
    func groupGoes() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            for number: UInt8 in 1...5 {
                try transaction.logChanges.insert(
                    GroupSample.entry(2, UInt64(number), hash: number), in: GroupSample.id)
            }
            try transaction.append([GroupEntryRow(hash: GroupSample.root, bytes: [1])], to: GroupSample.id)
            try transaction.update(GroupSample.row(state: .left))
            #expect(try transaction.remove(conversation: GroupSample.conversation))
            #expect(try transaction.group(GroupSample.id) == nil)
            #expect(try transaction.groups().isEmpty)
            #expect(try transaction.hasDoomed())
        }
        var rounds = 0
        while try await fixture.store.commit({ try $0.removeDoomed(limit: 2) }) { rounds += 1 }
        #expect(rounds >= 2)
        try await fixture.store.commit { transaction throws in
            #expect(try !transaction.hasDoomed())
            try transaction.insert(GroupSample.row(state: .arriving))
            #expect(try transaction.membershipEntries(of: GroupSample.id).isEmpty)
            #expect(try transaction.log.deliveredLogEntries(of: GroupSample.id, from: 0, limit: 9).isEmpty)
            #expect(try transaction.members(of: GroupSample.id, former: true).isEmpty)
            // The group is forgotten, and comes again before its rows have gone.
            #expect(try transaction.forget(group: GroupSample.id))
            #expect(try !transaction.forget(group: GroupSample.id))
            try transaction.insert(GroupSample.row(state: .arriving))
            #expect(try transaction.group(GroupSample.id)?.state == .arriving)
            #expect(try !transaction.hasForgottenGroups())
        }
        fixture.store.close()
    }

    @Test("Kibo's own messages are not unread, come once, and do not come back once they were removed")
    func systemMessages() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            let row = Sample.message(1, from: 2, text: "A added B", in: GroupSample.conversation)
            #expect(try transaction.insertSystem(row) == .inserted)
            #expect(try transaction.insertSystem(row) == .duplicate)
            let stored = try #require(try transaction.message(row.id))
            #expect(stored.kind == .system)
            #expect(stored.state == .received)
            #expect(!stored.unread)
            #expect(try transaction.conversation(GroupSample.conversation)?.unread == 0)
            #expect(try transaction.conversation(GroupSample.conversation)?.lastMessage == row.id)
            try transaction.remove(stored)
            #expect(try transaction.insertSystem(row) == .duplicate)
        }
        fixture.store.close()
    }

    @Test("A line that is news counts as unread, once, until it is read")
    func news() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            let row = Sample.message(1, from: 2, text: "A added you", in: GroupSample.conversation)
            #expect(try transaction.insertSystem(row, isNews: true) == .inserted)
            #expect(try transaction.insertSystem(row, isNews: true) == .duplicate)
            #expect(try transaction.conversation(GroupSample.conversation)?.unread == 1)
            let stored = try #require(try transaction.message(row.id))
            let read = try transaction.markRead(SeenRange(last: stored), in: GroupSample.conversation, limit: 9)
            #expect(read.map(\.kind) == [.system])
            #expect(try transaction.conversation(GroupSample.conversation)?.unread == 0)
        }
        fixture.store.close()
    }

    @Test("Present and former members may react; others may not, and their early reactions don't stay")
    func reactions() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            func react(_ account: UInt8, to number: UInt64) throws -> Amendment? {
                try transaction.applyReaction(
                    to: MessageName(Sample.id(number), in: .group(GroupSample.id)), by: Sample.account(account),
                    emoji: "👍",
                    removed: false,
                    time: HybridTime(milliseconds: 1_700_000_000_000))
            }
            #expect(try react(3, to: 1) == .waits)
            #expect(try react(9, to: 1) == .waits)
            let row = Sample.message(1, from: 2, in: GroupSample.conversation)
            #expect(try transaction.insertIncoming(row) == .inserted)
            #expect(try transaction.reactions(to: row.id).map(\.account) == [Sample.other])
            try transaction.setMembers(of: GroupSample.id, to: [GroupSample.member(1)], devices: [])
            #expect(try react(2, to: 1) == .changed)
            #expect(try react(1, to: 1) == .changed)
            #expect(try react(9, to: 1) == .notTheirs)
            // What was said between two is no message of the group.
            #expect(try transaction.insertIncoming(Sample.message(2, from: 2)) == .inserted)
            #expect(try react(3, to: 2) == .waits)
            #expect(try transaction.reactions(to: Sample.id(2)).isEmpty)
        }
        fixture.store.close()
    }
}
