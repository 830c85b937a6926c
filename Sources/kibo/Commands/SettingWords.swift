import Basics
import ControlProtocol

/// Values of settings, as people write and read them.
enum SettingWords {
    private static let yes: Set = ["true", "yes", "on", "1"]
    private static let no: Set = ["false", "no", "off", "0"]

    /// Reads a word of the command line as a value.
    ///
    /// - Throws: ``Failure`` for a word that can't be a value of its type. The limits are the daemon's to check.
    static func value(_ word: String, of setting: Setting) throws(Failure) -> JSONValue {
        let lower = word.lowercased()
        switch setting.type {
        case "boolean" where yes.contains(lower): return true
        case "boolean" where no.contains(lower): return false
        case "integer":
            if let number = Int64(word) { return .integer(number) }
            if isSize(setting), let bytes = bytes(lower) { return .integer(bytes) }
        case "array": return list(word, setting)
        case "string": return .string(word)
        default: break
        }
        throw .usage("\(setting.key) must be \(allowed(setting)), not \"\(word)\"", command: "settings")
    }

    /// Words by commas: those that are to be in the list, or those to add (+) and take away (-).
    private static func list(_ word: String, _ setting: Setting) -> JSONValue {
        let parts = word.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
        guard let sign = parts.first?.first, sign == "+" || sign == "-" else { return .strings(parts) }
        var list = setting.value.array?.compactMap(\.string) ?? []
        var adds = sign == "+"
        for part in parts {
            // A sign holds until another comes: +zip,tar adds both.
            if part.hasPrefix("+") || part.hasPrefix("-") { adds = part.hasPrefix("+") }
            let name = part.hasPrefix("+") || part.hasPrefix("-") ? String(part.dropFirst()) : part
            list.removeAll { $0 == name }
            if adds { list.append(name) }
        }
        return .strings(list)
    }

    private static func isSize(_ setting: Setting) -> Bool {
        setting.type == "integer" && setting.key.hasSuffix("Bytes")
    }

    /// `16M`, `16MiB`, `1.5 GiB`: units of 1024.
    private static func bytes(_ word: String) -> Int64? {
        let number = word.prefix { $0.isNumber || $0 == "." }
        let unit = trimmed(word[number.endIndex...])
        let powers = ["b": 0, "k": 1, "m": 2, "g": 3, "t": 4]
        guard let value = Double(number), let letter = unit.first.map(String.init), let power = powers[letter],
            [letter, letter + "b", letter + "ib"].contains(unit) || (power == 0 && unit == "b")
        else { return nil }
        let bytes = value * Double(Int64(1) << (10 * Int64(power)))
        return bytes < 9e18 ? Int64(bytes) : nil
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text.drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }

    /// The value of a setting on one line.
    static func text(of setting: Setting) -> String { text(setting.value, of: setting) }

    /// The value for programs: sizes in bytes, nothing for a list without elements.
    static func exact(_ setting: Setting) -> String {
        if let bytes = setting.value.integer { return "\(bytes)" }
        return setting.value.array?.isEmpty == true ? "" : text(setting.value)
    }

    /// A value that a setting has or may have.
    static func text(_ value: JSONValue, of setting: Setting) -> String {
        guard isSize(setting), let bytes = value.integer else { return text(value) }
        if bytes == 0 { return "0" }
        let size = Humane.size(bytes)
        // A size that is not round must not look as if it were.
        guard bytes >= 1024, let read = self.bytes(size.lowercased()), read == bytes else { return "\(bytes) B" }
        let parts = size.split(separator: " ")
        return parts.first?.hasSuffix(".0") == true ? "\(parts[0].dropLast(2)) \(parts[1])" : size
    }

    /// A value on one line.
    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text):
            // One of several lines stays on its line.
            text.isEmpty
                ? "–" : ForeignText.escaped(text.split(whereSeparator: \.isNewline).joined(separator: " ⏎ "))
        case .array(let elements): elements.isEmpty ? "none" : elements.map { text($0) }.joined(separator: ", ")
        default: value.text
        }
    }

    /// The description, whose words for programs are marked for documents.
    static func meaning(_ setting: Setting) -> String {
        ForeignText.escaped(setting.description.filter { $0 != "`" })
    }

    /// The values that may be given.
    static func allowed(_ setting: Setting) -> String {
        let limits = setting.limits ?? [:]
        switch setting.type {
        case "boolean": return "yes or no"
        case "integer":
            let what = isSize(setting) ? "a size in bytes, or like 16MiB," : "a whole number"
            guard let low = limits["minimum"] else { return what }
            return "\(what) from \(text(low, of: setting))"
                + (limits["maximum"].map { " to \(text($0, of: setting))" } ?? "")
        case "array":
            let items = limits["items"]
            let element = words(items?["enum"]).map { "words of \($0)" } ?? items?["description"]?.string ?? "words"
            return ForeignText.escaped(element) + "; separate several with commas"
        default:
            return words(limits["enum"]) ?? "a text"
        }
    }

    private static func words(_ json: JSONValue?) -> String? {
        guard let words = json?.array else { return nil }
        return words.map { text($0) }.joined(separator: ", ")
    }
}
