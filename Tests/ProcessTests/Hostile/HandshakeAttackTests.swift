import Basics
import Crypto
import PeerProtocol
import TestSupport
import Testing

/// Attacks by peers that have not proved who they are.
@Suite("Hostile handshakes against a real daemon", .serialized)
struct HandshakeAttackTests {
    static let preface: [UInt8] = Array("KIBO".utf8) + [1, 1, 0, 0]

    private static func prologue(_ preface: [UInt8], realm: [UInt8] = [UInt8](repeating: 0, count: 32)) -> [UInt8] {
        Array("kibo-prologue-v1".utf8) + [0] + preface + realm
    }

    private static func framed(_ message: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
    }

    /// Does a handshake by hand, so that each byte can be wrong.
    /// - Returns: whether the daemon accepts it as a session and shows its card.
    private static func shakeHands(
        with address: SocketAddress, _ peer: TestPeer, preface: [UInt8] = preface, prologue: [UInt8]? = nil,
        payload: [UInt8], learn: (([UInt8]) -> Void)? = nil
    ) throws -> Bool {
        let socket = try RawSocket(to: address)
        var handshake = try NoiseHandshake(
            .initiator, staticKey: peer.staticKey, prologue: prologue ?? Self.prologue(preface))
        socket.write(preface + framed(try handshake.write(payload: [])))
        var received: [UInt8] = []
        while received.count < 2 || received.count < 2 + Int(received[0]) << 8 + Int(received[1]) {
            guard case .bytes(let bytes) = socket.read(within: Patience.usual) else { return false }
            received += bytes
        }
        // With another prologue this side can't read the answer either, so it goes on with the keys that it has.
        guard let theirs = try? handshake.read(received[2...]) else {
            socket.write(framed([UInt8](repeating: 7, count: 200)))
            return socket.readToEnd()?.isEmpty == false
        }
        learn?(theirs)
        socket.write(framed(try handshake.write(payload: payload)))
        return if case .bytes = socket.read(within: Patience.usual) { true } else { false }
    }

    /// The payload of an honest handshake, with changes.
    private static func payload(
        of peer: TestPeer, staticKey: Key32? = nil, notAfter: Int64? = nil, _ change: (inout CBORMap) -> Void = { _ in }
    ) -> [UInt8] {
        let end = notAfter ?? SystemClocks().wallTime.milliseconds + 86_400_000
        var signed = (staticKey ?? peer.staticKey.publicKey).bytes
        signed.appendBigEndian(UInt64(clamping: end))
        var map: CBORMap = [
            1: .bytes(peer.certificate.account.bytes), 2: .bytes(peer.certificate.encoded()),
            3: .bytes(peer.deviceKey.sign(signed, label: "kibo-noise-static-v1")), 4: .integer(end), 5: .unsigned(0),
            6: .array([]), 7: .text("test"),
        ]
        change(&map)
        return CBOR.map(map).encoded()
    }

