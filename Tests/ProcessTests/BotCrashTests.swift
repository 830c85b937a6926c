import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Four bots on one account, which are killed, and their daemon too, while they have something to do.
@Suite("Bots that are killed", .serialized)
struct BotCrashTests {
    private static let rounds = 3

    @Test(
        "The echo bot, the file drop, the bridge and the bot of the document do each thing once, whatever is killed when",
        .enabled(if: access("/usr/bin/jq", X_OK) == 0, "jq is not installed"))
    func kills() throws {
        let scene = try Bridged()
        let (anna, bert) = (scene.anna, scene.bert)
        let folder = try bert.directory.makeDirectory("drop")
        var bots = try Self.startFirst(as: bert, folder)
        var said: [Message] = []
        for round in 1...Self.rounds {
            #expect(try anna.kibo("send", "Bert", "ping").isDone)
            said.append(try scene.say("Round \(round)"))
            if round > 1 {
                _ = try anna.call(
                    "message.edit", ["id": .string(said[round - 2].id), "text": .string("Round \(round - 1)!")])
            }
            let file = anna.directory.file("file \(round).txt")
            try TextFile.write("\(round)".utf8, to: file)
            // Once the file's message is there, the bots are at work on those before it.
            #expect(try anna.kibo("send", "Bert", "--file", file, "--wait", "delivered").isDone)
            if round != Self.rounds { for bot in bots { bot.signal(SIGKILL) } }
            if round > 1 {
                bert.kill()
                try bert.start()
            }
            for bot in bots {
                // Those of Python's module wait for the daemon; the others end with it.
                bot.signal(SIGKILL)
                _ = bot.wait(Patience.usual)
            }
            bots = try Self.start(as: bert, folder)
        }
        let edited = (1..<Self.rounds).map { "Anna: Round \($0)!" } + ["Anna: Round \(Self.rounds)"]
        try scene.wait(for: edited, report: ExampleProcessTests.said("bridge.py", bert))
        let names = (1...Self.rounds).map { "file \($0).txt" }
        let wanted = names.map { "Thank you for \($0)." }
        func answers() throws -> [String] { try scene.answers() }
        let all = wanted + Array(repeating: "ping", count: Self.rounds) + Array(repeating: "pong", count: Self.rounds)
        try Patience.until("all answers", report: ExampleProcessTests.said("file_drop.sh", bert) + bert.logTail) {
            let found = try answers()
            return Set(found) == Set(all) && found.count >= all.count
        }
        for name in names { #expect(try TextFile.text(folder + "/" + name) == name.dropFirst(5).prefix(1)) }
        // All is done again, as if nothing had been acknowledged, and the bridge had not noted what it sent.
        try bert.stop()
        for bot in bots {
            bot.signal(SIGKILL)
            _ = bot.wait(Patience.usual)
        }
        try ExampleProcessTests.execute(
            "UPDATE consumer SET acknowledged = 0", in: bert.dataPath + "/kibo.sqlite", of: bert)
        try ExampleProcessTests.execute("DELETE FROM mirror", in: bert.directory.file("bridge.db"), of: bert)
        try bert.start()
        bots = try Self.start(as: bert, folder)
        // The last round shows that each bot has gone through all that came before.
        #expect(try anna.kibo("send", "Bert", "ping").isDone)
        try scene.say("The end")
        try scene.wait(for: edited + ["Anna: The end"], report: ExampleProcessTests.said("bridge.py", bert))
        try Patience.until("the last answers", report: bert.logTail) {
            let found = try answers()
            return ["ping", "pong"].allSatisfy { word in found.count { $0 == word } > Self.rounds }
        }
        #expect(try answers().sorted() == (all + ["ping", "pong"]).sorted())
        #expect(try scene.copies().map(\.text) == edited + ["Anna: The end"])
        for bot in bots {
            bot.signal(SIGTERM)
            _ = bot.wait(Patience.usual)
        }
    }

    @Test(
        "After a gap each of the four finds what it missed, and does it once",
        .enabled(if: access("/usr/bin/jq", X_OK) == 0, "jq is not installed"))
    func gap() throws {
        let scene = try Bridged()
        let (anna, bert) = (scene.anna, scene.bert)
        let folder = try bert.directory.makeDirectory("drop")
        var bots = try Self.startFirst(as: bert, folder)
        for bot in bots {
            bot.signal(SIGKILL)
            _ = bot.wait(Patience.usual)
        }
        #expect(try anna.kibo("send", "Bert", "ping").isDone)
        try scene.say("Missed")
        let file = anna.directory.file("missed.txt")
        try TextFile.write("missed".utf8, to: file)
        #expect(try anna.kibo("send", "Bert", "--file", file, "--wait", "done").isDone)
        try bert.stop()
        // The cursors are beyond the log, as after an old copy of the data was put back.
        try ExampleProcessTests.execute(
            "UPDATE consumer SET acknowledged = 1000000", in: bert.dataPath + "/kibo.sqlite", of: bert)
        try bert.start()
        bots = try Self.start(as: bert, folder)
        try scene.wait(for: ["Anna: Missed"], report: ExampleProcessTests.said("bridge.py", bert))
        let wanted = ["Thank you for missed.txt.", "ping", "pong"]
        try Patience.until("all answers", report: ExampleProcessTests.said("echo_bot.py", bert) + bert.logTail) {
            try scene.answers().count >= wanted.count
        }
        #expect(try scene.answers().sorted() == wanted)
        for bot in bots {
            bot.signal(SIGTERM)
            _ = bot.wait(Patience.usual)
        }
    }

    /// Starts the bots for the first time, and returns when each listens.
    private static func startFirst(as bert: DaemonProcess, _ folder: String) throws -> [ChildProcess] {
        try TextFile.write(try BotProcessTests.bot().utf8, to: bert.directory.file("pong.py"))
        // A name without a cursor begins with what comes now: so each is known before anything is sent.
        for (name, type) in [
            ("pong", "message.added"), ("echo-bot", "message.added"), ("file-drop", "transfer.changed"),
        ] {
            _ = try bert.call("events.subscribe", ["consumer": .string(name), "types": [.string(type)]])
        }
        let bots = try start(as: bert, folder)
        for program in ["bridge.py", "file_drop.sh"] {
            try Patience.until("\(program) listens", report: ExampleProcessTests.said(program, bert)) {
                program == "bridge.py"
                    ? ExampleProcessTests.said(program, bert).contains("ready")
                    : try bert.call("settings.get", ["key": "files.folders"])["value"] == [.string("*=" + folder)]
            }
        }
        return bots
    }

    private static func start(as bert: DaemonProcess, _ folder: String) throws -> [ChildProcess] {
        [
            try ExampleProcessTests.start("echo_bot.py", [], as: bert),
            try ExampleProcessTests.start("file_drop.sh", [folder], as: bert),
            try ExampleProcessTests.start(
                "bridge.py", [bert.directory.file("bridge.db"), ":Hikers", ":Climbers"], as: bert),
            try ChildProcess(
                "/usr/bin/python3", [bert.directory.file("pong.py"), bert.socketPath],
                environment: ["PATH": "/usr/bin:/bin"], outputPath: bert.directory.file("pong.out")),
        ]
    }
}

/// Two groups with the same two members: one writes, and the other's account has the bridge.
struct Bridged {
    let anna: DaemonProcess
    let bert: DaemonProcess
    /// The conversations as Anna has them.
    var first = ""
    var second = ""

