import Basics
import Store
import Testing
import Vocabulary

@Suite("Message log of groups")
struct GroupLogTests {
    private let group = GroupSample.id

    @Test(
        "Entries are numbered in the order of delivery; held ones once they are delivered; ends and edge are marked"
    )
    func order() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            let (log, changes) = (transaction.log, transaction.logChanges)
            #expect(try changes.insert(GroupSample.entry(2, 1, hash: 1), in: group))
            #expect(try !changes.insert(GroupSample.entry(2, 1, hash: 1), in: group))
            #expect(try changes.insert(GroupSample.entry(2, 9, hash: 4, state: .held), in: group))
            #expect(try changes.insert(GroupSample.entry(2, 2, hash: 255, kind: 2), in: group))
            #expect(try changes.insert(GroupSample.entry(3, 5, hash: 5), in: group))
            func order(from number: Int64 = 0) throws -> [UInt8] {
                try log.deliveredLogEntries(of: group, from: number, limit: 9).map {
                    $0.reference.hash.bytes[0]
                }
            }
            #expect(try order() == [1, 255, 5])
            #expect(try log.logState(GroupSample.entryHash(4), of: group) == .held)
            #expect(try log.lastLogPlace(of: Sample.device(2), in: group) == 9)
            #expect(try log.heldCount(of: Sample.device(2), in: group) == 1)
            #expect(try changes.deliver(GroupSample.entryHash(4), in: group))
            #expect(try !changes.deliver(GroupSample.entryHash(4), in: group))
            #expect(try !changes.deliver(GroupSample.entryHash(99), in: group))
            #expect(try order() == [1, 255, 5, 4])
            #expect(try order(from: 3) == [5, 4])
            #expect(try log.lastLogMessages(of: group, limit: 2).map { $0.hash.bytes[0] } == [4, 5])
            #expect(try log.lastLogMessages(of: group, limit: 9).map { $0.hash.bytes[0] } == [4, 5, 1])
            let range = try #require(LogRange(device: Sample.device(2), from: 2, to: 9))
            #expect(try log.firstDelivered(in: range, of: group) == 2)
            #expect(try log.logState(GroupSample.entryHash(77), of: group) == nil)

