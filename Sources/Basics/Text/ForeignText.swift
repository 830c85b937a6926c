/// Rules for text that comes from peers: what is accepted and how it is shown.
public enum ForeignText {
    /// Whether a character is hostile: a control character (C0 without tab and newline if `multiline`, DEL, C1), a line
    /// or paragraph separator, or a bidirectional control, which can make a name read as another one (CVE-2021-42574
    /// and its kind).
    public static func isHostile(_ scalar: Unicode.Scalar, multiline: Bool) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: !multiline
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        case 0x2028, 0x2029: true
        case 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
        default: false
        }
    }

    /// The text with every hostile character as `\u{…}`, safe for a terminal. Newlines and tabs stay if `multiline`.
    public static func escaped(_ text: String, multiline: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: { isHostile($0, multiline: multiline) }) else { return text }
        var out = ""
        for scalar in text.unicodeScalars {
            if isHostile(scalar, multiline: multiline) {
                out += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    /// Whether a character has no width and can make one name look like another. Texts may contain such characters
    /// (Thai separates words with one), and names may contain those that join letters and signs.
    public static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00AD, 0x115F, 0x1160, 0x180E, 0x200B, 0x2060...0x2064, 0x3164, 0xFFA0: true
        default: false
        }
    }

    /// Whether there is such a character in a text.
    public static func hasInvisible(_ text: String) -> Bool { text.unicodeScalars.contains(where: isInvisible) }

    /// A name as ``escaped(_:multiline:)`` shows it, with invisible characters as `\u{…}` too.
    public static func escapedName(_ text: String) -> String {
        guard hasInvisible(text) else { return escaped(text) }
        var out = ""
        for scalar in text.unicodeScalars {
            out += isInvisible(scalar) ? "\\u{" + String(scalar.value, radix: 16) + "}" : escaped(String(scalar))
        }
        return out
    }

    /// Whether a one-line label (a name) of a peer is acceptable. It isn't empty, has at most `maximum` characters and
    /// eight bytes for each, contains nothing hostile, and shows something: not only white space and characters without
    /// a glyph.
    public static func isLabel(_ text: String, maximumCharacters maximum: Int) -> Bool {
        isOptionalLabel(text, maximumCharacters: maximum)
            && text.unicodeScalars.contains { isVisible($0) }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        // U+2800 is a Braille pattern without dots: a blank that Unicode counts among the symbols.
        !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint && scalar.value != 0x2800
    }

    /// Like ``isLabel(_:maximumCharacters:)``, but may be empty.
    public static func isOptionalLabel(_ text: String, maximumCharacters maximum: Int) -> Bool {
        text.utf8.count <= maximum * 8 && text.count <= maximum
            && !text.unicodeScalars.contains { isHostile($0, multiline: false) }
    }
}
