import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Folders that don't arrive completely, between real daemons.
@Suite("Files left out between real daemons", .serialized)
struct LeftOutProcessTests {
    @Test("Both sides list files that the scan left out or that failed since; the rest arrives, also after a crash")
    func partial() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        _ = try anna.directory.makeDirectory("album")
        _ = try anna.directory.makeDirectory("album/sub")
        var expected: [String: [UInt8]] = [:]
        for number in 0..<20 {
            let name = number % 4 == 0 ? "sub/\(number)" : "\(number)"
            expected[name] = FileProcessTests.content(number * 1000, seed: UInt64(number))
            try TextFile.write(expected[name] ?? [], to: anna.directory.file("album/\(name)"))
        }
        symlink("1", anna.directory.file("album/link"))
        mkfifo(anna.directory.file("album/pipe"), 0o600)
        let id = try FileProcessTests.offer(anna.directory.file("album"), from: anna, to: bert)
        let offered = try FileProcessTests.transfer(id, at: anna)
        #expect(offered.skipped == 2)
        #expect(offered.problems?.map(\.path) == ["link", "pipe"])
        // The receiver sees what is missing before it accepts.
        let asked = try FileProcessTests.transfer(id, at: bert)
        #expect(asked.skipped == 2 && asked.problems == offered.problems, "\(asked)")
        // The scan was long before this change.
        usleep(20_000)
        unlink(anna.directory.file("album/sub/4"))
        try TextFile.write([1], to: anna.directory.file("album/7"))
        let inbox = try bert.directory.makeDirectory("inbox")
        try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
        let received = try FileProcessTests.waitForEnd(id, at: bert)
        #expect(received.state == .done, "\(received)")
        expected["sub/4"] = nil
        expected["7"] = nil
        for (name, bytes) in expected { #expect(try TextFile.holds("\(inbox)/album/\(name)", bytes), "\(name)") }
        #expect(
            Set(TemporaryDirectory.names(in: inbox + "/album"))
                == Set(expected.keys.filter { !$0.contains("/") } + ["sub"]))
        #expect(TemporaryDirectory.names(in: inbox + "/album/sub").sorted() == ["0", "12", "16", "8"])
        #expect(received.filesDone == 18 && received.bytesDone == received.size - 11_000)
        #expect(received.skipped == 4)
        #expect(received.problems?.map(\.path) == ["link", "pipe", "7", "sub/4"])
        #expect(received.problems?.map(\.reason) == [.invalid, .invalid, .invalid, .notFound])
        #expect(received.problems?.map(\.cause) == [.symbolicLink, .special, .changed, .gone])
        #expect(received.problems?.allSatisfy { $0.detail == nil } == true)
        let sent = try FileProcessTests.waitForEnd(id, at: anna)
        #expect(sent.state == .done && sent.skipped == 4, "\(sent)")
        #expect(sent.filesDone == 18 && sent.bytesDone == received.bytesDone)
        #expect(Set((sent.problems ?? []).map(\.path)) == ["link", "pipe", "7", "sub/4"])
        // In a list a transfer has the number only.
        let list = try anna.call("transfer.list")
        let listed = try Transfer(json: try #require(list["transfers"]?.array?.first))
        #expect(listed.skipped == 4 && listed.problems == nil)
        bert.kill()
        try bert.start()
        #expect(try FileProcessTests.transfer(id, at: bert).problems == received.problems)
    }

    @Test("A folder of which nothing is left fails on both sides, and leaves nothing behind")
    func nothingLeft() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        _ = try anna.directory.makeDirectory("album")
        for name in ["a", "b"] { try TextFile.write([1, 2, 3], to: anna.directory.file("album/\(name)")) }
        let id = try FileProcessTests.offer(anna.directory.file("album"), from: anna, to: bert)
        for name in ["a", "b"] { unlink(anna.directory.file("album/\(name)")) }
        let inbox = try bert.directory.makeDirectory("inbox")
        try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
        for daemon in [anna, bert] {
            let failed = try FileProcessTests.waitForEnd(id, at: daemon)
            #expect(failed.state == .failed && failed.reason == .notFound, "\(failed)")
        }
        try Patience.until("the part to be removed", report: bert.logTail) {
            TemporaryDirectory.names(in: inbox).isEmpty
        }
    }
}
