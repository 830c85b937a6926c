import Basics

/// How many columns of a terminal a text takes.
///
/// This approximates UAX #11 (East Asian Width) and what terminals do with emoji: wide characters take two columns,
/// combining marks take none because they belong to a character.
enum DisplayWidth {
    /// First and last scalar of the ranges that are two columns wide.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
        0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x26A1...0x26A1, 0x26BD...0x26BE, 0x26C4...0x26C5,
        0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26FA...0x26FA, 0x2705...0x2705, 0x270A...0x270B,
        0x2728...0x2728, 0x274C...0x274C, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797, 0x2B1B...0x2B1C,
        0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A,
        0x1F1E6...0x1F1FF, 0x1F200...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7EB, 0x1F90C...0x1F9FF,
        0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
    ]

    /// What one character may be made of on the screen. Honest ones (families, skin tones) have a dozen scalars; with hundreds
    /// a text can be drawn over others.
    private static let scalarsOfCharacter = 16

    /// A character with no more than that.
    static func bounded(_ character: Character) -> String {
        guard character.unicodeScalars.count > scalarsOfCharacter else { return String(character) }
        var cut = String.UnicodeScalarView()
        cut.append(contentsOf: character.unicodeScalars.prefix(scalarsOfCharacter))
        return String(cut)
    }

    static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return wide.contains { $0.contains(first.value) } ? 2 : 1
        }
    }

    /// The text cut to a width, with an ellipsis where something was cut off.
    static func truncate(_ text: String, to width: Int) -> String {
        guard of(text) > width || text.unicodeScalars.count > width * scalarsOfCharacter else { return text }
        var out = ""
        var used = 1
        for character in text {
            used += of(character)
            if used > width { break }
            out += bounded(character)
        }
        return width > 0 ? out + "…" + ForeignText.openings(in: out).end : ""
    }

    /// Text with SGR codes in it, cut to a width. The codes take no space and all stay, so that no style is left on.
    static func crop(_ text: String, to width: Int) -> String {
        var out = ""
        var used = 0
        var isCode = false
        for character in text {
            if character == "\u{1B}" { isCode = true }
            if isCode {
                out.append(character)
                if character == "m" { isCode = false }
                continue
            }
            used += of(character)
            if used <= width { out.append(character) }
        }
        return out
    }
}
