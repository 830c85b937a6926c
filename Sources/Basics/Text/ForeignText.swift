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

    /// A name as ``escapedName(_:)`` shows it, with quotation marks as `\u{…}` too, single ones where several stand together: in
    /// words that set one name in quotation marks beside another, no name reads as two.
    public static func quotable(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var out = ""
        for (index, scalar) in scalars.enumerated() {
            let isDoubled =
                isApostrophe(scalar)
                && (index > 0 && isApostrophe(scalars[index - 1])
                    || index + 1 < scalars.count && isApostrophe(scalars[index + 1]))
            if isDoubled || isQuotationMark(scalar) {
                out += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                out += escapedName(String(scalar))
            }
        }
        return out
    }

    /// Unicode's quotation marks without corner brackets, and what looks like one. `Tests/Recorded/quotation-marks.txt` has the
    /// list for the daemon and the page.
    private static func isQuotationMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x22, 0xAB, 0xBB, 0x2BA, 0x2DD, 0x2EE, 0x2F5, 0x2F6, 0x5F4, 0x1CD3, 0x201C...0x201F, 0x2033, 0x2034: true
        case 0x2036, 0x2037, 0x2057, 0x275D, 0x275E, 0x2760, 0x276E, 0x276F, 0x2E42, 0x3003, 0x301D...0x301F: true
        case 0xFF02, 0x1F676...0x1F678: true
        default: false
        }
    }

    private static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x27, 0x60, 0xB4, 0x2B9, 0x2BB...0x2BF, 0x2C8, 0x2CA, 0x2CB, 0x2F4, 0x374, 0x384, 0x55A, 0x5F3: true
        case 0x7F4, 0x7F5, 0x1FBD, 0x1FBF, 0x1FEF, 0x1FFD, 0x1FFE, 0x2018...0x201B, 0x2032, 0x2035, 0x2039, 0x203A: true
        case 0x275B, 0x275C, 0x275F, 0xA78B, 0xA78C, 0xFF07, 0xFF40: true
        default: false
        }
    }

    /// Whether a text has letters that are written from the right.
    public static func isRightToLeft(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
            default: false
            }
        }
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
