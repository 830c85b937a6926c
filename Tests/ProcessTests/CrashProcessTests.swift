import Basics
import ControlProtocol
import TestSupport
import Testing

/// `kill -9` must have no visible effect.
@Suite("Crashes of real daemons", .serialized)
struct CrashProcessTests {
    @Test("5,000 messages are pipelined and both sides killed: every answered message arrives once, in order")
    func messages() throws {
        let (anna, bert) = try MessageProcessTests.friends(logLevel: .info)
        let bertID = try bert.account.id
        var random = SeededGenerator(seed: 1)
        var next = 0
        var answered = Set<Int>()
        var killsSender = true
        while next < 5000 {
            let count = min(Int.random(in: 200...500, using: &random), 5000 - next)
            let client = try anna.connect()
            var ids: [Int64: Int] = [:]
            for number in next..<next + count {
                ids[try client.send("message.send", ["to": .string(bertID), "text": .string("\(number)")])] = number
            }
            let killAt = Int.random(in: 1..<count, using: &random)
            var replies = 0
            // A killed sender gives no more answers; a message without an answer may or may not exist.
            while replies < count, let reply = try? client.nextReply(timeout: .seconds(20)) {
                replies += 1
                if case .integer(let id) = reply.id, case .result = reply.outcome, let number = ids[id] {
                    answered.insert(number)
                }
                if replies == killAt { if killsSender { anna.kill() } else { bert.kill() } }
            }
            if !anna.isRunning { try anna.start() }
            if !bert.isRunning { try bert.start() }
            next += count
            killsSender.toggle()
        }
        try Patience.until("everything to be delivered", within: .seconds(90), report: anna.logTail + bert.logTail) {
            try anna.status.queued == 0
        }
        let texts = try MessageProcessTests.texts(bert, bert.conversation(with: anna)).compactMap { Int($0) }
        #expect(answered.count > 1000, "there were hardly any answers between the kills")
        #expect(Set(texts).count == texts.count, "a message arrived twice")
        #expect(answered.subtracting(texts).isEmpty, "a message that was answered never arrived")
        #expect(texts == texts.sorted(), "messages arrived out of order")
        #expect(try MessageProcessTests.texts(anna, anna.conversation(with: bert)).compactMap { Int($0) } == texts)
    }

    @Test("A daemon that was killed at any moment starts again and takes over its socket and its data")
    func restart() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let id = try daemon.account.id
        for _ in 0..<5 {
            daemon.kill()
            try daemon.start()
            #expect(try daemon.account.id == id)
        }
    }

    @Test("A second daemon on the same data or socket is refused with exit code 6")
    func second() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        for arguments in [
            ["--data", daemon.dataPath, "--socket", daemon.directory.file("other.sock")],
            ["--data", daemon.directory.file("other"), "--socket", daemon.socketPath],
        ] {
            let other = try ChildProcess(
                ProgramPaths.kibod, arguments + ["--interface", "lo", "--no-discovery", "--listen", "127.0.0.1:0"],
                environment: [:],
                outputPath: daemon.directory.file("other.log"))
            #expect(other.wait(.seconds(10)) == .exited(6))
        }
        #expect(try daemon.status.uptime >= 0)
    }
}
