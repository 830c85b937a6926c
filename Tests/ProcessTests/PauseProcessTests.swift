import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Pause and resume between real daemons, and other interruptions that a transfer must survive by itself.
@Suite("The life of a transfer between real daemons", .serialized)
struct PauseProcessTests {
    /// A transfer that is under way, of which more than `past` MiB have arrived. With slow disks it is so for a while.
    static func underWay(
        _ megabytes: Int, _ anna: DaemonProcess, _ bert: DaemonProcess, past: Int64 = 0
    ) throws -> (id: String, inbox: String, bytes: [UInt8]) {
        let path = anna.directory.file("large.pdf")
        let bytes = FileProcessTests.content(megabytes << 20, seed: 9)
        try TextFile.write(bytes, to: path)
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        let inbox = try bert.directory.makeDirectory("inbox")
        try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
        try Patience.until("the transfer to get on", within: .seconds(60), report: bert.logTail + anna.logTail) {
            let transfer = try FileProcessTests.transfer(id, at: bert)
            return transfer.bytesDone > past << 20 || transfer.state.isOver
        }
        return (id, inbox, bytes)
    }

    static func wait(
        _ id: String, at daemon: DaemonProcess, for words: String, _ isSo: (Transfer) -> Bool
    ) throws {
        try Patience.until("\(daemon.name): \(words)", within: .seconds(60), report: daemon.logTail) {
            isSo(try FileProcessTests.transfer(id, at: daemon))
        }
    }

    @Test("Either side pauses: both see which, restarts keep it, each ends its own pause, and the file is whole")
    func pause() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info, slowDisks: true)
        let (id, inbox, bytes) = try Self.underWay(60, anna, bert)
        let paused = try Transfer(json: bert.call("transfer.pause", ["id": .string(id)]))
        #expect(paused.state == .paused && paused.pausedBy == .us, "\(paused)")
        try Self.wait(id, at: anna, for: "paused by the peer") { $0.state == .paused && $0.pausedBy == .peer }
        try anna.call("transfer.pause", ["id": .string(id)])
        try Self.wait(id, at: bert, for: "paused by both") { $0.pausedBy == .both }
        // The number of bytes doesn't change.
        let there = try FileProcessTests.transfer(id, at: bert).bytesDone
        anna.kill()
        try anna.start()
        bert.kill()
        try bert.start()
        try Self.wait(id, at: bert, for: "still paused") { $0.state == .paused && $0.pausedBy == .both }
        do {
            try bert.call("transfer.resume", ["id": .string(id)])
        } catch {
            Issue.record("\(error)")
        }
        try Self.wait(id, at: anna, for: "paused by us only") { $0.pausedBy == .us }
        let held = try FileProcessTests.transfer(id, at: bert)
        #expect(held.state == .paused && held.pausedBy == .peer)
        #expect(held.bytesDone <= max(there, held.bytesDone) && held.bytesDone < Int64(bytes.count))
        do {
            try bert.call("transfer.resume", ["id": .string(id)])
            Issue.record("a pause of the other side was ended")
        } catch ClientError.refused(let error) {
            #expect(error.kind == .invalid)
        }
        try anna.call("transfer.resume", ["id": .string(id)])
        #expect(try FileProcessTests.waitForEnd(id, at: bert).state == .done)
        #expect(try TextFile.holds(inbox + "/large.pdf", bytes))
        #expect(try FileProcessTests.waitForEnd(id, at: anna).state == .done)
    }

    @Test("A status of a newer version is refused without harm: the session and the transfer go on")
    func unknownStatus() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info)
        let path = anna.directory.file("note.txt")
        try TextFile.write(Array("hello".utf8), to: path)
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        do {
            try bert.call("transfer.pause", ["id": .string(id)])
            Issue.record("an offer was paused")
        } catch ClientError.refused(let error) { #expect(error.kind == .invalid) }
        try bert.call("transfer.accept", ["id": .string(id)])
        #expect(try FileProcessTests.waitForEnd(id, at: anna).state == .done)
    }
}
