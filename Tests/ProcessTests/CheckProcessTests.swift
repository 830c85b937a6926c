import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: an administrator learns from `kibod --check` whether a file can be used, where a mistake is, and by the exit code; a
/// daemon that runs refuses what `--check` refuses when it is told to read the file again.
@Suite("kibod --check", .serialized)
struct CheckProcessTests {
    /// Runs `kibod --check` with this file.
    /// - Parameter home: the user's home; a new one if it is nil.
    static func check(
        _ path: String, _ words: [String] = [], home: String? = nil
    ) throws -> (code: ChildProcess.End?, text: String) {
        let directory = try TemporaryDirectory()
        let child = try ChildProcess(
            ProgramPaths.kibod, ["--check", "--config", path] + words,
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": home ?? directory.path, "XDG_RUNTIME_DIR": directory.path,
                "KIBOD_HOST_CONFIG": directory.file("host.json5"),
            ],
            outputPath: directory.file("output"))
        let end = child.wait(Patience.usual)
        return (end, try TextFile.text(directory.file("output")))
    }

    /// What `--check` says of a file that can be used.
    static func usable(_ path: String) -> String {
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
        let root = geteuid() == 0 ? "\nFor the daemon of another user, run: sudo -u USER kibod --check" : ""
        return "The configuration can be used by \(user): \(path)\(root)"
    }

    @Test("A good file, one with a mistake, an unknown interface, a bad roster, none: words, places and exit codes")
    func check() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("kibod.json5")
        func expect(
            _ content: String, _ code: CInt, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            try TextFile.write(content.utf8, to: path)
            let run = try Self.check(path)
            #expect(run.code == .exited(code), "\(run.text)", sourceLocation: sourceLocation)
            #expect(run.text == text + "\n", sourceLocation: sourceLocation)
        }
        let downloads = directory.file("new/Kibo")
        try expect(
            """
            { // for all hosts
              interfaces: ["lo"], logLevel: "info",
              settings: { "files.downloadDirectory": "\(downloads)" },
            }
            """, 0, Self.usable(path))
        #expect(!TemporaryDirectory.names(in: directory.path).contains("new"), "looking makes nothing")
        let levels = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
        try expect(
            "{\n  interfaces: [\"lo\"],\n  logLevel: \"chatty\",\n}", 78,
            "kibod: \(path):3:3: logLevel: one of \(levels) is expected, not \"chatty\"")
        try expect(
            "{ forced: { \"messages.keepDays\": \"long\" } }", 78,
            "kibod: \(path):1:13: messages.keepDays: "
                + (SettingsCatalogue.keepDays.spec.problem(with: "long")?.message ?? ""))
        try TextFile.write("{ interfaces: [\"lan9\"] }".utf8, to: path)
        let unknown = try Self.check(path)
        #expect(unknown.code == .exited(78))
        #expect(
            unknown.text.hasPrefix(
                "kibod: \(path):1:3: interfaces: there is no network interface lan9 here; there are "))
        #expect(try Self.check(path, ["--interface", "lan8"]).text.hasPrefix("kibod: --interface: there is no"))
        let none = try Self.check(directory.file("none"))
        #expect(
            none.code == .exited(78) && none.text == "kibod: there is no configuration file \(directory.file("none"))\n"
        )
        let word = try Self.check(path, ["--chek"])
        #expect(word.code == .exited(2) && word.text.contains("See:   kibod --help"))
    }

    @Test(
        "An address that this host doesn't have, or whose port another program has, is refused; the own daemon's port isn't"
    )
    func listen() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("kibod.json5")
        func check(_ place: String, _ words: [String] = []) throws -> (code: ChildProcess.End?, text: String) {
            try TextFile.write("{ listen: '\(place)' }".utf8, to: path)
            return try Self.check(path, words)
        }
        // 198.51.100.0/24 is for documents; no host has it.
        for place in ["198.51.100.7", "198.51.100.7:15426"] {
            let away = try check(place)
            #expect(
                away.code == .exited(78) && away.text.contains("can't listen on 198.51.100.7:15426"), "\(away.text)")
        }
        let daemon = try DaemonProcess.launch(name: "Anna")
        let taken = try daemon.listenAddress
        let foreign = try check(taken)
        #expect(foreign.code == .exited(78) && foreign.text.contains("can't listen on \(taken)"), "\(foreign.text)")
        #expect(try check(taken, ["--data", daemon.dataPath]).code == .exited(0))
        #expect(try check("127.0.0.1").code == .exited(0))
        // Looking disturbs no daemon.
        #expect(try daemon.listenAddress == taken)
    }

    @Test("Data of another user, or a place where this one can't have any, is refused", .enabled(if: geteuid() == 0))
    func data() throws {
        let directory = try TemporaryDirectory()
        let (path, data) = (directory.file("kibod.json5"), try directory.makeDirectory("data"))
        try TextFile.write("{}".utf8, to: path)
        #expect(try Self.check(path, ["--data", data]).code == .exited(0))
        #expect(chown(data, 65534, 65534) == 0)
        let foreign = try Self.check(path, ["--data", data])
        #expect(
            foreign.code == .exited(78) && foreign.text.contains("\(data) belongs to another user (number 65534"),
            "\(foreign.text)")
        let file = try Self.check(path, ["--data", path])
        #expect(file.code == .exited(78) && file.text.contains("is not a directory"), "\(file.text)")
        let below = try Self.check(path, ["--data", path + "/data"])
        #expect(below.code == .exited(78), "\(below.text)")
    }

    @Test("With the home of a system unit, --check names what the unit hides from its daemon")
    func sandbox() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("kibod.json5")
        let home = "/var/lib/kibo/nobody-has-this-name"
        let downloads = directory.file("Kibo")
        try TextFile.write(
            "{ settings: { 'files.downloadDirectory': '\(downloads)' } }".utf8, to: path)
        let words = "Note: kibod@nobody-has-this-name can write to \(home) only, not to \(downloads).\n"
        let unit = try Self.check(path, home: home)
        #expect(unit.code == .exited(0) && unit.text.contains(words), "\(unit.text)")
        #expect(try !Self.check(path).text.contains("Note:"))
    }

    @Test("A roster that is missing, broken or signed by another is refused with its path")
    func roster() throws {
        let (anna, bert) = try MessageProcessTests.friends()
        let directory = try TemporaryDirectory()
        let (path, roster) = (directory.file("kibod.json5"), directory.file("office.json"))
        let (own, other) = try (anna.account.id, bert.account.id)
        try TextFile.write("{ roster: { file: \"\(roster)\", signer: \"\(own)\" } }".utf8, to: path)
        func expect(_ code: CInt, _ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let run = try Self.check(path)
            #expect(run.code == .exited(code), "\(run.text)", sourceLocation: sourceLocation)
            #expect(run.text.contains(roster) || code == 0, "\(run.text)", sourceLocation: sourceLocation)
            #expect(run.text.contains(words), "\(run.text)", sourceLocation: sourceLocation)
        }
        try expect(78, "kibod: there is no roster \(roster); kibo roster make")
        try TextFile.write("{".utf8, to: roster)
        try expect(78, "kibod: the roster \(roster) can't be used: ")
        let made = try anna.call("roster.make", ["accounts": [.string(other)]])
        try TextFile.write(try #require(made["roster"]?.string).utf8, to: roster)
        try expect(0, Self.usable(path))
        try TextFile.write(
            "{ roster: { file: \"\(roster)\", signer: \"\(other)\" } }".utf8, to: path)
        try expect(78, "kibod: the roster \(roster) can't be used: ")
    }

    @Test(
        "A download directory that can't be written to is refused by --check and when the file is read anew, and stops no start"
    )
    func downloadDirectory() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("kibod.json5")
        // Under a file there is no folder, whoever asks.
        try TextFile.write("x".utf8, to: directory.file("file"))
        let bad = "{\n  forced: { \"files.downloadDirectory\": \"\(directory.file("file/Kibo"))\" },\n}"
        let words =
            "\(path):2:13: files.downloadDirectory: no files can be put into \(directory.file("file/Kibo")); "
            + "name a directory that may be written to, or that can be made"
        try TextFile.write(bad.utf8, to: path)
        let run = try Self.check(path)
        #expect(run.code == .exited(78) && run.text == "kibod: \(words)\n", "\(run.text)")

        var options = DaemonProcess.Options()
        options.asksForFiles = false
        options.arguments = ["--config", path]
        let daemon = try DaemonProcess(name: "Anna", options: options)
        try daemon.start()
        let folder = try Setting(json: daemon.call("settings.get", ["key": "files.downloadDirectory"]))
        #expect(folder.value == .string(directory.file("file/Kibo")))
        try TextFile.write("{ forced: { \"messages.keepDays\": 30 } }".utf8, to: path)
        daemon.reload()
        try Patience.until("the daemon goes by the file", report: daemon.logTail) {
            try Setting(json: daemon.call("settings.get", ["key": "messages.keepDays"])).forced
        }
        try TextFile.write(bad.utf8, to: path)
        daemon.reload()
        try Patience.until("the log to tell of it", report: daemon.logTail) {
            daemon.log.contains("the configuration stays as it was: \(words)")
        }
        let kept = try Setting(json: daemon.call("settings.get", ["key": "messages.keepDays"]))
        #expect(kept.forced && kept.value == 30)
        // Several signals come in a row, and the last file counts.
        for days in [31, 32, 33] {
            try TextFile.write("{ forced: { \"messages.keepDays\": \(days) } }".utf8, to: path)
            daemon.reload()
        }
        try Patience.until("the last one counts", report: daemon.logTail) {
            try Setting(json: daemon.call("settings.get", ["key": "messages.keepDays"])).value == 33
        }
    }
}
