import Basics
import Crypto
import TestSupport
import Testing

@testable import PeerProtocol

/// docs/PROTOCOL-DISCOVERY.md promises that a client can be written from it, so its vectors are computed again here.
@Suite("docs/PROTOCOL-DISCOVERY.md") struct DiscoveryDocumentTests {
    private let document: String

    init() throws {
        let path = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/docs/PROTOCOL-DISCOVERY.md"
        document = try TextFile.text(path)
    }

    /// The hexadecimal bytes after `name:`, which may continue over several lines.
    private func vector(_ name: String) throws -> [UInt8] {
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        let index = try #require(lines.firstIndex { $0.hasPrefix("\(name):") }, "\(name)")
        var hex = lines[index].dropFirst(name.count + 1).filter { !$0.isWhitespace }
        for line in lines[(index + 1)...] {
            guard !line.isEmpty, Hex.decode(line) != nil else { break }
            hex += line
        }
        return try #require(Hex.decode(hex))
    }

    private func key() throws -> SigningKey {
        var seed = [UInt8](repeating: 1, count: 32)
        return try SigningKey(seed: SecretBytes(moving: &seed))
    }

    @Test("the vectors are what this program sends and believes")
    func vectors() throws {
        let key = try key()
        let device = DeviceID(key.publicKey)
        #expect(try vector("device") == device.bytes)
        let realm = Blake2b.hash([UInt8](repeating: 2, count: 32))
        #expect(try vector("realm-id") == realm)
        let tag = RealmTag(realm: realm)
        #expect(try vector("realm-tag") == withUnsafeBytes(of: tag.rawValue.bigEndian) { Array($0) })
        let hello = DiscoveryDatagram(kind: .hello, device: device, incarnation: 7, sequence: 258, port: 4660)
        let bye = DiscoveryDatagram(kind: .bye, device: device, incarnation: 7, sequence: 259, port: 4660, realm: tag)
        for (name, datagram) in [("hello", hello), ("bye", bye)] {
            let expected = datagram.encoded(signedBy: key)
            #expect(try vector(name) == expected, "\(name): \(Hex.encode(expected))")
            let received = try ReceivedDatagram(decoding: expected[...])
            #expect(received.content == datagram && received.isAuthentic())
        }
    }

    @Test("the vectors of veiled datagrams and of the knock are right")
    func veiled() throws {
        let key = try key()
        let keys = DiscoveryKeys(key)
        let account = try #require(AccountID(bytes: [UInt8](repeating: 3, count: 32)))
        let epoch = VeilEpoch(WallTime(milliseconds: 2_983_333 * 600_000 + 599_999))
        #expect(try vector("shared-key") == keys.shared(1).bytes)
        #expect(try vector("pair-key") == keys.pair(with: account).bytes)
        #expect(
            try vector("veil-tag") == VeiledDatagram.tag(keys.shared(1), epoch))
        let hello = DiscoveryDatagram(
            kind: .hello, device: DeviceID(key.publicKey), incarnation: 7, sequence: 258, port: 4660)
        let bytes = VeiledDatagram.sealed(
            hello.encoded(in: epoch, by: .ed25519(key)), under: keys.shared(1), in: epoch,
            nonce: [UInt8](repeating: 5, count: 24))
        #expect(try vector("veiled") == bytes && bytes.count == DiscoveryLimits.veiledDatagramBytes)
        let knock = Knock(
            key: keys.pair(with: account), at: WallTime(milliseconds: 20_717 * 86_400_000 + 86_399_999))
        let prologue = Preface(purpose: .session, usesRealmKey: false).prologue(realmKey: nil)
        #expect(
            try vector("knock") == knock.payload(prologue: prologue, ephemeral: [UInt8](repeating: 6, count: 32)))
        for label in [
            VeiledDatagram.tagLabel, VeiledDatagram.keyLabel, VeiledDatagram.signatureLabel, "kibo-discovery-key-v1",
            "kibo-pair-key-v1",
        ] {
            #expect(document.contains("\"\(label)\" ‖ 0x00"), "\(label)")
        }
        #expect(document.contains("All datagrams of this version have \(DiscoveryLimits.veiledDatagramBytes) bytes"))
        #expect(document.contains("from \(DiscoveryLimits.shortestVeiledBytes) to \(PeerLimits.datagramBytes)"))
        #expect(document.contains("pair keys of up to eight") && DiscoveryLimits.veilPairs == 8)
        #expect(document.contains("of a HELLO up to 32") && DiscoveryLimits.helloPairs == 32)
        #expect(document.contains("32 beacon intervals") && DiscoveryLimits.silentTurns == 32)
    }

    @Test("the table of fields names every byte of the datagram once, and the label of its signature")
    func table() throws {
        var next = 0
        for line in document.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.filter { !$0.isWhitespace } }
            guard cells.count == 4, let offset = Int(cells[0]), let count = Int(cells[1]) else { continue }
            #expect(offset == next, "\(line)")
            next = offset + count
        }
        #expect(next == DiscoveryLimits.ownDatagramBytes)
        #expect(document.contains("\"\(DiscoveryDatagram.signatureLabel)\" ‖ 0x00"))
        #expect(document.contains("up to \(PeerLimits.datagramBytes) bytes"))
        #expect(document.contains("At most \(DiscoveryLimits.strangers) strangers"))
        #expect(
            document.contains(
                "At most \(DiscoveryLimits.dials) dials are under way, \(DiscoveryLimits.strangerDials) of"))
    }
}
