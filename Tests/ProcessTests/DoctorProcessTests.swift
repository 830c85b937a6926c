import ControlProtocol
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("kibo doctor and metrics, on real daemons", .serialized)
struct DoctorProcessTests {
    private func checks(_ daemon: DaemonProcess) throws -> [String: DoctorCheck] {
        let result = try daemon.client.call("system.doctor", [:], timeout: .seconds(90))
        let list = try (result["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
        return Dictionary(uniqueKeysWithValues: list.map { ($0.name, $0) })
    }

    @Test("The doctor reports a missing account; then everything is well on loopback, with a friend's help")
    func well() throws {
        let port = try FreePort.udp()
        let anna = try DaemonProcess(name: "Anna", options: .init(discoveryPort: port))
        try anna.start()
        let before = try checks(anna)
        #expect(before["account"]?.ok == false)
        #expect(before["account"]?.advises(.makeAccount) == true)
        #expect(before["announcements"] == nil)
        #expect(before["database"]?.ok == true)
        try anna.createAccount()
        let bert = try DaemonProcess.launch(name: "Bert", options: .init(discoveryPort: port))
        try anna.befriend(bert)
        try Patience.until("the friends to be connected", report: anna.logTail + bert.logTail) {
            try anna.contact(bert.account.id)?.presence == .online
        }
        for daemon in [anna, bert] {
            let found = try checks(daemon)
            for name in [
                "account", "interfaces", "port", "announcements", "reachable", "clock", "database", "permissions",
            ] {
                #expect(
                    found[name]?.ok == true,
                    "\(daemon.name): \(found[name]?.findings.map(\.code.rawValue.code) ?? [name])")
            }
            #expect(found["reachable"]?.about(.reached)?["address"]?.string?.hasPrefix("127.0.0.1:") == true)
            #expect(found["announcements"]?.about(.announcementsBack)?["port"] == .integer(Int64(port)))
        }
        let listen = try anna.listenAddress
        #expect(try checks(anna)["port"]?.about(.listens) == ["addresses": [.string(listen)]])
    }

    @Test(
        "LocalSend: its announcements come back on loopback; without encryption the doctor says so; off, it says nothing"
    )
    func localSend() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        #expect(try checks(anna)["localsend"] == nil)
        for isPlain in [false, true] {
            try anna.set("localsend.plain", to: .bool(isPlain))
            try anna.set("localsend.enabled", to: true)
            try Patience.until("the bridge to serve", report: anna.logTail) {
                try anna.call("guest.list")["port"]?.integer != nil
            }
            let found = try #require(try checks(anna)["localsend"])
            #expect(found.about(.localsendOn)?["name"] == "Anna’s Kibo", "\(found.findings)")
            #expect(found.about(.localsendHeard) != nil, "\(found.findings)")
            #expect((found.about(.localsendPlain) != nil) == isPlain && found.advises(.encryptLocalsend) == isPlain)
            try anna.set("localsend.enabled", to: false)
        }
        #expect(try checks(anna)["localsend"] == nil)
    }

    @Test("The doctor reports problems: a key file that others can read, announcements that are off")
    func ill() throws {
        let anna = try DaemonProcess.launch(name: "Anna")
        chmod(anna.dataPath + "/keys", 0o644)
        let found = try checks(anna)
        #expect(found["permissions"]?.ok == false)
        #expect(found["permissions"]?.advice == [.init(.closePath, ["path": .string(anna.dataPath + "/keys")])])
        #expect(found["announcements"]?.ok == false)
        #expect(found["reachable"]?.about(.noFriendConnected) != nil)
        let run = try anna.kibo(["doctor"], within: .seconds(90))
        #expect(run.code == 1)
        #expect(run.text.contains("chmod go="))
    }

    @Test("A port that is taken when the account is made: the doctor says so, and the daemon listens once it is free")
    func portTaken() throws {
        var taken: RawListener? = try RawListener()
        let place = "127.0.0.1:\(try #require(taken).port)"
        var options = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        options.listen = place
        let anna = try DaemonProcess(name: "Anna", options: options)
        try anna.start()
        #expect(throws: ClientError.self) { try anna.createAccount() }
        let port = try #require(try checks(anna)["port"])
        #expect(!port.ok && port.advises(.freePort), "\(port.findings)")
        #expect(port.about(.nothingListens)?["detail"]?.string?.contains(place) == true)
        taken = nil
        try Patience.until("the daemon to listen", report: anna.logTail) {
            try anna.listenAddress == place
        }
        #expect(try checks(anna)["port"]?.ok == true)
    }

