import Basics
import ControlProtocol
import Glibc
import TestSupport
import Testing

/// Goal: Prometheus sees all that happens, from the first time on, for several users of one host.
@Suite("Counters for Prometheus", .serialized)
struct MetricsProcessTests {
    private static let promtool = (["/usr/bin/promtool", "/usr/local/bin/promtool"] as [String]).first { path in
        access(path, X_OK) == 0
    }

    private static func series(_ text: String) -> Set<Substring> {
        Set(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != " " } })
    }

    @Test("Messages, bytes, transfers and refusals are counted, and each series is there before it counts")
    func counted() throws {
        let port = try FreePort.udp()
        let daemons = try ["Anna", "Ben"].map {
            try DaemonProcess.launch(name: $0, options: .init(discoveryPort: port))
        }
        let (anna, ben) = (daemons[0], daemons[1])
        let before = try daemons.map { Self.series(try $0.call("system.metrics").string ?? "") }
        try anna.befriend(ben)
        let id = try ben.account.id
        let sent = try MessageProcessTests.send("Hello", from: anna, to: id)
        try MessageProcessTests.waitForState(.delivered, of: sent.id, at: anna)
        func expect(_ daemon: DaemonProcess, _ series: String, _ number: Int) throws {
            try Patience.until("\(series) to be \(number)", report: daemon.logTail) {
                try daemon.metric(series) == number
            }
        }
        try expect(anna, "kibo_messages_total{direction=\"out\"}", 1)
        try expect(anna, "kibo_messages_total{direction=\"in\"}", 0)
        try expect(ben, "kibo_messages_total{direction=\"in\"}", 1)

        let (file, bytes) = (anna.directory.file("file.bin"), 3 << 20)
        try TextFile.write([UInt8](repeating: 7, count: bytes), to: file)
        let offer = try anna.call("message.send", ["to": .string(id), "files": [.string(file)]])
        let transfer = try #require(offer["attachments"]?.array?.first?["transfer"]?.string)
        try Patience.until("the offer", report: ben.logTail) {
            try ben.call("transfer.list")["transfers"]?.array?.isEmpty == false
        }
        let theirs = try #require(ben.call("transfer.list")["transfers"]?.array?.first?["id"])
        try ben.call("transfer.accept", ["id": theirs])
        try expect(ben, "kibo_transfers_total{outcome=\"received\"}", 1)
        try expect(anna, "kibo_transfers_total{outcome=\"sent\"}", 1)
        #expect(try anna.metric("kibo_bytes_total{direction=\"out\"}") > bytes)
        #expect(try ben.metric("kibo_bytes_total{direction=\"in\"}") > bytes)
        #expect(try ben.metric("kibo_bytes_total{direction=\"out\"}") < bytes)

        let refused = try anna.metric("kibo_requests_refused_total{kind=\"not_found\"}")
        _ = try? anna.call("transfer.get", ["id": "019ac0de-0000-7000-8000-00000000000e"])
        try expect(anna, "kibo_requests_refused_total{kind=\"not_found\"}", refused + 1)
        _ = try? anna.call("transfer.cancel", ["id": .string(transfer)])

        #expect(try anna.metric("kibo_outbox_oldest_seconds") == 0)
        try ben.stop()
        _ = try MessageProcessTests.send("Are you there?", from: anna, to: id)
        try Patience.until("it to wait a second", report: anna.logTail) {
            try anna.metric("kibo_outbox_oldest_seconds") >= 1
        }
        try ben.start()
        // After a start only what came since then is counted, whatever is stored.
        try expect(ben, "kibo_messages_total{direction=\"in\"}", 1)
        for (daemon, before) in zip(daemons, before) {
            let after = Self.series(try daemon.call("system.metrics").string ?? "")
            #expect(after.subtracting(before).isEmpty, "\(daemon.name): \(after.subtracting(before))")
        }
    }

    @Test("Two users' files have their labels, are whole at any moment, and promtool is content")
    func files() throws {
        let daemon = try DaemonProcess.launch(name: "Anna")
        let directory = try TemporaryDirectory()
        let path = directory.file("kibo-anna.prom")
        try TextFile.write("old".utf8, to: path)
        let run = try daemon.kibo("metrics", "--label", "account=an\"na", "--output", path)
        #expect(run.code == 0 && run.text.isEmpty, "\(run)")
        let text = try TextFile.text(path)
        #expect(text.contains("\nkibo_locked{account=\"an\\\"na\"} 0\n"))
        #expect(
            text.contains("\nkibo_build_info{account=\"an\\\"na\",version=\"\(ControlProtocol.productVersion)\"} 1\n"))
        for line in text.split(separator: "\n") where !line.hasPrefix("#") { #expect(line.contains("{account=")) }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o644, "the collector is another user")
        #expect(TemporaryDirectory.names(in: directory.path) == ["kibo-anna.prom"])
        // Another user's link leads root to no file of its own.
        let (link, victim) = (directory.file("link.prom"), directory.file("victim"))
        try TextFile.write("mine".utf8, to: victim)
        #expect(symlink(victim, link) == 0)
        #expect(try daemon.kibo("metrics", "-o", link).code == 0)
        #expect(try TextFile.text(victim) == "mine" && TextFile.text(link).contains("kibo_locked 0"))
        #expect(try daemon.kibo("metrics", "--label", "reason=x").code == 2, "that label is taken")
        for wrong in ["x", "=x", "0=x", "a-b=c", "__name__=x"] {
            #expect(try daemon.kibo("metrics", "--label", wrong).code == 2, "\(wrong)")
        }
        #expect(try daemon.kibo("metrics", "-o", directory.file("none/x.prom")).code == 1)
        daemon.kill()
        #expect(try daemon.kibo("metrics", "-o", path).code == 3)
        #expect(try TextFile.text(path) == text, "a failure leaves the old file")

        guard let promtool = Self.promtool else { return }
        let check = try ChildProcess(
            "/bin/sh", ["-c", "exec '\(promtool)' check metrics <'\(path)'"], environment: [:],
            outputPath: directory.file("promtool"))
        let end = check.wait(Patience.usual)
        let words = try TextFile.text(directory.file("promtool"))
        #expect(end == .exited(0), "\(words)")
    }
}
