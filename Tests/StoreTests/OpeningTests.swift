import Basics
import Glibc
import Testing

@testable import Store

@Suite("Opening")
struct OpeningTests {
    private func open(_ directory: TemporaryDirectory) throws(StoreError) -> Store {
        try Store.open(directory: directory.path, clocks: ManualClocks())
    }

    /// Writes a file in the database's place.
    private func put(_ bytes: [UInt8], in directory: TemporaryDirectory) {
        let file = Glibc.open(directory.database, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
    }

    /// Runs statements on the database while no store has it open.
    private func execute(_ text: String, in directory: TemporaryDirectory) throws {
        put([], in: directory)
        let connection = try Connection(path: directory.database, purpose: .writer)
        try connection.execute(text)
        connection.close()
    }

    @Test("A database of a newer Kibo is refused and not changed")
    func newer() throws {
        let directory = try TemporaryDirectory()
        try execute("PRAGMA application_id = \(Migrations.applicationID); PRAGMA user_version = 99", in: directory)
        #expect(throws: StoreError.newer(found: 99, supported: Migrations.all.count)) { try open(directory) }
    }

    @Test(
        "A database from before the first release is refused with what to do, and not changed", arguments: [1, 2, 34])
    func unreleased(version: Int) throws {
        let directory = try TemporaryDirectory()
        try open(directory).close()
        let connection = try Connection(path: directory.database, purpose: .writer)
        // "KIBO" was its mark. A schema of its own stood under each number, also under 1.
        try connection.execute("PRAGMA application_id = 0x4B49424F; PRAGMA user_version = \(version)")
        connection.close()
        let before = DamageSample.bytes(directory.database)
        let refusal = StoreError.unreleased(path: directory.database)
        #expect(throws: refusal) { try open(directory) }
        #expect("\(refusal)".contains("move the whole data directory away"))
        #expect(DamageSample.bytes(directory.database) == before)
        #expect(try Store.look(directory: directory.path) { _ in true } == nil)
        DamageSample.write(Array(before.prefix(before.count / 2)), to: directory.database)
        #expect(throws: refusal) { try Store.repair(directory: directory.path, clocks: ManualClocks()) }
    }

    @Test("Another program's database is refused and not changed")
    func foreign() throws {
        let directory = try TemporaryDirectory()
        try execute("CREATE TABLE theirs (a)", in: directory)
        #expect(throws: StoreError.foreign(path: directory.database)) { try open(directory) }
    }

    @Test("A file that is no database is reported as damaged")
    func garbage() throws {
        let directory = try TemporaryDirectory()
        put([UInt8](repeating: 0x5A, count: 10_000), in: directory)
        #expect {
            try open(directory)
        } throws: {
            if case .corrupt = $0 as? StoreError { true } else { false }
        }
    }

    @Test("A page of nonsense in the middle is an error of the read that meets it, not a crash")
    func damage() async throws {
        let directory = try TemporaryDirectory()
        let store = try open(directory)
        try await store.commit { transaction in
            _ = try transaction.openConversation(with: Sample.friend, newID: Sample.conversation)
            for number: UInt64 in 0..<500 { try transaction.insertOutgoing(Sample.message(number), to: []) }
        }
        store.close()
        let file = Glibc.open(directory.database, O_RDWR)
        let size = lseek(file, 0, SEEK_END)
        let nonsense = [UInt8](repeating: 0xA5, count: Int(size) - 8192)
        _ = nonsense.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 8192) }
        close(file)
        await #expect {
            let damaged = try open(directory)
            defer { damaged.close() }
            _ = try await damaged.read { try $0.messages(in: Sample.conversation, limit: 500) }
        } throws: {
            if case .corrupt = $0 as? StoreError { true } else { false }
        }
    }

    @Test("A directory that can't be made is an error with its path")
    func noDirectory() {
        #expect {
            try Store.open(directory: "/proc/nowhere/kibo", clocks: ManualClocks())
        } throws: {
            if case .cannotOpen(let path, _) = $0 as? StoreError { path == "/proc/nowhere/kibo" } else { false }
        }
    }

    @Test("Other users can't read the database, its log or its index, whatever the umask")
    func permissions() async throws {
        let directory = try TemporaryDirectory()
        let store = try open(directory)
        try await store.commit { try $0.setSetting("a", to: "1") }
        for suffix in ["", "-wal", "-shm"] {
            var status = stat()
            #expect(stat(directory.database + suffix, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        #expect(store.databaseBytes > 0)
        store.close()
    }

    @Test("After many changes every table's foreign keys hold, and the file is sound")
    func integrity() async throws {
        let directory = try TemporaryDirectory()
        let store = try open(directory)
        try await store.commit { transaction in
            _ = try transaction.openConversation(with: Sample.friend, newID: Sample.conversation)
            for number: UInt64 in 0..<200 {
                try transaction.insertOutgoing(Sample.message(number), to: [Sample.friend])
                try transaction.appendOutbox(
                    for: Sample.friend, id: Sample.id(number), kind: 48, body: [1], message: Sample.id(number))
            }
            try transaction.acknowledge((0..<150).map { Sample.id($0) }, by: Sample.friend)
        }
        store.close()
        let connection = try Connection(path: directory.database, purpose: .reader)
        #expect(try connection.first(SQL("PRAGMA integrity_check")) { $0.text(0) } == "ok")
        #expect(try connection.rows(SQL("PRAGMA foreign_key_check")) { $0.text(0) }.isEmpty)
        connection.close()
    }
}
