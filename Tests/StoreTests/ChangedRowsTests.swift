import Basics
import Testing
import Threads
import Vocabulary

@testable import Store

/// Goal: a commit tells of the rows that services hold in memory, and reads no other.
@Suite("The rows that a commit changed")
struct ChangedRowsTests {
    private struct Whim: Error {}

    private let heard = Heard()

    private final class Heard: Sendable {
        private let commits = Lock<[CommitRecord]>([])
        func note(_ commit: CommitRecord, _: ReadTransaction) { commits.withLock { $0.append(commit) } }
        func take() -> [CommitRecord] {
            commits.withLock { commits in
                defer { commits = [] }
                return commits
            }
        }
    }

    /// What the commit of this change told of.
    private func rows(
        _ fixture: Fixture, _ body: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> ChangedRows {
        _ = heard.take()
        try await fixture.store.commit(body)
        return heard.take().reduce(into: ChangedRows()) { $0 = $1.rows }
    }

    private func begin() async throws -> Fixture {
        let fixture = try await Fixture()
        fixture.store.observeCommits(heard.note)
        return fixture
    }

    @Test("A contact comes as the last job of the commit left it, once; a removed one is named")
    func contacts() async throws {
        let fixture = try await begin()
        let friend = Sample.friend
        let saved = try await rows(fixture) { transaction in
            for name in ["Ben", "Benjamin"] {
                try transaction.save(
                    ContactRow(
                        account: friend, displayName: name, relation: .friend, createdAt: transaction.wallTime))
            }
        }
        #expect(saved.contacts.map(\.displayName) == ["Benjamin"] && saved.forgotten.isEmpty)
        let gone = try await rows(fixture) { _ = try $0.removeContact(friend) }
        #expect(gone.contacts.isEmpty && gone.forgotten == [friend])
    }

    @Test("That a contact was seen makes no event, and its row comes all the same")
    func seen() async throws {
        let fixture = try await begin()
        let friend = Sample.friend
        try await fixture.store.commit { transaction in
            try transaction.save(
                ContactRow(account: friend, displayName: "Ben", relation: .friend, createdAt: transaction.wallTime))
        }
        _ = heard.take()
        _ = try await fixture.store.commit {
            try $0.noteSeen(friend, device: Sample.device(7), at: $0.wallTime, address: "192.0.2.1:7000")
        }
        let commits = heard.take()
        #expect(commits.flatMap(\.events).isEmpty)
        #expect(commits.flatMap(\.rows.contacts).map(\.lastAddress) == ["192.0.2.1:7000"])
    }

    @Test("Nothing comes of a job that was undone")
    func undone() async throws {
        let fixture = try await begin()
        let friend = Sample.friend
        await #expect(throws: Whim.self) {
            try await fixture.store.commit { transaction in
                try transaction.save(
                    ContactRow(
                        account: friend, displayName: "Ben", relation: .friend, createdAt: transaction.wallTime))
                throw Whim()
            }
        }
        #expect(heard.take().filter { !$0.rows.isEmpty }.isEmpty)
    }

    @Test("A message alone brings no row")
    func message() async throws {
        let fixture = try await begin()
        let none = try await rows(fixture) { try $0.insertOutgoing(Sample.message(1), to: [Sample.friend]) }
        #expect(none.isEmpty)
    }

    @Test("A group comes with its people when they or its row change, and not when a member only has another name here")
    func groups() async throws {
        let fixture = try await GroupSample.fixture()
        fixture.store.observeCommits(heard.note)
        let friend = Sample.account(2)
        let named = try await rows(fixture) { transaction in
            try transaction.save(
                ContactRow(account: friend, displayName: "Ben", relation: .friend, createdAt: transaction.wallTime))
        }
        #expect(named.contacts.count == 1 && named.groups.isEmpty)
        let left = try await rows(fixture) { transaction in
            let stay = [GroupSample.member(1, .owner), GroupSample.member(3)]
            try transaction.setMembers(of: GroupSample.id, to: stay, devices: [])
            try transaction.update(GroupSample.row(name: "Walkers"))
        }
        let group = try #require(left.groups.first)
        #expect(left.groups.count == 1 && group.row.name == "Walkers" && group.devices.count == 3)
        #expect(Set(group.members.filter(\.isPresent).map(\.account)) == [Sample.me, Sample.account(3)])
        #expect(group.members.count == 3)
        _ = heard.take()
        try await fixture.store.commit { try $0.note(giver: friend, of: GroupSample.id) }
        try await fixture.store.commit { try $0.confirm(group: GroupSample.id) }
        // It is confirmed already.
        try await fixture.store.commit { try $0.confirm(group: GroupSample.id) }
        let commits = heard.take()
        #expect(commits.flatMap(\.events).isEmpty)
        #expect(commits.flatMap(\.rows.groups).map(\.unconfirmedGiver) == [friend, nil])
    }

    @Test("A transfer comes when its state is another one, unless those who run it have said so themselves")
    func transfers() async throws {
        let fixture = try await begin()
        var row = Sample.transfer(1)
        row.state = .offered
        let offer = row
        let offered = try await rows(fixture) { _ = try $0.insert(offer) }
        #expect(offered.isEmpty, "it waits for an answer")
        row.name = "another"
        let renamed = row
        let unmoved = try await rows(fixture) { try $0.update(renamed) }
        #expect(unmoved.isEmpty)
        row.state = .queued
        let queued = row
        let taken = try await rows(fixture) { try $0.update(queued) }
        #expect(taken.transfers.map(\.state) == [.queued])
        row.state = .active
        let active = row
        let begun = try await rows(fixture) { try $0.update(active, isKnown: true) }
        #expect(begun.isEmpty)
        row.state = .cancelled
        let cancelled = row
        let ended = try await rows(fixture) { transaction in
            try transaction.update(cancelled)
            try transaction.update(cancelled, isKnown: true)
        }
        #expect(ended.transfers.map(\.state) == [.cancelled])
    }
}
