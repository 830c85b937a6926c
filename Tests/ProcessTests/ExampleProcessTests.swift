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
    private func start(_ program: String, _ words: [String], as daemon: DaemonProcess) throws -> ChildProcess {
        try ChildProcess(
            "\(Self.folder)/\(program)", words,
            environment: [
                "PATH": "\(ProgramPaths.directory):/usr/bin:/bin", "LANG": "C.UTF-8", "KIBO_SOCKET": daemon.socketPath,
                "HOME": daemon.directory.path, "PYTHONDONTWRITEBYTECODE": "1",
            ], outputPath: output(program, daemon))
    }

    private func output(_ program: String, _ daemon: DaemonProcess) -> String {
        daemon.directory.file(program + ".out")
    }

    /// What the example has written so far.
    private func said(_ program: String, _ daemon: DaemonProcess) -> String {
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
        var bot = try start("echo_bot.py", [], as: bert)
        // A name without a cursor begins with what comes now.
        try Patience.until("the bot listens") { said("echo_bot.py", bert).contains("ready") }
        #expect(try anna.kibo("send", "Bert", "Is this heard?").isDone)
        try Patience.until("an answer", report: said("echo_bot.py", bert)) {
            try texts(of: anna, "Bert").components(of: answered) == 1
        }
        bot.signal(SIGKILL)
        _ = bot.wait(Patience.usual)
        #expect(try anna.kibo("send", "Bert", "And this?", "--wait", "delivered").isDone)
        bert.kill()
        try bert.start()
        bot = try start("echo_bot.py", [], as: bert)
        try Patience.until("an answer to what came meanwhile", report: bert.logTail) {
            try texts(of: anna, "Bert").components(of: "> you: And this?") == 1
        }
        #expect(try texts(of: anna, "Bert").components(of: answered) == 1)
        bot.signal(SIGTERM)
        _ = bot.wait(Patience.usual)
    }

    @Test("The build notifier says how a command ended, and sends the output of one that failed")
    func build() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let good = try start("build_notifier.sh", ["Bert", "true"], as: anna)
        #expect(good.wait(Patience.usual) == .exited(0))
        let bad = try start("build_notifier.sh", ["Bert", "sh", "-c", "echo broken here; exit 3"], as: anna)
        #expect(bad.wait(.seconds(90)) == .exited(3))
        #expect(try TextFile.text(output("build_notifier.sh", anna)).contains("broken here"))
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
        _ = try bert.call("settings.set", ["key": "files.autoDownload", "value": "never"])
        let folder = try bert.directory.makeDirectory("drop")
        let first = anna.directory.file("first.txt")
        let second = anna.directory.file("second report.txt")
        try TextFile.write(Array("one".utf8), to: first)
        try TextFile.write(Array("two".utf8), to: second)
        #expect(try anna.kibo("send", "Bert", "--file", first, "--wait", "delivered").isDone)
        let drop = try start("file_drop.sh", [folder], as: bert)
        try Patience.until("what waited", report: said("file_drop.sh", bert)) {
            access(folder + "/first.txt", F_OK) == 0
        }
        #expect(try anna.kibo("send", "Bert", "--file", second, "--wait", "delivered").isDone)
        try Patience.until("both files", report: said("file_drop.sh", bert)) {
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
