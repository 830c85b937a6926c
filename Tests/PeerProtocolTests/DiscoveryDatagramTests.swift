import Basics
import Crypto
import Testing

@testable import PeerProtocol

@Suite("Discovery datagrams") struct DiscoveryDatagramTests {
    private let key = DiscoveryFixture.key(1)

    private func datagram(
        _ kind: DiscoveryDatagram.Kind = .hello, port: UInt16 = 4000, realm: RealmTag = .none
    ) -> DiscoveryDatagram {
        DiscoveryDatagram(
            kind: kind, device: DeviceID(key.publicKey), incarnation: 7, sequence: 0x0102_0304, port: port, realm: realm
        )
    }

    private func error(_ bytes: [UInt8]) -> DatagramError? {
        do {
            _ = try ReceivedDatagram(decoding: bytes[...])
            return nil
        } catch { return error }
    }

    @Test(
        "an encoded datagram is read again and is authentic",
        arguments: [DiscoveryDatagram.Kind.hello, .beacon, .bye])
    func roundTrip(kind: DiscoveryDatagram.Kind) throws {
        let original = datagram(kind, realm: RealmTag(rawValue: 0xFEDC_BA98_7654_3210))
        let bytes = original.encoded(signedBy: key)
        #expect(bytes.count == DiscoveryLimits.ownDatagramBytes)
        let received = try ReceivedDatagram(decoding: bytes[...])
        #expect(received.content == original)
        #expect(received.isAuthentic())
    }

    @Test(
        "a datagram about a device names it, and every flipped bit of that shows",
        arguments: [DiscoveryDatagram.Kind.suspect, .probe, .probeAck, .probeRequest])
    func subjects(kind: DiscoveryDatagram.Kind) throws {
        let subject = ProbeSubject(device: DiscoveryFixture.device(9), incarnation: 3, nonce: 0x1122_3344_5566_7788)
        let original = DiscoveryDatagram(
            kind: kind, device: DeviceID(key.publicKey), incarnation: 7, sequence: 8, port: 4000, subject: subject)
        let bytes = original.encoded(signedBy: key)
        #expect(bytes.count == DiscoveryLimits.probeDatagramBytes)
        let received = try ReceivedDatagram(decoding: bytes[...])
        #expect(received.content == original && received.isAuthentic())
        for index in 76..<120 {
            var changed = bytes
            changed[index] ^= 1
            #expect(try !ReceivedDatagram(decoding: changed[...]).isAuthentic())
        }
        for count in 140..<184 { #expect(error(Array(bytes.prefix(count))) == .length) }
    }

    @Test("a slice that does not begin at zero is read alike")
    func slice() throws {
        let bytes = [9, 9, 9] + datagram().encoded(signedBy: key) + [9]
        let received = try ReceivedDatagram(decoding: bytes[3..<143])
        #expect(received.content == datagram())
        #expect(received.isAuthentic())
    }

    @Test("every flipped bit is refused or invalidates the signature")
    func flippedBits() throws {
        let bytes = datagram().encoded(signedBy: key)
        for index in bytes.indices {
            for bit in 0..<8 where bit == index % 8 || index < 8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                if let received = try? ReceivedDatagram(decoding: changed[...]) {
                    #expect(!received.isAuthentic(), "byte \(index) bit \(bit)")
                }
            }
        }
    }

    @Test("every other length than a datagram's is refused or makes it unauthentic")
    func lengths() {
        let bytes = datagram().encoded(signedBy: key)
        for count in 0..<140 { #expect(error(Array(bytes.prefix(count))) == .length) }
        #expect(error(bytes + [UInt8](repeating: 0, count: 261)) == .length)
        #expect((try? ReceivedDatagram(decoding: (bytes + [0])[...]))?.isAuthentic() == false)
    }

    @Test(
        "fields that a later version puts before the signature are covered by it and skipped", arguments: [1, 17, 260])
    func extensions(count: Int) throws {
        var bytes = Array(datagram().encoded(signedBy: key).dropLast(64)) + [UInt8](repeating: 0xAB, count: count)
        bytes[6] = 0xFF
        bytes[7] = 0xFF
        bytes += key.sign(bytes, label: "kibo-datagram-v1")
        let received = try ReceivedDatagram(decoding: bytes[...])
        #expect(received.content == datagram())
        #expect(received.isAuthentic())
        bytes[76] ^= 1
        #expect(try !ReceivedDatagram(decoding: bytes[...]).isAuthentic())
    }

    @Test("magic, version, kind and port are checked, in this order")
    func fields() {
        func changed(_ change: (inout [UInt8]) -> Void) -> DatagramError? {
            var bytes = datagram().encoded(signedBy: key)
            change(&bytes)
            return error(bytes)
        }
        #expect(changed { $0[0] = 0x6B } == .magic)
        #expect(changed { $0[4] = 2 } == .version)
        for kind in [0, 8, 9, 255] as [UInt8] { #expect(changed { $0[5] = kind } == .kind) }
        // These kinds need a device that they are about, and it is missing.
        for kind in 4...7 as ClosedRange<UInt8> { #expect(changed { $0[5] = kind } == .length) }
        #expect(changed { ($0[48], $0[49]) = (0, 0) } == .port)
        #expect(
            changed {
                $0[0] = 0; $0[4] = 2; $0[5] = 0
            } == .magic)
        #expect(
            changed {
                $0[4] = 2; $0[5] = 0
            } == .version)
    }

    @Test("random bytes are refused without a trap")
    func garbage() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<5000 {
            let count = Int.random(in: 0...420, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if Bool.random(using: &random) {
                bytes.replaceSubrange(0..<min(count, 5), with: Array("KIBD\u{1}".utf8).prefix(count))
            }
            if let received = try? ReceivedDatagram(decoding: bytes[...]) { #expect(!received.isAuthentic()) }
        }
    }

    @Test("a realm's tag depends on the realm and differs from no realm's")
    func realmTags() {
        let one = RealmTag(realm: Blake2b.hash([UInt8](repeating: 1, count: 32)))
        let two = RealmTag(realm: Blake2b.hash([UInt8](repeating: 2, count: 32)))
        #expect(one != two && one != .none && two != .none)
    }
}
