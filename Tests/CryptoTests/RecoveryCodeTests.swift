import Basics
import Testing

@testable import Crypto

/// Goal: a code on paper brings back exactly the key that it was made of, however it is typed, and a wrong one says where to
/// look.
@Suite("Recovery codes and keys")
struct RecoveryCodeTests {
    private static func account(_ byte: UInt8 = 0x22) throws -> SigningKey {
        try SigningKey(seed: SecretBytes(count: 32) { $0.initializeMemory(as: UInt8.self, repeating: byte) })
    }

    private static func problem(_ text: String) -> RecoveryCode.Problem? {
        do {
            _ = try RecoveryCode.key(text)
            return nil
        } catch { return error }
    }

    @Test("A code has 71 characters, and gives back the key in any case and with any spaces")
    func reading() throws {
        let account = try Self.account()
        let code = RecoveryCode.text(of: account)
        #expect(code.count == 71 && code.hasPrefix("kiborecover1"))
        let spaced = code.enumerated().map { $0.offset % 4 == 3 ? "\($0.element) " : "\($0.element)" }.joined()
        let mixed = code.enumerated().map { $0.offset % 2 == 0 ? $0.element.uppercased() : "\($0.element)" }.joined()
        for text in [
            code, code.uppercased(), spaced, "  \(spaced.uppercased())\n", mixed,
            spaced.replacing(" ", with: "\r\n"), spaced.replacing(" ", with: "-"),
            spaced.replacing(" ", with: "\u{A0}"),
        ] {
            #expect(try RecoveryCode.key(text).publicKey == account.publicKey, "\(text)")
        }
        #expect(try Self.account(0x23).publicKey != RecoveryCode.key(code).publicKey)
    }

    @Test("A wrong code says what is wrong, and where if that can be known")
    func problems() throws {
        let code = Array(RecoveryCode.text(of: try Self.account()))
        func changed(_ changes: [Int: Character]) -> String {
            String(code.enumerated().map { changes[$0.offset] ?? $0.element })
        }
        func other(_ place: Int, by step: Int = 1) -> Character {
            let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
            return alphabet[((alphabet.firstIndex(of: code[place]) ?? 0) + step) % 32]
        }
        #expect(Self.problem(changed([20: other(20)])) == .wrong([21]))
        #expect(Self.problem(changed([12: other(12), 70: other(70, by: 5)])) == .wrong([13, 71]))
        // What no code has is wrong for sure, and nothing else is guessed.
        #expect(Self.problem(changed([30: "o", 40: "ß", 50: other(50)])) == .wrong([31, 41]))
        #expect(Self.problem(String(code.dropLast())) == .length(70))
        #expect(Self.problem(String(code) + "q") == .length(72))
        for text in [
            "", " ", "kibo1qqqq", "hello", "kiborecove r", String(repeating: "q", count: 71),
            AccountID(
                try Self.account().publicKey
            ).description,
        ] {
            #expect(Self.problem(text) == .notACode, "\(text)")
        }
        #expect(Self.problem(String(code) + String(repeating: " ", count: 1024)) == .notACode)
        let newer = Bech32m.encode(prefix: "kiborecover", [2] + [UInt8](repeating: 1, count: 32))
        #expect(Self.problem(newer) == .newer)
    }

    @Test("Hundreds of hostile texts are refused, and none traps", arguments: 0..<4 as Range<UInt64>)
    func hostile(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pieces = ["kiborecover1", "KIBORECOVER1", "q", "1", " ", "-", "\u{0}", "é", "👩‍👩‍👧", "İ", "ﬃ", "\u{202E}", "b"]
        for _ in 0..<300 {
            let text = (0..<Int.random(in: 0...90, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            let problem = Self.problem("kiborecover1" + text)
            #expect(problem != nil)
            if case .wrong(let places) = problem { #expect(places.allSatisfy { 13...71 ~= $0 }) }
        }
    }

    @Test("A box for the recovery key opens with it, and with no other key, and not if it was changed")
    func box() throws {
        let key = try Self.account().recoveryKey
        let box = try SealedBox.seal([1, 2, 3], to: key.publicKey)
        #expect(box.count == 3 + SealedBox.extraBytes)
        #expect(try key.open(box) == [1, 2, 3])
        #expect(try SealedBox.seal([1, 2, 3], to: key.publicKey) != box)
        #expect(throws: CryptoError.authenticationFailed) { try Self.account(0x23).recoveryKey.open(box) }
        for place in box.indices {
            var changed = box
            changed[place] ^= 1
            #expect(throws: CryptoError.authenticationFailed) { try key.open(changed) }
        }
        for count in [0, 1, 47] {
            #expect(throws: CryptoError.authenticationFailed) { try key.open(Array(box.prefix(count))) }
        }
    }

    @Test("Nobody can be made to seal for a key that everyone has")
    func lowOrder() throws {
        let zero = try #require(Key32([UInt8](repeating: 0, count: 32)))
        #expect(throws: CryptoError.lowOrderPoint) { try SealedBox.seal([1], to: zero) }
    }
}
