import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: what stands in `examples` works as it is, against real daemons.
@Suite("The examples", .serialized)
struct ExampleProcessTests {
    private static let folder: String = {
        // The path goes from Tests/ProcessTests/ExampleProcessTests.swift to examples.
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/") + "/examples"
    }()

    /// Starts an example as the user of this daemon.
    static func start(_ program: String, _ words: [String], as daemon: DaemonProcess) throws -> ChildProcess {
        try ChildProcess(
            "\(folder)/\(program)", words,
            environment: [
                "PATH": "\(ProgramPaths.directory):/usr/bin:/bin", "LANG": "C.UTF-8", "KIBO_SOCKET": daemon.socketPath,
                "HOME": daemon.directory.path, "PYTHONDONTWRITEBYTECODE": "1",
            ], outputPath: output(program, daemon))
    }

    private static func output(_ program: String, _ daemon: DaemonProcess) -> String {
        daemon.directory.file(program + ".out")
    }

    /// What the example has written so far.
    static func said(_ program: String, _ daemon: DaemonProcess) -> String {
        (try? TextFile.text(output(program, daemon))) ?? ""
    }

    private func texts(of daemon: DaemonProcess, _ words: String...) throws -> String {
        try daemon.kibo(["read"] + words).text
    }

    @Test("The echo bot answers once, also when it and the daemon are killed in between")
    func echo() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        // The answer quotes what it answers.
        let answered = "> you: Is this heard?"
        var bot = try Self.start("echo_bot.py", [], as: bert)
        // A name without a cursor begins with what comes now.
        try Patience.until("the bot listens") { Self.said("echo_bot.py", bert).contains("ready") }
        #expect(try anna.kibo("send", "Bert", "Is this heard?").isDone)
        try Patience.until("an answer", report: Self.said("echo_bot.py", bert)) {
            try texts(of: anna, "Bert").components(of: answered) == 1
        }
        bot.signal(SIGKILL)
        _ = bot.wait(Patience.usual)
        #expect(try anna.kibo("send", "Bert", "And this?", "--wait", "delivered").isDone)
        bert.kill()
        try bert.start()
        bot = try Self.start("echo_bot.py", [], as: bert)
        try Patience.until("an answer to what came meanwhile", report: bert.logTail) {
            try texts(of: anna, "Bert").components(of: "> you: And this?") == 1
        }
        #expect(try texts(of: anna, "Bert").components(of: answered) == 1)
        bot.signal(SIGTERM)
        _ = bot.wait(Patience.usual)
    }

    @Test("The echo bot leaves out what can't be answered, and waits while the account is locked")
    func refused() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let annaID = try anna.account.id
        _ = try bert.call("account.changePassphrase", ["new": "a long passphrase"])
        _ = try bert.call("events.subscribe", ["consumer": "echo-bot", "types": ["message.added"]])
        #expect(try anna.kibo("send", "Bert", "From a friend?", "--wait", "delivered").isDone)
        _ = try bert.call("contact.remove", ["id": .string(annaID)])
        _ = try bert.call("account.lock")
        let bot = try Self.start("echo_bot.py", [], as: bert)
        try Patience.until("the bot waits", report: Self.said("echo_bot.py", bert)) {
            Self.said("echo_bot.py", bert).contains("trying again")
        }
        _ = try bert.call("account.unlock", ["passphrase": "a long passphrase"])
        try Patience.until("the bot has left one out", report: Self.said("echo_bot.py", bert)) {
            Self.said("echo_bot.py", bert).contains("left out")
        }
        try anna.befriend(bert)
        #expect(try anna.kibo("send", "Bert", "And now?").isDone)
        try Patience.until("an answer by the same bot", report: Self.said("echo_bot.py", bert)) {
            try texts(of: anna, "Bert").components(of: "> you: And now?") == 1
        }
        bot.signal(SIGTERM)
        _ = bot.wait(Patience.usual)
    }

    @Test("After a gap the echo bot answers what it missed")
    func gap() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        #expect(try anna.kibo("send", "Bert", "Before the gap", "--wait", "delivered").isDone)
        // The name's cursor is beyond the log, as after an old copy of the data was put back.
        _ = try bert.call(
            "events.subscribe", ["consumer": "echo-bot", "types": ["message.added"]])
        try bert.stop()
        try Self.execute(
            "UPDATE consumer SET acknowledged = 1000000 WHERE name = 'echo-bot'", in: bert.dataPath + "/kibo.sqlite",
            of: bert)
        try bert.start()
        let bot = try Self.start("echo_bot.py", [], as: bert)
        try Patience.until("an answer", report: Self.said("echo_bot.py", bert)) {
            try texts(of: anna, "Bert").components(of: "> you: Before the gap") == 1
        }
        bot.signal(SIGTERM)
        _ = bot.wait(Patience.usual)
    }

    /// Changes a database that no program has open.
    static func execute(_ statement: String, in file: String, of daemon: DaemonProcess) throws {
        let program = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"
        let python = try ChildProcess(
            try #require(ChatProcessTests.python), ["-c", program, file, statement],
            environment: ["PATH": "/usr/bin:/bin"], outputPath: daemon.directory.file("statement.out"))
        #expect(python.wait(Patience.usual) == .exited(0))
    }

    @Test("The bridge mirrors a group into another, with answers, edits and deletions, also over kills")
    func bridge() throws {
        let bridged = try Bridged()
        let (anna, bert) = (bridged.anna, bridged.bert)
        var bot = try bridge(bridged)
        let first = try bridged.say("Who comes along?")
        try bridged.wait(for: ["Anna: Who comes along?"], report: Self.said("bridge.py", bert))
        let second = try bridged.say("Me!", replyTo: first.id)
        try bridged.wait(for: ["Anna: Who comes along?", "Anna: Me!"], report: Self.said("bridge.py", bert))
        let copies = try bridged.copies()
        #expect(copies[1].replyTo == copies[0].id)
        _ = try anna.call("message.edit", ["id": .string(first.id), "text": "Who comes?"])
        try bridged.wait(for: ["Anna: Who comes?", "Anna: Me!"], report: Self.said("bridge.py", bert))
        bot.signal(SIGKILL)
        _ = bot.wait(Patience.usual)
        _ = try anna.call("message.delete", ["id": .string(second.id), "for": "all"])
        try bridged.say("While nobody mirrored")
        bert.kill()
        try bert.start()
        bot = try bridge(bridged)
        try bridged.wait(
            for: ["Anna: Who comes?", "", "Anna: While nobody mirrored"], report: Self.said("bridge.py", bert))
        // What is said in the other group comes back, and nothing comes back twice.
        try bridged.say("From there", in: bridged.second)
        try bridged.wait(for: ["Anna: From there"], in: bridged.first, report: Self.said("bridge.py", bert))
        #expect(try bridged.copies().count == 3)
        bot.signal(SIGTERM)
        _ = bot.wait(Patience.usual)
    }

    private func bridge(_ bridged: Bridged) throws -> ChildProcess {
        let bert = bridged.bert
        let bot = try Self.start("bridge.py", [bert.directory.file("bridge.db"), ":Hikers", ":Climbers"], as: bert)
        try Patience.until("the bridge listens", report: Self.said("bridge.py", bert)) {
            Self.said("bridge.py", bert).contains("ready")
        }
        return bot
    }

    @Test("The build notifier says how a command ended, and sends the output of one that failed")
    func build() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let good = try Self.start("build_notifier.sh", ["Bert", "true"], as: anna)
        #expect(good.wait(Patience.usual) == .exited(0))
        let bad = try Self.start("build_notifier.sh", ["Bert", "sh", "-c", "echo broken here; exit 3"], as: anna)
        #expect(bad.wait(.seconds(90)) == .exited(3))
        #expect(try TextFile.text(Self.output("build_notifier.sh", anna)).contains("broken here"))
        try Patience.until("both reports", report: bert.logTail) {
            let read = try texts(of: bert, "Anna")
            return read.contains("✔ true took") && read.contains("ended with 3") && read.contains("output.txt")
        }
    }

    @Test(
        "The file drop takes what is offered, also what was offered before it ran",
        .enabled(if: access("/usr/bin/jq", X_OK) == 0, "jq is not installed"))
    func drop() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let folder = try bert.directory.makeDirectory("drop")
        let first = anna.directory.file("first.txt")
        let second = anna.directory.file("second report.txt")
        try TextFile.write(Array("one".utf8), to: first)
        try TextFile.write(Array("two".utf8), to: second)
        #expect(try anna.kibo("send", "Bert", "--file", first, "--wait", "delivered").isDone)
        _ = try bert.call("settings.set", ["key": "files.autoDownload", "value": "friends"])
        let drop = try Self.start("file_drop.sh", [folder], as: bert)
        try Patience.until("what waited", report: Self.said("file_drop.sh", bert)) {
            access(folder + "/first.txt", F_OK) == 0
        }
        #expect(try anna.kibo("send", "Bert", "--file", second, "--wait", "delivered").isDone)
        try Patience.until("both files", report: Self.said("file_drop.sh", bert)) {
            access(folder + "/first.txt", F_OK) == 0 && access(folder + "/second report.txt", F_OK) == 0
        }
        try Patience.until("thanks", report: bert.logTail) {
            try texts(of: anna, "Bert").contains("Thank you for second report.txt.")
        }
        // The watching program ends with its daemon, and the script with it.
        try bert.stop()
        #expect(drop.wait(Patience.usual) != nil)
    }
}

extension String {
    /// How often a text stands in it.
    fileprivate func components(of text: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
