/// Percent-encoding (RFC 3986 §2.1).
public enum PercentCode {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes every byte of UTF-8 except the unreserved characters (§2.3) and those in `also`.
    public static func encode(_ text: some StringProtocol, also: String = "") -> String {
        let also = Array(also.utf8)
        var out: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) || also.contains(byte) {
                out.append(byte)
            } else {
                out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Nil for text that is not well-formed, or not UTF-8.
    public static func decode(_ text: some StringProtocol) -> String? {
        var out: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                out.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                rest.first != UInt8(ascii: "+")
            else { return nil }
            out.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: out, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}
