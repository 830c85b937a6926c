import Basics
import Glibc
import Testing
import Vocabulary

@testable import Store

@Suite("Long lists of transfers")
struct ListTests {
    /// Bytes that differ from piece to piece.
    private func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: index ^ index >> 13) }
            initialized = count
        }
    }

    @Test("The hashes and checksums of a file of 4 TiB are stored in rows of a bounded size and come back")
    func longest() async throws {
        let fixture = try await Fixture(conversation: false)
        var shared = Sample.transfer(1)
        shared.fileRoot = [UInt8](repeating: 9, count: 32)
        let row = shared
        let chunks = 4 << 20
        let (leaves, checksums) = (bytes(chunks * 32), bytes(chunks * 16))
        try await fixture.store.commit { transaction in
            try transaction.insert(row)
            try transaction.setLeaves(leaves, of: row.id)
            try transaction.appendRuns([TransferRunRow(first: 7, checksums: checksums)], to: row.id)
        }
        let (found, runs) = try await fixture.store.read { (try $0.leaves(of: row.id), try $0.runs(of: row.id)) }
        #expect(found == leaves)
        #expect(runs.first?.first == 7 && runs.count == 1024)
        #expect(zip(runs, runs.dropFirst()).allSatisfy { $0.first + Int64($0.checksums.count / 16) == $1.first })
        #expect(runs.reduce(0) { $0 + $1.checksums.count } == checksums.count)
        #expect(runs.last?.checksums.elementsEqual(checksums.suffix(64 << 10)) == true)
        // This reads a piece from the middle.
        let piece = try await fixture.store.read { try $0.leaves(of: row.id, from: 5, count: 2) }
        #expect(piece.elementsEqual(leaves[(5 * StoreLimits.leafBytes)..<(7 * StoreLimits.leafBytes)]))
        let path = fixture.directory.database
        fixture.store.close()
        let connection = try Connection(path: path, purpose: .reader)
        #expect(try connection.integer(SQL("SELECT max(length(hashes)) FROM transfer_leaf")) == 128 << 10)
        #expect(try connection.integer(SQL("SELECT max(length(checksums)) FROM transfer_run")) == 64 << 10)
        connection.close()
    }

    @Test("If the lists of finished transfers are too large together, those that ended first are named")
    func finished() async throws {
        let fixture = try await Fixture(conversation: false)
        let old = try await fixture.store.commit { transaction -> [UUIDv7] in
            for (index, state) in [TransferState.done, .failed, .done, .declined, .active, .done].enumerated() {
                var row = Sample.transfer(UInt64(index))
                row.state = state
                row.finishedAt = WallTime(milliseconds: 1_000 + Int64(index))
                try transaction.insert(row)
                let page = TransferPageRow(
                    number: 0, entries: [UInt8](repeating: 1, count: 600), sources: [UInt8](repeating: 1, count: 400))
                try transaction.replacePages(of: row.id, with: [page])
            }
            #expect(try transaction.transfersWithOldLists(limit: 10).isEmpty)
            #expect(try transaction.transfersWithOldLists(beyond: 2_000, limit: 1) == [Sample.transfer(0).id])
            return try transaction.transfersWithOldLists(beyond: 2_000, limit: 10)
        }
        #expect(old == [Sample.transfer(2).id, Sample.transfer(0).id])
        fixture.store.close()
    }
}
