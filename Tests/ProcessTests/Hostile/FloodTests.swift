import Basics
import ControlProtocol
import Glibc
import PeerProtocol
import TestSupport
import Testing

/// Many at once.
@Suite("Floods against a real daemon", .serialized)
struct FloodTests {
    private static func allowDescriptors(_ count: rlim_t) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = max(limit.rlim_cur, min(count, limit.rlim_max))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    @Test("2,000 connections that say nothing or nonsense: a friend's messages pass all the while")
    func connections() throws {
        Self.allowDescriptors(4_096)
        let scene = try Scene()
        var open: [RawSocket] = []
        var latencies: [Duration] = []
        for number in 0..<2_000 {
            let source = IPAddress.v4(0x7F00_0001 + UInt32(number % 200))
            let socket = try RawSocket(to: scene.address, from: source)
            if number % 2 == 0 { socket.write(Array("KIBO".utf8) + [1, 1, 0, 0]) }
            open.append(socket)
            if open.count > 700 { open.removeFirst(350) }
            if number % 40 == 0 { latencies.append(try scene.exchangeMessages()) }
        }
        latencies.sort()
        // 50 samples: the last but one. Milliseconds at rest; generous for a busy machine.
        #expect(latencies[latencies.count - 2] < .seconds(3), "\(latencies.suffix(3))")
        try scene.expectUnharmed()
    }

    @Test("Strangers hold every place that they can get: a friend who comes back still gets in")
    func friendReturns() throws {
        let scene = try Scene()
        try scene.bert.stop()
        // From many addresses, as many as there are: they are closed, or wait for their five seconds to end.
        let open = try (0..<300).map { try RawSocket(to: scene.address, from: .v4(0x7F00_0101 + UInt32($0))) }
        let begin = SystemClocks().now
        try scene.bert.start()
        try scene.exchangeMessages()
        #expect(SystemClocks().now - begin < .seconds(4), "the friend had to wait for the strangers' deadline")
        #expect(open.count == 300)
        try scene.expectUnharmed()
    }

    @Test("Hundreds of strangers with sessions and half a frame of a megabyte each: memory stays bounded")
    func sessionsOfStrangers() throws {
        Self.allowDescriptors(4_096)
        let scene = try Scene()
        var header = Frame(kind: .message, id: freshID()).encoded()
        header.replaceSubrange(4..<8, with: [0, 0x10, 0, 0])
        let half = header + [UInt8](repeating: 0xA0, count: 1 << 20 - 100)
        var links: [PeerLink] = []
        for number in 0..<400 {
            let link = try TestPeer("Stranger \(number)").openSession(with: scene.anna)
            link.send(plaintext: half)
            links.append(link)
        }
        #expect(links.count == 400)
        try scene.expectUnharmed(memory: 96 << 20)
    }

    @Test("A friend gets a session when strangers have taken all that strangers may have")
    func sessionPlaces() throws {
        Self.allowDescriptors(8_192)
        let scene = try Scene()
        try scene.bert.stop()
        var links: [PeerLink] = []
        for number in 0..<700 {
            guard let link = try? TestPeer("Stranger \(number)").openSession(with: scene.anna) else { continue }
            links.append(link)
        }
        try scene.bert.start()
        try scene.exchangeMessages()
        #expect(try scene.anna.status.sessions < 600)
        #expect(!links.isEmpty)
        try scene.expectUnharmed(memory: 96 << 20)
    }
}