    init() throws {
        (anna, bert) = try MessageProcessTests.friends()
        first = try Self.group("Hikers", anna, bert)
        second = try Self.group("Climbers", anna, bert)
    }

    private static func group(_ name: String, _ anna: DaemonProcess, _ bert: DaemonProcess) throws -> String {
        let group = try anna.call("group.create", ["name": .string(name), "members": [.string(try bert.account.id)]])
        let id = try #require(group["id"]?.string)
        try Patience.until("\(name) at Bert", report: bert.logTail) {
            (try? bert.call("group.get", ["id": .string(id)]))?["state"]?.string == "member"
        }
        return try #require(try anna.call("conversation.open", ["group": .string(id)])["id"]?.string)
    }

    @discardableResult
    func say(_ text: String, replyTo: String? = nil, in conversation: String? = nil) throws -> Message {
        var parameters: JSONObject = ["conversation": .string(conversation ?? first), "text": .string(text)]
        if let replyTo { parameters["replyTo"] = .string(replyTo) }
        return try Message(json: anna.call("message.send", parameters))
    }

    /// What the bots have written to Anna.
    func answers() throws -> [String] {
        try copies(in: try anna.conversation(with: bert)).map(\.text)
    }

    /// What the bridge has written in a group, as Anna sees it.
    func copies(in conversation: String? = nil) throws -> [Message] {
        let page = try anna.call("message.list", ["conversation": .string(conversation ?? second), "limit": 500])
        return try (page["messages"]?.array ?? []).map { try Message(json: $0) }.filter {
            $0.kind == .text && $0.senderName == "Bert"
        }
    }

    func wait(for texts: [String], in conversation: String? = nil, report: @autoclosure () -> String) throws {
        try Patience.until("\(texts)", report: report() + bert.logTail) {
            try copies(in: conversation).map(\.text) == texts
        }
    }
}
