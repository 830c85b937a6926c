/// A UUID of version 7 (RFC 9562 §5.7): 48 bits of milliseconds since 1970, then random bits.
///
/// Names messages, transfers, conversations and groups. Peers send these, so any 16 bytes are accepted when read:
/// nothing may rely on the time inside.
public struct UUIDv7: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let high: UInt64
    public let low: UInt64

    /// All bits zero: "no identifier" on the wire.
    public static let zero = UUIDv7(high: 0, low: 0)

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A fresh one.
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
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12], let bytes = Hex.decode(parts.joined()) else { return nil }
        self.init(bytes: bytes)
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
