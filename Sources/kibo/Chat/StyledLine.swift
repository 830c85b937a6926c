/// A line of the screen: pieces of text, each in one ink. The text is fit for a terminal already.
struct StyledLine: Equatable {
    /// How a piece looks.
    enum Ink: Equatable { case plain, dim, bold, own, other, notice, bad, bar, match }

    struct Piece: Equatable {
        var text: String
        var ink: Ink
    }

    var pieces: [Piece] = []

    init() {}

    init(_ text: String, _ ink: Ink = .plain) {
        if !text.isEmpty { pieces = [Piece(text: text, ink: ink)] }
    }

    var text: String { pieces.map(\.text).joined() }
    var width: Int { pieces.reduce(0) { $0 + DisplayWidth.of($1.text) } }

    mutating func append(_ text: String, _ ink: Ink = .plain) {
        if !text.isEmpty { pieces.append(Piece(text: text, ink: ink)) }
    }

    mutating func append(_ line: StyledLine) { pieces += line.pieces }

    /// With blanks up to a width.
    func padded(to width: Int, _ ink: Ink = .plain) -> StyledLine {
        var out = self
        out.append(String(repeating: " ", count: max(0, width - self.width)), ink)
        return out
    }

    /// The line broken between words into lines that are not wider than `width`; those behind the first stand `indent`
    /// further in, where there is space for it.
    func wrapped(to width: Int, indent: Int = 0) -> [StyledLine] {
        let width = max(2, width)
        let indent = indent + Self.narrowest <= width ? indent : min(2, max(0, width - Self.narrowest))
        var out: [StyledLine] = []
        var line: [(character: Character, ink: Ink)] = []
        var used = 0
        // How many characters are before the word that is being read.
        var words = 0
        func flush(_ count: Int) {
            var styled = StyledLine(out.isEmpty ? "" : String(repeating: " ", count: indent))
            for (index, (character, ink)) in line.prefix(count).enumerated() {
                if index > 0, let last = styled.pieces.indices.last, styled.pieces[last].ink == ink {
                    styled.pieces[last].text.append(character)
                } else {
                    styled.append(String(character), ink)
                }
            }
            out.append(styled)
            line.removeFirst(count)
            used = indent + line.reduce(0) { $0 + DisplayWidth.of($1.character) }
            words = 0
        }
        for piece in pieces {
            for character in piece.text {
                if character.isNewline {
                    flush(line.count)
                    continue
                }
                let wide = DisplayWidth.of(character)
                while used + wide > width, !line.isEmpty {
                    flush(words > 0 && character != " " ? words : line.count)
                }
                // The blank at a break is not shown.
                if line.isEmpty, !out.isEmpty, character == " " { continue }
                line.append((character, piece.ink))
                used += wide
                if character == " " { words = line.count }
            }
        }
        if !line.isEmpty || out.isEmpty { flush(line.count) }
        return out
    }

    /// Columns that have to be left for text behind an indentation.
    private static let narrowest = 16

    /// Not wider than that, with an ellipsis where something is cut off.
    func cropped(to width: Int) -> StyledLine {
        guard self.width > width else { return self }
        var out = StyledLine()
        var left = width
        for piece in pieces {
            let wide = DisplayWidth.of(piece.text)
            if wide < left {
                out.append(piece.text, piece.ink)
                left -= wide
            } else {
                // There is more behind it, so even a piece that fits has to leave space for the ellipsis.
                out.append(DisplayWidth.truncate(piece.text + " ", to: left), piece.ink)
                break
            }
        }
        return out
    }
}

/// Turns lines into what a terminal understands (SGR, ECMA-48).
struct Painter {
    /// Whether colours are wanted; bold, dim and reverse are no colours.
    let hasColor: Bool

    func text(_ line: StyledLine) -> String {
        line.pieces.map { piece in
            let code = code(piece.ink)
            return code.isEmpty ? piece.text : "\u{1B}[\(code)m\(piece.text)\u{1B}[0m"
        }.joined()
    }

    private func code(_ ink: StyledLine.Ink) -> String {
        switch ink {
        case .plain: ""
        case .dim: "2"
        case .bold: "1"
        case .own: hasColor ? "1;32" : "1"
        case .other: hasColor ? "1;36" : "1"
        case .notice: hasColor ? "33" : "1"
        case .bad: hasColor ? "31" : "1"
        case .bar: "7"
        case .match: hasColor ? "1;33" : "1"
        }
    }
}
