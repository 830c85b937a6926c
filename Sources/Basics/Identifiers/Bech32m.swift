/// Bech32m (BIP-350): how keys are shown to people. Any typing error of up to four characters is found.
public enum Bech32m {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
    private static let constant: UInt32 = 0x2bc8_30a3
    /// BIP-173 allows 90 characters in all.
    private static let maximumLength = 90

    /// `prefix` in lower case, the separator `1`, the data and six characters of checksum.
    public static func encode(prefix: String, _ bytes: some Sequence<UInt8>) -> String {
        let values = regroup(bytes, from: 8, to: 5, pad: true) ?? []
        let remainder = polymod(expand(prefix) + values + [0, 0, 0, 0, 0, 0]) ^ constant
        let checksum = (0..<6).map { UInt8(remainder >> (5 * (5 - UInt32($0))) & 31) }
        return prefix + "1" + String(decoding: (values + checksum).map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// Prefix and bytes; nil for mixed case, wrong characters, a wrong checksum or non-zero padding.
    public static func decode(_ text: String) -> (prefix: String, bytes: [UInt8])? {
        let characters = Array(text.utf8)
        guard characters.count <= maximumLength, characters.allSatisfy({ 33...126 ~= $0 }) else { return nil }
        let lower = text.lowercased()
        guard text == lower || text == text.uppercased() else { return nil }
        let lowered = Array(lower.utf8)
        guard let separator = lowered.lastIndex(of: UInt8(ascii: "1")), separator > 0,
            lowered.count - separator - 1 >= 6
        else { return nil }
        var values: [UInt8] = []
        for character in lowered[(separator + 1)...] {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            values.append(UInt8(value))
        }
        let prefix = String(decoding: lowered[..<separator], as: UTF8.self)
        guard polymod(expand(prefix) + values) == constant,
            let bytes = regroup(values.dropLast(6), from: 5, to: 8, pad: false)
        else { return nil }
        return (prefix, bytes)
    }

    private static func expand(_ prefix: String) -> [UInt8] {
        prefix.utf8.map { $0 >> 5 } + [0] + prefix.utf8.map { $0 & 31 }
    }

    private static func polymod(_ values: [UInt8]) -> UInt32 {
        var checksum: UInt32 = 1
        for value in values {
            let top = checksum >> 25
            checksum = (checksum & 0x1ff_ffff) << 5 ^ UInt32(value)
            for bit in 0..<5 where top >> UInt32(bit) & 1 == 1 { checksum ^= generator[bit] }
        }
        return checksum
    }

    private static func regroup(
        _ values: some Sequence<UInt8>, from: UInt32, to: UInt32, pad: Bool
    ) -> [UInt8]? {
        var accumulator: UInt32 = 0
        var bits: UInt32 = 0
        var out: [UInt8] = []
        for value in values {
            accumulator = (accumulator << from | UInt32(value)) & 0xfff
            bits += from
            while bits >= to {
                bits -= to
                out.append(UInt8(truncatingIfNeeded: accumulator >> bits & (1 << to - 1)))
            }
        }
        if pad {
            if bits > 0 { out.append(UInt8(truncatingIfNeeded: accumulator << (to - bits) & (1 << to - 1))) }
        } else if bits >= from || accumulator & (1 << bits - 1) != 0 {
            return nil
        }
        return out
    }
}