    @Test("Garbage, another protocol, wrong versions, purposes, flags and lengths end the connection without an answer")
    func garbage() throws {
        let scene = try Scene()
        var random = SeededGenerator(seed: 11)
        let first = Self.framed([UInt8](repeating: 9, count: 32))
        var openings: [[UInt8]] = [
            Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), Array("SSH-2.0-OpenSSH_9.6\r\n".utf8),
            [UInt8](repeating: 0, count: 4096), [UInt8](repeating: 0xFF, count: 100_000),
            // Version, purpose, and a realm key where none is set.
            Array("KIBO".utf8) + [0, 1, 0, 0] + first, Array("KIBO".utf8) + [2, 1, 0, 0] + first,
            Array("KIBO".utf8) + [1, 0, 0, 0] + first, Array("KIBO".utf8) + [1, 3, 0, 0] + first,
            Array("KIBO".utf8) + [1, 1, 1, 0] + first,
            // The first message is empty, short, long or endless.
            Self.preface + [0, 0], Self.preface + [0, 31], Self.preface + [0, 97], Self.preface + [0xFF, 0xFF],
        ]
        for _ in 0..<100 {
            let count = Int.random(in: 8...2000, using: &random)
            openings.append((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        for opening in openings {
            let socket = try RawSocket(to: scene.address)
            socket.write(opening)
            #expect(socket.readToEnd() == [], "\(opening.prefix(16))")
        }
        // A key of small order ends the connection too, after an answer or instead of one.
        for point in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
            let socket = try RawSocket(to: scene.address)
            socket.write(Self.preface + Self.framed(point))
            #expect(socket.readToEnd() == [])
        }
        // The connection ends within the handshake and leaves no trace.
        for count in [1, 7, 8, 9, 20] {
            let socket = try RawSocket(to: scene.address)
            socket.write(Array((Self.preface + first).prefix(count)))
            socket.finish()
            #expect(socket.readToEnd() == [])
        }
        try scene.expectUnharmed()
    }

    @Test("A third message that is empty, garbage, too long or cut off ends the connection")
    func thirdMessage() throws {
        let scene = try Scene()
        let peer = try TestPeer()
        let thirds: [[UInt8]] = [
            [0, 0], [0x10, 0x01], [0xFF, 0xFF], Self.framed([1]), Self.framed([UInt8](repeating: 3, count: 48)),
            Self.framed([UInt8](repeating: 3, count: 4096)),
        ]
        for third in thirds {
            let socket = try RawSocket(to: scene.address)
            var handshake = try NoiseHandshake(
                .initiator, staticKey: peer.staticKey, prologue: Self.prologue(Self.preface))
            socket.write(Self.preface + Self.framed(try handshake.write(payload: [])))
            guard case .bytes = socket.read(within: Patience.usual) else {
                Issue.record("an honest first message got no answer")
                continue
            }
            socket.write(third)
            #expect(socket.readToEnd() == [], "\(third.prefix(4))")
        }
        try scene.expectUnharmed()
    }

    @Test("Forged certificates and signatures, expired keys, and a friend's papers with other keys are refused")
    func forgedIdentity() throws {
        let scene = try Scene()
        let (peer, other) = (try TestPeer(), try TestPeer("Other"))
        let bertAddress = try #require(SocketAddress(try scene.bert.listenAddress))
        var bertsPayload: [UInt8] = []
        // Every peer may dial Bert and get his certificate.
        #expect(
            try Self.shakeHands(with: bertAddress, peer, payload: Self.payload(of: peer)) { bertsPayload = $0 })
        let berts = try #require(try CBORDecoder.decode(bertsPayload).mapValue)

        func isTaken(_ payload: [UInt8], prologue: [UInt8]? = nil) throws -> Bool {
            try Self.shakeHands(with: scene.address, peer, prologue: prologue, payload: payload)
        }
        func altered(_ bytes: [UInt8]) -> [UInt8] { bytes.dropLast() + [(bytes.last ?? 0) ^ 1] }

        #expect(try isTaken(Self.payload(of: peer)), "the honest handshake must pass, or this test shows nothing")
        let lies: [(String, [UInt8])] = [
            ("certificate altered", Self.payload(of: peer) { $0[2] = .bytes(altered(peer.certificate.encoded())) }),
            ("another person's certificate", Self.payload(of: peer) { $0[2] = .bytes(other.certificate.encoded()) }),
            (
                "another person's account and certificate",
                Self.payload(of: peer) {
                    $0[1] = .bytes(other.certificate.account.bytes)
                    $0[2] = .bytes(other.certificate.encoded())
                }
            ),
            ("another account than the certificate's", Self.payload(of: peer) { $0[1] = berts[1] }),
            ("the friend's account and certificate", Self.payload(of: peer) { ($0[1], $0[2]) = (berts[1], berts[2]) }),
            ("all of the friend's papers", bertsPayload),
            ("signature of another key", Self.payload(of: peer, staticKey: other.staticKey.publicKey)),
            ("signature by another device", Self.payload(of: peer) { $0[3] = .bytes(other.deviceKey.sign([1])) }),
            ("short signature", Self.payload(of: peer) { $0[3] = .bytes([1, 2, 3]) }),
            ("zero signature", Self.payload(of: peer) { $0[3] = .bytes([UInt8](repeating: 0, count: 64)) }),
            ("expired", Self.payload(of: peer, notAfter: SystemClocks().wallTime.milliseconds - 1_000)),
            ("expired long ago", Self.payload(of: peer, notAfter: 0)),
            ("a later end than was signed", Self.payload(of: peer) { $0[4] = .integer(.max) }),
            ("end beyond time", Self.payload(of: peer) { $0[4] = .unsigned(.max) }),
            ("port out of range", Self.payload(of: peer) { $0[5] = .unsigned(70_000) }),
            (
                "too many capabilities",
                Self.payload(of: peer) { $0[6] = .array([CBOR](repeating: .text("a"), count: 33)) }
            ),
            ("a capability with a line break", Self.payload(of: peer) { $0[6] = .array([.text("a\nb")]) }),
            ("a terminal's escape for a version", Self.payload(of: peer) { $0[7] = .text("\u{1B}[2J") }),
            ("nothing", []), ("no map", CBOR.array([]).encoded()), ("empty map", CBOR.map([:]).encoded()),
            ("bytes behind", Self.payload(of: peer) + [0]),
        ]
        for (what, lie) in lies { #expect(try !isTaken(lie), "\(what)") }
        let honest = Self.payload(of: peer)
        #expect(
            try !isTaken(honest, prologue: Self.prologue(Array("KIBO".utf8) + [1, 2, 0, 0])),
            "another preface was accepted")
        let realm = [UInt8](repeating: 1, count: 32)
        #expect(try !isTaken(honest, prologue: Self.prologue(Self.preface, realm: realm)), "another realm was accepted")
        // Bert's contact is unchanged.
        #expect(try scene.anna.contact(scene.bertID)?.displayName == "Bert")
        try scene.expectUnharmed()
    }

