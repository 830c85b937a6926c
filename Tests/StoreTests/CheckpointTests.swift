import Basics
import Glibc
import Testing
import Threads

@testable import Store

@Suite("Checkpoints")
struct CheckpointTests {
    @Test("Under a load of many pages the log is copied while the writer works, and its size stays bounded")
    func bounded() async throws {
        let fixture = try await Fixture()
        // A job writes some 4 pages; all jobs together write 10 times as many as start a copy.
        let jobs = 10 * StoreLimits.checkpointPages / 4
        let body = [UInt8](repeating: 7, count: 16 << 10)
        for number in 0..<UInt64(jobs) {
            fixture.store.commit(
                { try $0.appendOutbox(for: Sample.friend, id: Sample.id(number), kind: 17, body: body) },
                completion: { _ in })
            if number.isMultiple(of: 50) { try await fixture.store.commit { _ in } }
        }
        try await fixture.store.commit { _ in }
        // The database file has grown, and only a checkpoint writes to it.
        var status = stat()
        for _ in 0..<500 {
            stat(fixture.directory.database, &status)
            if status.st_size > 1 << 20 { break }
            usleep(10_000)
        }
        #expect(status.st_size > 1 << 20)
        stat(fixture.directory.database + "-wal", &status)
        #expect(status.st_size <= StoreLimits.forcedCheckpointPages * 5000)
        #expect(try await fixture.store.read { try $0.outboxCount() } == Int64(jobs))
        fixture.store.close()
    }
}
