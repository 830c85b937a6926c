import Arguments
import Basics
import ControlProtocol

/// `kibo addressbook import FILE | list [QUERY] | remove ENTRY… | countries [QUERY]`
struct AddressBookCommand: Command {
    let spec = CommandSpec(
        "addressbook", .people, "Import your address book, and see which of your contacts are on Kibo",
        arguments: [
            ArgumentSpec(
                "ACTION", help: "import FILE, list [QUERY], remove ENTRY…, or countries [QUERY]",
                choices: ["import", "list", "remove", "countries"]),
            ArgumentSpec("WORD", .any, help: "what the action is about"),
        ],
        options: [
            OptionSpec("--country", value: "CC", help: "import: the country of numbers without +, such as DE or +49"),
            OptionSpec("--replace", help: "import: remove people who are not in the file"),
            OptionSpec(Context.yesOption.name, short: "-y", help: "import --replace: don't ask first"),
            OptionSpec("--on-kibo", help: "list: only those who are on Kibo"),
            OptionSpec("--not-on-kibo", help: "list: only those who are not; kibo invite asks them to come"),
            OptionSpec(Context.tsvOption.name, help: "list, countries: \(Context.tsvOption.help)"),
        ],
        details: """
            FILE is a vCard file (.vcf) from Google, iCloud, Outlook, Nextcloud or Thunderbird. Importing it again
            updates the entries that changed. A person counts as on Kibo if a friend, or somebody else on this
            network, shows the same number or e-mail address in their profile. Anyone can claim that, so check it
            with kibo verify.
            """,
        examples: [
            "kibo addressbook import contacts.vcf --country DE", "kibo addressbook list --not-on-kibo",
            "kibo addressbook list \"0170 12\"", "kibo addressbook countries Italy",
        ])

    func run(_ context: Context) throws -> ExitCode {
        let words = Array(context.arguments.positionals.dropFirst())
        try checkOptions(context)
        switch context.word(0) {
        case "import":
            guard words.count == 1 else { throw Failure.usage("import needs one FILE", command: "addressbook") }
            return try importFile(words[0], context)
        case "list": return try list(words, context)
        case "remove":
            guard !words.isEmpty else { throw Failure.usage("ENTRY is missing", command: "addressbook") }
            return try remove(words, context)
        case "countries": return try countries(words, context)
        case let action:
            let near = Spelling.nearest(to: action, among: ["import", "list", "remove", "countries"])
            throw Failure(
                .usage, "\"\(action)\" is not an action of kibo addressbook.",
                hint: near.map { "Did you mean: kibo addressbook \($0)" } ?? "See: kibo help addressbook")
        }
    }

    private func checkOptions(_ context: Context) throws {
        let own = ["import": ["--country", "--replace", "--yes"], "list": ["--on-kibo", "--not-on-kibo"]]
        for (action, options) in own where action != context.word(0) {
            for option in options where context.arguments.has(option) {
                throw Failure.usage("\(option) goes with kibo addressbook \(action)", command: "addressbook")
            }
        }
        if context.arguments.has("--on-kibo"), context.arguments.has("--not-on-kibo") {
            throw Failure.usage("give --on-kibo or --not-on-kibo, not both", command: "addressbook")
        }
    }

    // MARK: Importing

    private func importFile(_ file: String, _ context: Context) throws -> ExitCode {
        var params: JSONObject = ["path": .string(try LocalPath.existing(file))]
        if let country = context.arguments.value("--country") { params["defaultCountry"] = .string(country) }
        if context.arguments.has("--replace") {
            params["replace"] = true
            guard try replaces(file, context) else {
                context.console.line("Nothing was changed.")
                return .failed
            }
        }
        let result = try context.client().call("addressBook.import", params)
        if context.printJSON(result) { return .done }
        let done = try AddressBookImport(json: result)
        let counts = [
            (done.added, "new"), (done.updated, "changed"), (done.removed, "removed"), (done.unchanged, "as before"),
            (done.skipped, "left out"),
        ]
        let text = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        context.console.line(
            "Imported \(Shell.quoted(file)): " + (text.isEmpty ? "there are no people in it" : text) + ".")
        tellCountry(done, context)
        for problem in done.problems.prefix(Self.shownProblems) {
            let name = problem.name.isEmpty ? "" : "\(Words.name(problem.name)): "
            let text = problem.problem?.words(problem.detail) ?? "something that this kibo doesn't know"
            context.console.line("  line \(problem.line)  \(name)\(Words.excerpt(text))")
        }
        let more = done.problemCount - Int64(min(done.problems.count, Self.shownProblems))
        if more > 0 { context.console.line("  and \(more) more like these; kibo --json addressbook import shows more") }
        if done.added + done.updated > 0 { context.console.line("See who is on Kibo: kibo addressbook list --on-kibo") }
        return .done
    }

