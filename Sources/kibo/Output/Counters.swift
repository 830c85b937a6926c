import Basics

/// The daemon's counters, read from Prometheus's text format and written again. What doesn't read as counters of Kibo never
/// gets into a file that another program collects: root may ask the daemon of any user.
struct Counters {
    private enum Line {
        case help(name: String, text: String)
        case type(name: String, kind: String)
        case sample(name: String, labels: [(name: String, value: String)], value: String)
    }

    private var lines: [Line] = []

    /// - Throws: a failure that names the first line which isn't as the daemon writes them.
    init(_ text: String) throws(Failure) {
        for line in text.split(separator: "\n") {
            guard let read = Self.read(line) else {
                throw Failure(.failed, "the daemon's counters can't be read: \(line.prefix(80))")
            }
            lines.append(read)
        }
    }

    /// Puts labels before those of each sample.
    /// - Throws: a failure if a sample has a label of that name already.
    mutating func add(_ labels: [(name: String, value: String)]) throws(Failure) {
        for (index, line) in lines.enumerated() {
            guard case .sample(let name, let own, let value) = line else { continue }
            if let taken = labels.first(where: { label in own.contains { $0.name == label.name } }) {
                throw .usage("\(name) has a label \(taken.name) already; choose another name", command: "metrics")
            }
            lines[index] = .sample(name: name, labels: labels + own, value: value)
        }
    }

    var text: String {
        lines.map { line in
            switch line {
            case .help(let name, let text): "# HELP \(name) \(ForeignText.escaped(text))\n"
            case .type(let name, let kind): "# TYPE \(name) \(kind)\n"
            case .sample(let name, let labels, let value):
                labels.isEmpty
                    ? "\(name) \(value)\n"
                    : "\(name){\(labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ","))} \(value)\n"
            }
        }.joined()
    }

    /// Reads `NAME=VALUE`.
    static func label(_ text: String) -> (name: String, value: String)? {
        guard let sign = text.firstIndex(of: "=") else { return nil }
        let (name, value) = (text[..<sign], text[text.index(after: sign)...])
        guard isName(name), !name.hasPrefix("__"), !value.isEmpty else { return nil }
        return (String(name), String(value))
    }

    // MARK: The format

    private static func read(_ line: Substring) -> Line? {
        if line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            guard words.count == 4, words[0] == "#", isOurs(words[2]) else { return nil }
            switch words[1] {
            case "HELP": return .help(name: String(words[2]), text: String(words[3]))
            case "TYPE" where ["counter", "gauge"].contains(words[3]):
                return .type(name: String(words[2]), kind: String(words[3]))
            default: return nil
            }
        }
        guard let space = line.lastIndex(of: " ") else { return nil }
        let (head, value) = (line[..<space], line[line.index(after: space)...])
        // All values are whole numbers.
        guard Int64(value) != nil || UInt64(value) != nil else { return nil }
        guard let brace = head.firstIndex(of: "{") else {
            return isOurs(head) ? .sample(name: String(head), labels: [], value: String(value)) : nil
        }
        guard isOurs(head[..<brace]), head.last == "}",
            let labels = labels(head[head.index(after: brace)...].dropLast())
        else { return nil }
        return .sample(name: String(head[..<brace]), labels: labels, value: String(value))
    }

    /// Reads `a="b",c="d"`; the values are words of the daemon's own, which need no escapes.
    private static func labels(_ text: Substring) -> [(name: String, value: String)]? {
        var labels: [(name: String, value: String)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let (name, quoted) = label(String(part)), quoted.count >= 2, quoted.hasPrefix("\""),
                quoted.hasSuffix("\"")
            else { return nil }
            let value = quoted.dropFirst().dropLast()
            guard !value.contains(where: { $0 == "\"" || $0 == "\\" }) else { return nil }
            labels.append((name, String(value)))
        }
        return labels
    }

    private static func escaped(_ value: String) -> String {
        var out = ""
        for character in ForeignText.escaped(value) {
            if character == "\\" || character == "\"" { out += "\\" }
            out.append(character)
        }
        return out
    }

    private static func isOurs(_ name: some StringProtocol) -> Bool { name.hasPrefix("kibo_") && isName(name) }

    private static func isName(_ name: some StringProtocol) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first) else { return false }
        return name.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
