import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Files between real daemons: offered, accepted, broken off, resumed.
@Suite("Files between real daemons", .serialized)
struct FileProcessTests {
    /// Makes bytes that differ in each 4 KiB, so that a misplaced chunk shows.
    static func content(_ count: Int, seed: UInt64) -> [UInt8] { TestContent.bytes(count, seed: seed) }

    static func transfer(_ id: String, at daemon: DaemonProcess) throws -> Transfer {
        try Transfer(json: daemon.call("transfer.get", ["id": .string(id)]))
    }

    /// Offers a path and waits until the other side has the offer.
    static func offer(_ path: String, from sender: DaemonProcess, to receiver: DaemonProcess) throws -> String {
        let sent = try sender.call(
            "transfer.send", ["to": .string(try receiver.account.id), "paths": [.string(path)]])
        let id = try Transfer(json: try #require(sent["transfers"]?.array?.first)).id
        try Patience.until("the offer to arrive", report: sender.logTail + receiver.logTail) {
            (try? transfer(id, at: receiver))?.state == .offered
        }
        return id
    }

    static func waitForEnd(
        _ id: String, at daemon: DaemonProcess, within limit: Duration = .seconds(60)
    ) throws -> Transfer {
        try Patience.until("transfer \(id) to end", within: limit, report: daemon.logTail) {
            let transfer = try transfer(id, at: daemon)
            return transfer.state.isOver ? transfer : nil
        }
    }

    @Test("A file is offered, accepted and arrives whole under a safe name; a second one of that name is numbered")
    func file() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let path = anna.directory.file("report.pdf")
        let bytes = Self.content(5_300_001, seed: 1)
        try TextFile.write(bytes, to: path)
        let inbox = try bert.directory.makeDirectory("inbox")
        for expected in ["report.pdf", "report (1).pdf"] {
            let id = try Self.offer(path, from: anna, to: bert)
            let offered = try Self.transfer(id, at: bert)
            #expect(offered.direction == .incoming)
            #expect(offered.size == 5_300_001)
            try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
            let done = try Self.waitForEnd(id, at: bert)
            #expect(done.state == .done, "\(done)")
            #expect(done.path == inbox + "/" + expected)
            #expect(try TextFile.holds(inbox + "/" + expected, bytes))
            #expect(try Self.waitForEnd(id, at: anna).state == .done)
        }
        #expect(Set(TemporaryDirectory.names(in: inbox)) == ["report.pdf", "report (1).pdf"])
        // The message in the chat shows this too.
        let list = try bert.call("message.list", ["conversation": .string(try bert.conversation(with: anna))])
        let messages = try (list["messages"]?.array ?? []).map { try Message(json: $0) }
        #expect(messages.map(\.kind) == [.file, .file])
        #expect(messages.first?.attachments.first?.state == .done)
    }

    @Test("A folder arrives with names, empty files, empty folders and modes")
    func folder() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        _ = try anna.directory.makeDirectory("album")
        _ = try anna.directory.makeDirectory("album/empty")
        _ = try anna.directory.makeDirectory("album/deep")
        var expected: [String: [UInt8]] = [:]
        for number in 0..<300 {
            let name = number % 3 == 0 ? "deep/picture \(number).jpg" : "picture \(number).jpg"
            let bytes = Self.content(number % 7 == 0 ? 0 : number * 37, seed: UInt64(number))
            try TextFile.write(bytes, to: anna.directory.file("album/\(name)"))
            expected[name] = bytes
        }
        chmod(anna.directory.file("album/picture 1.jpg"), 0o4755)
        symlink("/etc/passwd", anna.directory.file("album/link"))
        let id = try Self.offer(anna.directory.file("album"), from: anna, to: bert)
        let inbox = try bert.directory.makeDirectory("inbox")
        try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
        let done = try Self.waitForEnd(id, at: bert)
        #expect(done.state == .done, "\(done)")
        for (name, bytes) in expected { #expect(try TextFile.holds("\(inbox)/album/\(name)", bytes), "\(name)") }
        var status = stat()
        #expect(stat("\(inbox)/album/empty", &status) == 0)
        #expect(stat("\(inbox)/album/picture 1.jpg", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o755)
        #expect(lstat("\(inbox)/album/link", &status) != 0)
        #expect(done.filesDone == 300)
    }

    @Test("Either side is killed in the middle, and the file goes on by itself and is whole", arguments: [true, false])
    func killed(sender killsSender: Bool) throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info, slowDisks: true)
        let path = anna.directory.file("large.bin")
        let bytes = Self.content(160 << 20, seed: 3)
        try TextFile.write(bytes, to: path)
        let id = try Self.offer(path, from: anna, to: bert)
        let inbox = try bert.directory.makeDirectory("inbox")
        try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
        for round in 0..<3 {
            let floor = Int64(round) * (50 << 20)
            try Patience.until("the transfer to get on", within: .seconds(60), report: bert.logTail + anna.logTail) {
                let transfer = try Self.transfer(id, at: bert)
                return transfer.bytesDone > floor || transfer.state.isOver
            }
            let victim = killsSender ? anna : bert
            victim.kill()
            try victim.start()
            // A receiver notes what it has every two seconds, which is less than it had from the second time on.
            if round > 0 {
                let kept = try Self.transfer(id, at: bert)
                #expect(kept.bytesDone > 0, "it begins again")
            }
        }
        let done = try Self.waitForEnd(id, at: bert)
        #expect(done.state == .done, "\(done)")
        #expect(try TextFile.holds(inbox + "/large.bin", bytes))
        #expect(TemporaryDirectory.names(in: inbox) == ["large.bin"], "partial files are left over")
        #expect(try Self.waitForEnd(id, at: anna).state == .done)
    }

    @Test("Both sides see a decline and a cancellation, and nothing is left behind")
    func declineAndCancel() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let path = anna.directory.file("note.txt")
        try TextFile.write(Array("hello".utf8), to: path)
        let first = try Self.offer(path, from: anna, to: bert)
        try bert.call("transfer.decline", ["id": .string(first)])
        #expect(try Self.waitForEnd(first, at: anna).state == .declined)
        let second = try Self.offer(path, from: anna, to: bert)
        try anna.call("transfer.cancel", ["id": .string(second)])
        let ended = try Self.waitForEnd(second, at: bert)
        #expect(ended.state == .cancelled && ended.cancelledBy == .peer && ended.detail == nil, "\(ended)")
        #expect(try Self.waitForEnd(second, at: anna).cancelledBy == .us)
        do {
            try bert.call("transfer.accept", ["id": .string(second)])
            Issue.record("a cancelled transfer was accepted")
        } catch ClientError.refused(let error) {
            #expect(error.kind == .invalid)
        }
    }

    @Test("If a source changes before it is fetched, the transfer fails with that reason on both sides")
    func changedSource() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let path = anna.directory.file("draft.txt")
        try TextFile.write(Self.content(100_000, seed: 4), to: path)
        let id = try Self.offer(path, from: anna, to: bert)
        try TextFile.write(Self.content(90_000, seed: 5), to: path)
        let inbox = try bert.directory.makeDirectory("inbox")
        try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
        let failed = try Self.waitForEnd(id, at: bert)
        #expect(failed.state == .failed)
        #expect(failed.detail?.isEmpty == false)
        #expect(try Self.waitForEnd(id, at: anna).state == .failed)
        #expect(TemporaryDirectory.names(in: inbox).isEmpty)
    }
}
