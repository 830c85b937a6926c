import Basics
import ControlProtocol
import Crypto
import Glibc
import PeerProtocol
import TestSupport
import Testing

/// Goal: daemons answer a flood with no more UDP than docs/PROTOCOL-DISCOVERY.md allows, and send no address more bytes
/// than came from it. All bytes are counted twice: on the sockets of this test, and by the daemons.
@Suite("Daemons are no amplifiers", .serialized)
struct AmplificationTests {
    /// Made-up devices that share a socket, as if they were on one host.
    private struct Crowd {
        let socket: RawDatagramSocket
        let port: UInt16
        private(set) var bytesSent = 0

        mutating func send(_ datagram: [UInt8]) {
            socket.broadcast(datagram, to: port)
            bytesSent += datagram.count
        }

        mutating func send(
            _ kind: DiscoveryDatagram.Kind, by key: SigningKey, sequence: UInt32, about subject: ProbeSubject? = nil
        ) {
            send(
                DiscoveryDatagram(
                    kind: kind, device: DeviceID(key.publicKey), incarnation: 1, sequence: sequence, port: 9,
                    subject: subject
                ).encoded(signedBy: key))
        }
    }

    @Test(
        "10,000 signed probes, indirect probes and suspicions: what goes out is bounded and less than what came in"
    )
    func strangers() throws {
        let port = try FreePort.udp()
        let scene = try Scene(discoveryPort: port)
        let daemons = [scene.anna, scene.bert]
        let ear = try RawDatagramSocket(shared: port)
        var crowd = Crowd(socket: try RawDatagramSocket(from: .v4(0x7F00_0009)), port: port)
        var unknown = Crowd(socket: try RawDatagramSocket(from: .v4(0x7F00_000A)), port: port)
        let subjects = try daemons.map { daemon in
            let peers = try (daemon === scene.anna ? scene.bert : scene.anna).peers
            let account = try daemon.account.id
            return try #require(peers.first { $0.account == account }?.device)
        }
        let targets = try subjects.map { device in
            ProbeSubject(device: try #require(DeviceID(device)), incarnation: 1, nonce: 7)
        }
        func sum(_ series: String) throws -> Int { try daemons.map { try $0.metric(series) }.reduce(0, +) }
        let sentBefore = try sum("kibo_datagrams_sent_total")
        let begin = SystemClocks().now

        // Ten devices introduce themselves.
        let known = (0..<10).map { _ in SigningKey() }
        let believed = try sum("kibo_datagrams_believed_total")
        for key in known { crowd.send(.hello, by: key, sequence: 1) }
        try Patience.until("the ten to be heard by both", report: scene.anna.logTail) {
            try sum("kibo_datagrams_believed_total") >= believed + 2 * known.count
        }
        // Half of the flood is from unknown devices: each is new with its first datagram, and gets no answer to it.
        let kinds: [DiscoveryDatagram.Kind] = [.probe, .probeRequest, .suspect, .probeAck]
        for number in 0..<5_000 {
            unknown.send(
                kinds[number % 4], by: SigningKey(), sequence: 1, about: targets[number / 4 % 2])
        }
        // The other half is from the ten known devices.
        for number in 0..<5_000 {
            crowd.send(
                kinds[number % 3], by: known[number % 10], sequence: UInt32(10 + number),
                about: targets[number / 30 % 2])
        }
        try scene.expectUnharmed()

        // The datagrams that came back to the crowd, and those that all could hear.
        var (bytesBack, bytesBackToUnknown, acknowledged, heard) = (0, 0, 0, 0)
        while let bytes = crowd.socket.receive(within: .milliseconds(300)) {
            let kind = try ReceivedDatagram(decoding: bytes[...]).content.kind
            if kind == .probeAck { acknowledged += 1 }
            // The daemons' own probes go there, too: one a second, and three indirect probes if a device doesn't
            // answer.
            #expect([.probe, .probeRequest, .probeAck].contains(kind), "\(kind)")
            #expect(bytes.count <= 184)
            bytesBack += bytes.count
            if SystemClocks().now - begin > .seconds(30) { break }
        }
        while let bytes = unknown.socket.receive(within: .zero) {
            let kind = try ReceivedDatagram(decoding: bytes[...]).content.kind
            #expect(kind != .probeAck, "a device that hasn't introduced itself was answered")
            bytesBackToUnknown += bytes.count
        }
        let seconds = Int((SystemClocks().now - begin).milliseconds / 1_000) + 1
        while let bytes = ear.receive(within: .zero) {
            let kind = try ReceivedDatagram(decoding: bytes[...]).content.kind
            let isOurs = try subjects.contains(ReceivedDatagram(decoding: bytes[...]).content.device.description)
            if isOurs, kind != .hello { heard += 1 }
        }
        let sent = try sum("kibo_datagrams_sent_total") - sentBefore
        #expect(acknowledged > 0, "a known device must be answered, or this test shows nothing")
        #expect(bytesBack <= crowd.bytesSent / 2, "\(bytesBack) bytes for \(crowd.bytesSent)")
        #expect(
            bytesBackToUnknown <= unknown.bytesSent / 2, "\(bytesBackToUnknown) bytes for \(unknown.bytesSent)")
        // Each of the two daemons gives each device 24 answers at once and eight a second.
        #expect(acknowledged <= 2 * known.count * (24 + 8 * seconds), "\(acknowledged) answers in \(seconds) s")
        // A daemon sends one beacon a second against suspicions of itself. It also announces suspicions of devices that
        // don't answer: two for each of its probes, which is one a second.
        #expect(heard <= 2 * 5 * (seconds + 3), "\(heard) broadcasts in \(seconds) s")
        // These are the answers, the indirect probes with two datagrams each, one probe a second with all that follows
        // from it, and what the other daemon's suspicions lead to.
        let bound = 2 * known.count * 3 * (24 + 8 * seconds) + 2 * 40 * (seconds + 3)
        #expect(sent <= bound, "\(sent) datagrams in \(seconds) s for 10,000; the bound is \(bound)")
    }

