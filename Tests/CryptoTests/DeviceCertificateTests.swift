import Basics
import Testing

@testable import Crypto

@Suite("Device certificates")
struct DeviceCertificateTests {
    private static let account = SigningKey()
    private static let device = DeviceID(SigningKey().publicKey)

    private static func issued(
        name: String = "kitchen laptop", created: Int64 = 1_700_000_000_000
    ) throws(DeviceCertificate.Failure) -> DeviceCertificate {
        try .issue(by: account, for: device, name: name, created: WallTime(milliseconds: created))
    }

    /// A certificate with these signed bytes, even wrong ones, and an honest signature under the label.
    private static func signed(_ inner: [UInt8], label: String = DeviceCertificate.label) -> [UInt8] {
        CBOR.map([1: .bytes(inner), 2: .bytes(account.sign(inner, label: label))]).encoded()
    }

    private static func inner(_ change: (inout CBORMap) -> Void) -> [UInt8] {
        var map: CBORMap = [
            1: .bytes(account.publicKey.bytes), 2: .bytes(device.bytes), 3: .text("name"), 4: .unsigned(1),
        ]
        change(&map)
        return CBOR.map(map).encoded()
    }

    private func refusal(_ bytes: [UInt8]) -> DeviceCertificate.Failure? {
        failure { () throws(DeviceCertificate.Failure) in _ = try DeviceCertificate(decoding: bytes) }
    }

    @Test(
        "a certificate comes back from its bytes unchanged",
        arguments: ["a", "Küche 💻", String(repeating: "n", count: 64)])
    func roundTrip(name: String) throws {
        for created in [0, 1, 1_700_000_000_000, Int64.max] {
            let certificate = try Self.issued(name: name, created: created)
            let read = try DeviceCertificate(decoding: certificate.encoded())
            #expect(read == certificate)
            #expect(read.account == AccountID(Self.account.publicKey))
            #expect(read.device == Self.device)
            #expect(read.name == name)
            #expect(read.created.milliseconds == created)
            #expect(read.encoded() == certificate.encoded())
        }
    }

