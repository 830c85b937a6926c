import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: an administrator sees that a new configuration or roster is not in use, where the mistake is, and for how long; the
/// daemon goes on with what it had.
@Suite("A configuration that is read again", .serialized)
struct ReloadProcessTests {
    private static func launch(_ configuration: String) throws -> DaemonProcess {
        var options = DaemonProcess.Options()
        options.asksForFiles = false
        options.arguments = ["--config", configuration]
        return try DaemonProcess.launch(name: "Anna", options: options)
    }

    /// What the doctor says of the configuration: nothing wrong, or what.
    private static func findings(_ daemon: DaemonProcess) throws -> [String] {
        let checks = try (daemon.call("system.doctor")["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
        let check = try #require(checks.first { $0.name == "configuration" })
        #expect(check.ok == check.advice.isEmpty)
        return check.ok ? [] : check.findings.map { $0.parameters["detail"]?.string ?? "" }
    }

    @Test("kibo reload fails where the mistake is, the doctor says it until it is mended, and the counters show it")
    func reload() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("kibod.json5")
        try TextFile.write("{ forced: { \"messages.keepDays\": 30 } }".utf8, to: path)
        let daemon = try Self.launch(path)
        let series = "kibo_configuration_in_use{what=\"configuration\"}"
        #expect(try Self.findings(daemon).isEmpty)
        #expect(try daemon.metric(series) == 1)

        try TextFile.write("{\n  forced: { \"messages.keepDays\": \"long\" },\n}".utf8, to: path)
        // Nobody has told the daemon yet, and the next start would fail.
        #expect(try Self.findings(daemon).first?.hasPrefix("\(path):2:13: messages.keepDays: ") == true)
        let failed = try daemon.kibo("reload")
        #expect(failed.code == 1 && failed.text.contains("\(path):2:13: messages.keepDays: "), "\(failed)")
        #expect(try Self.findings(daemon).first?.hasPrefix("\(path):2:13: ") == true)
        #expect(try daemon.metric(series) == 0)
        #expect(try Setting(json: daemon.call("settings.get", ["key": "messages.keepDays"])).value == 30)
        #expect(try daemon.kibo("doctor").text.contains("kibo reload"))

        try TextFile.write("{ forced: { \"messages.keepDays\": 40 }, listen: \"127.0.0.1:0\" }".utf8, to: path)
        #expect(try Self.findings(daemon) == ["\(path) was changed after the daemon read it"])
        let done = try daemon.kibo("reload")
        #expect(done.code == 0 && done.text.contains("The configuration is in use."), "\(done)")
        #expect(try Self.findings(daemon).isEmpty)
        #expect(try daemon.metric(series) == 1)
        // The answer comes when what was read is in force.
        #expect(try Setting(json: daemon.call("settings.get", ["key": "messages.keepDays"])).value == 40)
    }

    @Test(
        "A change that waits for a restart is named by each reload, the doctor and the counters until then, a realm key's too"
    )
    func pending() throws {
        let directory = try TemporaryDirectory()
        let (path, key) = (directory.file("kibod.json5"), directory.file("realm.key"))
        func write(_ digit: String) throws {
            try TextFile.write(String(repeating: digit, count: 64).utf8, to: key)
            chmod(key, 0o600)
        }
        try write("1")
        let text = "{ realmKeyFile: '\(key)' }"
        try TextFile.write(text.utf8, to: path)
        let daemon = try Self.launch(path)
        let series = "kibo_configuration_in_use{what=\"configuration\"}"
        func expect(_ names: [JSONValue], sourceLocation: SourceLocation = #_sourceLocation) throws {
            for _ in 0..<2 {
                let again = try daemon.call("system.reload")
                #expect(again["atNextStart"] == .array(names), "\(again)", sourceLocation: sourceLocation)
            }
            let checks = try (daemon.call("system.doctor")["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
            let check = try #require(checks.first { $0.name == "configuration" })
            #expect(check.ok == names.isEmpty, sourceLocation: sourceLocation)
            let pending = check.findings.filter { $0.code == .configurationPending }
            let expected: [JSONValue] = names.isEmpty ? [] : [.array(names)]
            #expect(pending.map { $0.parameters["names"] ?? .null } == expected, sourceLocation: sourceLocation)
            let advice = check.advice.filter { $0.code == .restartDaemon }.map { $0.parameters["commands"]?.string }
            #expect(advice == (names.isEmpty ? [] : ["systemctl --user restart kibod"]), sourceLocation: sourceLocation)
            #expect(try daemon.metric(series) == (names.isEmpty ? 1 : 0), sourceLocation: sourceLocation)
        }
        try expect([])
        try TextFile.write("{ realmKeyFile: '\(key)', discoveryPort: 40000 }".utf8, to: path)
        try expect(["discoveryPort"])
        #expect(try daemon.kibo("doctor").text.contains("discoveryPort"))
        // Taken back, nothing waits any more.
        try TextFile.write(text.utf8, to: path)
        try expect([])
        try write("2")
        #expect(try Self.findings(daemon) == ["\(key) was changed after the daemon read it"])
        try expect(["realmKeyFile"])
        try write("x")
        #expect(try daemon.kibo("reload").text.contains("\(key) holds no realm key"))
        try write("2")
        try daemon.stop()
        try daemon.start()
        try expect([])
    }

    @Test("Many who ask at once each get an answer about a reading that began after they asked")
    func many() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("kibod.json5")
        try TextFile.write("{}".utf8, to: path)
        let daemon = try Self.launch(path)
        let clients = try (0..<8).map { _ in try daemon.connect() }
        for (index, client) in clients.enumerated() {
            try TextFile.write((index % 2 == 0 ? "{" : "{}").utf8, to: path)
            _ = try? client.call("system.reload", timeout: Patience.usual)
        }
        try TextFile.write("{".utf8, to: path)
        let refusals = clients.map { client in
            #expect(throws: ClientError.self) { try client.call("system.reload", timeout: Patience.usual) }
        }
        for refusal in refusals {
            guard case .refused(let error)? = refusal else {
                Issue.record("\(String(describing: refusal))")
                continue
            }
            #expect(error.kind == .invalid && error.message.contains("not valid JSON5"))
        }
    }

    @Test("A roster that can't be read stops no start and no other change; the doctor says it, and mended it counts")
    func roster() throws {
        let directory = try TemporaryDirectory()
        let (path, roster) = (directory.file("kibod.json5"), directory.file("office.json"))
        try TextFile.write("{}".utf8, to: path)
        let daemon = try Self.launch(path)
        let other = try DaemonProcess.launch(name: "Ben")
        try daemon.befriend(other)
        let (own, ben) = try (daemon.account.id, other.account.id)
        let text = try #require(daemon.call("roster.make", ["accounts": [.string(ben)]])["roster"]?.string)
        let named = "roster: { file: \"\(roster)\", signer: \"\(own)\" }"
        try TextFile.write("{ \(named), forced: { \"messages.keepDays\": 30 } }".utf8, to: path)
        let failed = try daemon.kibo("reload")
        #expect(failed.code == 1 && failed.text.contains("no roster \(roster)"), "\(failed)")
        // What else is in the file is in use.
        #expect(try Setting(json: daemon.call("settings.get", ["key": "messages.keepDays"])).value == 30)
        #expect(try Self.findings(daemon).first?.contains("there is no roster \(roster)") == true)
        #expect(try daemon.metric("kibo_configuration_in_use{what=\"roster\"}") == 0)
        #expect(try daemon.metric("kibo_configuration_in_use{what=\"configuration\"}") == 1)

        daemon.kill()
        try daemon.start()
        #expect(daemon.log.contains("no roster is read: there is no roster \(roster)"))
        #expect(try daemon.friends == 1, "a friend stays one")
        #expect(try Self.findings(daemon).first?.contains("there is no roster") == true)
        try TextFile.write(text.utf8, to: roster)
        #expect(try Self.findings(daemon) == ["\(roster) was changed after the daemon read it"])
        #expect(try daemon.kibo("reload").code == 0)
        #expect(try Self.findings(daemon).isEmpty)
        #expect(try daemon.metric("kibo_configuration_in_use{what=\"roster\"}") == 1)
    }

    @Test(
        "A roster whose file server doesn't answer holds up no start and no reload; once it answers, the roster counts")
    func hangingRoster() throws {
        let directory = try TemporaryDirectory()
        let (path, roster) = (directory.file("kibod.json5"), directory.file("office.json"))
        try TextFile.write("{}".utf8, to: path)
        let daemon = try Self.launch(path)
        let other = try DaemonProcess.launch(name: "Ben")
        try daemon.befriend(other)
        let (own, ben) = try (daemon.account.id, other.account.id)
        let text = try #require(daemon.call("roster.make", ["accounts": [.string(ben)]])["roster"]?.string)
        try TextFile.write(text.utf8, to: roster)
        try TextFile.write("{ roster: { file: \"\(roster)\", signer: \"\(own)\" } }".utf8, to: path)
        try daemon.stop()
        daemon.options.environment.merge(try HangingFile.environment(roster)) { $1 }
        try daemon.start()
        let words = "can't read \(roster): the disk or file server that it is on doesn't answer"
        #expect(daemon.log.contains("no roster is read: \(words)"), "\(daemon.logTail)")
        for _ in 0..<3 {
            let failed = try daemon.kibo("reload")
            #expect(failed.code == 1 && failed.text.contains(words), "\(failed)")
        }
        #expect(try Self.findings(daemon) == [words])
        try HangingFile.answer(roster)
        try Patience.until("the roster to be read", report: daemon.logTail) { try daemon.kibo("reload").code == 0 }
        #expect(try Self.findings(daemon).isEmpty)
    }

    @Test("A roster that is a pipe holds up no start and no reload")
    func pipe() throws {
        let directory = try TemporaryDirectory()
        let (path, roster) = (directory.file("kibod.json5"), directory.file("office.json"))
        try TextFile.write("{}".utf8, to: path)
        let daemon = try Self.launch(path)
        #expect(mkfifo(roster, 0o600) == 0)
        try TextFile.write("{ roster: { file: \"\(roster)\", signer: \"\(daemon.account.id)\" } }".utf8, to: path)
        for _ in 0..<2 {
            let failed = try daemon.kibo("reload")
            #expect(failed.code == 1 && failed.text.contains("\(roster): it is not a plain file"), "\(failed)")
        }
        try daemon.stop()
        try daemon.start()
        #expect(daemon.log.contains("no roster is read: can't read \(roster)"), "\(daemon.logTail)")
    }
}
