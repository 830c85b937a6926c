import Basics
import ControlProtocol

/// `kibo settings [KEY [VALUE]] [--reset]`
struct SettingsCommand: Command {
    let spec = CommandSpec(
        "settings", .other, "Show or change how Kibo behaves",
        arguments: [
            ArgumentSpec("KEY", .optional, help: "one setting, such as messages.order"),
            ArgumentSpec("VALUE", .optional, help: "what it is to be: a word, a number, yes or no, or words by commas"),
        ],
        options: [OptionSpec("--reset", help: "bring the default back")],
        details: "Without a KEY: all settings. A change counts at once, and survives a restart.",
        examples: ["kibo settings", "kibo settings messages.order arrival", "kibo settings presence.typing --reset"])

    func run(_ context: Context) throws -> ExitCode {
        let value = context.arguments.positional(1)
        let isReset = context.arguments.has("--reset")
        guard let key = context.arguments.positional(0) else {
            if isReset { throw Failure.usage("--reset needs a KEY", command: "settings") }
            return try list(context)
        }
        if isReset, value != nil { throw Failure.usage("give a VALUE or --reset, not both", command: "settings") }
        let found = try context.client().call("settings.get", ["key": .string(key)])
        guard isReset || value != nil else { return try show(found, context) }
        // The daemon says what a value of this setting is: one that is newer than this program has others.
        let wanted = try value.map { try SettingWords.value($0, of: Setting(json: found)) } ?? .null
        let result = try context.client().call("settings.set", ["key": .string(key), "value": wanted])
        if context.printJSON(result) { return .done }
        let setting = try Setting(json: result)
        let text = context.console.styled(SettingWords.text(setting.value), .bold)
        let name = ForeignText.escaped(setting.key)
        context.console.line(isReset ? "\(name) is \(text) again, the default." : "\(name) is now \(text).")
        return .done
    }

    private func list(_ context: Context) throws -> ExitCode {
        let result = try context.client().call("settings.list")
        if context.printJSON(result) { return .done }
        var table = Table([
            .init(title: "KEY"), .init(title: "VALUE", shrinks: true), .init(title: "MEANING", shrinks: true),
        ])
        for json in result["settings"]?.array ?? [] {
            let setting = try Setting(json: json)
            let isDefault = setting.value == setting.standard
            table.rows.append([
                .init(ForeignText.escaped(setting.key)),
                .init(
                    SettingWords.text(setting.value) + (isDefault ? " (default)" : ""), isDefault ? .dim : .bold),
                .init(SettingWords.meaning(setting)),
            ])
        }
        context.console.write(table.render(on: context.console))
        return .done
    }

    private func show(_ json: JSONValue, _ context: Context) throws -> ExitCode {
        if context.printJSON(json) { return .done }
        let setting = try Setting(json: json)
        let console = context.console
        let standard = SettingWords.text(setting.standard)
        let note = setting.value == setting.standard ? "(default)" : "(default: \(standard))"
        console.line(
            ForeignText.escaped(setting.key) + ": " + console.styled(SettingWords.text(setting.value), .bold)
                + " " + console.styled(note, .dim))
        console.line("  " + SettingWords.meaning(setting))
        console.line("  allowed: " + SettingWords.allowed(setting))
        return .done
    }
}

/// Values of settings, as people write and read them.
enum SettingWords {
    private static let yes: Set = ["true", "yes", "on", "1"]
    private static let no: Set = ["false", "no", "off", "0"]

    /// What a word of the command line means.
    ///
    /// - Throws: ``Failure`` for a word that can't be a value of its type. The limits are the daemon's to check.
    static func value(_ word: String, of setting: Setting) throws(Failure) -> JSONValue {
        let lower = word.lowercased()
        switch setting.type {
        case "boolean" where yes.contains(lower): return true
        case "boolean" where no.contains(lower): return false
        case "integer": if let number = Int64(word) { return .integer(number) }
        case "array":
            let parts = word.split(separator: ",").map { trimmed($0) }
            return .strings(parts.filter { !$0.isEmpty })
        case "string": return .string(word)
        default: break
        }
        throw .usage("\(setting.key) must be \(allowed(setting)), not \"\(word)\"", command: "settings")
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text.drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }

    /// A value on one line.
    static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): ForeignText.escaped(text.isEmpty ? "–" : text)
        case .array(let elements): elements.isEmpty ? "–" : elements.map(text).joined(separator: ", ")
        default: value.text
        }
    }

    /// The description, whose words for programs are marked for documents.
    static func meaning(_ setting: Setting) -> String {
        ForeignText.escaped(setting.description.filter { $0 != "`" })
    }

    /// What may be given.
    static func allowed(_ setting: Setting) -> String {
        let limits = setting.limits ?? [:]
        switch setting.type {
        case "boolean": return "yes or no"
        case "integer":
            guard let low = limits["minimum"]?.integer else { return "a whole number" }
            return "a whole number from \(low)" + (limits["maximum"]?.integer.map { " to \($0)" } ?? "")
        case "array":
            return (words(limits["items"]?["enum"]).map { "words of \($0)" } ?? "words") + ", separated by commas"
        default:
            return words(limits["enum"]) ?? "a text"
        }
    }

    private static func words(_ json: JSONValue?) -> String? {
        guard let words = json?.array else { return nil }
        return words.map(text).joined(separator: ", ")
    }
}