    @Test("the bytes follow the definition")
    func bytes() throws {
        let account = try SigningKey(seed: secret([UInt8](repeating: 1, count: 32)))
        let device = DeviceID(try SigningKey(seed: secret([UInt8](repeating: 2, count: 32))).publicKey)
        let certificate = try DeviceCertificate.issue(
            by: account, for: device, name: "den", created: WallTime(milliseconds: 1_700_000_000_000))
        let signed =
            "a4" + "015820" + Hex.encode(account.publicKey.bytes) + "025820" + Hex.encode(device.bytes)
            + "0363" + "64656e" + "041b0000018bcfe56800"
        let map = try #require(Hex.decode(signed))
        let label = Array("kibo-device-certificate-v1".utf8) + [0]
        #expect(
            Hex.encode(certificate.encoded())
                == "a2" + "015856" + signed + "025840" + Hex.encode(account.sign(label + map)))
    }

    @Test("no byte can be changed, left out or added")
    func damaged() throws {
        let bytes = try Self.issued().encoded()
        for place in bytes.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = bytes
                changed[place] ^= change
                #expect(refusal(changed) != nil)
            }
        }
        for count in bytes.indices { #expect(refusal(Array(bytes[..<count])) == .malformed) }
        #expect(refusal(bytes + [0]) == .malformed)
    }

    @Test("a signature by another account, or under another label or none, is a forgery")
    func forged() throws {
        let inner = Self.inner { _ in }
        #expect(refusal(Self.signed(inner)) == nil)
        #expect(refusal(Self.signed(inner, label: "kibo-device-certificate-v2")) == .forged)
        #expect(refusal(Self.signed(inner, label: "kibo-noise-static-v1")) == .forged)
        let unlabelled = CBOR.map([1: .bytes(inner), 2: .bytes(Self.account.sign(inner))]).encoded()
        #expect(refusal(unlabelled) == .forged)
        let stranger = SigningKey().sign(inner, label: DeviceCertificate.label)
        #expect(refusal(CBOR.map([1: .bytes(inner), 2: .bytes(stranger)]).encoded()) == .forged)
        // The device signs for itself in the account's name.
        let other = Self.inner { $0[1] = .bytes(SigningKey().publicKey.bytes) }
        #expect(refusal(Self.signed(other)) == .forged)
    }

    @Test("honestly signed fields that are missing, added or of another type are refused")
    func wrongFields() {
        for key: UInt64 in 1...4 {
            #expect(refusal(Self.signed(Self.inner { $0[key] = nil })) == .malformed)
            #expect(refusal(Self.signed(Self.inner { $0[key] = .null })) == .malformed)
            #expect(refusal(Self.signed(Self.inner { $0[key] = .bytes([1]) })) == .malformed)
        }
        #expect(refusal(Self.signed(Self.inner { $0[5] = .unsigned(1) })) == .malformed)
        #expect(refusal(Self.signed(Self.inner { $0[0] = .unsigned(1) })) == .malformed)
        #expect(refusal(Self.signed(Self.inner { $0[4] = .negative(0) })) == .malformed)
        #expect(refusal(Self.signed(Self.inner { $0[4] = .unsigned(.max) })) == .invalidTime)
        #expect(refusal(Self.signed(CBOR.array([]).encoded())) == .malformed)
        #expect(refusal(Self.signed([])) == .malformed)
    }

    @Test("honestly signed bytes that are not in the one canonical form are refused")
    func notCanonical() {
        let keys = Self.inner { _ in }
        // {1, 2, 3, 4}: the last field is 04 01. A longer form of the number, then of the key, then the order.
        #expect(refusal(Self.signed(Array(keys.dropLast(1)) + [0x18, 0x01])) == .malformed)
        #expect(refusal(Self.signed(Array(keys.dropLast(2)) + [0x18, 0x04, 0x01])) == .malformed)
        #expect(refusal(Self.signed([0xA4, 0x04, 0x01] + keys.dropFirst().dropLast(2))) == .malformed)
        #expect(refusal(Self.signed(Array(keys.dropLast(2)) + [0x03, 0x01])) == .malformed)
        #expect(refusal(Self.signed([0xBF] + keys.dropFirst() + [0xFF])) == .malformed)
        #expect(refusal(Self.signed([0xB8, 0x04] + keys.dropFirst())) == .malformed)
        #expect(refusal(Self.signed(keys + [0xF6])) == .malformed)
    }

    @Test(
        "device names must be labels",
        arguments: ["", " ", "a\nb", "a\u{202E}b", "a\u{0}", "\u{1B}[31m", String(repeating: "n", count: 65)])
    func names(name: String) {
        let issuing = failure { () throws(DeviceCertificate.Failure) in _ = try Self.issued(name: name) }
        #expect(issuing == .invalidName)
        #expect(refusal(Self.signed(Self.inner { $0[3] = .text(name) })) == .invalidName)
    }

    @Test("a time before 1970 is not signed")
    func time() {
        let error = failure { () throws(DeviceCertificate.Failure) in _ = try Self.issued(created: -1) }
        #expect(error == .invalidTime)
    }

    @Test("too many bytes are refused before they are decoded")
    func tooLong() throws {
        #expect(refusal([UInt8](repeating: 0, count: 1025)) == .tooLong)
        #expect(refusal([UInt8](repeating: 0, count: 1024)) == .malformed)
        // The longest certificate that can be issued fits: 64 characters of eight bytes.
        let longest = try Self.issued(name: String(repeating: "🇩🇪", count: 64)).encoded()
        #expect(longest.count > 600)
        #expect(refusal(longest) == nil)
    }

    @Test("arbitrary bytes never trap the decoder", arguments: 0..<20 as Range<UInt64>)
    func garbage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let good = try Self.issued().encoded()
        for _ in 0..<200 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
                }
            }
            #expect(bytes == good || refusal(bytes) != nil)
        }
    }
}
