/// The one rule for e-mail addresses: in cards and profiles, in address books and invitations. The page has the same rule
/// (`Web/src/text/addresses.ts`).
public enum EmailAddress {
    /// Bytes of an address (RFC 5321 §4.5.3.1.3, less its angle brackets).
    public static let bytes = 254
    /// Bytes before the `@` (RFC 5321 §4.5.3.1.1).
    private static let localBytes = 64
    /// Bytes of one label of a domain (RFC 1035 §2.3.4).
    private static let labelBytes = 63
    private static let signs = Set("!#$%&'*+-/=?^_`{|}~".unicodeScalars)

    /// Whether a text is an address: words of letters, digits and the signs of RFC 5322 §3.2.3 with dots between them, `@`, and a
    /// domain of labels of letters, digits and inner hyphens. Letters may be of any script (RFC 6531). Quoted words, comments and
    /// addresses of hosts, which the standard permits and nobody uses, are none, and neither is what begins with a hyphen, which
    /// programs take for an option. A domain may be one label, as networks of their own have names of their own.
    public static func isOne(_ text: String) -> Bool {
        guard text.utf8.count <= bytes else { return false }
        let parts = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].first != "-", String(parts[0]).utf8.count <= localBytes else { return false }
        return parts[0].split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty && word.allSatisfy { isLetter($0) || signs.contains($0) }
        }
            && parts[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && String(label).utf8.count <= labelBytes && label.first != "-" && label.last != "-"
                    && label.allSatisfy { isLetter($0) || $0 == "-" }
            }
    }

    /// The text if it is an address, else nil: for what came from others or was stored under another rule.
    public static func checked(_ text: String?) -> String? { text.flatMap { isOne($0) ? $0 : nil } }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
        case 0...0x7F: return false
        default: break
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber:
            return !ForeignText.isInvisible(scalar) && !scalar.properties.isDefaultIgnorableCodePoint
        default: return false
        }
    }

    /// The form in which two addresses are compared. In theory the part before the `@` may differ by case (RFC 5321
    /// §2.4); in practice it never does.
    public static func key(_ address: String) -> String { address.lowercased() }
}
