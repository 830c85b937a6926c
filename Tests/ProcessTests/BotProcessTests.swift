import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Programs that go on for long: the bot of docs/CONTROL-API.md, and `kibo watch --reconnect`.
@Suite("Bots", .serialized)
struct BotProcessTests {
    typealias Steps = MessageProcessTests

    private static let root: String = {
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/")
    }()

    /// The first program in the document.
    static func bot() throws -> String {
        let document = try TextFile.text(root + "/docs/CONTROL-API.md")
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        let program = lines.drop { $0 != "```python" }.dropFirst().prefix { $0 != "```" }
        #expect((15...36).contains(program.filter { !$0.isEmpty }.count))
        return program.joined(separator: "\n") + "\n"
    }

    @Test(
        "The bot with which docs/CONTROL-API.md begins answers each message once, also what came while it did not run",
        .enabled(if: ChatProcessTests.python != nil, "there is no Python: scripts/test installs it"))
    func bot() throws {
        let (anna, bert) = try Steps.friends()
        let annaID = try anna.account.id
        let directory = try TemporaryDirectory()
        let program = directory.file("bot.py")
        try TextFile.write(try Self.bot().utf8, to: program)
        func start() throws -> ChildProcess {
            try ChildProcess(
                try #require(ChatProcessTests.python), [program, anna.socketPath],
                environment: ["PATH": "/usr/bin:/bin"], outputPath: directory.file("output"))
        }
        func texts() throws -> [String] {
            let chat = try #require(
                try bert.call("conversation.list")["conversations"]?.array?.first?["id"]?.string)
            return try Steps.texts(bert, chat)
        }
        let first = try start()
        // A name without a cursor begins with what comes now: so it has to be there first.
        try Patience.until("the bot listens", report: anna.logTail) {
            _ = try Steps.send("ping", from: bert, to: annaID)
            // The second answer shows that the first event was acknowledged: the name has a cursor.
            return try texts().count { $0 == "pong" } >= 2
        }
        first.kill()
        let before = try texts().filter { $0 == "pong" }.count
        for text in ["ping", "what?", "ping"] { _ = try Steps.send(text, from: bert, to: annaID) }
        let second = try start()
        try Patience.until(
            "both are answered", report: anna.logTail + ((try? TextFile.text(directory.file("output"))) ?? "")
        ) {
            try texts().filter { $0 == "pong" }.count >= before + 2
        }
        // Without the daemon it ends, and says why in one line.
        let output = try TextFile.text(directory.file("output"))
        try anna.stop()
        #expect(second.wait(Patience.usual) == .exited(1))
        #expect(try TextFile.text(directory.file("output")) == output + "the daemon has ended\n")
        try anna.start()
        let all = try texts()
        // What came before the bot had a cursor has no answer, and nothing has two.
        #expect(all.count { $0 == "pong" } <= all.count { $0 == "ping" })
    }

    @Test(
        "The bot of docs/CONTROL-API.md goes on after a message whose writer is no friend any more",
        .enabled(if: ChatProcessTests.python != nil, "there is no Python: scripts/test installs it"))
    func stranger() throws {
        let (anna, bert) = try Steps.friends()
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        let directory = try TemporaryDirectory()
        let program = directory.file("bot.py")
        try TextFile.write(try Self.bot().utf8, to: program)
        // The bot's name has a cursor from before.
        _ = try anna.call("events.subscribe", ["consumer": "pong", "types": ["message.added"]])
        let ping = try Steps.send("ping", from: bert, to: annaID)
        try Steps.waitForState(.delivered, of: ping.id, at: bert)
        _ = try anna.call("contact.remove", ["id": .string(bertID)])
        let bot = try ChildProcess(
            try #require(ChatProcessTests.python), [program, anna.socketPath],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: directory.file("output"))
        try Patience.until("the refusal is written down", report: anna.logTail) {
            try TextFile.text(directory.file("output")).contains("friend")
        }
        try bert.befriend(anna)
        let second = try Steps.send("ping", from: bert, to: annaID)
        try Patience.until("the next one is answered", report: (try? TextFile.text(directory.file("output"))) ?? "") {
            try Steps.texts(bert, second.conversation).contains("pong")
        }
        #expect(try Steps.texts(bert, second.conversation).count { $0 == "pong" } == 1)
        bot.kill()
    }

    @Test("watch --reconnect waits for the daemon and goes on where it ended")
    func reconnecting() throws {
        let (anna, bert) = try Steps.friends()
        let annaID = try anna.account.id
        let directory = try TemporaryDirectory()
        let output = directory.file("output")
        let watch = try ChildProcess(
            ProgramPaths.kibo,
            ["--socket", anna.socketPath, "watch", "--json", "--reconnect", "--type", "message.added"],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: output)
        func lines(with text: String) throws -> Int {
            try TextFile.text(output).split(separator: "\n").filter { $0.contains("\"\(text)\"") }.count
        }
        try Patience.until("the first one is shown", report: anna.logTail) {
            _ = try Steps.send("first", from: bert, to: annaID)
            return try lines(with: "first") > 0
        }
        _ = try Steps.send("the last before", from: bert, to: annaID)
        try Patience.until("all are shown", report: anna.logTail) { try lines(with: "the last before") > 0 }
        let seen = try lines(with: "first")
        anna.kill()
        try Patience.until("the end is noticed", report: anna.logTail) {
            try TextFile.text(output).contains("The daemon isn't running")
        }
        try anna.start()
        _ = try Steps.send("second", from: bert, to: annaID)
        try Patience.until("the second one is shown", report: anna.logTail) { try lines(with: "second") > 0 }
        #expect(try lines(with: "second") == 1 && lines(with: "first") == seen)
        watch.signal(SIGINT)
        #expect(watch.wait(.seconds(10)) == .exited(0))
    }
}