    /// Whether people who are only in the address book may go, where there is a person to ask.
    private func replaces(_ file: String, _ context: Context) throws -> Bool {
        guard context.asksFirst else { return true }
        let count = try context.client().call("addressBook.list", ["limit": 1])["total"]?.integer ?? 0
        if count == 0 { return true }
        return context.confirms(
            "Replace the \(Humane.count(count, "entry", "entries")) in your address book with \(Shell.quoted(file))? "
                + "Entries that are not in the file are removed.")
    }

    private static let shownProblems = 10

    private func tellCountry(_ done: AddressBookImport, _ context: Context) {
        if done.numbersWithoutCountry > 0 {
            let count = Humane.count(done.numbersWithoutCountry, "number")
            context.console.line(
                context.console.styled(
                    "\(count) without + can't be matched, because their country is not known.", .yellow)
                    + " To name it: kibo addressbook import FILE --country DE")
        } else if let country = done.country, let source = done.countryFrom, source != "parameter" {
            let why = source == "profile" ? "like your own number" : "by the daemon's locale"
            context.console.line(
                "Numbers without + are assumed to be from \(Words.excerpt(country)), \(why); for another: --country CC."
            )
        }
    }

    // MARK: Listing

    private func list(_ words: [String], _ context: Context) throws -> ExitCode {
        var params = JSONObject()
        let query = words.joined(separator: " ")
        if !query.isEmpty { params["query"] = .string(query) }
        if context.arguments.has("--on-kibo") { params["onKibo"] = true }
        if context.arguments.has("--not-on-kibo") { params["onKibo"] = false }
        let entries = try AddressBook(context.client(), params).entries
        if context.printJSON(["entries": .array(entries.map(\.json))]) { return .done }
        guard !entries.isEmpty else {
            context.remark(
                params.isEmpty
                    ? "Your address book is empty. Fill it with: kibo addressbook import FILE" : "No entry matches.")
            return .done
        }
        var table = Table([
            .init(title: "NAME", shrinks: true), .init(title: "PHONE", shrinks: true),
            .init(title: "E-MAIL", shrinks: true, isOptional: true),
            .init(title: "ON KIBO", shrinks: true),
        ])
        for entry in entries {
            table.rows.append([
                .init(Words.name(entry.name)), .init(phone(entry)), .init(entry.emails.first.map(Words.excerpt) ?? "–"),
                onKibo(entry),
            ])
        }
        context.print(table)
        return .done
    }

    /// The first number that is known everywhere, its two parts apart.
    private func phone(_ entry: AddressBookEntry) -> String {
        guard let phone = entry.phones.first(where: { $0.e164 != nil }) ?? entry.phones.first else { return "–" }
        guard let prefix = phone.prefix, let national = phone.national else { return Words.excerpt(phone.number) }
        return Words.excerpt("\(prefix) \(national)")
    }

    private func onKibo(_ entry: AddressBookEntry) -> Table.Cell {
        guard let match = entry.matches.first else {
            return .init(entry.invitedAt == nil ? "no" : "no, invited", .dim, head: "no")
        }
        let name = Words.name(match.displayName)
        return match.relation == .friend
            ? .init("yes: \(name), a friend", .green, head: "yes") : .init("yes: \(name)", .cyan, head: "yes")
    }

    // MARK: The rest

    private func remove(_ words: [String], _ context: Context) throws -> ExitCode {
        let client = try context.client()
        let book = try AddressBook(client)
        let entries = try words.map { try book.entry($0) }
        let result = try client.call("addressBook.remove", ["entries": .strings(entries.map(\.id))])
        if context.printJSON(result) { return .done }
        for entry in entries { context.console.line("Removed \(Words.name(entry.name)) from your address book.") }
        return .done
    }

    private func countries(_ words: [String], _ context: Context) throws -> ExitCode {
        let result = try context.client().call("addressBook.countries")
        if context.printJSON(result) { return .done }
        let query = words.joined(separator: " ").lowercased()
        var table = Table([.init(title: "CODE"), .init(title: "PREFIX"), .init(title: "COUNTRY", shrinks: true)])
        for country in result["countries"]?.array ?? [] {
            let (region, name) = (country["region"]?.string ?? "", country["name"]?.string ?? "")
            let prefix = "+" + (country["callingCode"]?.string ?? "")
            guard
                query.isEmpty || name.lowercased().contains(query) || region.lowercased() == query
                    || prefix.hasSuffix(query)
            else { continue }
            let isDefault = result["default"]?.string == region
            table.rows.append([
                .init(Words.excerpt(region)), .init(Words.excerpt(prefix)),
                .init(Words.excerpt(name) + (isDefault ? " (numbers without + are from here)" : "")),
            ])
        }
        if table.rows.isEmpty {
            context.remark("No country matches.")
        } else {
            context.print(table)
        }
        return .done
    }
}
