import Basics
import Foundation
import Testing

@testable import Transfer

@Suite("A transfer from disk to disk")
struct TransferTests {
    @Test("a file arrives with content, mode and time, for sizes around chunk borders", arguments: [
        0, 1, 1000, TransferLimits.chunkBytes - 1, TransferLimits.chunkBytes, TransferLimits.chunkBytes + 1,
        5 * TransferLimits.chunkBytes + 77,
    ])
    func oneFile(_ size: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = content(size, seed: UInt64(size))
        let source = try folder.write("in/report.pdf", bytes)
        chmod(source, 0o4640)
        let destination = try folder.folder("out")
        let journal = MemoryJournal()
        let scenario = try Scenario(source, to: destination)
        let (sent, received) = try scenario.run(journal)
        #expect(try sent.get())
        let outcome = try received.get()
        #expect(outcome.path == destination + "/report.pdf")
        #expect(try folder.read("out/report.pdf") == bytes)
        #expect(try folder.list("out") == ["report.pdf"])
        let before = try #require(try SystemFiles().status(source, in: AT_FDCWD))
        let after = try #require(try SystemFiles().status(outcome.path, in: AT_FDCWD))
        #expect(after.mode == 0o640)
        #expect(after.modified == before.modified)
        #expect(journal.finished == outcome.path)
    }
}
