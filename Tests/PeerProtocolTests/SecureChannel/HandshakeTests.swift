import Basics
import Crypto
import PeerProtocol
import Testing

@Suite("Handshake")
struct HandshakeTests {
    @Test("Both sides learn the other's identity, however the bytes are cut", arguments: 0..<24 as Range<UInt64>)
    func mutual(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let realm = seed.isMultiple(of: 2) ? nil : try realmKey(7)
        let purpose: ChannelPurpose = seed % 3 == 0 ? .bulk : .session
        let (one, other) = (try Person(1), try Person(2))
        let dialler = try Endpoint(dialling: purpose, one, realm: realm)
        let acceptor = Endpoint(accepting: other, realm: realm)
        #expect(dialler.nextDeadline == at(5) && acceptor.nextDeadline == at(5))
        try exchange(dialler, acceptor, using: &random)

        #expect(dialler.established?.peer == other.peer)
        #expect(acceptor.established?.peer == one.peer)
        #expect(dialler.established?.purpose == purpose && acceptor.established?.purpose == purpose)
        #expect(dialler.nextDeadline == nil && acceptor.nextDeadline == nil)
        #expect(dialler.handshakeHash.count == 64)
        #expect(dialler.handshakeHash == acceptor.handshakeHash)
    }

    @Test("Preface and first message have the bytes of the document")
    func openingBytes() throws {
        let opening = try Endpoint(dialling: .bulk, Person(1)).output
        #expect(Hex.encode(opening.prefix(10)) == "4b49424f" + "01" + "02" + "00" + "00" + "0020")
        #expect(opening.count == 8 + 2 + 32)
        let withRealm = try Endpoint(dialling: .session, Person(1), realm: realmKey(1)).output
        #expect(Hex.encode(withRealm.prefix(10)) == "4b49424f" + "01" + "01" + "01" + "00" + "0030")
        #expect(withRealm.count == 8 + 2 + 48)
    }

    @Test("Data right after the handshake is not lost")
    func earlyData() throws {
        let (dialler, acceptor) = (try Endpoint(dialling: .session, Person(1)), Endpoint(accepting: try Person(2)))
        try acceptor.feed(dialler.takeOutput())
        try dialler.feed(acceptor.takeOutput())
        // The third message and the first record come in one piece.
        try acceptor.feed(dialler.takeOutput() + dialler.seal(Array("hello".utf8)))
        #expect(acceptor.takePlaintext() == Array("hello".utf8))
    }

    @Test(
        "Foreign prefaces are refused",
        arguments: [
            ("GET / HTTP/1.1\r\n", ChannelError.notKibo),
            ("KIBD\u{1}\u{1}\u{0}\u{0}", .notKibo),
            ("KIBO\u{2}\u{1}\u{0}\u{0}", .unsupportedVersion(2)),
            ("KIBO\u{0}\u{1}\u{0}\u{0}", .unsupportedVersion(0)),
            ("KIBO\u{1}\u{9}\u{0}\u{0}", .unknownPurpose(9)),
            ("KIBO\u{1}\u{1}\u{1}\u{0}", .realmMismatch),
        ])
    func prefaces(text: String, error: ChannelError) throws {
        let acceptor = Endpoint(accepting: try Person(2))
        #expect(throws: error) { try acceptor.feed(text.utf8) }
        #expect(acceptor.output.isEmpty)
        #expect(throws: ChannelError.over) { try acceptor.feed([0]) }
    }

    @Test("A preface that was changed on the way breaks the handshake", arguments: [5, 6, 7])
    func changedPreface(index: Int) throws {
        let (dialler, acceptor) = (try Endpoint(dialling: .session, Person(1)), Endpoint(accepting: try Person(2)))
        var opening = dialler.takeOutput()
        // The changes are: purpose session → bulk, an unknown flag, the reserved byte. The acceptor understands all of
        // them.
        opening[index] ^= index == 5 ? 3 : 2
        try acceptor.feed(opening)
        #expect(throws: ChannelError.handshake(.authenticationFailed)) { try dialler.feed(acceptor.takeOutput()) }
        #expect(acceptor.established == nil)
    }

