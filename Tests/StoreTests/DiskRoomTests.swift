import Glibc
import Testing

@testable import Store

/// Which failures mean that the disk is full.
struct DiskRoomTests {
    @Test("The system's errors for a full disk and a used-up quota mean a full disk; others don't if there is room")
    func numbers() throws {
        let directory = try TemporaryDirectory()
        #expect(DiskRoom.isLacking(ENOSPC, at: directory.path) && DiskRoom.isLacking(EDQUOT, at: directory.path))
        for number in [0, EIO, EACCES, EROFS, ENOENT] { #expect(!DiskRoom.isLacking(number, at: directory.path)) }
        #expect(!DiskRoom.isLacking(EIO, at: "/nowhere/at/all"))
    }

    @Test("A store reports when it is full, and when something could be written again")
    func room() async throws {
        let fixture = try await Fixture(conversation: false)
        let store = fixture.store
        #expect(!store.isFull)
        // This is how SQLite behaves on a full disk: a job fails because it gets no page.
        try await store.commit { _ = try $0.connection.integer(SQL("PRAGMA max_page_count = 1")) }
        let long = String(repeating: "x", count: 1 << 20)
        await #expect(throws: StoreError.full) { try await store.commit { try $0.setSetting("a", to: long) } }
        #expect(store.isFull)
        try await store.commit { _ = try $0.connection.integer(SQL("PRAGMA max_page_count = 1000000")) }
        try await store.commit { _ in }
        #expect(store.isFull, "nothing was written")
        try await store.commit { $0.tryRoom() }
        #expect(!store.isFull)
        store.close()
    }

    @Test("A store that keeps the log's index in memory reads and writes like any other")
    func alone() throws {
        let directory = try TemporaryDirectory()
        let path = try DatabaseFile.prepare(directory: directory.path)
        let writer = try Connection(path: path, purpose: .writer, isAlone: true)
        try Migrations.run(on: writer, path: path)
        let reader = try Connection(path: path, purpose: .reader, isAlone: true)
        try writer.execute("INSERT INTO setting (name, value) VALUES ('a', '1')")
        #expect(try reader.integer(SQL("SELECT count(*) FROM setting")) == 1)
        #expect(access(path + "-shm", F_OK) != 0)
        let other = Store.examine(
            directory: directory.path, within: .seconds(60), clocks: ManualClocks(), isAlone: true)
        #expect(other == .sound)
        reader.close()
        writer.close()
    }
}
