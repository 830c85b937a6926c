import ControlProtocol

/// The words of a search as the daemon wants them.
enum SearchWords {
    /// A star behind each word that has none, so that it stands for any ending. What is in quotation marks stays as it is.
    static func beginnings(_ query: String) -> String {
        var out = ""
        var isQuoted = false
        var last: Character?
        func end() { if let last, !isQuoted, last.isLetter || last.isNumber { out.append("*") } }
        for character in query {
            if character.isWhitespace { end() }
            if character == "\"" { isQuoted.toggle() }
            out.append(character)
            last = character
        }
        end()
        return out
    }
}

/// One message that a search has found.
struct Finding {
    let message: Message
    let snippet: String
    let marks: [Highlight.Mark]

    init(json: JSONValue) throws(ShapeError) {
        message = try Message(json: json["message"] ?? .null)
        if let line = message.line {
            // The search matched one of its names.
            (snippet, marks) = (line.words, [])
            return
        }
        snippet = json["snippet"]?.string ?? ""
        marks = (json["marks"]?.array ?? []).compactMap(Highlight.Mark.init(json:))
    }
}
