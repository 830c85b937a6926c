import Basics
import Glibc
import Testing

@testable import Store

@Suite("A check of the whole database")
struct DatabaseCheckTests {
    private func examine(_ directory: TemporaryDirectory, within limit: Duration = .seconds(60)) -> DatabaseHealth {
        Store.examine(directory: directory.path, within: limit, clocks: SystemClocks())
    }

    @Test("A database in use is sound, and the check does not disturb it")
    func sound() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(directory: directory.path, clocks: ManualClocks())
        try await store.commit { try $0.setSetting("a", to: "1") }
        #expect(examine(directory) == .sound)
        try await store.commit { try $0.setSetting("a", to: "2") }
        #expect(try await store.read { try $0.setting("a") } == "2")
        store.close()
    }

    @Test("Damage is found and described; a missing database can't be checked")
    func damaged() async throws {
        let directory = try TemporaryDirectory()
        #expect({ if case .failed = examine(directory) { true } else { false } }())
        let store = try Store.open(directory: directory.path, clocks: ManualClocks())
        try await store.commit { transaction in
            for number in 0..<2000 {
                try transaction.setSetting("key \(number)", to: String(repeating: "x", count: 200))
            }
        }
        store.close()
        let file = open(directory.database, O_RDWR)
        var status = stat()
        #expect(fstat(file, &status) == 0)
        // The noise overwrites all pages but the first eight.
        let noise = [UInt8](repeating: 0xA5, count: 4096)
        for offset in stride(from: 8 * 4096, to: Int(status.st_size), by: 4096) {
            #expect(pwrite(file, noise, noise.count, offset) == noise.count)
        }
        close(file)
        guard case .damaged(let lines) = examine(directory) else {
            Issue.record("\(examine(directory))")
            return
        }
        #expect(!lines.isEmpty && lines.count <= 30)
    }

    @Test("The check ends when its time is over")
    func limit() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(directory: directory.path, clocks: ManualClocks())
        try await store.commit { transaction in
            for number in 0..<5000 {
                try transaction.setSetting("key \(number)", to: String(repeating: "x", count: 200))
            }
        }
        #expect(examine(directory, within: .zero) == .notFinished)
        store.close()
    }
}
