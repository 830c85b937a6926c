// Arguments: reads the command lines of all programs of the project, and writes their help texts. The module touches
// nothing outside of itself.

/// What the words of a command line mean.
package struct ParsedArguments: Hashable, Sendable {
    /// Words without a dash, in order.
    package var positionals: [String] = []
    /// Values by option name, in order; a switch has one empty value for each time it is given.
    package var options: [String: [String]] = [:]

    /// Whether an option is there.
    package func has(_ option: String) -> Bool { options[option] != nil }

    /// The value of an option; the last one counts.
    package func value(_ option: String) -> String? { options[option]?.last }

    /// All values of an option that may be repeated.
    package func values(_ option: String) -> [String] { options[option] ?? [] }

    /// The word at a place; nil if there are fewer.
    package func positional(_ index: Int) -> String? { index < positionals.count ? positionals[index] : nil }

    /// A whole number from 1 on.
    package func number(_ option: String, default fallback: Int) throws(ArgumentParser.Problem) -> Int {
        guard let text = value(option) else { return fallback }
        guard let number = Int(text), number > 0 else {
            throw ArgumentParser.Problem(message: "\(option) needs a number from 1 on, not \(text)")
        }
        return number
    }

    /// Reads a text with a function that returns nil for a text that it can't read.
    /// - Parameter expected: what is wanted, for people: "a port from 1 to 65535".
    package static func read<Value>(
        _ text: String, of option: String, expected: String, _ meaning: (String) -> Value?
    ) throws(ArgumentParser.Problem) -> Value {
        guard let value = meaning(text) else {
            throw ArgumentParser.Problem(message: "\(option): \(text) is not \(expected)")
        }
        return value
    }
}