    @Test("With one byte a second a connection is closed after five seconds, and friends don't notice")
    func slowly() throws {
        let scene = try Scene()
        let begin = SystemClocks().now
        let sockets = try (0..<8).map { _ in try RawSocket(to: scene.address) }
        let silent = try RawSocket(to: scene.address)
        let timeouts = try scene.anna.metric("kibo_handshakes_total{outcome=\"timeout\"}")
        let bytes = Self.preface + Self.framed([UInt8](repeating: 9, count: 32))
        for byte in bytes {
            let isGone = sockets.allSatisfy { !$0.write([byte]) || $0.read(within: .zero) == .end }
            if isGone { break }
            #expect(SystemClocks().now - begin < .seconds(15), "the connection was half-open for too long")
            try scene.exchangeMessages()
            _ = silent.read(within: .seconds(1))
        }
        let took = SystemClocks().now - begin
        #expect(took > .seconds(4) && took < .seconds(15), "\(took)")
        #expect(silent.readToEnd() == [])
        #expect(try scene.anna.metric("kibo_handshakes_total{outcome=\"timeout\"}") == timeouts + 9)
        try scene.expectUnharmed()
    }

    @Test("A repeated session opens none, and a message that comes again over a new session is stored once")
    func replay() throws {
        let scene = try Scene()
        let friend = try TestPeer("Fred")
        do {
            let link = try friend.befriend(scene.anna)
            let message = Frame(kind: .message, id: freshID(), body: try textBody("only once"))
            link.send(message)
            #expect(try link.receipt(for: message.id).status == .stored)
            // A repeated record ends the session, because counters don't repeat.
            let record = try link.seal(Frame(kind: .ping).encoded())
            link.send(raw: record + record)
            #expect(try link.closeReason() == nil)
            for _ in 0..<3 {
                let socket = try RawSocket(to: scene.address)
                socket.write(link.written)
                // The daemon answers the first message of any handshake, and nothing after it.
                let answer = try #require(socket.readToEnd())
                let length = answer.count >= 2 ? Int(answer[0]) << 8 + Int(answer[1]) : 0
                #expect(answer.isEmpty || answer.count == 2 + length)
            }
            // A friend that lost the receipt with the connection sends the message again on the next one, and gets the
            // same receipt.
            let next = try friend.openSession(with: scene.anna)
            next.send(message)
            #expect(try next.receipt(for: message.id).status == .stored)
        }
        #expect(try scene.texts(from: friend.id) == ["only once"])
        try scene.expectUnharmed()
    }
}
