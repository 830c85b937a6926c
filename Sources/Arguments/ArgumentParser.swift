import Basics

/// Reads words by the usual rules: `--name value`, `--name=value`, `-n value`, `-nvalue`, `--` ends the options, a
/// single dash is a word. Options may stand anywhere.
package struct ArgumentParser: Sendable {
    /// What is wrong with a command line: one phrase for people.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let message: String
        package var description: String { message }

        package init(message: String) { self.message = message }
    }

    package let options: [OptionSpec]
    package let arguments: [ArgumentSpec]
    /// Whether parsing stops at the first word that is no option: what follows it is for another parser.
    package let stopsAtFirstWord: Bool

    package init(options: [OptionSpec], arguments: [ArgumentSpec] = [], stopsAtFirstWord: Bool = false) {
        self.options = options
        self.arguments = arguments
        self.stopsAtFirstWord = stopsAtFirstWord
    }

    /// - Parameter rest: receives the words from where parsing stopped, if ``stopsAtFirstWord``.
    package func parse(_ words: [String], rest: inout [String]) throws(Problem) -> ParsedArguments {
        var parsed = ParsedArguments()
        var index = 0
        var optionsEnded = false
        while index < words.count {
            let word = words[index]
            if optionsEnded || word == "-" || !word.hasPrefix("-") {
                if stopsAtFirstWord {
                    rest = Array(words[index...])
                    return parsed
                }
                parsed.positionals.append(word)
                index += 1
            } else if word == "--" {
                optionsEnded = true
                index += 1
            } else {
                index = try parseOption(words, at: index, into: &parsed)
            }
        }
        return parsed
    }

    /// As ``parse(_:rest:)``, with the number of words checked too.
    package func parse(_ words: [String]) throws(Problem) -> ParsedArguments {
        var rest: [String] = []
        let parsed = try parse(words, rest: &rest)
        if parsed.has("--help") || parsed.has("--version") { return parsed }
        let required = arguments.filter { $0.count == .one }.count
        if parsed.positionals.count < required {
            throw Problem(message: "\(arguments[parsed.positionals.count].name) is missing")
        }
        if !arguments.contains(where: { $0.count == .any }), parsed.positionals.count > arguments.count {
            throw Problem(message: "unexpected argument \"\(parsed.positionals[arguments.count])\"")
        }
        return parsed
    }

    private func parseOption(
        _ words: [String], at index: Int, into parsed: inout ParsedArguments
    ) throws(Problem) -> Int {
        let word = words[index]
        var name = word
        var attached: String?
        if word.hasPrefix("--") {
            if let equals = word.firstIndex(of: "=") {
                name = String(word[..<equals])
                attached = String(word[word.index(after: equals)...])
            }
        } else if word.count > 2 {
            name = String(word.prefix(2))
            attached = String(word.dropFirst(2))
        }
        guard let option = options.first(where: { $0.name == name || $0.short == name }) else {
            throw Problem(message: "there is no option \(name)" + suggestion(for: name))
        }
        if parsed.has(option.name), !option.repeats, option.value != nil {
            throw Problem(message: "\(option.name) is given twice")
        }
        guard option.value != nil else {
            if attached != nil { throw Problem(message: "\(name) takes no value") }
            parsed.options[option.name, default: []].append("")
            return index + 1
        }
        if let attached {
            parsed.options[option.name, default: []].append(attached)
            return index + 1
        }
        guard index + 1 < words.count else { throw Problem(message: "\(name) needs a value") }
        parsed.options[option.name, default: []].append(words[index + 1])
        return index + 2
    }

    private func suggestion(for name: String) -> String {
        guard let near = Spelling.nearest(to: name, among: options.map(\.name)) else { return "" }
        return "; did you mean \(near)?"
    }
}
