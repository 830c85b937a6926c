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
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
        }
        self.init(high: high, low: low)
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
        let hex = Hex.encode(bytes)
        var out = ""
        for (index, character) in hex.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { out.append("-") }
            out.append(character)
        }
        return out
    }

    public static func < (left: UUIDv7, right: UUIDv7) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
