import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: the hook command hears of each message as the settings allow, and can do no more to the daemon than fail: it ends in
/// time with all that it has started, whatever becomes of the daemon.
@Suite("The hook command", .serialized)
struct HookProcessTests {
    typealias Steps = MessageProcessTests

    /// A script that is Anna's hook command.
    private struct Hook {
        let directory: TemporaryDirectory
        var path: String { directory.file("hook") }

        init(_ lines: String) throws {
            directory = try TemporaryDirectory()
            try write(lines)
        }

        /// `$OUT` is the directory of the hook.
        func write(_ lines: String) throws {
            try TextFile.writeProgram("#!/bin/sh\nOUT=\(directory.path)\n\(lines)\n".utf8, to: path)
        }

        func text(_ name: String) -> String { (try? TextFile.text(directory.file(name))) ?? "" }
        func lines(_ name: String) -> [String] { text(name).split(separator: "\n").map(String.init) }
        func inputs() -> [JSONValue] { lines("inputs").compactMap { try? JSONParser.parse($0) } }
    }

    private static func friends(_ hook: Hook) throws -> (DaemonProcess, DaemonProcess) {
        let (anna, bert) = try Steps.friends()
        try anna.set("notifications.hook", to: .string("'\(hook.path)' word 'two words'"))
        return (anna, bert)
    }

    private static func check(at daemon: DaemonProcess) throws -> DoctorCheck? {
        let checks = try daemon.call("system.doctor")["checks"]?.array ?? []
        return try checks.map { try DoctorCheck(json: $0) }.first { $0.name == "hook" }
    }

    private static func runs(_ outcome: String, at daemon: DaemonProcess) throws -> Int {
        let text = try daemon.call("system.metrics").string ?? ""
        let name = "kibo_hook_runs_total{outcome=\"\(outcome)\"}"
        return text.split(separator: "\n").first { $0.hasPrefix(name) }?.split(separator: " ").last.flatMap { Int($0) }
            ?? 0
    }

    private static func isAlive(_ pid: String) -> Bool { pid_t(pid).map { kill($0, 0) == 0 } ?? false }

    @Test(
        "It gets each message as JSON, without a shell, in the user's home, with a clean environment and no descriptors"
    )
    func input() throws {
        let hook = try Hook(
            """
            printf '%s\\n' "$#" "$1" "$2" "$(pwd)" "$KIBO_SOCKET" "$SECRET" "$(ls -l /proc/$$/fd | grep -c -e socket -e anon)" \
                "$(cut -d' ' -f6 /proc/$$/stat)" "$$" > $OUT/about
            cat >> $OUT/inputs
            """)
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        options.environment = ["SECRET": "not for hooks"]
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        try anna.set("notifications.hook", to: .string("'\(hook.path)' word 'two $words'"))
        try bert.befriend(anna)
        let sent = try Steps.send("Good \"morning\"\n$(id)", from: bert, to: anna.account.id)
        try Patience.until("both", report: anna.logTail) { hook.inputs().count == 2 }
        let (request, message) = (hook.inputs()[0], hook.inputs()[1])
        #expect(request["event"] == "request" && request["contact"]?["displayName"] == "Bert")
        #expect(message["event"] == "message" && message["message"]?["id"]?.string == sent.id)
        #expect(message["message"]?["text"] == "Good \"morning\"\n$(id)")
        #expect(message["sender"] == ["id": .string(try bert.account.id), "name": "Bert"])
        #expect(message["conversation"]?["kind"] == "direct" && message["conversation"]?["title"] == "Bert")
        let about = hook.text("about").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(about.prefix(3) == ["2", "word", "two $words"])
        #expect(about[3] == anna.directory.file("home") && about[4] == anna.socketPath && about[5].isEmpty)
        #expect(about[6] == "0", "it has descriptors of the daemon: \(about[6])")
        #expect(about[7] == about[8], "it leads a session of its own")
        #expect(try Self.check(at: anna)?.ok == true)
        // The other settings hide the same words from it.
        try anna.set("notifications.show", to: "name")
        _ = try Steps.send("Hidden", from: bert, to: anna.account.id)
        try Patience.until("the name", report: anna.logTail) { hook.inputs().count == 3 }
        #expect(hook.inputs()[2]["message"] == nil && hook.inputs()[2]["sender"]?["name"] == "Bert")
        try anna.set("notifications.show", to: "none")
        _ = try Steps.send("Hidden", from: bert, to: anna.account.id)
        try Patience.until("the event", report: anna.logTail) { hook.inputs().count == 4 }
        #expect(hook.inputs()[3].object?.names == ["event", "at"])
        // A muted chat runs nothing, and a client that notifies takes nothing from the hook.
        let conversation = try anna.conversation(with: bert)
        try anna.call("conversation.update", ["id": .string(conversation), "muted": true])
        let muted = try Steps.send("Muted", from: bert, to: anna.account.id)
        try Steps.waitForState(.delivered, of: muted.id, at: bert)
        Patience.pause(.milliseconds(300))
        try anna.call("conversation.update", ["id": .string(conversation), "muted": false])
        _ = try anna.client.call("events.subscribe", ["types": ["message.added"], "notifies": true])
        _ = try Steps.send("Last", from: bert, to: anna.account.id)
        try Patience.until("the last", report: anna.logTail) { hook.inputs().count == 5 }
        #expect(!hook.text("inputs").contains("Hidden"))
    }

