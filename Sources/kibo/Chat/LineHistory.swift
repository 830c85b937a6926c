/// Earlier lines, for Up and Down. They live as long as the program and no longer: people's words to each other belong
/// into the daemon's database, and nowhere else.
struct LineHistory {
    private static let capacity = 500

    private var lines: [String] = []
    /// The line that is shown; nil while a new one is written.
    private var index: Int?
    /// The text that was being written when going back began.
    private var draft = ""

    mutating func remember(_ line: String) {
        index = nil
        draft = ""
        if line.isEmpty || line == lines.last { return }
        lines.append(line)
        if lines.count > Self.capacity { lines.removeFirst() }
    }

    /// The one before; nil at the oldest.
    mutating func older(than current: String) -> String? {
        guard let next = index.map({ $0 - 1 }) ?? lines.indices.last, next >= 0 else { return nil }
        if index == nil { draft = current }
        index = next
        return lines[next]
    }

    /// The one after, at last what was being written; nil where there is none.
    mutating func newer() -> String? {
        guard let current = index else { return nil }
        if current + 1 < lines.count {
            index = current + 1
            return lines[current + 1]
        }
        index = nil
        return draft
    }
}
