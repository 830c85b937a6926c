import Basics
import PeerProtocol
import Testing

@Suite("Frames as bytes")
struct FrameCodecTests {
    private static func randomFrames(_ random: inout SeededGenerator) -> [Frame] {
        (0..<Int.random(in: 1...30, using: &random)).map { _ in
            let length = [0, 1, 100, 5000].randomElement(using: &random) ?? 0
            return Frame(
                kind: FrameKind(rawValue: UInt16.random(in: 0...200, using: &random)),
                id: Bool.random(using: &random) ? .zero : id(UInt64.random(in: 1...9, using: &random)),
                body: (0..<length).map { UInt8(truncatingIfNeeded: $0) })
        }
    }

    @Test("A stream decodes to its original frames, however it is cut", arguments: 0..<60 as Range<UInt64>)
    func anyCut(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let frames = Self.randomFrames(&random)
        var decoder = FrameDecoder()
        var decoded: [Frame] = []
        for piece in pieces(frames.flatMap { $0.encoded() }, using: &random) {
            decoder.append(Array(piece))
            while let frame = try decoder.next() { decoded.append(frame) }
        }
        #expect(decoded == frames)
        #expect(!decoder.isMidFrame)
    }

    @Test("The header is kind, flags, length and id, big-endian")
    func layout() {
        let frame = Frame(kind: .message, id: UUIDv7(high: 0x0102_0304_0506_0708, low: 9), body: [0xA0])
        #expect(
            Hex.encode(frame.encoded()) == "0030" + "0000" + "00000001" + "01020304050607080000000000000009" + "a0")
    }

    @Test("Flags are ignored")
    func flags() throws {
        var bytes = Frame(kind: .ping).encoded()
        bytes[2] = 0xFF
        #expect(try frames(bytes) == [Frame(kind: .ping)])
    }

    @Test("A body at the limit passes; one byte more is refused from the header alone")
    func bodyLimit() throws {
        let largest = Frame(kind: .message, id: id(1), body: [UInt8](repeating: 7, count: PeerLimits.frameBodyBytes))
        #expect(try frames(largest.encoded()) == [largest])

        for length in [UInt32(PeerLimits.frameBodyBytes) + 1, .max] {
            var header: [UInt8] = [0, 48, 0, 0]
            header.appendBigEndian(length)
            var decoder = FrameDecoder()
            decoder.append(header + [UInt8](repeating: 0, count: 15))
            #expect(try decoder.next() == nil)
            decoder.append([0])
            #expect(throws: WireError.frameTooLong(length)) { try decoder.next() }
        }
    }

    @Test("A large frame in small pieces takes time in proportion to its size")
    func noQuadraticWork() throws {
        // The body has 16 MiB in pieces of 1 KiB: moving all bytes for every piece would copy 130 GB.
        let body = [UInt8](repeating: 1, count: PeerLimits.frameBodyBytes)
        var stream = Frame(kind: .ping).encoded()
        for number in 1...16 { stream += Frame(kind: .message, id: id(UInt64(number)), body: body).encoded() }
        var decoder = FrameDecoder()
        var count = 0
        let started = SystemClocks().now
        for start in stride(from: 0, to: stream.count, by: 1024) {
            decoder.append(Array(stream[start..<min(start + 1024, stream.count)]))
            while try decoder.next() != nil { count += 1 }
        }
        #expect(count == 17)
        #expect(SystemClocks().now - started < .seconds(20))
    }

    @Test("A part of a frame is distinguished from none")
    func midFrame() throws {
        var decoder = FrameDecoder()
        #expect(!decoder.isMidFrame)
        decoder.append([0])
        #expect(try decoder.next() == nil)
        #expect(decoder.isMidFrame)
        decoder.append(Array(Frame(kind: .pong).encoded().dropFirst()))
        #expect(try decoder.next() == Frame(kind: .pong))
        #expect(try decoder.next() == nil)
        #expect(!decoder.isMidFrame)
    }

    @Test("A body above the kept size is thrown away, however it comes, and the frames around it are whole")
    func thrownAway() throws {
        let kept = Frame(kind: .message, id: id(1), body: [UInt8](repeating: 1, count: 100))
        let long = Frame(kind: .message, id: id(2), body: [UInt8](repeating: 2, count: 101))
        let stream = kept.encoded() + long.encoded() + long.encoded() + kept.encoded()
        let short = Frame(kind: .message, id: id(2))
        for size in [1, 7, 24, 25, 125, 126, stream.count] {
            var decoder = FrameDecoder()
            decoder.keptBodyBytes = 100
            var frames: [Frame] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                decoder.append(Array(stream[start..<min(start + size, stream.count)]))
                while let frame = try decoder.next() { frames.append(frame) }
            }
            #expect(frames == [kept, short, short, kept], "\(size)")
            #expect(!decoder.isMidFrame)
        }
        var decoder = FrameDecoder()
        decoder.keptBodyBytes = 100
        decoder.append(Array(long.encoded().dropLast()))
        #expect(try decoder.next() == nil)
        #expect(decoder.isMidFrame)
    }
}
