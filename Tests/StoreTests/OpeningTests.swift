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

    @Test("Every older version is brought up to date and then works", arguments: 0..<Migrations.all.count)
    func migrations(version: Int) async throws {
        let directory = try TemporaryDirectory()
        put([], in: directory)
        if version > 0 {
            let connection = try Connection(path: directory.database, purpose: .writer)
            try Migrations.run(on: connection, path: directory.database, upTo: version)
            #expect(try Migrations.version(of: connection) == version)
            connection.close()
        }
        let store = try open(directory)
        try await store.write { try $0.setSetting("a", to: "1") }
        store.close()
        let again = try open(directory)
        #expect(try await again.read { try $0.setting("a") } == "1")
        again.close()
    }

    @Test("Since when an older version's contact has another key is not known")
    func changedKeyOfBefore() async throws {
        let directory = try TemporaryDirectory()
        put([], in: directory)
        let connection = try Connection(path: directory.database, purpose: .writer)
        let before = try #require(Migrations.all.firstIndex(of: Migration0024ChangedAt.sql))
        try Migrations.run(on: connection, path: directory.database, upTo: before)
        try connection.execute(
            """
            INSERT INTO key (number, bytes) VALUES (1, zeroblob(32));
            INSERT INTO contact (account, display_name, alias, status_text, relation, trust, note, card_version, created_at)
            VALUES (1, 'Ben', '', '', 3, 2, '', 0, 0);
            """)
        connection.close()
        let store = try open(directory)
        let row = try #require(try await store.read { try $0.contacts().first })
        #expect(row.trust == .changed && row.changedAt == nil)
        store.close()
    }

    @Test("An older version's chunks by file become runs by place: folders take no place, an empty file takes one")
    func partsOfBefore() async throws {
        let directory = try TemporaryDirectory()
        put([], in: directory)
        let connection = try Connection(path: directory.database, purpose: .writer)
        try Migrations.run(on: connection, path: directory.database, upTo: 4)
        try connection.execute(
            """
            INSERT INTO key (number, bytes) VALUES (1, zeroblob(32));
            INSERT INTO transfer (number, id, direction, peer, name, size, bytes_done, files, files_done, state, kind,
                media_type, created_at) VALUES (1, X'0123456789ABCDEF0123456789ABCDEF', 1, 1, 'd', 0, 0, 3, 0, 1, 5, '', 0);
            INSERT INTO transfer_entry (transfer, position, path, size, mode, mtime, kind) VALUES
                (1, 0, '', 0, 448, 0, 1), (1, 1, 'empty', 0, 384, 0, 0), (1, 2, 'exact', 2097152, 384, 0, 0),
                (1, 3, 'sub', 0, 448, 0, 1), (1, 4, 'sub/more', 2097153, 384, 0, 0);
            INSERT INTO transfer_chunk (transfer, file, first, checksums) VALUES
                (1, 1, 0, zeroblob(16)), (1, 2, 1, zeroblob(32)), (1, 4, 2, zeroblob(48));
            """)
        connection.close()
        let store = try open(directory)
        let id = UUIDv7(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567_89AB_CDEF)
        let (runs, pages) = try await store.read { (try $0.runs(of: id), try $0.pages(of: id)) }
        #expect(runs.map(\.first) == [0, 2, 5])
        #expect(runs.map(\.checksums.count) == [16, 32, 48])
        #expect(pages.isEmpty)
        store.close()
    }

    @Test("A step that fails midway leaves the version before it")
    func brokenStep() throws {
        let directory = try TemporaryDirectory()
        put([], in: directory)
        let connection = try Connection(path: directory.database, purpose: .writer)
        #expect(throws: StoreError.self) {
            try Migrations.run(
                [Migration0001Foundation.sql, "CREATE TABLE good (a); CREATE TABLE account (b);"], on: connection,
                path: directory.database)
        }
        #expect(try Migrations.version(of: connection) == 1)
        #expect(try connection.integer(SQL("SELECT count(*) FROM sqlite_schema WHERE name = 'good'")) == 0)
        connection.close()
    }

    @Test("A database of a newer Kibo is refused and not changed")
    func newer() throws {
        let directory = try TemporaryDirectory()
        try execute("PRAGMA application_id = \(Migrations.applicationID); PRAGMA user_version = 99", in: directory)
        #expect(throws: StoreError.newer(found: 99, supported: Migrations.all.count)) { try open(directory) }
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
        try await store.write { transaction in
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
        try await store.write { try $0.setSetting("a", to: "1") }
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
        try await store.write { transaction in
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
