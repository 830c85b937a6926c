/// A UUID of version 7 (RFC 9562 §5.7): 48 bits of milliseconds since 1970, then random bits.
///
/// It names messages, transfers, conversations and groups. Peers send such ids, so any 16 bytes are accepted when read,
/// and nothing may rely on the time inside.
public struct UUIDv7: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let high: UInt64
    public let low: UInt64

    /// All bits zero: "no identifier" on the wire.
    public static let zero = UUIDv7(high: 0, low: 0)

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A new identifier: the time, then random bits. Each message gets one, so callers have it made for their generator.
    @inlinable
    public init(at time: WallTime, using random: inout some RandomNumberGenerator) {
        let milliseconds = min(UInt64(clamping: time.milliseconds), 0xFFFF_FFFF_FFFF)
        high = milliseconds << 16 | 0x7000 | UInt64.random(in: 0...0xFFF, using: &random)
        low = 0x8000_0000_0000_0000 | (UInt64.random(in: .min ... .max, using: &random) >> 2)
    }

    /// Nil unless there are exactly 16 bytes.
    @inlinable
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.init(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
    }

    /// The form 8-4-4-4-12; nil for anything else.
    public init?(_ text: String) {
        // Every request names some ids, so this reads the text without cutting pieces out of it.
        var (words, digits, place): ((high: UInt64, low: UInt64), Int, Int) = ((0, 0), 0, 0)
        for character in text.utf8 {
            if place == 8 || place == 13 || place == 18 || place == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                guard digits < 32, let digit = Self.value(ofDigit: character) else { return nil }
                if digits < 16 { words.high = words.high << 4 | digit } else { words.low = words.low << 4 | digit }
                digits += 1
            }
            place += 1
        }
        guard place == 36 else { return nil }
        self.init(high: words.high, low: words.low)
    }

    private static func value(ofDigit character: UInt8) -> UInt64? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(character - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(character - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(character - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    public var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(16)
        out.appendBigEndian(high)
        out.appendBigEndian(low)
        return out
    }

    public var description: String {
        String(unsafeUninitializedCapacity: 36) { out in
            var place = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    out[place] = UInt8(ascii: "-")
                    place += 1
                }
                let word = index < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: word >> (60 - 4 * (UInt64(index) & 15)) & 15)
                out[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
                place += 1
            }
            return place
        }
    }

    public static func < (left: UUIDv7, right: UUIDv7) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
