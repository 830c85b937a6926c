import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// A transfer goes on by itself, whatever happens to hosts, addresses, disks and daemons.
@Suite("Transfers go on by themselves", .serialized)
struct ResumeProcessTests {
    private func finish(
        _ id: String, _ anna: DaemonProcess, _ bert: DaemonProcess, _ path: String, _ bytes: [UInt8]
    ) throws {
        let done = try FileProcessTests.waitForEnd(id, at: bert, within: .seconds(120))
        #expect(done.state == .done, "\(done)\n\(bert.logTail)\n\(anna.logTail)")
        #expect(try TextFile.holds(path, bytes))
        #expect(try FileProcessTests.waitForEnd(id, at: anna).state == .done)
    }

    @Test("A sender that can't be dialled calls, also after it was killed; for what it fetches itself it needs no call")
    func call() throws {
        var options = DaemonProcess.Options(logLevel: .info)
        options.environment = try SlowDisk.environment
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        // Its connections come from 127.0.0.1, where no process listens on its port.
        options.listen = "127.0.0.2:0"
        options.peers = [try bert.listenAddress]
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        try anna.befriend(bert)
        let (id, inbox, bytes) = try PauseProcessTests.underWay(30, anna, bert)
        anna.kill()
        try anna.start()
        try finish(id, anna, bert, inbox + "/large.pdf", bytes)
        let note = bert.directory.file("note.txt")
        try TextFile.write(Array("hello".utf8), to: note)
        let back = try FileProcessTests.offer(note, from: bert, to: anna)
        try anna.call("transfer.accept", ["id": .string(back)])
        #expect(try FileProcessTests.waitForEnd(back, at: bert).state == .done)
    }