    @Test(
        "Broadcasts have no name, host or account, and nothing that isn't in the protocol's table")
    func metadata() throws {
        let port = try FreePort.udp()
        let ear = try RawDatagramSocket(shared: port)
        let options = DaemonProcess.Options(discoveryPort: port)
        let anna = try DaemonProcess.launch(name: "Annabella Quartermaine", options: options)
        let bert = try DaemonProcess.launch(name: "Bartholomew", options: options)
        try anna.befriend(bert)
        try anna.set("privacy.showEmail", to: "everyone")
        _ = try anna.call("account.update", ["email": "anna@example.org", "statusText": "looking for work"])
        // A made-up device asks, because an answer shows bytes, too.
        let key = SigningKey()
        let probe = try RawDatagramSocket(from: .v4(0x7F00_0009))
        let subject = try #require(try bert.peers.first { $0.displayName == anna.name }?.device).description
        for sequence: UInt32 in 1...3 {
            let about = ProbeSubject(device: try #require(DeviceID(subject)), incarnation: 1, nonce: 5)
            probe.broadcast(
                DiscoveryDatagram(
                    kind: sequence == 1 ? .hello : .probe, device: DeviceID(key.publicKey), incarnation: 1,
                    sequence: sequence, port: 9, subject: sequence == 1 ? nil : about
                ).encoded(signedBy: key), to: port)
        }
        let answer = try #require(probe.receive(within: Patience.usual))
        let accounts = try [anna, bert].map { try #require(AccountID(try $0.account.id)) }
        try anna.stop()
        try bert.stop()

        var secrets = ["Annabella", "Quartermaine", "Bartholomew", "anna@example", "looking for"].map { Array($0.utf8) }
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, host.count - 1)
        secrets.append(host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
        for account in accounts { secrets += [account.bytes, Array(account.description.utf8)] }
        var kinds: Set<UInt8> = []
        var cards: [DeviceID: Set<UInt16>] = [:]
        var capture = [answer]
        while let datagram = ear.receive(within: .zero) { capture.append(datagram) }
        for datagram in capture {
            let content = try ReceivedDatagram(decoding: datagram[...]).content
            kinds.insert(content.kind.rawValue)
            #expect(datagram.count == (content.kind.hasSubject ? 184 : 140))
            // Flags and the reserved byte carry nothing; two bytes belong to the card, and they change only with the
            // card.
            #expect(datagram[6] == 0 && datagram[7] == 0)
            cards[content.device, default: []].insert(content.card)
            for secret in secrets where secret.count > 3 {
                #expect(!DiskSearch.contains(secret, in: datagram), "\(String(decoding: secret, as: UTF8.self))")
            }
        }
        #expect(kinds.isSuperset(of: [1, 3]) && capture.count >= 7, "\(kinds) in \(capture.count)")
        #expect(cards.values.allSatisfy { $0.count <= 3 }, "\(cards)")
    }
}
