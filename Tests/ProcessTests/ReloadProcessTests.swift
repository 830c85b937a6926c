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
        try TextFile.write("{ discoveryPort: 40000 }".utf8, to: path)
        daemon.options.discoveryPort = nil
        let later = try daemon.call("system.reload")
        #expect(later["atNextStart"] == ["discoveryPort"], "\(later)")
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
}