    @Test("A peer of another realm, or of none, can't get in")
    func realms() throws {
        let person = try Person(2)
        let outsider = try Endpoint(dialling: .session, Person(1))
        #expect(throws: ChannelError.realmMismatch) {
            try Endpoint(accepting: person, realm: realmKey(1)).feed(outsider.takeOutput())
        }
        let neighbour = try Endpoint(dialling: .session, Person(1), realm: realmKey(2))
        let acceptor = Endpoint(accepting: person, realm: try realmKey(1))
        #expect(throws: ChannelError.handshake(.authenticationFailed)) { try acceptor.feed(neighbour.takeOutput()) }
        #expect(acceptor.output.isEmpty, "no byte is answered without the key")
    }

    @Test(
        "Lengths of handshake messages are checked before the rest is awaited",
        arguments: [
            (0, false), (31, false), (97, false), (65_535, false), (32, true), (47, true), (113, true), (65_535, true),
        ])
    func firstMessageLength(length: Int, hasRealm: Bool) throws {
        let acceptor = Endpoint(accepting: try Person(2), realm: hasRealm ? try realmKey(1) : nil)
        try acceptor.feed(Array("KIBO".utf8) + [1, 1, hasRealm ? 1 : 0, 0])
        #expect(throws: ChannelError.handshakeLength(length)) {
            try acceptor.feed([UInt8(length >> 8), UInt8(length & 255)])
        }
    }

    @Test("The second message may be as long as the limit, but not empty or longer")
    func secondMessageLength() throws {
        for length in [0, PeerLimits.handshakeMessageBytes + 1, 65_535] {
            let dialler = try Endpoint(dialling: .session, Person(1))
            #expect(throws: ChannelError.handshakeLength(length)) {
                try dialler.feed([UInt8(length >> 8), UInt8(length & 255)])
            }
        }
        let dialler = try Endpoint(dialling: .session, Person(1))
        try dialler.feed([0x10, 0x00] + [UInt8](repeating: 1, count: 4095))
        #expect(throws: ChannelError.self) { try dialler.feed([1]) }
        let short = try Endpoint(dialling: .session, Person(1))
        #expect(throws: ChannelError.handshake(.messageTooShort)) { try short.feed([0, 1, 9]) }
    }

    @Test("A flipped bit anywhere in the three messages ends the handshake", arguments: 0..<30 as Range<UInt64>)
    func tampering(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (dialler, acceptor) = (try Endpoint(dialling: .session, Person(1)), Endpoint(accepting: try Person(2)))
        let target = Int(seed % 3)
        func tampered(_ bytes: [UInt8], _ number: Int) -> [UInt8] {
            guard number == target else { return bytes }
            var bytes = bytes
            let first = number == 0 ? 10 : 2  // Behind preface and length.
            // The last bit of a key is left alone: X25519 ignores it, and only the transcript would notice.
            bytes[Int.random(in: first..<bytes.count, using: &random)] ^= UInt8(
                1 << Int.random(in: 0..<7, using: &random))
            return bytes
        }
        #expect(throws: ChannelError.self) {
            try acceptor.feed(tampered(dialler.takeOutput(), 0))
            try dialler.feed(tampered(acceptor.takeOutput(), 1))
            try acceptor.feed(tampered(dialler.takeOutput(), 2))
        }
        #expect(acceptor.established == nil)
    }

    @Test("The whole handshake has five seconds, whatever arrives in small pieces")
    func deadline() throws {
        let acceptor = Endpoint(accepting: try Person(2))
        try acceptor.feed(Array("KIBO".utf8), now: at(4.9))
        try acceptor.tick(at(4.99))
        #expect(throws: ChannelError.handshakeTimeout) { try acceptor.tick(at(5)) }
        let slow = Endpoint(accepting: try Person(2))
        #expect(throws: ChannelError.handshakeTimeout) { try slow.feed(Array("K".utf8), now: at(5)) }
        let (dialler, _) = try connectedPair()
        #expect(throws: Never.self) { try dialler.tick(at(5000)) }
    }

    @Test("A dial to ourselves is detected")
    func ourselves() throws {
        let person = try Person(1)
        let (dialler, acceptor) = (try Endpoint(dialling: .session, person), Endpoint(accepting: person))
        #expect(throws: ChannelError.ourselves) { try exchange(dialler, acceptor) }
    }

    @Test("Nothing is sealed before the handshake is complete, and nothing starts twice")
    func outOfTurn() throws {
        let person = try Person(1)
        let acceptor = Endpoint(accepting: person)
        #expect(throws: ChannelError.outOfTurn) { try acceptor.seal([1]) }
        #expect(throws: ChannelError.outOfTurn) { try acceptor.detach() }
        var dialler = SecureChannel(dialling: .session, identity: person.identity, now: someInstant)
        _ = try dialler.start()
        var error: ChannelError?
        do { _ = try dialler.start() } catch let failure { error = failure }
        #expect(error == .outOfTurn)
    }

    @Test("A bulk connection hands over its keys and the bytes read after the handshake")
    func bulk() throws {
        let (dialler, acceptor) = (try Endpoint(dialling: .bulk, Person(1)), Endpoint(accepting: try Person(2)))
        try acceptor.feed(dialler.takeOutput())
        try dialler.feed(acceptor.takeOutput())
        try acceptor.feed(dialler.takeOutput() + [1, 2, 3])
        try acceptor.feed([4])
        #expect(throws: ChannelError.outOfTurn) { try acceptor.seal([1]) }
        let taken = try acceptor.detach()
        #expect(taken.leftover == [1, 2, 3, 4] && taken.sent == 0 && taken.received == 0)
        #expect(throws: ChannelError.over) { try acceptor.detach() }
        #expect(throws: ChannelError.outOfTurn) { try connectedPair().dialler.detach() }
    }
}
