import Basics

/// E-mail addresses, as far as it takes to tell one from something else.
public enum EmailAddress {
    /// Whether it looks like an address: something, one `@`, something with no blank or control character in it.
    public static func isOne(_ text: String) -> Bool {
        guard 3...AddressBookLimits.emailBytes ~= text.utf8.count, let sign = text.firstIndex(of: "@"),
            sign != text.startIndex, text.index(after: sign) != text.endIndex,
            !text[text.index(after: sign)...].contains("@")
        else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            !scalar.properties.isWhitespace && !ForeignText.isHostile(scalar, multiline: false)
                && !"<>()[]\\,;:\"".unicodeScalars.contains(scalar)
        }
    }

    /// By what two addresses are compared. What stands before the `@` may differ by case in theory (RFC 5321 §2.4), and in
    /// practice never does.
    public static func key(_ address: String) -> String { address.lowercased() }
}
