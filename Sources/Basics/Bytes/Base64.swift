/// Bytes as text: RFC 4648 §4, with padding.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Every three bytes, or a last part of them, become four characters.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var start = 0
        while start < bytes.count {
            let count = min(3, bytes.count - start)
            var bits: UInt32 = 0
            for offset in 0..<3 { bits = bits << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0) }
            for place in 0..<4 {
                let index = Int(bits >> UInt32(18 - 6 * place) & 0x3F)
                text.append(place <= count ? alphabet[index] : UInt8(ascii: "="))
            }
            start += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads what ``encode(_:)`` writes; nil for any other text, such as one with spaces or without its padding.
    public static func decode(_ text: String) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count % 4 == 0 else { return nil }
        let padding = letters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count / 4 * 3)
        for start in stride(from: 0, to: letters.count, by: 4) {
            let isLast = start + 4 == letters.count
            let count = isLast ? 4 - padding : 4
            var bits: UInt32 = 0
            for place in 0..<4 {
                let value = place < count ? values[Int(letters[start + place])] : 0
                guard value < 64 else { return nil }
                bits = bits << 6 | UInt32(value)
            }
            // The bits behind the last byte are none of the text's.
            guard bits & (count == 2 ? 0xFFFF : count == 3 ? 0xFF : 0) == 0 else { return nil }
            for byte in 0..<(count - 1) { bytes.append(UInt8(bits >> UInt32(16 - 8 * byte) & 0xFF)) }
        }
        return bytes
    }

    /// The value of each byte as a digit; 64 for bytes that are no digit.
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 64, count: 256)
        for (value, letter) in alphabet.enumerated() { table[Int(letter)] = UInt8(value) }
        return table
    }()
}