    @Test("One that hangs is ended after ten seconds with all that it has started, and tried again; the doctor tells")
    func hangs() throws {
        let hook = try Hook(
            """
            sleep 1000 & echo $! >> $OUT/pids
            setsid sh -c 'echo $$ >> '$OUT'/pids; (setsid sleep 1000 & echo $! >> '$OUT'/pids); sleep 1000' &
            trap '' TERM
            echo $$ >> $OUT/pids
            sleep 1000
            """)
        let (anna, bert) = try Self.friends(hook)
        _ = try Steps.send("One", from: bert, to: anna.account.id)
        try Patience.until("it has begun", report: anna.logTail) { hook.lines("pids").count >= 4 }
        let pids = hook.lines("pids").prefix(4)
        #expect(pids.allSatisfy(Self.isAlive))
        try Patience.until("all of it has ended", within: .seconds(20), report: anna.logTail) {
            !pids.contains(where: Self.isAlive)
        }
        try Patience.until("the doctor knows", report: anna.logTail) { try Self.check(at: anna)?.ok == false }
        let check = try #require(try Self.check(at: anna))
        #expect(
            check.findings.first?.parameters["detail"]?.string?.hasSuffix("took longer than 10 s and was ended") == true
        )
        try hook.write("cat >> $OUT/inputs")
        try Patience.until("it is tried again", report: anna.logTail) { hook.inputs().count == 1 }
        #expect(try Self.check(at: anna)?.ok == true)
    }

    @Test("One that fails is tried three times and given up; the next event has its turn, and the doctor says why")
    func fails() throws {
        let hook = try Hook("cat >> $OUT/inputs; echo 'no such lamp' >&2; exit 7")
        let (anna, bert) = try Self.friends(hook)
        _ = try Steps.send("One", from: bert, to: anna.account.id)
        try Patience.until("it is given up", report: anna.logTail) { try Self.runs("given_up", at: anna) == 1 }
        #expect(hook.inputs().count == 3 && Set(hook.inputs()).count == 1)
        let check = try #require(try Self.check(at: anna))
        #expect(!check.ok && check.advice.first?.code == .tryHook)
        #expect(check.findings.first?.parameters["detail"]?.string == "\(hook.path) failed with 7: no such lamp")
        let words = try anna.kibo("doctor")
        #expect(anna.log.contains("the hook command failed") && !anna.log.contains("no such lamp"))
        #expect(words.text.contains("it has failed 3 times in a row: \(hook.path) failed with 7"), "\(words)")
        try hook.write("cat >> $OUT/good")
        _ = try Steps.send("Two", from: bert, to: anna.account.id)
        try Patience.until("the next one", report: anna.logTail) { hook.text("good").contains("Two") }
        #expect(try Self.check(at: anna)?.ok == true)
    }

    @Test("A command that isn't there, can't be run or is no absolute path is reported, and nothing else happens")
    func missing() throws {
        let (anna, bert) = try Steps.friends()
        for (command, why) in [
            ("no-such-program-at-all", "there is no program no-such-program-at-all"),
            ("./hook", "./hook is no absolute path"),
            ("/etc/passwd", "there is no program /etc/passwd"), ("/no/such/file", "there is no program /no/such/file"),
        ] {
            try anna.set("notifications.hook", to: .string(command))
            let sent = try Steps.send("Hello", from: bert, to: anna.account.id)
            try Steps.waitForState(.delivered, of: sent.id, at: bert)
            try Patience.until("the doctor knows of \(command)", report: anna.logTail) {
                try Self.check(at: anna)?.findings.first?.parameters["detail"]?.string == why
            }
        }
        try anna.set("notifications.hook", to: "")
        #expect(try Self.check(at: anna) == nil)
        // A browser neither sets nor sees it.
        let page = try anna.connect()
        _ = try page.call("system.hello", ["client": "page", "version": "1", "role": "web"])
        #expect(throws: ClientError.self) {
            try page.call("settings.set", ["key": "notifications.hook", "value": "touch /tmp/taken"])
        }
    }

    @Test("A flood beyond the queue leaves out the oldest, and the daemon goes on")
    func flood() throws {
        let hook = try Hook("test -e $OUT/go || sleep 1000; cat >> $OUT/inputs")
        let (anna, bert) = try Self.friends(hook)
        let conversation = try bert.conversation(with: anna)
        for number in 0..<400 {
            try bert.call("message.send", ["conversation": .string(conversation), "text": .string("number \(number)")])
        }
        try Patience.until("they are counted", report: anna.logTail) { try Self.runs("left_out", at: anna) >= 143 }
        try TextFile.write("".utf8, to: hook.directory.file("go"))
        try Patience.until("the newest comes", within: .seconds(60), report: anna.logTail) {
            hook.text("inputs").contains("number 399")
        }
        #expect(hook.inputs().count <= 258)
    }

    @Test("The hook among the examples writes down who wrote what")
    func example() throws {
        let (anna, bert) = try Steps.friends()
        let file = anna.directory.file("messages")
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        try anna.set("notifications.hook", to: .string("'\(root)/examples/on_message.sh' '\(file)'"))
        _ = try Steps.send("Is this \"heard\"?", from: bert, to: anna.account.id)
        try Patience.until("it is written down", report: anna.logTail) {
            (try? TextFile.text(file))?.hasSuffix(" Bert: Is this \"heard\"?\n") == true
        }
    }

    @Test("When the daemon is killed, the command and all that it has started end")
    func killed() throws {
        let hook = try Hook(
            """
            setsid sleep 1000 & echo $! >> $OUT/pids
            sleep 1000 & echo $! >> $OUT/pids
            echo $$ >> $OUT/pids
            sleep 1000
            """)
        let (anna, bert) = try Self.friends(hook)
        _ = try Steps.send("One", from: bert, to: anna.account.id)
        try Patience.until("it has begun", report: anna.logTail) { hook.lines("pids").count == 3 }
        anna.kill()
        let pids = hook.lines("pids")
        try Patience.until("all of it has ended", within: .seconds(5)) { !pids.contains(where: Self.isAlive) }
    }
}
