import Arguments
import Basics
import ControlProtocol

/// `kibo profile [WHO] [--name …] [--status …] [--email …] [--phone …] [--avatar FILE]`
struct ProfileCommand: Command {
    let spec = CommandSpec(
        "profile", .start, "Show or change what others see of you",
        arguments: [ArgumentSpec("WHO", .optional, help: "show another person's profile: a name, alias or id")],
        options: [
            OptionSpec("--name", value: "NAME", help: "1 to 50 characters"),
            OptionSpec("--status", value: "TEXT", help: "a line about yourself, at most 256 characters"),
            OptionSpec("--email", value: "ADDRESS", help: "such as anna@example.org"),
            OptionSpec("--phone", value: "NUMBER", help: "with the country code: \"+49 30 123456\""),
            OptionSpec(
                "--avatar", value: "FILE",
                help: "a PNG, JPEG, GIF or WebP, cropped to a square"),
        ],
        details: """
            An empty value removes a field: --status "". Friends see a change at once, or when
            they are back. Name and status are for everybody on the network, the avatar is for
            friends. Who sees e-mail and phone: kibo settings privacy.showEmail, privacy.showPhone.
            Information about where and how a picture was taken is removed.
            """,
        examples: [
            "kibo profile", "kibo profile --status \"At sea until Friday\" --avatar me.jpg", "kibo profile Anna",
        ])

    /// Options with the parameters that they are.
    private static let fields = [
        ("--name", "displayName"), ("--status", "statusText"), ("--email", "email"), ("--phone", "phone"),
        ("--avatar", "avatarPath"),
    ]

    func run(_ context: Context) throws -> ExitCode {
        var changes = JSONObject()
        for (option, field) in Self.fields {
            guard let value = context.arguments.value(option) else { continue }
            let isPath = field == "avatarPath" && !value.isEmpty
            changes[field] = .string(isPath ? try LocalPath.existing(value) : value)
        }
        guard let who = context.arguments.positional(0) else {
            return changes.isEmpty ? try showOwn(context) : try change(changes, context)
        }
        guard changes.isEmpty else {
            throw Failure.usage("only your own profile can be changed: leave \"\(who)\" out", command: "profile")
        }
        return try show(who, context)
    }

    // MARK: Our own

    private func change(_ changes: JSONObject, _ context: Context) throws -> ExitCode {
        let client = try context.client()
        let result = try client.call("account.update", changes)
        if context.printJSON(result) { return .done }
        let rows = try rows(of: Account(json: result), client, context)
        let changed = Self.fields.filter { changes[$0.1] != nil }.map(\.0)
        print(rows.filter { changed.contains($0.option ?? "") }, context)
        context.console.line("")
        context.console.line("Friends see it now, or when they are back.")
        return .done
    }

    private func showOwn(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let result = try client.call("account.get")
        if context.printJSON(result) { return .done }
        let account = try Account(json: result)
        var rows = try rows(of: account, client, context)
        rows.append(Row("Presence", Words.presence(account.presence, context.console)))
        rows.append(Row("Id", account.id))
        print(rows, context)
        return .done
    }

    private func rows(of account: Account, _ client: ControlClient, _ context: Context) throws -> [Row] {
        let console = context.console
        func field(_ text: String?, _ option: String, _ note: String? = nil) -> String {
            guard let text, !text.isEmpty else { return console.styled("none, set it with \(option)", .dim) }
            return Words.excerpt(text) + (note.map { console.styled("  \($0)", .dim) } ?? "")
        }
        func visibility(_ key: String) -> String? {
            guard let result = try? client.call("settings.get", ["key": .string(key)]),
                let setting = try? Setting(json: result), let word = setting.value.string
            else { return nil }
            return "seen by \(ForeignText.escaped(word))"
        }
        return [
            Row("Name", console.styled(Words.name(account.displayName), .bold), option: "--name"),
            Row(
                "Status", account.statusText.isEmpty ? field(nil, "--status") : Words.line(account.statusText),
                option: "--status"),
            Row("E-mail", field(account.email, "--email", visibility("privacy.showEmail")), option: "--email"),
            Row("Phone", field(account.phone, "--phone", visibility("privacy.showPhone")), option: "--phone"),
            Row("Avatar", field(account.avatar, "--avatar"), option: "--avatar"),
        ]
    }

    // MARK: The profile of another account

    private func show(_ who: String, _ context: Context) throws -> ExitCode {
        let client = try context.client()
        let id = try context.find(who, .contact).id
        let result = try client.call("contact.get", ["id": .string(id)])
        if context.printJSON(result) { return .done }
        let contact = try Contact(json: result)
        let none = context.console.styled("not shown", .dim)
        func field(_ text: String?) -> String { text.flatMap { $0.isEmpty ? nil : Words.excerpt($0) } ?? none }
        var rows = [Row("Name", context.console.styled(Words.name(contact.displayName), .bold))]
        if !contact.alias.isEmpty { rows.append(Row("Alias", Words.name(contact.alias))) }
        rows += [
            Row("Status", contact.statusText.isEmpty ? none : Words.line(contact.statusText)),
            Row("E-mail", field(contact.email)),
            Row("Phone", field(contact.phone)), Row("Avatar", field(contact.avatar)),
            Row("Relation", styled(Words.relation(contact), context)),
        ]
        if contact.relation == .friend {
            rows.append(Row("Presence", styled(Words.cell(contact, now: context.now), context)))
        }
        rows.append(Row("Id", contact.id))
        print(rows, context)
        return .done
    }

    private func styled(_ cell: Table.Cell, _ context: Context) -> String {
        cell.style.map { context.console.styled(cell.text, $0) } ?? cell.text
    }

    // MARK: Lines

    private struct Row {
        let title: String
        /// Fit for a terminal.
        let text: String
        let option: String?

        init(_ title: String, _ text: String, option: String? = nil) {
            self.title = title
            self.text = text
            self.option = option
        }
    }

    private func print(_ rows: [Row], _ context: Context) {
        let width = rows.map(\.title.count).max() ?? 0
        for row in rows {
            let padding = String(repeating: " ", count: width - row.title.count + 2)
            context.console.line(context.console.styled(row.title, .dim) + padding + row.text)
        }
    }
}
