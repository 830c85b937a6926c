import Basics
import Crypto
import PeerProtocol
import Testing

@Suite("Records")
struct RecordTests {
    @Test("Plaintext of any size arrives unchanged, however it is cut", arguments: 0..<30 as Range<UInt64>)
    func anySize(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (left, right) = try connectedPair(realm: seed % 4 == 0 ? realmKey(3) : nil)
        for _ in 0..<4 {
            let count =
                [0, 1, 65_518, 65_519, 65_520, 200_000, Int.random(in: 0...5000, using: &random)]
                .randomElement(using: &random) ?? 0
            let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            for piece in pieces(try left.seal(plain), using: &random) { try right.feed(piece) }
            #expect(right.takePlaintext() == plain)
            for piece in pieces(try right.seal(plain), using: &random) { try left.feed(piece) }
            #expect(left.takePlaintext() == plain)
        }
    }

    @Test("Records are filled, so that as few as possible hold the plaintext")
    func filling() throws {
        let (left, _) = try connectedPair()
        #expect(try left.seal([]).isEmpty)
        #expect(try left.seal([1]).count == 2 + 1 + 16)
        #expect(try left.seal([UInt8](repeating: 0, count: 65_519)).count == 2 + 65_535)
        #expect(try left.seal([UInt8](repeating: 0, count: 65_520)).count == 2 + 65_535 + 2 + 17)
    }

    @Test("A changed bit, a truncation, a replay, a gap and a swap are detected, and nothing after them is taken")
    func manipulation() throws {
        func attack(_ name: Comment, _ error: ChannelError?, _ change: ([UInt8], [UInt8]) -> [UInt8]) throws {
            let (left, right) = try connectedPair()
            let bytes = change(try left.seal(Array("first".utf8)), try left.seal(Array("second".utf8)))
            if let error {
                #expect(throws: error, name) { try right.feed(bytes) }
                #expect(throws: ChannelError.over, name) { try right.feed([0]) }
                #expect(right.takePlaintext().isEmpty, name)
            } else {
                #expect(throws: Never.self, name) { try right.feed(bytes) }
            }
        }
        let failed = ChannelError.record(.authenticationFailed)
        try attack("untouched", nil) { $0 + $1 }
        for bit in [2, 6, 20] {
            try attack("bit", failed) { first, second in
                var first = first
                first[bit] ^= 4
                return first + second
            }
        }
        try attack("replay", failed) { first, _ in first + first }
        try attack("gap", failed) { $1 }
        try attack("swap", failed) { $1 + $0 }
        try attack("cut", failed) { first, second in
            // The sealed text is one byte shorter, and the length says so.
            var first = first
            first[1] -= 1
            return first.dropLast() + second
        }
        try attack("half a record waits", nil) { first, _ in first.dropLast() }
    }

    @Test("Our own record sent back to us is refused")
    func reflection() throws {
        let (left, _) = try connectedPair()
        #expect(throws: ChannelError.record(.authenticationFailed)) { try left.feed(left.seal([1, 2, 3])) }
    }

    @Test("Lengths without room for a byte and a tag are refused at once", arguments: [0, 1, 15, 16])
    func shortLengths(length: UInt8) throws {
        let (_, right) = try connectedPair()
        #expect(throws: ChannelError.recordLength(Int(length))) { try right.feed([0, length]) }
    }

    @Test("The largest length is awaited, then judged")
    func largestLength() throws {
        let (_, right) = try connectedPair()
        try right.feed([0xFF, 0xFF] + [UInt8](repeating: 0, count: 65_534))
        #expect(throws: ChannelError.record(.authenticationFailed)) { try right.feed([0]) }
    }

    @Test("Keys are replaced after 2^16 records in each direction, at the same place on both sides")
    func rekey() throws {
        let (left, right) = try connectedPair()
        let boundary = Int(PeerLimits.recordsPerKey)
        // One-byte records, many in one piece, go across the boundary and beyond.
        var stream: [UInt8] = []
        for _ in 0..<(boundary + 10) { stream += try left.seal([7]) }
        try right.feed(stream)
        #expect(right.takePlaintext() == [UInt8](repeating: 7, count: boundary + 10))
        // The other direction has its own count.
        try left.feed(right.seal([9]))
        #expect(left.takePlaintext() == [9])
    }

    @Test("A side that doesn't replace its key is not understood any more")
    func rekeyIsReal() throws {
        // The peer is made by hand, with Crypto's transport and no rekey.
        let person = try Person(1)
        let preface = Array("KIBO".utf8) + [1, 1, 0, 0]
        let prologue = Array("kibo-prologue-v1".utf8) + [0] + preface + [UInt8](repeating: 0, count: 32)
        var handshake = try NoiseHandshake(.initiator, staticKey: person.staticKey, prologue: prologue)
        let acceptor = Endpoint(accepting: try Person(2))
        try acceptor.feed(preface + [0, 32] + handshake.write(payload: []))
        _ = try handshake.read(acceptor.takeOutput().dropFirst(2))
        var signed = person.staticKey.publicKey.bytes
        signed.appendBigEndian(UInt64(person.identity.notAfter.milliseconds))
        let payload = CBOR.map([
            1: .bytes(person.account.bytes), 2: .bytes(person.certificate.encoded()),
            3: .bytes(person.identity.staticSignature), 4: .integer(person.identity.notAfter.milliseconds),
            5: .unsigned(0),
        ]).encoded()
        let third = try handshake.write(payload: payload)
        try acceptor.feed([UInt8(third.count >> 8), UInt8(third.count & 255)] + third)
        var transport = try handshake.split()

        var stream: [UInt8] = []
        for _ in 0..<PeerLimits.recordsPerKey {
            stream += [0, 17]
            try transport.send.seal([7], appendingTo: &stream)
        }
        try acceptor.feed(stream)
        #expect(acceptor.takePlaintext().count == Int(PeerLimits.recordsPerKey))
        var next: [UInt8] = [0, 17]
        try transport.send.seal([7], appendingTo: &next)
        #expect(throws: ChannelError.record(.authenticationFailed)) { try acceptor.feed(next) }
    }

    @Test("A record in single bytes takes time in proportion to its size")
    func noQuadraticWork() throws {
        let (left, right) = try connectedPair()
        let records = try left.seal([UInt8](repeating: 1, count: 130_000))
        let started = SystemClocks().now
        for byte in records { try right.feed(CollectionOfOne(byte)) }
        #expect(right.takePlaintext().count == 130_000)
        #expect(SystemClocks().now - started < .seconds(20))
    }
}
