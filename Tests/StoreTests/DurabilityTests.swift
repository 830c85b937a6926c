import Basics
import Glibc
import Store
import Testing
import Threads

@Suite("Durability")
struct DurabilityTests {
    /// The environment variable for the directory in which a child process writes until it is killed.
    private static let variable = "KIBO_STORE_CRASH_DIRECTORY"

    @Test("An answered write is in the files at that moment, and an uncommitted one is not")
    func copiedFiles() async throws {
        let fixture = try await Fixture()
        for number: UInt64 in 1...50 { try await OutboxTests.send(number, in: fixture.store) }
        let (inside, gate) = (Gate(), Gate())
        fixture.store.commit(
            { transaction in
                try transaction.insertOutgoing(Sample.message(51), to: [Sample.friend])
                inside.open()
                gate.wait()
            }, completion: { _ in })
        inside.wait()
        // A crash would leave the files as they are now.
        let copy = try TemporaryDirectory()
        for suffix in ["", "-wal"] {
            try Self.copyFile(fixture.directory.database + suffix, to: copy.database + suffix)
        }
        gate.open()
        fixture.store.close()

        let store = try Store.open(directory: copy.path, clocks: fixture.clocks)
        let (page, outbox, events) = try await store.read {
            (
                try $0.messages(in: Sample.conversation, limit: 100),
                try $0.outbox(for: Sample.friend, limit: 100, maximumBytes: 10_000),
                try $0.events(since: 0, limit: 1000)
            )
        }
        #expect(page.messages.map(\.id) == (1...50).map { Sample.id($0) })
        #expect(outbox.map(\.id) == (1...50).map { Sample.id($0) })
        #expect(events.map(\.seq) == Array(1...Int64(events.count)))
        #expect(events.count { $0.object.isMessage } == 50)
        store.close()
    }

    @Test(
        "After kill -9 at any moment everything that was answered is there, whole and in order",
        arguments: [20, 300, 900])
    func killed(after answers: Int) async throws {
        let directory = try TemporaryDirectory()
        let log = directory.path + "/answers"
        defer { unlink(log) }
        let child = try Self.spawnChild(directory.path)
        defer { kill(child, SIGKILL) }
        var status = stat()
        for _ in 0..<3000 {
            if stat(log, &status) == 0, status.st_size >= answers { break }
            usleep(10_000)
        }
        #expect(status.st_size >= answers)
        kill(child, SIGKILL)
        var result: CInt = 0
        waitpid(child, &result, 0)
        #expect(result & 0x7F == SIGKILL)
        stat(log, &status)
        let answered = UInt64(status.st_size)

        let store = try Store.open(directory: directory.path, clocks: SystemClocks())
        let (found, outbox, events) = try await store.read { transaction in
            var found: [MessageRow] = []
            repeat {
                let page = try transaction.messages(
                    in: Sample.conversation,
                    after: found.last?.position(in: .sent) ?? MessagePosition(key: 0, id: .zero), limit: 500)
                found += page.messages
                if !page.hasMore { break }
            } while true
            return (
                found, try transaction.outbox(for: Sample.friend, limit: 1 << 20, maximumBytes: 1 << 30),
                try transaction.events(since: 0, limit: 1 << 20)
            )
        }
        #expect(UInt64(found.count) >= answered)
        #expect(found.map(\.id) == (0..<UInt64(found.count)).map { Sample.id($0) })
        // Each message came together with its outbox item and its event.
        #expect(outbox.map(\.id) == found.map(\.id))
        #expect(events.count { $0.object.isMessage } == found.count)
        #expect(events.map(\.seq) == Array(1...Int64(events.count)))
        store.close()
    }

    @Test(
        "The child of the test above sends for ever and notes each answer with one byte",
        .enabled(if: getenv(variable) != nil))
    func child() async throws {
        guard let directory = getenv(Self.variable).map({ String(cString: $0) }) else { return }
        let store = try Store.open(directory: directory, clocks: SystemClocks())
        let file = open(directory + "/answers", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try await store.commit { _ = try $0.openConversation(with: Sample.friend, newID: Sample.conversation) }
        for number: UInt64 in 0..<50_000 {
            store.commit(
                { transaction in
                    let row = Sample.message(number)
                    try transaction.insertOutgoing(row, to: [Sample.friend])
                    try transaction.appendOutbox(for: Sample.friend, id: row.id, kind: 48, body: [1], message: row.id)
                },
                completion: { result in
                    var byte: UInt8 = 1
                    if case .success = result { write(file, &byte, 1) }
                })
            // This makes groups of all sizes.
            if number % 97 == 0 { try await store.commit { _ in } }
        }
        store.close()
    }

    /// Starts this very test program again, with only the child's test in it.
    private static func spawnChild(_ directory: String) throws -> pid_t {
        let arguments = ["kibo-tests", "--testing-library", "swift-testing", "--filter", "DurabilityTests/child"]
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = []
        var entry = environ
        while let text = entry.pointee {
            environment.append(strdup(text))
            entry += 1
        }
        environment += [strdup("\(variable)=\(directory)"), nil]
        defer { for pointer in pointers + environment { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: CInt in 1...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var child = pid_t()
        let code = posix_spawn(&child, "/proc/self/exe", &actions, nil, &pointers, &environment)
        guard code == 0 else { throw StoreError.cannotOpen(path: "/proc/self/exe", reason: "\(code)") }
        return child
    }

    private static func copyFile(_ from: String, to: String) throws {
        let (source, target) = (open(from, O_RDONLY), open(to, O_WRONLY | O_CREAT | O_TRUNC, 0o600))
        defer {
            close(source)
            close(target)
        }
        guard source >= 0, target >= 0 else { throw StoreError.cannotOpen(path: from, reason: "copy") }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(source, &buffer, buffer.count), count > 0 {
            guard write(target, buffer, count) == count else { throw StoreError.full }
        }
    }
}
