import Basics
import ControlProtocol

/// A found text with what was looked for in it made visible.
enum Highlight {
    /// A stretch that matched, counted in Unicode scalars of the snippet.
    struct Mark: Equatable {
        let start: Int
        let length: Int

        /// Nil for what makes no sense.
        init?(json: JSONValue) {
            guard let start = json["start"]?.integer.flatMap(Int.init(exactly:)),
                let length = json["length"]?.integer.flatMap(Int.init(exactly:)), start >= 0, length > 0
            else { return nil }
            self.start = start
            self.length = length
        }
    }

    /// The snippet in pieces: fit for a terminal, and whether it matched. Marks that lie outside or over each other are
    /// cut to what is there.
    static func pieces(_ snippet: String, _ marks: [Mark]) -> [(text: String, isMatch: Bool)] {
        let scalars = Array(snippet.unicodeScalars)
        let escapes = ForeignText.escapes(in: scalars)
        var out: [(String, Bool)] = []
        var position = 0
        func add(_ range: Range<Int>, _ isMatch: Bool) {
            guard !range.isEmpty else { return }
            var text = ""
            for place in range {
                let scalar = scalars[place]
                if escapes[place] || scalar == "\n" || scalar == "\t" {
                    text += ForeignText.escaped(String(scalar))
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
            out.append((text, isMatch))
        }
        for mark in marks.sorted(by: { $0.start < $1.start }) {
            let start = min(max(mark.start, position), scalars.count)
            let (sum, overflow) = mark.start.addingReportingOverflow(mark.length)
            let end = overflow ? scalars.count : min(max(sum, start), scalars.count)
            add(position..<start, false)
            add(start..<end, true)
            position = max(position, end)
        }
        add(position..<scalars.count, false)
        // What turns a part of it turns nothing around it, and may begin in one piece and end in another.
        if let last = out.indices.last, ForeignText.isolated(out.map(\.0).joined()).hasPrefix("\u{2068}") {
            out[0].0 = "\u{2068}" + out[0].0
            out[last].0 += "\u{2069}"
        }
        return out
    }

    /// The snippet as one line of text, the matches in bold where there are colours.
    static func text(_ snippet: String, _ marks: [Mark], _ console: Console) -> String {
        pieces(snippet, marks).map { $0.isMatch ? console.styled($0.text, .bold, .yellow) : $0.text }.joined()
    }
}
