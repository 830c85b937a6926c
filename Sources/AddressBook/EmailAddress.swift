import Basics

/// Checks that tell e-mail addresses from other text.
public enum EmailAddress {
    /// Whether a text looks like an address: one `@` with something on both sides, and no blank or control character.
    public static func isOne(_ text: String) -> Bool {
        guard 3...AddressBookLimits.emailBytes ~= text.utf8.count else { return false }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return isOne(ascii: text.utf8) }
        guard let sign = text.firstIndex(of: "@"),
            sign != text.startIndex, text.index(after: sign) != text.endIndex,
            !text[text.index(after: sign)...].contains("@")
        else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            !scalar.properties.isWhitespace && !ForeignText.isHostile(scalar, multiline: false)
                && !"<>()[]\\,;:\"".unicodeScalars.contains(scalar)
        }
    }

    /// The same check for ASCII, which most addresses are; it is faster.
    private static func isOne(ascii text: String.UTF8View) -> Bool {
        var (index, sign) = (0, -1)
        for byte in text {
            if byte == UInt8(ascii: "@") {
                guard sign < 0 else { return false }
                sign = index
            } else if !(0x21...0x7E ~= byte) || excluded.contains(byte) {
                return false
            }
            index += 1
        }
        return sign > 0 && sign < index - 1
    }

    private static let excluded = Array("<>()[]\\,;:\"".utf8)

    /// The form in which two addresses are compared. In theory the part before the `@` may differ by case (RFC 5321
    /// §2.4); in practice it never does.
    public static func key(_ address: String) -> String { address.lowercased() }
}
