import Basics

/// E-mail addresses, as far as it takes to tell one from something else.
public enum EmailAddress {
    /// Whether it looks like an address: something, one `@`, something with no blank or control character in it.
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

    /// The same for what most addresses are, more quickly.
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

    /// By what two addresses are compared. What stands before the `@` may differ by case in theory (RFC 5321 §2.4), and in
    /// practice never does.
    public static func key(_ address: String) -> String { address.lowercased() }
}