    @Test("A port for announcements that is taken costs no sockets while it is tried again, and counts once it is free")
    func announcementPortTaken() throws {
        var taken: RawDatagramSocket? = try RawDatagramSocket()
        let anna = try DaemonProcess(name: "Anna", options: .init(discoveryPort: try #require(taken).port))
        try anna.start()
        #expect(throws: ClientError.self) { try anna.createAccount() }
        let descriptors = {
            let folder = "/proc/\(try #require(anna.pid))/fd"
            return try FileManager.default.contentsOfDirectory(atPath: folder).count
        }
        let before = try descriptors()
        let tries = { anna.log.components(separatedBy: "the network still can't be opened").count - 1 }
        try Patience.until("two more tries", report: anna.logTail) { tries() >= 2 }
        #expect(try descriptors() == before)
        taken = nil
        try Patience.until("the network to open", report: anna.logTail) { try checks(anna)["port"]?.ok == true }
    }

    @Test("Clocks that are more than a month apart: both doctors say whose, by how much and which way")
    func clocksApart() throws {
        let clock = try TestClock()
        var slow = DaemonProcess.Options(discoveryPort: try FreePort.udp())
        let right = slow
        slow.environment.merge(clock.environment) { $1 }
        clock.set(ahead: .seconds(-400 * 86_400))
        let daemons = [
            try DaemonProcess.launch(name: "Anna", options: right),
            try DaemonProcess.launch(name: "Bert", options: slow),
        ]
        for (daemon, isBehind) in zip(daemons, [true, false]) {
            let check = try Patience.until("the doctor to know of the clocks", report: daemon.logTail) {
                let check = try checks(daemon)["clock"]
                return check?.ok == false ? check : nil
            }
            let found = try #require(check.about(.clocksTooFar))
            #expect(found["behind"] == .bool(isBehind) && check.advises(.setClocks), "\(found)")
            let days = try #require(found["days"]?.integer)
            #expect((399...401).contains(days))
        }
        // Once the clock is right they meet, and nothing is left of it.
        clock.set(ahead: .zero)
        try daemons[0].befriend(daemons[1])
        for daemon in daemons { #expect(try checks(daemon)["clock"]?.ok == true) }
    }

    @Test("Metrics count bytes that are refused as no datagrams or no handshakes")
    func metrics() throws {
        let port = try FreePort.udp()
        let anna = try DaemonProcess.launch(name: "Anna", options: .init(discoveryPort: port))
        #expect(try anna.metric("kibo_datagrams_refused_total{reason=\"malformed\"}") == 0)
        try Self.send(Array("nonsense".utf8), toUDP: port)
        try Patience.until("the datagram to be counted", report: anna.logTail) {
            try anna.metric("kibo_datagrams_refused_total{reason=\"malformed\"}") == 1
        }
        let address = try anna.listenAddress
        let tcp = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
        try Self.greet(tcp, with: Array("GET / HTTP/1.1\r\n\r\n                    ".utf8))
        try Patience.until("the handshake to be counted", report: anna.logTail) {
            try anna.metric("kibo_handshakes_total{outcome=\"not_kibo\"}") == 1
        }
        #expect(try anna.metric("kibo_sessions") == 0)
        #expect(try anna.metric("kibo_resident_bytes") > 1_000_000)
        let text = try anna.call("system.metrics").string ?? ""
        for line in text.split(separator: "\n") where !line.hasPrefix("# ") {
            #expect(line.split(separator: " ").count == 2, "\(line)")
        }
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func connected(_ kind: __socket_type, _ port: UInt16) throws -> CInt {
        let file = socket(AF_INET, CInt(kind.rawValue), 0)
        var address = address(port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(code == 0)
        return file
    }

    private static func send(_ bytes: [UInt8], toUDP port: UInt16) throws {
        let file = try connected(SOCK_DGRAM, port)
        defer { close(file) }
        try #require(write(file, bytes, bytes.count) == bytes.count)
    }

    private static func greet(_ port: UInt16, with bytes: [UInt8]) throws {
        let file = try connected(SOCK_STREAM, port)
        defer { close(file) }
        try #require(write(file, bytes, bytes.count) == bytes.count)
        // The daemon hangs up in the end.
        var buffer = [UInt8](repeating: 0, count: 256)
        while read(file, &buffer, buffer.count) > 0 {}
    }
}

extension DoctorCheck {
    /// What a finding is about; nil where it was not found.
    func about(_ code: DoctorFinding) -> JSONObject? { findings.first { $0.code == code }?.parameters }

    func advises(_ code: DoctorAdvice) -> Bool { advice.contains { $0.code == code } }

    /// The commands that open what a firewall closes.
    var commands: String? { advice.first?.parameters["commands"]?.string }
}
