import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import TestSupport
import Testing

/// Goal: a peer that hands on the cards of others can withhold them, but nothing else: no peer is shown under a made-up
/// name, no contact changes, nothing grows.
@Suite("Hostile peer exchange against a real daemon", .serialized)
struct PeerExchangeAttackTests {
    /// An entry as an honest peer gives it, or with another signer, card or address.
    private static func entry(
        _ peer: TestPeer, signer: SigningKey? = nil, card: [UInt8]? = nil, from host: IPAddress = .v4(0x7F00_0009)
    ) -> PeerExchangeBody.Entry {
        let device = DeviceID(peer.deviceKey.publicKey)
        let datagram = DiscoveryDatagram(kind: .hello, device: device, incarnation: 1, sequence: 1, port: 9)
        return PeerExchangeBody.Entry(
            device: device,
            announcement: Announcement(
                bytes: datagram.encoded(signedBy: signer ?? peer.deviceKey), source: SocketAddress(host, port: 9)),
            card: card ?? peer.card.encoded)
    }

    private static func send(_ entries: [PeerExchangeBody.Entry], hasMore: Bool = false, on link: PeerLink) {
        let sorted = entries.sorted { $0.device < $1.device }
        link.send(Frame(kind: .peerExchange, body: PeerExchangeBody(entries: sorted, hasMore: hasMore).encoded()))
    }

    private static func names(_ daemon: DaemonProcess) throws -> Set<String> {
        Set(try daemon.peers.map(\.displayName))
    }

    @Test(
        "Forged cards and announcements, unasked, long and endless pages, and endless questions do no harm"
    )
    func peerExchange() throws {
        let anna = try DaemonProcess.launch(
            name: "Anna", options: .init(discoveryPort: try FreePort.udp(), logLevel: .info))
        // Anna knows this account by a link only.
        let gerd = try TestPeer("Gerd")
        try anna.call("contact.request", ["id": .string(gerd.id)])
        let contact = try anna.contact(gerd.id)
        let before = try ProcessFigures(pid: try #require(anna.pid))

        // Anna asks the first peer that she meets for all devices.
        let mallory = try TestPeer()
        let link = try mallory.openSession(with: anna)
        _ = try link.frame(.peerExchangeRequest)
        let (carla, other) = (try TestPeer("Carla"), try TestPeer("Other"))
        let altered = try TestPeer("Altered")
        let whole = altered.card.encoded
        let lies: [PeerExchangeBody.Entry] = [
            Self.entry(try TestPeer("Forged"), signer: other.deviceKey),
            Self.entry(altered, card: whole.dropLast() + whole.suffix(1).map { $0 ^ 1 }),
            Self.entry(try TestPeer("Borrowed"), card: other.card.encoded),
            Self.entry(try TestPeer("Faraway"), from: .v4(0xC000_0201)),
            Self.entry(try TestPeer("Nobody"), card: [0xFF]), Self.entry(gerd), Self.entry(carla),
        ]
        Self.send(lies, hasMore: true, on: link)
        let next = try PeerExchangeRequestBody(decoding: link.frame(.peerExchangeRequest).body)
        #expect(next.after == lies.map(\.device).max())
        // The next page is asked for before the cards of this one are checked.
        try Patience.until("the cards to be checked", report: anna.logTail) {
            try Self.names(anna).isSuperset(of: ["Mallory", "Carla"])
        }
        #expect(try Self.names(anna) == ["Mallory", "Carla"], "only Carla's entry is complete")
        #expect(try anna.contact(gerd.id) == contact)

        // Pages come without end, each with other devices, and Anna gives up at some time. Until then each brings a
        // question for the next page of all; later questions are for the cards of those devices that were announced
        // without one.
        let highest = [UInt8](repeating: 0xFF, count: 4)
        var (pages, isAsked) = (1, true)
        while isAsked, pages < 400 {
            let entries = (0..<256 as Range<UInt32>).compactMap { number in
                var key = highest
                key.appendBigEndian(UInt32(pages) << 8 | number)
                return DeviceID(bytes: key + [UInt8](repeating: 0, count: 24)).map {
                    PeerExchangeBody.Entry(device: $0, announcement: nil, card: nil)
                }
            }
            Self.send(entries, hasMore: true, on: link)
            pages += 1
            link.send(Frame(kind: .ping))
            isAsked = false
            _ = try link.frame("what comes before the answer") { frame in
                if frame.kind == .peerExchangeRequest {
                    isAsked = try PeerExchangeRequestBody(decoding: frame.body).devices == nil
                }
                return frame.kind == .pong
            }
        }
        #expect(pages == 300)

        // This page is unasked. Questions that came meanwhile are answered first, by an empty page.
        var answered = pages
        for attempt in 0..<20 {
            while let asked = link.counts[.peerExchangeRequest], asked > answered {
                Self.send([], on: link)
                answered += 1
                try link.roundTrip()
            }
            let asked = link.counts[.peerExchangeRequest]
            Self.send([Self.entry(try TestPeer("Unasked \(attempt)"))], on: link)
            try link.roundTrip()
            guard link.counts[.peerExchangeRequest] == asked else { continue }
            #expect(!(try Self.names(anna).contains("Unasked \(attempt)")))
            #expect(try anna.metric("kibo_frames_ignored_total{reason=\"unasked\"}") >= 1)
            break
        }
        // A page of a megabyte comes from a stranger and from a friend; nothing of it is stored, and the session goes
        // on.
        let crowd = (0..<256).map { number in
            Self.entry(altered, card: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 3_850))
        }
        let long = Frame(kind: .peerExchange, body: PeerExchangeBody(entries: crowd, hasMore: true).encoded())
        #expect((1_000_000...1_048_576).contains(long.body.count))
        link.send(long)
        try link.roundTrip()
        let friend = try TestPeer("Fred").befriend(anna)
        friend.send(long, long, long)
        try friend.roundTrip()

        // Questions come without end: they get a number of pages at once, and then one a second.
        let begin = SystemClocks().now
        for _ in 0..<10 {
            for _ in 0..<100 {
                friend.send(Frame(kind: .peerExchangeRequest, body: PeerExchangeRequestBody().encoded()))
            }
            try friend.roundTrip()
        }
        let given = friend.counts[.peerExchange] ?? 0
        let seconds = Int((SystemClocks().now - begin).milliseconds / 1_000) + 1
        #expect(given >= 100 && given <= 300 + seconds + 1, "\(given) pages in \(seconds) s")
        try #require(anna.isRunning, "\(anna.logTail)")
        #expect(try anna.metric("kibo_frames_ignored_total{reason=\"too_often\"}") == 1_000 - given)
        let after = try ProcessFigures(pid: try #require(anna.pid))
        #expect(after.peakResident <= before.resident + (48 << 20), "\(after.peakResident >> 20) MiB")
        #expect(try anna.contact(gerd.id) == contact)
    }
}
