import Basics

/// Cleaning and composing of people's names.
enum Names {
    /// The text on one line, cut to the limits, without characters that could make it look like another name.
    static func clean(_ text: String) -> String {
        if isClean(text) { return text }
        var out = String.UnicodeScalarView()
        var (bytes, needsSpace) = (0, false)
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                needsSpace = !out.isEmpty
                continue
            }
            if ForeignText.isHostile(scalar, multiline: false) { continue }
            let space = needsSpace ? 1 : 0
            bytes += UTF8.width(scalar) + space
            // A character can be followed by any number of accents, so bytes are limited too.
            guard bytes <= AddressBookLimits.nameBytes else { break }
            if needsSpace { out.append(" ") }
            needsSpace = false
            out.append(scalar)
        }
        return String(String(out).prefix(AddressBookLimits.nameCharacters))
    }

    /// Whether the text needs no cleaning. It is a quick check that most texts pass: short, ASCII letters and signs,
    /// single blanks.
    private static func isClean(_ text: String) -> Bool {
        guard text.utf8.count <= AddressBookLimits.nameCharacters else { return false }
        var before = UInt8(ascii: " ")
        for byte in text.utf8 {
            guard 0x20...0x7E ~= byte, byte != 0x20 || before != 0x20 else { return false }
            before = byte
        }
        return before != 0x20 || text.isEmpty
    }

    /// Composes a name from the parts of N: family, given, middle, prefix and suffix (RFC 6350 §6.2.2).
    static func composed(_ parts: [String], isList: Bool) -> String {
        let parts = (parts + Array(repeating: "", count: 5)).prefix(5).map { part in
            // From version 3.0 on each part is a list separated by commas.
            isList ? part.split(separator: ",").joined(separator: " ") : part
        }
        let (family, given) = (clean(parts[0]), clean(parts[1]))
        // In Chinese, Japanese and Korean the family comes first, without a space.
        if !family.isEmpty, !given.isEmpty, (family + given).unicodeScalars.allSatisfy(isEastAsian) {
            return family + given
        }
        return clean([parts[3], given, parts[2], family, parts[4]].joined(separator: " "))
    }

    private static func isEastAsian(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
