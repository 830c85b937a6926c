import Basics
import Network
import PeerProtocol
import Reactor
import TestSupport
import Testing

/// Goal: the log names what goes by, however the bytes come, and a flood doesn't fill it.
@Suite("Frames and datagrams in the log")
struct WireTraceTests {
    private static let frames = [
        Frame(kind: .ping), Frame(kind: .card, body: [UInt8](repeating: 7, count: 300)),
        Frame(kind: FrameKind(rawValue: 9_999), id: UUIDv7(high: 1, low: 2), body: [1]), Frame(kind: .pong),
    ]

    @Test(
        "The heads of frames are found whole, in pieces and byte by byte", arguments: [1, 2, 23, 24, 25, 100, 10_000])
    func heads(piece: Int) {
        let bytes = Self.frames.flatMap { $0.encoded() }
        var heads = FrameHeads()
        var found: [(kind: FrameKind, bytes: Int)] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            found += heads.read(Array(bytes[start..<min(bytes.count, start + piece)]))
        }
        #expect(found.map(\.kind) == Self.frames.map(\.kind))
        #expect(found.map(\.bytes) == Self.frames.map(\.encodedCount))
    }

    @Test("A datagram is named by its head, and one under a veil is not")
    func datagrams() {
        #expect(DiscoveryDatagram.kindName(of: Array("KIBD".utf8) + [1, 2, 0, 0]) == "beacon")
        #expect(DiscoveryDatagram.kindName(of: Array("KIBD".utf8) + [2, 2]) == "of a later version")
        #expect(DiscoveryDatagram.kindName(of: Array("KIBD".utf8) + [1, 200]) == "of a later version")
        #expect(DiscoveryDatagram.kindName(of: [1, 2, 3]) == "veiled or foreign")
        #expect(DiscoveryDatagram.kindName(of: [UInt8](repeating: 9, count: 100)) == "veiled or foreign")
    }

    @Test("A flood is bounded, and the next line says how many are left out")
    @ReactorActor func flood() throws {
        let capture = LogCapture(level: .trace)
        let (trace, log) = (WireTrace(), Logger(label: "test", sink: capture))
        let clocks = ManualClocks()
        for _ in 0..<10_000 { trace.datagram([1, 2, 3], .received, "192.0.2.1:1", now: clocks.now, to: log) }
        let count = capture.records.count
        #expect(count > 0 && count < 1_000)
        clocks.advance(by: .seconds(1))
        trace.datagram([1, 2, 3], .received, "192.0.2.1:1", now: clocks.now, to: log)
        let last = try #require(capture.records.last)
        #expect(last.fields.contains { $0.0 == "leftOutBefore" && $0.1 == "\(10_000 - count)" })
    }
}
