import Basics

/// Text in lines of a width, broken between words where that is possible.
enum TextWrap {
    private static let tab = "    "

    /// - Parameter text: from anywhere; characters that could play with the terminal are escaped.
    /// - Returns: at least one line; none is wider than `width`, which counts as 2 at least.
    static func lines(_ text: String, width: Int) -> [String] {
        let width = max(2, width)
        var out: [String] = []
        for line in shown(text).split(separator: "\n", omittingEmptySubsequences: false) {
            let first = out.count
            wrap(line, width, into: &out)
            close(&out[first...])
        }
        return out
    }

    /// Each row of a terminal turns its text by itself: what turns a part of a line begins again in each row.
    private static func close(_ rows: inout ArraySlice<String>) {
        var begin = ""
        for index in rows.indices {
            let row = begin + rows[index]
            let open = ForeignText.openings(in: row)
            rows[index] = row + open.end
            begin = open.begin
        }
    }

    /// As it is drawn: hostile characters escaped, tabs as blanks, characters with too many marks cut.
    static func shown(_ text: String) -> String { drawn(ForeignText.shown(text)) }

    /// The same of a text, or a part of one, in which hostile characters are escaped already.
    static func drawn(_ text: String) -> String {
        var out = ""
        for character in text {
            if character == "\t" {
                out += tab
            } else {
                out += DisplayWidth.bounded(character)
            }
        }
        return out
    }

    private static func wrap(_ line: Substring, _ width: Int, into out: inout [String]) {
        var current = ""
        var used = 0
        // Where the last word begins, in characters and columns.
        var wordStart: String.Index?
        var widthBeforeWord = 0
        for character in line {
            let wide = DisplayWidth.of(character)
            if used + wide > width, character == " " {
                // The blank at the break is not shown.
                out.append(current)
                (current, used, wordStart) = ("", 0, nil)
                continue
            }
            // Twice where the word that goes to the next line fills that one too.
            while used + wide > width {
                if let start = wordStart, widthBeforeWord > 0 {
                    let word = String(current[start...])
                    out.append(trimmed(current[..<start]))
                    (current, used) = (word, used - widthBeforeWord)
                } else {
                    out.append(current)
                    (current, used) = ("", 0)
                }
                wordStart = nil
            }
            current.append(character)
            used += wide
            if character == " " {
                wordStart = current.endIndex
                widthBeforeWord = used
            }
        }
        out.append(current)
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