            try changes.markLogEntry(GroupSample.entryHash(4), isEnd: true, isEdge: true, in: group)
            try changes.markLogEntry(GroupSample.entryHash(5), isEnd: true, isEdge: true, in: group)
            try changes.markLogEntry(GroupSample.entryHash(4), isEnd: nil, isEdge: false, in: group)
            #expect(Set(try log.logEnds(of: group).map { $0.hash.bytes[0] }) == [4, 5])
            #expect(try log.logEdge(of: group, limit: 9).map { $0.hash.bytes[0] } == [5])
        }
        fixture.store.close()
    }

    @Test(
        "Undelivered entries that delivered ones refer to are remembered; those that held ones wait for are missing"
    )
    func absences() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            let (log, changes) = (transaction.log, transaction.logChanges)
            let one = GroupSample.reference(2, 1, hash: 1)
            try changes.addAbsentLogEntry(one, inChain: false, in: group)
            #expect(try log.isLogEntryAbsent(one.hash, of: group) == false)
            try changes.addAbsentLogEntry(one, inChain: true, in: group)
            try changes.addAbsentLogEntry(one, inChain: false, in: group)
            #expect(try log.isLogEntryAbsent(one.hash, of: group) == true)
            try changes.addAbsentLogEntry(GroupSample.reference(3, 1, hash: 2), inChain: true, in: group)
            #expect(try log.absentLogEntries(of: group, limit: 9).map { $0.hash.bytes[0] } == [2, 1])
            try changes.removeAbsentLogEntry(one.hash, in: group)
            #expect(try log.isLogEntryAbsent(one.hash, of: group) == nil)

            try changes.insert(GroupSample.entry(2, 3, hash: 3, state: .held), in: group)
            try changes.setWaits(
                of: GroupSample.entryHash(3),
                to: [
                    .entry(GroupSample.reference(2, 2, hash: 8)), .entry(GroupSample.reference(3, 7, hash: 9)),
                    .membership(GroupSample.entryHash(10)),
                ], in: group)
            #expect(Set(try log.missingLogEntries(of: group, limit: 9).map { $0.hash.bytes[0] }) == [8, 9])
            let range = try #require(LogRange(device: Sample.device(3), from: 1, to: 9))
            #expect(try log.missingLogEntries(in: range, of: group, limit: 9).map { $0.hash.bytes[0] } == [9])
            #expect(try log.missingMembership(of: group) == [GroupSample.entryHash(10)])
            // As a held entry, it is here.
            try changes.insert(GroupSample.entry(2, 2, hash: 8, state: .held), in: group)
            #expect(try log.missingLogEntries(of: group, limit: 9).map { $0.hash.bytes[0] } == [9])
        }
        fixture.store.close()
    }

    @Test("Entries are found by hash, id and place")
    func lookups() async throws {
        let fixture = try await GroupSample.fixture()
        let rows = (1...6).map { GroupSample.entry(2, $0, hash: UInt8($0), state: $0 == 4 ? .held : .delivered) }
        try await fixture.store.commit { transaction throws in
            let changes = transaction.logChanges
            for row in rows { try changes.insert(row, in: group) }
            try changes.insert(GroupSample.entry(2, 2, hash: 20), in: group)
        }
        try await fixture.store.read { transaction throws in
            let log = transaction.log
            #expect(try log.logEntry(GroupSample.entryHash(3), of: group) == rows[2])
            #expect(try log.logEntry(GroupSample.entryHash(33), of: group) == nil)
            #expect(try log.logEntries(id: Sample.id(5), of: group) == [rows[4]])
            func place(_ sequence: UInt64, limit: Int = 16) throws -> [EntryHash] {
                try log.logEntries(of: Sample.device(2), at: sequence, in: group, limit: limit).map(\.hash)
            }
            #expect(try place(2) == [GroupSample.entryHash(2), GroupSample.entryHash(20)])
            #expect(try place(2, limit: 1) == [GroupSample.entryHash(2)])
            #expect(try place(4) == [GroupSample.entryHash(4)])
            #expect(try place(7).isEmpty)
        }
        fixture.store.close()
    }

    @Test("A held entry names what it waits for, and is found by that: by hash, by place, by membership entry")
    func waits() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            let (log, changes) = (transaction.log, transaction.logChanges)
            for number: UInt8 in [10, 11] {
                try changes.insert(GroupSample.entry(2, UInt64(number), hash: number, state: .held), in: group)
            }
            let first = LogWait.entry(GroupSample.reference(3, 4, hash: 1))
            let second = LogWait.membership(GroupSample.entryHash(2))
            try changes.setWaits(of: GroupSample.entryHash(10), to: [first, second], in: group)
            try changes.setWaits(of: GroupSample.entryHash(11), to: [first], in: group)
            #expect(Set(try log.waits(of: GroupSample.entryHash(10), in: group)) == [first, second])
            func waiting(for number: UInt8) throws -> [UInt64] {
                try log.entries(waitingFor: GroupSample.entryHash(number), in: group).map(\.sequence)
            }
            #expect(try waiting(for: 1) == [10, 11])
            #expect(try waiting(for: 2) == [10])
            #expect(try waiting(for: 3).isEmpty)
            #expect(try changes.dropWait(of: GroupSample.entryHash(10), for: GroupSample.entryHash(1), in: group))
            #expect(try !changes.dropWait(of: GroupSample.entryHash(10), for: GroupSample.entryHash(2), in: group))
            let load = try log.heldLoad(of: group)
            #expect(load.count == 2)
            #expect(load.bytes == 2 * GroupSample.entry(2, 1, hash: 1).size)
            // An entry that is delivered or dropped waits for nothing.
            try changes.deliver(GroupSample.entryHash(10), in: group)
            try changes.dropHeld(GroupSample.entryHash(11), in: group)
            for number: UInt8 in [10, 11] {
                #expect(try log.waits(of: GroupSample.entryHash(number), in: group).isEmpty)
            }
            #expect(try waiting(for: 1).isEmpty)
            #expect(try log.heldLoad(of: group).count == 0)
            // A delivered entry is not dropped.
            try changes.dropHeld(GroupSample.entryHash(10), in: group)
            #expect(try log.logState(GroupSample.entryHash(10), of: group) == .delivered)
        }
        fixture.store.close()
    }

    @Test("The proof of a fork is kept once per place, and its author is shown as forked")
    func forks() async throws {
        let fixture = try await GroupSample.fixture()
        let seq = try await fixture.store.read { try $0.latestEvent() }
        try await fixture.store.commit { transaction throws in
            let (log, changes) = (transaction.log, transaction.logChanges)
            let proof = LogFork(
                place: LogPlace(device: Sample.device(2), sequence: 3), first: GroupSample.entryHash(1),
                second: GroupSample.entryHash(2))
            #expect(try changes.addLogFork(proof, in: group))
            #expect(try !changes.addLogFork(proof, in: group))
            #expect(try log.logForks(of: group) == [proof])
            let members = try transaction.members(of: group)
            #expect(members.filter(\.hasForked).map(\.account) == [Sample.friend])
            #expect(try transaction.member(Sample.friend, of: group)?.hasForked == true)
            #expect(try transaction.member(Sample.other, of: group)?.hasForked == false)
        }
        let events = try await fixture.store.read { try $0.events(since: seq, limit: 9) }
        #expect(events.map(\.object) == [.group(group)])
        fixture.store.close()
    }

    @Test("A deleted message's content leaves the log with its edits and reactions; the deletion stays")
    func contents() async throws {
        let fixture = try await GroupSample.fixture()
        let message = Sample.message(1, from: 2, in: GroupSample.conversation)
        try await fixture.store.commit { transaction throws in
            let (log, changes) = (transaction.log, transaction.logChanges)
            #expect(try transaction.insertIncoming(message) == .inserted)
            try changes.insert(GroupSample.entry(2, 1, hash: 1, about: message.id), in: group)
            try changes.insert(GroupSample.entry(2, 2, hash: 2, kind: 2, about: message.id), in: group)
            try changes.insert(GroupSample.entry(2, 3, hash: 3, kind: 3, about: message.id), in: group)
            try changes.insert(GroupSample.entry(3, 1, hash: 4, kind: 4, about: message.id), in: group)
            try changes.insert(GroupSample.entry(3, 2, hash: 5, about: Sample.id(5)), in: group)
            func contents() throws -> [Bool] {
                try (1...5).map { (number: UInt8) in
                    try log.logEntry(GroupSample.entryHash(number), of: group)?.content != nil
                }
            }
            let (amendment, _) = try transaction.applyDeletion(message)
            #expect(amendment == .changed)
            #expect(try contents() == [false, false, true, false, true])
            // Deleted content does not come back; an entry that never had its content gets it.
            #expect(try log.isLogContentUnwanted(GroupSample.entryHash(1), of: group))
            #expect(
                try !changes.restoreLogContent([8], about: message.id, of: GroupSample.entryHash(1), in: group))
            try changes.insert(GroupSample.entry(3, 3, hash: 6, content: nil), in: group)
            #expect(try !log.isLogContentUnwanted(GroupSample.entryHash(6), of: group))
            #expect(
                try changes.restoreLogContent([8], about: Sample.id(6), of: GroupSample.entryHash(6), in: group))
            #expect(
                try !changes.restoreLogContent([9], about: Sample.id(6), of: GroupSample.entryHash(6), in: group))
            #expect(try log.logEntry(GroupSample.entryHash(6), of: group)?.content == [8])
            // Removing a message for this account only, and by age, drops the content as well.
            let row = try #require(try transaction.message(message.id))
            try transaction.remove(row)
            #expect(try contents() == [false, false, true, false, true])
        }
        fixture.store.close()
    }
}
