import Basics

/// Sixty digits that two people compare to make sure that no one sits between them. They are equal on both sides and
/// differ for any other pair of accounts (docs/PROTOCOL.md, "Safety numbers").
///
/// They are made like Signal's numeric fingerprints, over BLAKE2b-512: each account's key is hashed 5,200 times into 30
/// digits, and the smaller half goes first.
public struct SafetyNumber: Hashable, Sendable, CustomStringConvertible {
    /// Sixty digits without spaces.
    public let digits: String

    private static let label = "kibo-safety-number-v1"

    /// Computes the number of two accounts, in any order. Takes some milliseconds.
    public init(_ one: AccountID, _ other: AccountID) {
        let halves = [Self.half(one), Self.half(other)].sorted()
        digits = halves.joined()
    }

    /// Reads a typed number: digits, with white space and dashes anywhere. Nil unless there are sixty digits.
    public init?(_ text: String) {
        let digits = text.filter { !$0.isWhitespace && !"-–.".contains($0) }
        guard digits.utf8.count == CryptoLimits.safetyNumberDigits, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return nil
        }
        self.digits = digits
    }

    /// The digits in twelve groups of five.
    public var groups: [String] {
        let all = Array(digits)
        return stride(from: 0, to: all.count, by: 5).map { String(all[$0..<min($0 + 5, all.count)]) }
    }

    public var description: String { groups.joined(separator: " ") }

    /// The 30 digits of one account: six times five bytes of the last hash, each modulo 100,000.
    private static func half(_ account: AccountID) -> String {
        var hash = Array(label.utf8) + [0] + account.bytes
        for _ in 0..<CryptoLimits.safetyNumberRounds { hash = Blake2b.hash(hash + account.bytes, length: 64) }
        return (0..<6).map { group in
            let number = hash[group * 5..<group * 5 + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
            let text = String(number)
            return String(repeating: "0", count: 5 - text.count) + text
        }.joined()
    }
}
