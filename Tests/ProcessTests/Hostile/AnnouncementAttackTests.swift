import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing

/// Attacks by UDP. Everything stays on loopback, at a discovery port of the test's own.
@Suite("Hostile announcements against real daemons", .serialized)
struct AnnouncementAttackTests {
    @Test("Forged, replayed, oversized and garbage announcements change nothing and are not answered")
    func forged() throws {
        let port = try FreePort.udp()
        let ear = try RawDatagramSocket(shared: port)
        let scene = try Scene(discoveryPort: port)
        let bertsDevice = try #require(try scene.anna.peers.first { $0.account == scene.bertID }?.device)
        // These are Bert's real announcements, as every host of the network hears them.
        var recorded: [[UInt8]] = []
        while let datagram = ear.receive(within: .milliseconds(1_500)) { recorded.append(datagram) }
        let berts = recorded.filter { $0.count == 140 && DeviceID(bytes: $0[8..<40])?.description == bertsDevice }
        let genuine = try #require(berts.last)
        // The first messages make the conversation, whose id a contact shows.
        try scene.exchangeMessages()
        let contact = try scene.anna.contact(scene.bertID)
        let events = try scene.anna.connect()
        _ = try events.call("events.subscribe", ["types": ["peer.vanished", "presence.changed", "contact.changed"]])

        // The attacker has an address of its own, so that a believed announcement would move Bert there.
        let attacker = try RawDatagramSocket(from: .v4(0x7F00_0009))
        let mallory = SigningKey()
        let bert = try #require(DeviceID(bytes: genuine[8..<40]))
        var random = SeededGenerator(seed: 5)
        var lies: [[UInt8]] = berts + [[], [0], [UInt8](repeating: 0x41, count: 60_000)]
        for kind in [DiscoveryDatagram.Kind.hello, .beacon, .bye] {
            // These are in Bert's name, signed by another device, and newer than all of his.
            lies.append(
                DiscoveryDatagram(kind: kind, device: bert, incarnation: .max, sequence: .max, port: 9)
                    .encoded(signedBy: mallory))
        }
        // This is a stranger's goodbye before any hello.
        lies.append(
            DiscoveryDatagram(kind: .bye, device: DeviceID(mallory.publicKey), incarnation: 1, sequence: 1, port: 9)
                .encoded(signedBy: mallory))
        for index in genuine.indices {
            var altered = genuine
            altered[index] ^= 1 << UInt8(index % 8)
            lies.append(altered)
        }
        for count in [1, 75, 139, 141, 400, 401, 1_472] {
            lies.append(Array((genuine + [UInt8](repeating: 0, count: 1_500)).prefix(count)))
        }
        while lies.count < 500 {
            let count = Int.random(in: 0...600, using: &random)
            lies.append(
                Array("KIBD".utf8) + [1, 1] + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        var sent = 0
        for round in 0..<20 {
            for lie in lies {
                attacker.broadcast(lie, to: port)
                sent += 1
            }
            if round % 5 == 0 { try scene.exchangeMessages() }
        }
        #expect(sent == 10_000)
        try scene.expectUnharmed()

        // No byte came back, and on the shared port the daemons sent no more than their beacons.
        #expect(attacker.receive(within: .milliseconds(300)) == nil)
        let ours = Set(lies)
        var others = 0
        while let datagram = ear.receive(within: .zero) { others += ours.contains(datagram) ? 0 : 1 }
        #expect(others <= 8, "\(others) announcements in answer")
        #expect(try scene.anna.contact(scene.bertID) == contact)
        #expect(try scene.anna.peers.map(\.displayName) == ["Bert"])
        while let event = try events.nextEvent(timeout: .milliseconds(200)) {
            Issue.record("a forged announcement made an event: \(event.type) \(event.data)")
        }
    }

    @Test("Thousands of made-up devices with good signatures cause few dials, show no peer and use little memory")
    func madeUpDevices() throws {
        let port = try FreePort.udp()
        let scene = try Scene(discoveryPort: port)
        let trap = try RawListener()
        let attacker = try RawDatagramSocket(from: .v4(0x7F00_0009))
        let clocks = SystemClocks()
        let begin = clocks.now
        for number in 0..<6_000 {
            let key = SigningKey()
            // Half of them have a port on which no process listens; at the other half one listens and never answers.
            let announcement = DiscoveryDatagram(
                kind: .hello, device: DeviceID(key.publicKey), incarnation: 1, sequence: 1,
                port: number % 2 == 0 ? 9 : trap.port)
            attacker.broadcast(announcement.encoded(signedBy: key), to: port)
            if number % 1_000 == 0 { #expect(try scene.exchangeMessages() < .seconds(3)) }
        }
        #expect(try scene.anna.peers.map(\.displayName) == ["Bert"])
        // No announcement is answered. Each daemon probes one device a second, asks three others if that is silent, and
        // looks after what the other one suspects; here all of them have one socket.
        let seconds = Int((clocks.now - begin).milliseconds / 1_000)
        let most = 100 + 40 * (seconds + 1)
        var datagrams = 0
        while datagrams < most, let bytes = attacker.receive(within: .milliseconds(300)) {
            let kind = try ReceivedDatagram(decoding: bytes[...]).content.kind
            #expect(kind == .probe || kind == .probeRequest)
            datagrams += 1
        }
        #expect(datagrams < most, "6,000 announcements were sent in \(seconds) s")
        try scene.expectUnharmed()
    }
}
