import Arguments
import Basics
import ControlProtocol

/// `kibo settings [KEY [VALUE]] [--reset]`
struct SettingsCommand: Command {
    let spec = CommandSpec(
        "settings", .other, "Show or change how Kibo behaves",
        arguments: [
            ArgumentSpec(
                "KEY", .optional, help: "one setting, such as messages.order; or the first word of some: messages"),
            ArgumentSpec(
                "VALUE", .optional,
                help: "a word, a number, a size such as 16MiB, yes or no, or words with commas between them"),
        ],
        options: [OptionSpec("--reset", help: "restore the default"), Context.tsvOption],
        details: """
            Without a KEY, this lists all settings. A change takes effect at once, and survives a restart.
            For a list, +WORD adds and -WORD (after --) removes; separate several with commas.
            files.folders takes WHO=/FOLDER, with * for every friend.
            """,
        examples: [
            "kibo settings files", "kibo settings messages.order arrival", "kibo settings files.allowedTypes +zip,tar",
            "kibo settings files.folders +Anna=/srv/anna", "kibo settings presence.typing --reset",
        ])

    func run(_ context: Context) throws -> ExitCode {
        let value = context.arguments.positional(1)
        let isReset = context.arguments.has("--reset")
        guard let key = context.arguments.positional(0) else {
            if isReset { throw Failure.usage("--reset needs a KEY", command: "settings") }
            return try list(context)
        }
        if !isReset, value == nil, let code = try list(context, below: key) { return code }
        if isReset, value != nil { throw Failure.usage("give a VALUE or --reset, not both", command: "settings") }
        let answer = try context.client().call("settings.get", ["key": .string(key)])
        guard isReset || value != nil else { return try show(answer, context) }
        // The daemon says what a value of this setting is: one that is newer than this program has others.
        let known = try Setting(json: answer)
        let word = key == SettingsCatalogue.filesFolders.spec.key ? try value.map { try folders($0, context) } : value
        let wanted = try word.map { try SettingWords.value($0, of: known) } ?? .null
        let result = try set(known, to: wanted, context)
        if context.printJSON(result) { return .done }
        let setting = try Setting(json: result)
        let text = context.console.styled(SettingWords.text(of: setting), .bold)
        let name = ForeignText.escaped(setting.key)
        context.console.line(isReset ? "\(name) is back to its default, \(text)." : "\(name) is now \(text).")
        return .done
    }

    /// The rules of `files.folders` with ids in place of people's names: `Anna Berg=/srv/anna,+*=/srv`.
    private func folders(_ word: String, _ context: Context) throws -> String {
        let rules = try word.split(separator: ",").map { part in
            let rule = part.drop { $0 == " " }
            let sign = rule.prefix { $0 == "+" || $0 == "-" }
            guard let equals = rule.firstIndex(of: "=") else { return String(part) }
            let who = String(rule[sign.endIndex..<equals])
            // What is no name is for the daemon to judge.
            guard !who.isEmpty, who != "*", AccountID(who) == nil else { return String(part) }
            return try sign + context.find(who, .contact, isStrict: true).id + rule[equals...]
        }
        return rules.joined(separator: ",")
    }

    /// A value that the setting can't have is a mistake on the command line, whether kibo or the daemon notices it.
    private func set(_ setting: Setting, to value: JSONValue, _ context: Context) throws -> JSONValue {
        let client = try context.client()
        do throws(ClientError) {
            return try client.call("settings.set", ["key": .string(setting.key), "value": value])
        } catch {
            guard case .refused(let refusal) = error, refusal.field == "value", refusal.hint != .giveDirectory,
                refusal.kind == .invalid || refusal.kind == .tooLarge
            else { throw error }
            let allowed = SettingWords.allowed(setting)
            // Most refusals list it.
            let lines = [refusal.message.contains(allowed) ? "" : "Allowed: \(allowed)", HintWords.text(of: refusal)]
            throw Failure(
                .usage, refusal.message, hint: lines.filter { !$0.isEmpty }.joined(separator: "\n"))
        }
    }

    /// Lists the settings whose names begin with a word and a full stop, as `messages` is one; nil if there are none.
    private func list(_ context: Context, below word: String) throws -> ExitCode? {
        let beginning = word.hasSuffix(".") ? word : word + "."
        let all = try context.client().call("settings.list")["settings"]?.array ?? []
        let matches = all.filter { $0["key"]?.string?.hasPrefix(beginning) == true }
        return matches.isEmpty ? nil : try show(["settings": .array(matches)], inList: context)
    }

    private func list(_ context: Context) throws -> ExitCode {
        try show(context.client().call("settings.list"), inList: context)
    }

    private func show(_ result: JSONValue, inList context: Context) throws -> ExitCode {
        if context.printJSON(result) { return .done }
        var table = Table([
            .init(title: "KEY"), .init(title: "VALUE", shrinks: true),
            .init(title: "MEANING", shrinks: true, isOptional: true),
        ])
        for json in result["settings"]?.array ?? [] {
            let setting = try Setting(json: json)
            let isDefault = setting.value == setting.standard
            table.rows.append([
                .init(ForeignText.escaped(setting.key)),
                .init(
                    SettingWords.text(of: setting)
                        + (setting.forced ? " (set by this host)" : isDefault ? " (default)" : ""),
                    isDefault ? .dim : .bold, exact: SettingWords.exact(setting)),
                .init(SettingWords.meaning(setting)),
            ])
        }
        context.print(table)
        return .done
    }

    private func show(_ json: JSONValue, _ context: Context) throws -> ExitCode {
        if context.printJSON(json) { return .done }
        let setting = try Setting(json: json)
        let console = context.console
        let standard = SettingWords.text(setting.standard, of: setting)
        let note =
            setting.forced
            ? "(set by this host: it can't be changed here)"
            : setting.value == setting.standard ? "(default)" : "(default: \(standard))"
        console.line(
            ForeignText.escaped(setting.key) + ": " + console.styled(SettingWords.text(of: setting), .bold)
                + " " + console.styled(note, .dim))
        console.line("  " + SettingWords.meaning(setting))
        console.line("  allowed: " + SettingWords.allowed(setting))
        return .done
    }
}