    @Test("A transfer goes on when the sender comes back on another port")
    func address() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info, slowDisks: true)
        let (id, inbox, bytes) = try PauseProcessTests.underWay(40, anna, bert)
        try anna.stop()
        // The system chooses a port, because the one from before may still be waiting.
        let before = anna.options.listen
        anna.options.listen = "127.0.0.1:0"
        try anna.start()
        #expect(before == "127.0.0.1:0")
        try finish(id, anna, bert, inbox + "/large.pdf", bytes)
    }

    @Test("A file that somebody touches between two connections goes on where it broke", arguments: ["pause", "kill"])
    func touched(between how: String) throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info, slowDisks: true)
        let (id, inbox, bytes) = try PauseProcessTests.underWay(100, anna, bert, past: 50)
        if how == "pause" {
            try bert.call("transfer.pause", ["id": .string(id)])
            try PauseProcessTests.wait(id, at: anna, for: "the pause") { $0.state == .paused }
        } else {
            bert.kill()
        }
        // As a backup does that makes hard links.
        #expect(link(anna.directory.file("large.pdf"), anna.directory.file("backup.pdf")) == 0)
        if how == "pause" { try bert.call("transfer.resume", ["id": .string(id)]) } else { try bert.start() }
        // What came within the last two seconds may be lost with the receiver, no more.
        #expect(try FileProcessTests.transfer(id, at: bert).bytesDone > 0, "it begins again")
        try finish(id, anna, bert, inbox + "/large.pdf", bytes)
    }

    @Test("A side that slept longer than connections last goes on when it wakes", arguments: [true, false])
    func asleep(sender: Bool) throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info, slowDisks: true)
        let (id, inbox, bytes) = try PauseProcessTests.underWay(60, anna, bert)
        let sleeper = sender ? anna : bert
        sleeper.freeze(true)
        // This is longer than a connection may stall, and longer than a session may be silent.
        sleep(34)
        sleeper.freeze(false)
        try finish(id, anna, bert, inbox + "/large.pdf", bytes)
    }

    @Test("On a full disk a transfer stops with that reason, looks for room by itself, and goes on")
    func fullDisk() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info)
        let path = anna.directory.file("large.pdf")
        let bytes = FileProcessTests.content(5 << 20, seed: 9)
        try TextFile.write(bytes, to: path)
        let id = try FileProcessTests.offer(path, from: anna, to: bert)
        let inbox = try bert.directory.makeDirectory("inbox")
        // The file is accepted while there is room, which is gone before the first byte comes.
        anna.freeze(true)
        try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
        func setFloor(_ bytes: Int64) throws {
            try bert.call("settings.set", ["key": "files.freeSpaceFloorBytes", "value": .integer(bytes)])
        }
        try setFloor(4 << 40)
        anna.kill()
        try anna.start()
        try PauseProcessTests.wait(id, at: bert, for: "no space") { $0.state == .paused && $0.reason == .noSpace }
        #expect(try FileProcessTests.transfer(id, at: bert).pausedBy == nil)
        try setFloor(0)
        try finish(id, anna, bert, inbox + "/large.pdf", bytes)
    }

    @Test("A changed source fails with that reason; the sender's resume offers its new content")
    func afresh() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info)
        let path = anna.directory.file("draft.txt")
        try TextFile.write(FileProcessTests.content(100_000, seed: 4), to: path)
        let sent = try Message(
            json: anna.call(
                "message.send",
                ["to": .string(try bert.account.id), "text": "the draft", "files": .strings([path])]))
        let id = try #require(sent.attachments.first).transfer
        try Patience.until("the offer to arrive", report: bert.logTail) {
            (try? FileProcessTests.transfer(id, at: bert))?.state == .offered
        }
        let bytes = FileProcessTests.content(90_000, seed: 5)
        try TextFile.write(bytes, to: path)
        let inbox = try bert.directory.makeDirectory("inbox")
        try bert.call("transfer.accept", ["id": .string(id), "path": .string(inbox)])
        for daemon in [anna, bert] {
            let end = try FileProcessTests.waitForEnd(id, at: daemon)
            #expect(end.state == .failed && end.changed && end.reason == .invalid, "\(end)")
            #expect(end.detail == "it has changed since it was offered")
        }
        // The receiver has nothing to resume.
        #expect(throws: ClientError.self) { try bert.call("transfer.resume", ["id": .string(id)]) }
        let fresh = try Transfer(json: anna.call("transfer.resume", ["id": .string(id)]))
        #expect(fresh.id != id && fresh.size == 90_000 && fresh.state == .offered)
        #expect(try FileProcessTests.transfer(id, at: anna).state == .failed)
        let again = try Message(json: anna.call("message.get", ["id": .string(try #require(fresh.message))]))
        #expect(again.text == "the draft")
        try Patience.until("the new offer to arrive", report: bert.logTail) {
            (try? FileProcessTests.transfer(fresh.id, at: bert))?.state == .offered
        }
        try bert.call("transfer.accept", ["id": .string(fresh.id), "path": .string(inbox)])
        try finish(fresh.id, anna, bert, inbox + "/draft.txt", bytes)
    }

    @Test("The sender's clients see the arrival in transfer and message; progress comes at most five times a second")
    func events() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info, slowDisks: true)
        let events = try anna.connect()
        _ = try events.call(
            "events.subscribe", ["types": ["transfer.changed", "message.changed", "transfer.progress"]])
        let (id, inbox, bytes) = try PauseProcessTests.underWay(50, anna, bert)
        var times: [Instant] = []
        var (transferDone, messageDone) = (false, false)
        var last: Transfer?
        let clocks = SystemClocks()
        try Patience.until("the arrival to be told", within: .seconds(60), report: anna.logTail) {
            while let event = try events.nextEvent(timeout: .milliseconds(200)) {
                switch event.type {
                case "transfer.progress":
                    times.append(clocks.now)
                    last = try Transfer(json: event.data)
                case "transfer.changed": transferDone = transferDone || event.data["state"]?.string == "done"
                case "message.changed":
                    let file = try Message(json: event.data).attachments.first
                    messageDone = messageDone || file?.state == .done && file?.transfer == id
                default: break
                }
            }
            return transferDone && messageDone && last?.state == .done
        }
        #expect(last?.bytesDone == 50 << 20)
        // The last progress may come at any time.
        for window in times.indices.dropLast() {
            let count = times.dropLast()[window...].prefix { $0 - times[window] < .seconds(1) }.count
            #expect(count <= 8, "this allows for a busy machine: events may wait in line and come together")
        }
        try finish(id, anna, bert, inbox + "/large.pdf", bytes)
    }
}
