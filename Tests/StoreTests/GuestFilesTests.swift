import Basics
import Testing

@testable import Store

/// Goal: a file that came from a stranger's device is known as such for as long as its note is there.
@Suite("Files of devices that are no peers")
struct GuestFilesTests {
    private static let notes = Sample.id(2_000_000)

    /// A store with two notes, each of a file: one that a device gave (of 100 bytes), and one of the user's own (of 200). Each has a
    /// folder, too (of 1,000 and of 2,000 bytes).
    private func fixture() async throws -> Fixture {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction in
            try transaction.saveOwnAccount(
                AccountRow(
                    account: Sample.me, device: Sample.device(1), deviceName: "host", displayName: "Me",
                    createdAt: transaction.wallTime))
            _ = try transaction.openConversation(with: Sample.me, newID: Self.notes)
            for number in 1...2 as ClosedRange<UInt64> {
                var note = Sample.message(number, in: Self.notes)
                note.state = .sent
                note.receivedAt = transaction.wallTime
                note.guest = number == 1 ? "Nice Orange" : nil
                _ = try transaction.insertOutgoing(note, to: [])
                var file = Sample.transfer(10 + number, peer: Sample.me, message: Sample.id(number))
                file.direction = .outgoing
                file.conversation = Self.notes
                file.state = .done
                file.size = Int64(number) * 100
                file.path = "/files/\(number).png"
                file.finishedAt = transaction.wallTime
                _ = try transaction.insert(file)
                var tree = Sample.transfer(20 + number, peer: Sample.me, message: Sample.id(number))
                tree.direction = .outgoing
                tree.conversation = Self.notes
                tree.state = .done
                tree.kind = .folder
                tree.size = Int64(number) * 1000
                tree.path = "/files/folder \(number)"
                tree.finishedAt = transaction.wallTime
                _ = try transaction.insert(tree)
            }
        }
        return fixture
    }

    @Test("A file is a guest's if a note of a guest names its path, or one with as many bytes")
    func found() async throws {
        let fixture = try await fixture()
        let store = fixture.store
        try await store.read { transaction throws in
            #expect(try GuestFiles.mayHave("/files/1.png", size: 5, transaction))
            #expect(try GuestFiles.mayHave("/elsewhere/copy.png", size: 100, transaction))
            #expect(try !GuestFiles.mayHave("/files/2.png", size: 200, transaction))
            #expect(try !GuestFiles.mayHave("/files/1.pn", size: 5, transaction))
            #expect(try !GuestFiles.mayHave("/files/1.png/x", size: 5, transaction))
            #expect(try GuestFiles.mayHave("/files/folder 1/inner/a.png", size: 5, transaction))
            #expect(try !GuestFiles.mayHave("/files/folder 10/a.png", size: 5, transaction))
            #expect(try !GuestFiles.mayHave("/files/folder 2/a.png", size: 5, transaction))
            #expect(try GuestFiles.has(Sample.id(11), transaction))
            #expect(try !GuestFiles.has(Sample.id(12), transaction))
            #expect(try !GuestFiles.has(Sample.id(99), transaction))
        }
        store.close()
    }

    @Test("A guest's folders and those of friends are found that are large enough, and none of the user's own")
    func folders() async throws {
        let fixture = try await fixture()
        let store = fixture.store
        try await store.commit { transaction in
            var friends = Sample.transfer(30)
            friends.kind = .folder
            friends.size = 500
            _ = try transaction.insert(friends)
        }
        try await store.read { transaction throws in
            let all = try ReceivedFolders.holding(400, transaction)
            #expect(all.map(\.transfer) == [Sample.id(30), Sample.id(21)])
            #expect(all.map(\.sender) == [Sample.friend, nil])
            #expect(try ReceivedFolders.holding(501, transaction).map(\.transfer) == [Sample.id(21)])
            #expect(try ReceivedFolders.holding(1001, transaction).isEmpty)
        }
        store.close()
    }

    @Test("Without its note it is a file like any other")
    func gone() async throws {
        let fixture = try await fixture()
        let store = fixture.store
        try await store.commit { transaction in
            guard let note = try transaction.message(Sample.id(1)) else { return }
            try transaction.remove(note)
        }
        try await store.read { transaction throws in
            #expect(try !GuestFiles.mayHave("/files/1.png", size: 100, transaction))
            #expect(try !GuestFiles.has(Sample.id(11), transaction))
        }
        store.close()
    }
}
