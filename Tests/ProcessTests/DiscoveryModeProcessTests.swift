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

    /// Returns what a dialling peer gets, without a key or with one; nil if it gets anything but silence.
    private func answer(of daemon: DaemonProcess, to peer: TestPeer, key: SharedKey? = nil) throws -> [UInt8]? {
        let clocks = SystemClocks()
        var channel = SecureChannel(
            dialling: .session, identity: try peer.identity(), knock: key.map { Knock(key: $0, at: clocks.wallTime) },
            now: clocks.now)
        let socket = try RawSocket(to: try #require(SocketAddress(try daemon.listenAddress)))
        socket.write(try channel.start())
        return switch socket.read(within: Patience.usual) {
        case .end: []
        case .bytes(let bytes): bytes
        case .silence: nil
        }
    }

    private func contains(_ bytes: [UInt8], _ piece: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= piece.count else { return false }
        return (0...bytes.count - piece.count).contains { bytes[$0...].starts(with: piece) }
    }

    @Test(
        "In mode contacts friends find each other, and others learn nothing from broadcasts or by dialling"
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
        let (annaID, bertID, doraID) = (try anna.account.id, try bert.account.id, try dora.account.id)
        let bertsAccount = try #require(AccountID(bertID))
        let bertsDevice = try #require(try cleo.peers.first { $0.account == bertID }?.device)
        let device = try #require(DeviceID(bertsDevice))

        for daemon in [anna, bert] { try daemon.set("discovery.mode", to: "contacts") }
        try Patience.until("Cleo to miss both", report: cleo.logTail) { try cleo.peers.map(\.displayName) == ["Dora"] }
        // With new ports only announcements tell where the daemons are, and only these two can read them.
        for daemon in [anna, bert] { try daemon.stop() }
        let ear = try RawDatagramSocket(shared: port)
        try anna.start()
        try bert.start()
        try waitForPresence(anna, of: bert, bertID)
        try waitForPresence(bert, of: anna, annaID)
        // Each daemon says HELLO three times within four seconds.
        var (heard, veiled): ([[UInt8]], [[UInt8]]) = ([], [])
        try Patience.until("six veiled announcements", within: .seconds(40), report: anna.logTail + bert.logTail) {
            while let datagram = ear.receive(within: .milliseconds(100)) { heard.append(datagram) }
            veiled = heard.filter { $0.count > 4 && $0[4] == 2 }
            return veiled.count >= 6
        }
        #expect(veiled.allSatisfy { $0.count == DiscoveryLimits.veiledDatagramBytes })
        // Tags stay the same for ten minutes, as an address does; all other bytes are new each time.
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
        // A dialling stranger hears nothing, and neither does a friend that has shown no key.
        #expect(try answer(of: bert, to: TestPeer()) == [])
        #expect(try answer(of: anna, to: TestPeer()) == [])
        #expect(throws: (any Error).self) {
            try cleo.call("peer.connect", ["address": .string(try bert.listenAddress)])
        }
        let doctor = try (bert.call("system.doctor")["checks"]?.array ?? []).map { try DoctorCheck(json: $0) }
        let announcements = try #require(doctor.first { $0.name == "announcements" })
        #expect(announcements.ok && announcements.about(.announcementsVeiled) != nil, "\(announcements)")

        // Files go by connections of their own, which are closed to strangers in the same way.
        let path = anna.directory.file("plan.txt")
        try TextFile.write(Array("under the veil".utf8), to: path)
        let transfer = try FileProcessTests.offer(path, from: anna, to: bert)
        try bert.call("transfer.accept", ["id": .string(transfer)])
        #expect(try FileProcessTests.waitForEnd(transfer, at: bert).state == .done)

        // While both are away, Dora is removed, so Bert gets another key. Anna announces nothing: she can find him only
        // by the key that she alone has, and only with it is she let in. Dora still has her old keys and doesn't know
        // of the removal: Bert is as good as gone for her, and doesn't dial her to tell her.
        try anna.set("discovery.mode", to: "silent")
        for daemon in [anna, dora] { try daemon.stop() }
        try bert.call("contact.remove", ["id": .string(doraID)])
        for daemon in [dora, anna] { try daemon.start() }
        try cleo.waitToSee(dora)
        for mode in ["silent", "contacts"] { try bert.set("discovery.mode", to: .string(mode)) }
        try waitForPresence(anna, of: bert, bertID)
        try waitForPresence(bert, of: anna, annaID)
        try Patience.until("Dora to hear what she can't read", report: dora.logTail) {
            let text = try #require(dora.call("system.metrics").string)
            let series = "kibo_datagrams_refused_total{reason=\"unknown_veil\"} "
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(series) })
            return try #require(Int(line.dropFirst(series.count))) > 2
        }
        #expect(try dora.contact(bertID)?.relation == .friend && dora.contact(bertID)?.presence != .online)
        #expect(try !dora.peers.contains { $0.account == bertID || $0.device == bertsDevice })
        #expect(try answer(of: anna, to: TestPeer()) == [])
        // The ports are new again: only announcements tell where the daemons are.
        for daemon in [anna, bert] { try daemon.stop() }
        for daemon in [anna, bert] { try daemon.start() }
        try waitForPresence(anna, of: bert, bertID)
        #expect(try dora.contact(bertID)?.relation == .friend && dora.contact(bertID)?.presence != .online)

        // In the same run Bert announces himself to all again, and the frame that waited for Dora goes out.
        try bert.set("discovery.mode", to: "open")
        try cleo.waitToSee(bert)
        try dora.waitToSee(bert)
        try Patience.until("Dora to hear that she was removed", report: dora.logTail + bert.logTail) {
            try dora.contact(bertID)?.relation != .friend
        }
        #expect(try answer(of: bert, to: TestPeer())?.isEmpty == false)
    }

    @Test("The doctor tells a hidden user which friends have no key to find them by")
    func friendsWithoutKeys() throws {
        let anna = try DaemonProcess.launch(name: "Anna", options: .init())
        func lookAtKeys() throws -> DoctorCheck? {
            let checks = try anna.client.call("system.doctor", [:], timeout: .seconds(90))["checks"]?.array ?? []
            return try checks.map { try DoctorCheck(json: $0) }.first { $0.name == "keys" }
        }
        // This friend has an older Kibo that has no keys.
        let finn = try TestPeer("Finn")
        _ = try finn.befriend(anna)
        #expect(try lookAtKeys() == nil, "in the open mode all friends can find her")
        try anna.set("discovery.mode", to: "contacts")
        let check = try #require(try lookAtKeys())
        #expect(!check.ok && check.about(.keysMissing)?["names"] == ["Finn"] && check.advises(.beOpen))
        try anna.set("discovery.mode", to: "open")
        let link = try finn.openSession(with: anna)
        let finns = DiscoveryKeys(finn.deviceKey)
        let pair = finns.pair(with: try #require(AccountID(anna.account.id)))
        for held in [0, 1] as [UInt32] {
            let told = DiscoveryKeysBody(number: 1, shared: finns.shared(1), pair: pair, held: held)
            link.send(Frame(kind: .discoveryKeys, body: told.encoded()))
        }
        _ = try link.frame("that they are stored") { frame in
            try frame.kind == .discoveryKeys && DiscoveryKeysBody(decoding: frame.body).held == 1
        }
        try anna.set("discovery.mode", to: "contacts")
        try Patience.until("Finn to have keys", report: anna.logTail) { try lookAtKeys()?.ok == true }
    }

    @Test("Keys are told once and again after a change, and only they open a closed door")
    func keys() throws {
        let anna = try DaemonProcess.launch(name: "Anna", options: .init())
        let (bert, cleo) = (try TestPeer("Bert"), try TestPeer("Cleo"))
        /// Becomes a friend, tells its keys, and waits until Anna says that she has them.
        func meet(_ peer: TestPeer, number: UInt32) throws -> (link: PeerLink, keys: DiscoveryKeysBody) {
            let link = try peer.befriend(anna)
            let keys = DiscoveryKeys(peer.deviceKey)
            let own = DiscoveryKeysBody(
                number: number, shared: keys.shared(number),
                pair: keys.pair(with: try #require(AccountID(anna.account.id))),
                held: 0)
            link.send(Frame(kind: .discoveryKeys, body: own.encoded()))
            let answer = try link.frame("Anna's keys") { frame in
                try frame.kind == .discoveryKeys && DiscoveryKeysBody(decoding: frame.body).held == number
            }
            let annas = try DiscoveryKeysBody(decoding: answer.body)
            // She needs no answer when she has these keys already and hears that we have hers.
            for held in [0, annas.number] {
                let again = DiscoveryKeysBody(number: number, shared: own.shared, pair: own.pair, held: held)
                link.send(Frame(kind: .discoveryKeys, body: again.encoded()))
            }
            #expect(throws: PeerLink.Silence.self) { try link.frame(.discoveryKeys, within: .seconds(1)) }
            return (link, annas)
        }
        let (bertsLink, berts) = try meet(bert, number: 5)
        let (cleosLink, cleos) = try meet(cleo, number: 9)
        #expect(berts.number == 1 && cleos.number == 1 && berts.shared == cleos.shared && berts.pair != cleos.pair)
        // In the open mode she answers every peer.
        let mallory = try TestPeer()
        #expect(try answer(of: anna, to: mallory)?.isEmpty == false)
        try anna.set("discovery.mode", to: "silent")
        for (peer, key) in [
            (mallory, nil), (bert, nil), (bert, DiscoveryKeys(bert.deviceKey).shared(5)), (bert, berts.shared),
        ] {
            #expect(try answer(of: anna, to: peer, key: key) == [])
        }
        #expect(try answer(of: anna, to: bert, key: berts.pair)?.isEmpty == false)
        // With another peer's key there is an answer, because the key is known, but nothing else.
        let clocks = SystemClocks()
        let address = try #require(SocketAddress(try anna.listenAddress))
        let thief = PeerLink(
            try RawSocket(to: address),
            SecureChannel(
                dialling: .session, identity: try mallory.identity(),
                knock: Knock(key: berts.pair, at: clocks.wallTime), now: clocks.now))
        try thief.start()
        #expect(throws: PeerLink.Ended.self) { try thief.frame("a word") { _ in true } }

        // Bert is removed: Cleo gets another key, and Bert's doesn't open the door any more.
        try anna.call("contact.remove", ["id": .string(bert.id)])
        let next = try DiscoveryKeysBody(decoding: cleosLink.frame(.discoveryKeys).body)
        #expect(next.number > 1_000_000 && next.shared != cleos.shared && next.pair == cleos.pair && next.held == 9)
        try Patience.until("Bert's key to be worth nothing", report: anna.logTail) {
            try answer(of: anna, to: bert, key: berts.pair) == []
        }
        #expect(try answer(of: anna, to: cleo, key: cleos.pair)?.isEmpty == false)
        #expect(throws: (any Error).self) {
            while true { _ = try bertsLink.frame(.discoveryKeys, within: .seconds(1)) }
        }
        // All keys are on disk.
        try anna.stop()
        try anna.start()
        try Patience.until("Cleo to be let in", report: anna.logTail) {
            try answer(of: anna, to: cleo, key: cleos.pair)?.isEmpty == false
        }
        #expect(try answer(of: anna, to: bert, key: berts.pair) == [])
    }
}
