import Basics
import Testing

@testable import Crypto

/// Secrets under a passphrase: what opens them, what doesn't, and what is refused before it is tried.
struct KeystoreTests {
    private static let cheap = PassphraseCost(passes: 1, kibibytes: 8)
    private static let passphrase = Passphrase("correct horse")

    private func secret(_ byte: UInt8 = 7) -> SecretBytes {
        var bytes = [UInt8](repeating: byte, count: 64)
        return SecretBytes(moving: &bytes)
    }

    private func sealed(cost: PassphraseCost = cheap) throws -> Keystore {
        try Keystore.seal(secret(), with: Self.passphrase, cost: cost, attached: [1, 2, 3])
    }

    private func bytes(_ secret: borrowing SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

    @Test("A sealed secret opens with its own passphrase only, also after encoding and decoding")
    func opens() throws {
        let keystore = try Keystore(decoding: try sealed().encoded(), within: .cheap)
        #expect(keystore.attached == [1, 2, 3])
        let opened = try keystore.open(with: Passphrase("correct horse"))
        #expect(bytes(opened) == [UInt8](repeating: 7, count: 64))
        for wrong in ["correct horsf", "correct horse ", "Correct horse", "", "correct horse\n"] {
            #expect(throws: Keystore.Failure.wrongPassphrase) { _ = try keystore.open(with: Passphrase(wrong)) }
        }
    }

    @Test("The same secret and passphrase never make the same file, and the secret is not in it")
    func fresh() throws {
        let (one, other) = (try sealed().encoded(), try sealed().encoded())
        #expect(one != other)
        #expect(!one.indices.dropLast(7).contains { one[$0..<$0 + 8].allSatisfy { $0 == 7 } })
    }

    @Test("The product's cost is three passes over 256 MiB, and files with a much lower cost are refused")
    func standard() {
        #expect(PassphraseCost.standard == PassphraseCost(passes: 3, kibibytes: 262_144))
        let bounds = PassphraseBounds.standard
        #expect(bounds.contains(.standard))
        for (passes, kibibytes, isFine) in [
            (2, 65_536, true), (1, 262_144, false), (2, 65_535, false), (10, 1 << 20, true), (11, 1 << 20, false),
            (10, (1 << 20) + 1, false), (0, 0, false),
        ] as [(UInt64, UInt64, Bool)] {
            #expect(bounds.contains(PassphraseCost(passes: passes, kibibytes: kibibytes)) == isFine)
        }
    }

    /// A file with a right digest over changed fields.
    private func forged(_ change: (inout CBORMap) -> Void) throws -> [UInt8] {
        var map = try #require(try CBORDecoder.decode(try sealed().encoded()).mapValue)
        map[9] = nil
        change(&map)
        map[9] = .bytes(Blake2b.hash(CBOR.map(map).encoded(), length: CryptoLimits.keystoreDigestBytes))
        return CBOR.map(map).encoded()
    }

    private func failure(_ bytes: [UInt8], _ bounds: PassphraseBounds = .cheap) -> Keystore.Failure? {
        do {
            _ = try Keystore(decoding: bytes, within: bounds)
            return nil
        } catch { return error }
    }

    @Test("A hostile cost, up to the largest numbers, is refused before anything is computed")
    func hostileCost() throws {
        #expect(failure(try forged { _ in }) == nil)
        for (passes, kibibytes) in [(3, 64 << 20), (1 << 40, 8), (.max, .max), (3, .max), (0, 8), (1, 7)]
            as [(UInt64, UInt64)]
        {
            let bytes = try forged {
                $0[3] = .unsigned(passes)
                $0[4] = .unsigned(kibibytes)
            }
            #expect(failure(bytes) == .cost(PassphraseCost(passes: passes, kibibytes: kibibytes)))
        }
        // The cost that the tests use is too low for the product.
        #expect(failure(try sealed().encoded(), .standard) == .cost(Self.cheap))
    }

    @Test("Every damaged byte and every shortened or longer file is reported as damage, not as a wrong passphrase")
    func damage() throws {
        let whole = try sealed().encoded()
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x01
            #expect(failure(bytes) == .malformed || failure(bytes) == .newer, "byte \(index)")
        }
        for count in 0..<whole.count { #expect(failure(Array(whole[..<count])) != nil) }
        #expect(failure(whole + [0]) == .malformed)
        #expect(failure([UInt8](repeating: 0xA1, count: 5000)) == .malformed)
    }

    @Test("Authenticated fields can't be changed, even with a corrected digest")
    func authenticated() throws {
        let changes: [(inout CBORMap) -> Void] = [
            { $0[3] = .unsigned(2) }, { $0[4] = .unsigned(16) }, { $0[5] = .bytes([UInt8](repeating: 0, count: 16)) },
            { $0[6] = .bytes([UInt8](repeating: 0, count: 24)) }, { $0[7] = .bytes([9]) },
            { $0[8] = .bytes([UInt8](repeating: 0, count: 80)) },
        ]
        for (index, change) in changes.enumerated() {
            let keystore = try Keystore(decoding: try forged(change), within: .cheap)
            #expect(throws: Keystore.Failure.wrongPassphrase, "change \(index)") {
                _ = try keystore.open(with: Self.passphrase)
            }
        }
    }

    @Test(
        "Fields of another length or type, missing or unknown ones are damage; later versions are reported as such")
    func shape() throws {
        let changes: [(inout CBORMap) -> Void] = [
            { $0[5] = .bytes([1]) }, { $0[6] = .bytes([1]) }, { $0[8] = .bytes([UInt8](repeating: 0, count: 16)) },
            { $0[8] = nil }, { $0[7] = .text("x") }, { $0[3] = .text("3") }, { $0[10] = .unsigned(1) },
            { $0[1] = .unsigned(1) },
        ]
        for (index, change) in changes.enumerated() {
            #expect(failure(try forged(change)) == .malformed, "change \(index)")
        }
        #expect(failure(try forged { $0[1] = .unsigned(3) }) == .newer)
        #expect(failure(try forged { $0[2] = .unsigned(2) }) == .newer)
    }

    @Test("A passphrase of the greatest length and in any script counts as a whole")
    func long() throws {
        let text = String(repeating: "ä€🙂", count: 113) + "abcdefg"
        #expect(Passphrase(text).count == 1024)
        let keystore = try Keystore.seal(secret(), with: Passphrase(text), cost: Self.cheap, attached: [])
        _ = try keystore.open(with: Passphrase(text))
        #expect(throws: Keystore.Failure.wrongPassphrase) {
            _ = try keystore.open(with: Passphrase(String(text.dropLast())))
        }
        #expect("\(Passphrase(text))" == "Passphrase")
    }
}
