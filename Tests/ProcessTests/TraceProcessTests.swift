import ControlProtocol
import TestSupport
import Testing

/// Goal: the level `trace` shows what goes over the wire by kind, and nothing that people have written.
@Suite("The log level trace", .serialized)
struct TraceProcessTests {
    @Test("Frames and datagrams are named with bytes and peer; texts and names are in no line")
    func content() throws {
        let options = DaemonProcess.Options(discoveryPort: try FreePort.udp(), logLevel: .trace)
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let ben = try DaemonProcess.launch(name: "Ben", options: options)
        try anna.befriend(ben)
        let path = anna.directory.file("treasure-map.txt")
        try TextFile.write("a chest".utf8, to: path)
        let sent = try MessageProcessTests.send("meet me at the mill", from: anna, to: ben.account.id)
        _ = try anna.call("message.send", ["to": .string(try ben.account.id), "files": [.string(path)]])
        try MessageProcessTests.waitForState(.delivered, of: sent.id, at: anna)
        try Patience.until("the offer", report: ben.logTail) {
            try ben.call("transfer.list")["transfers"]?.array?.isEmpty == false
        }
        for daemon in [anna, ben] {
            for word in [
                "frame sent kind=", "frame received kind=", "datagram sent kind=hello", "datagram received kind=",
            ] {
                try Patience.until("\(word) at \(daemon.name)", report: daemon.logTail) {
                    Self.lines(of: daemon).contains {
                        $0.contains(word) && $0.contains("bytes=") && $0.contains("peer=")
                    }
                }
            }
            let lines = Self.lines(of: daemon)
            for secret in ["meet me", "mill", "treasure", "a chest", "Anna", "Ben"] {
                #expect(!lines.contains { $0.contains(secret) }, "\(secret)")
            }
        }
    }

    @Test("When the level becomes trace, the frames of sessions that were there before are shown, too")
    func later() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("kibod.json5")
        try TextFile.write("{ logLevel: \"info\" }".utf8, to: path)
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let ben = try DaemonProcess.launch(name: "Ben", options: options)
        options.namesLogLevel = false
        options.arguments = ["--config", path]
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        try anna.befriend(ben)
        let id = try ben.account.id
        let first = try MessageProcessTests.send("before", from: anna, to: id)
        try MessageProcessTests.waitForState(.delivered, of: first.id, at: anna)
        #expect(Self.lines(of: anna).isEmpty)
        try TextFile.write("{ logLevel: \"trace\" }".utf8, to: path)
        anna.reload()
        try Patience.until("the file is read", report: anna.logTail) { anna.log.contains("configuration reread") }
        let second = try MessageProcessTests.send("after", from: anna, to: id)
        try MessageProcessTests.waitForState(.delivered, of: second.id, at: anna)
        for word in ["frame sent kind=", "frame received kind="] {
            try Patience.until("\(word)", report: anna.logTail) { Self.lines(of: anna).contains { $0.contains(word) } }
        }
    }

    private static func lines(of daemon: DaemonProcess) -> [Substring] {
        daemon.log.split(separator: "\n").filter { $0.contains(" trace ") }
    }

    @Test("A folder in which no file can ever be is refused when it is set, also for root")
    func nowhere() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        let refusal = FilePolicyProcessTests.refusal {
            try anna.set("files.downloadDirectory", to: "/proc/x")
        }
        #expect(refusal?.kind == .invalid)
    }
}
