/// How text that people write is shown. In names, every character that could make one name read as another is shown as
/// `\u{…}` (``ForeignText/escapedName(_:)``). Texts keep those of these characters that their script or a flag needs.
extension ForeignText {
    /// The flags that Unicode writes with tags, as its list of such emoji has them (RGI_Emoji_Tag_Sequence): of England,
    /// Scotland and Wales.
    private static let taggedFlags: [[Unicode.Scalar]] = ["gbeng", "gbsct", "gbwls"].map { region in
        (["\u{1F3F4}"] + region.unicodeScalars + ["\u{7F}"]).map { scalar in
            scalar.isASCII ? Unicode.Scalar(0xE0000 + scalar.value) ?? scalar : scalar
        }
    }

    /// Whether a text is a flag that is written with tags, and nothing else.
    public static func isTaggedFlag(_ text: String) -> Bool {
        text.utf8.count <= 28 && taggedFlags.contains { $0.elementsEqual(text.unicodeScalars) }
    }

    /// Whether a text may contain this character although it is hostile: a mark of direction or the tag of a flag. The
    /// characters around it decide whether it is shown or escaped.
    public static func isWritten(_ scalar: Unicode.Scalar) -> Bool {
        isMark(scalar) || isOpening(scalar) || isClosing(scalar) || 0xE0020...0xE007F ~= scalar.value
    }

    /// Whether a text has only characters that it may have: nothing hostile but marks of direction and tags of flags.
    public static func isText(_ text: String, multiline: Bool) -> Bool {
        !text.unicodeScalars.contains { isHostile($0, multiline: multiline) && !isWritten($0) }
    }

    /// Whether one line that a peer has written is acceptable. It may be empty, has at most `maximum` characters and eight bytes
    /// for each.
    public static func isOptionalLine(_ text: String, maximumCharacters maximum: Int) -> Bool {
        text.utf8.count <= maximum * 8 && text.count <= maximum && isText(text, multiline: false)
    }

    /// RLM, LRM and ALM, which turn nothing but the signs beside them.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{200E}" || scalar == "\u{200F}" || scalar == "\u{61C}"
    }

    /// What begins an embedding or an isolate. An override is neither: it makes letters read backwards.
    private static func isOpening(_ scalar: Unicode.Scalar) -> Bool {
        0x202A...0x202B ~= scalar.value || isIsolating(scalar)
    }

    private static func isIsolating(_ scalar: Unicode.Scalar) -> Bool { 0x2066...0x2068 ~= scalar.value }

    private static func isClosing(_ scalar: Unicode.Scalar) -> Bool { scalar == "\u{202C}" || scalar == "\u{2069}" }

    /// Says for each character of a text whether to show it as `\u{…}`. Newlines, tabs, flags written with tag
    /// characters, RLM, LRM and ALM are shown as they are, and so are embeddings and isolates that end in the line in
    /// which they begin.
    public static func escapes(in text: [Unicode.Scalar]) -> [Bool] {
        var escapes = text.map { isHostile($0, multiline: true) }
        // Those that have no end yet, and how many of them are isolates.
        var open: [Int] = []
        var isolates = 0
        for (index, scalar) in text.enumerated() where escapes[index] || scalar == "\n" {
            if scalar == "\n" {
                open = []
                isolates = 0
            } else if isMark(scalar) {
                escapes[index] = false
            } else if isOpening(scalar) {
                open.append(index)
                if isIsolating(scalar) { isolates += 1 }
            } else if isClosing(scalar) {
                // Without this check, each end that matches nothing would search all openings.
                if scalar == "\u{2069}", isolates == 0 { continue }
                let ends = { isIsolating(text[$0]) == (scalar == "\u{2069}") }
                // The end of an isolate ends embeddings within it, and the end of an embedding no isolate.
                guard let place = scalar == "\u{2069}" ? open.lastIndex(where: ends) : open.indices.last,
                    ends(open[place])
                else { continue }
                escapes[open[place]] = false
                escapes[index] = false
                if isIsolating(text[open[place]]) { isolates -= 1 }
                open.removeSubrange(place...)
            } else if let flag = flag(before: index, in: text) {
                for place in flag { escapes[place] = false }
            }
        }
        return escapes
    }

    /// How many combining marks a character may carry where it is shown; honest characters carry a few. With thousands
    /// a text covers its neighbours, and comparing it is slow, because each comparison sorts the marks.
    public static let combiningMarks = 12

    private static func isCombining(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
    }

    /// The flag whose last character stands at an index.
    private static func flag(before index: Int, in text: [Unicode.Scalar]) -> Range<Int>? {
        guard text[index] == "\u{E007F}", let length = taggedFlags.first?.count, index + 1 >= length else { return nil }
        let range = index + 1 - length..<index + 1
        return taggedFlags.contains { $0.elementsEqual(text[range]) } ? range : nil
    }

    /// A text that is fit for a terminal: the characters that ``escapes(in:)`` names are shown as `\u{…}`, and no
    /// character has more than ``combiningMarks``. A line with characters of direction is isolated from the words
    /// around it.
    public static func shown(_ text: String) -> String {
        guard !isPlain(text) else { return text }
        let scalars = Array(text.unicodeScalars)
        let escapes = escapes(in: scalars)
        var (out, line) = ("", String.UnicodeScalarView())
        var marks = 0
        for (index, scalar) in scalars.enumerated() {
            marks = isCombining(scalar) ? marks + 1 : 0
            if marks > combiningMarks { continue }
            if scalar == "\n" {
                out += isolated(String(line)) + "\n"
                line = .init()
            } else if escapes[index] {
                line.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                line.append(scalar)
            }
        }
        return out + isolated(String(line))
    }

    /// Whether a text is shown as it stands.
    private static func isPlain(_ text: String) -> Bool {
        var marks = 0
        for scalar in text.unicodeScalars {
            if isHostile(scalar, multiline: true) { return false }
            marks = isCombining(scalar) ? marks + 1 : 0
            if marks > combiningMarks { return false }
        }
        return true
    }

    /// One line, isolated from the words around it if it has characters of direction.
    public static func isolated(_ line: String) -> String {
        let turns = line.unicodeScalars.contains { isMark($0) || isOpening($0) }
        return turns ? "\u{2068}\(line)\u{2069}" : line
    }

    /// For a part of a shown line: the characters that end the embeddings and isolates left open in it, and those that
    /// begin them again.
    public static func openings(in part: some StringProtocol) -> (begin: String, end: String) {
        var open: [Unicode.Scalar] = []
        for scalar in part.unicodeScalars {
            if isOpening(scalar) { open.append(scalar) } else if isClosing(scalar) { _ = open.popLast() }
        }
        var (begin, end) = (String.UnicodeScalarView(), String.UnicodeScalarView())
        begin.append(contentsOf: open)
        end.append(contentsOf: open.reversed().map { isIsolating($0) ? "\u{2069}" : "\u{202C}" })
        return (String(begin), String(end))
    }
}
