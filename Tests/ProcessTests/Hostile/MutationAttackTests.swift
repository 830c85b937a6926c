import Basics
import ControlProtocol
import PeerProtocol
import TestSupport
import Testing

/// Goal: no frame ends the daemon, whoever its sender is. Fuzzers test decoders for minutes; this tests the whole
/// daemon for seconds, behind the encryption: frames of every kind with changed, cut and added bytes.
@Suite("Altered frames of every kind against a real daemon", .serialized)
struct MutationAttackTests {
    /// One change of some bytes.
    private static func altered(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
        case 1: bytes += (0..<Int.random(in: 1...40, using: &random)).map { _ in .random(in: 0...255, using: &random) }
        case 2:
            let place = Int.random(in: 0...bytes.count, using: &random)
            bytes.insert([0x5B, 0x9B, 0xBB, 0x1B, 0x7B, 0x3B].randomElement(using: &random) ?? 0, at: place)
        case 3 where bytes.count > 9:
            // These are the largest numbers, at a place that may hold a number.
            let place = Int.random(in: 0..<bytes.count - 8, using: &random)
            bytes.replaceSubrange(place..<place + 9, with: [0x1B] + [UInt8](repeating: 0xFF, count: 8))
        default:
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
        }
        return bytes
    }

    @Test("Thousands of altered frames from a friend and a stranger end sessions or don't, and the daemon goes on")
    func frames() throws {
        let scene = try Scene()
        var random = SeededGenerator(seed: 77)
        let (fred, stranger) = (try TestPeer("Fred"), try TestPeer("Stranger"))
        var friends = try fred.befriend(scene.anna)
        var strangers = try stranger.openSession(with: scene.anna)
        let kinds = FrameTableTests.kinds
        for number in 0..<3_000 {
            let isFriend = number % 4 != 0
            let honest = try FrameTableTests.frame(kinds[number % kinds.count], of: isFriend ? fred : stranger)
            let body = number % 40 == 0 ? honest.body : Self.altered(honest.body, using: &random)
            let hasID = Int.random(in: 0..<8, using: &random) > 0
            let frame = Frame(
                kind: honest.kind, id: hasID == honest.needsReceipt ? freshID() : .zero, body: body)
            let link = isFriend ? friends : strangers
            var isOpen = link.send(frame)
            // From time to time everything is read, so that both sides keep to their windows, and a closed session is
            // noticed.
            if isOpen, number % 20 == 19 || frame.kind == .close { isOpen = (try? link.roundTrip()) != nil }
            guard !isOpen else { continue }
            try #require(scene.anna.isRunning, "frame \(number): \(frame.kind) \(frame.body)\n\(scene.anna.logTail)")
            // A stranger's budget refills slowly, so another stranger comes.
            if isFriend {
                friends = try fred.openSession(with: scene.anna)
            } else {
                strangers = try TestPeer("Stranger").openSession(with: scene.anna)
            }
        }
        #expect(try scene.anna.contact(scene.bertID)?.displayName == "Bert")
        try scene.expectUnharmed(memory: 48 << 20)
    }
}
