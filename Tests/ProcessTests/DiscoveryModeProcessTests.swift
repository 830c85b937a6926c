import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing

@Suite("Discovery modes, with real daemons", .serialized)
struct DiscoveryModeProcessTests {
    private func waitForPresence(_ daemon: DaemonProcess, of other: DaemonProcess, _ id: String) throws {
        let logs = daemon.logTail + other.logTail
        try Patience.until("\(daemon.name) to meet \(other.name)", within: .seconds(60), report: logs) {
            try daemon.contact(id)?.presence == .online
        }
    }

    /// What whoever dials without a key gets.
    private func answer(of daemon: DaemonProcess, to peer: TestPeer) throws -> [UInt8]? {
        var channel = SecureChannel(dialling: .session, identity: try peer.identity(), now: SystemClocks().now)
        let socket = try RawSocket(to: try #require(SocketAddress(try daemon.listenAddress)))
        socket.write(try channel.start())
        return socket.readToEnd()
    }

    private func contains(_ bytes: [UInt8], _ piece: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= piece.count else { return false }
        return (0...bytes.count - piece.count).contains { bytes[$0...].starts(with: piece) }
    }

    @Test(
        "Mode contacts: friends find each other again and again, nobody else learns from broadcasts or by dialling who is there"
    )
    func contacts() throws {
        let port = try FreePort.udp()
        let options = DaemonProcess.Options(discoveryPort: port)
        let anna = try DaemonProcess.launch(name: "Anna", options: options)
        let bert = try DaemonProcess.launch(name: "Bert", options: options)
        let cleo = try DaemonProcess.launch(name: "Cleo", options: options)
        let dora = try DaemonProcess.launch(name: "Dora", options: options)
        try anna.befriend(bert)
        try dora.befriend(bert)
        try cleo.waitToSee(bert)
        let (annaID, bertID) = (try anna.account.id, try bert.account.id)
        let bertsAccount = try #require(AccountID(bertID))
        let bertsDevice = try #require(try cleo.peers.first { $0.account == bertID }?.device)
        let device = try #require(DeviceID(bertsDevice))

        for daemon in [anna, bert] { try daemon.set("discovery.mode", to: "contacts") }
        try Patience.until("Cleo to miss both", report: cleo.logTail) { try cleo.peers.map(\.displayName) == ["Dora"] }
        // New ports: only announcements tell where they are. Nobody but the two can read those.
        for daemon in [anna, bert] { try daemon.stop() }
        let ear = try RawDatagramSocket(shared: port)
        try anna.start()
        try bert.start()
        try waitForPresence(anna, of: bert, bertID)
        try waitForPresence(bert, of: anna, annaID)
        // Each says HELLO three times within four seconds.
        var (heard, veiled): ([[UInt8]], [[UInt8]]) = ([], [])
        try Patience.until("six veiled announcements", within: .seconds(40), report: anna.logTail + bert.logTail) {
            while let datagram = ear.receive(within: .milliseconds(100)) { heard.append(datagram) }
            veiled = heard.filter { $0.count > 4 && $0[4] == 2 }
            return veiled.count >= 6
        }
        #expect(veiled.allSatisfy { $0.count == DiscoveryLimits.veiledDatagramBytes })
        // Tags are the same for ten minutes, as long as an address; all else is new each time.
        var pieces: Set<ArraySlice<UInt8>> = []
        for datagram in Set(veiled) {
            for index in 24...datagram.count - 8 {
                #expect(pieces.insert(datagram[index..<index + 8]).inserted, "eight bytes come again")
            }
        }
        for datagram in heard {
            for secret in [device.bytes[..<8], bertsAccount.bytes[..<8], Array("Bert".utf8)[...]] {
                #expect(!contains(datagram, secret))
            }
        }
        #expect(try cleo.peers.map(\.displayName) == ["Dora"])
        // Whoever dials hears nothing: a stranger, and a friend who has shown no key.
        #expect(try answer(of: bert, to: TestPeer()) == [])
        #expect(try answer(of: anna, to: TestPeer()) == [])
        #expect(throws: (any Error).self) {
            try cleo.call("peer.connect", ["address": .string(try bert.listenAddress)])
        }
        let doctor = try (bert.call("system.doctor")["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
        let announcements = try #require(doctor.first { $0.name == "announcements" })
        #expect(announcements.ok && announcements.detail.contains("contacts"), "\(announcements)")

        // While Anna is away, Dora is removed and so Bert's key is another one. Anna announces nothing: only by the key that
        // she alone has can she find him, and only with it is she let in.
        try anna.set("discovery.mode", to: "silent")
        try anna.stop()
        try bert.call("contact.remove", ["id": .string(try dora.account.id)])
        try Patience.until("Dora to hear of it", report: dora.logTail + bert.logTail) {
            try dora.contact(bertID)?.relation != .friend
        }
        for daemon in [dora, bert] { try daemon.stop() }
        for daemon in [dora, anna, bert] { try daemon.start() }
        try waitForPresence(anna, of: bert, bertID)
        try waitForPresence(bert, of: anna, annaID)
        #expect(try !dora.peers.contains { $0.account == bertID || $0.device == bertsDevice })
        #expect(try answer(of: anna, to: TestPeer()) == [])

        // Within the same start to everybody again.
        try bert.set("discovery.mode", to: "open")
        try cleo.waitToSee(bert)
        try dora.waitToSee(bert)
        #expect(try answer(of: bert, to: TestPeer())?.isEmpty == false)
    }
}
