import Arguments
import ControlProtocol

/// `kibo verify WHO [NUMBER|LINK]`
struct VerifyCommand: Command {
    let spec = CommandSpec(
        "verify", .people, "Verify that a person is who they say, by comparing a number",
        arguments: [
            ArgumentSpec("WHO", help: "one of those in kibo contacts"),
            ArgumentSpec(
                "NUMBER", .any, help: "the number that they see, or the kibo: link that you scanned from them"),
        ],
        options: [
            OptionSpec("--yes", help: "you have compared the numbers, and they are the same"), CodeDrawing.invertOption,
        ],
        details: """
            Meet or call each other, and both run kibo verify. If both see the same number, nobody sits
            between you. Or scan the other's code with a phone, and paste the text after the name.
            """,
        examples: ["kibo verify Anna", "kibo verify Anna 12345 67890 …", "kibo verify Anna --yes"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        // A number is compared with the one of the person who is meant; without it, it must be clear which person is
        // meant.
        let isUncompared = context.arguments.positionals.count == 1 && context.arguments.has("--yes")
        let person = try context.find(context.word(0), .contact, isStrict: isUncompared)
        let id = person.id
        let words = context.arguments.positionals.dropFirst()
        if !words.isEmpty { return try verify(id, words.joined(separator: " "), client, context) }
        if context.arguments.has("--yes") { return try verify(id, nil, client, context) }
        let result = try client.call("contact.safetyNumber", ["id": .string(id)])
        if context.printJSON(result) { return .done }
        let contact = try client.call("contact.get", ["id": .string(id)], as: Contact.init(json:))
        show(result["number"]?.string ?? "", result["qr"]?.string ?? "", contact, person.word, context)
        guard context.console.canAsk, contact.trust != .verified else { return .done }
        return try ask(contact, client, context)
    }

    private func verify(
        _ id: String, _ number: String?, _ client: ControlClient, _ context: Context
    ) throws -> ExitCode {
        var params: JSONObject = ["id": .string(id)]
        if let number { params["number"] = .string(number) }
        let result = try client.call("contact.verify", params)
        if context.printJSON(result) { return .done }
        let name = context.console.styled(Words.name(try Contact(json: result).shownName), .bold)
        context.console.line("\(name) is verified: this is really their account.")
        return .done
    }

    private func show(_ number: String, _ code: String, _ contact: Contact, _ word: String, _ context: Context) {
        let console = context.console
        let name = Words.name(contact.shownName)
        console.write(CodeDrawing.lines(of: code, context))
        console.line()
        console.line("Your safety number with \(console.styled(name, .bold)):")
        console.line()
        for line in Self.groups(number) { console.line("    " + console.styled(line, .bold)) }
        console.line()
        switch contact.trust {
        case .verified: console.line("You have compared it before: \(name) is verified.")
        case .unverified, .changed:
            let who = Shell.quoted(word)
            console.line("\(name) sees the same number, or another person sits between you. If it is the same:")
            console.line("    kibo verify \(who) --yes")
            console.line("Or give what they read out, or what you scanned from their screen:")
            console.line("    kibo verify \(who) NUMBER|LINK")
        }
    }

    /// Three lines of four groups of five.
    static func groups(_ number: String) -> [String] {
        let digits = Array(number)
        let groups = stride(from: 0, to: digits.count, by: 5).map { String(digits[$0..<min($0 + 5, digits.count)]) }
        return stride(from: 0, to: groups.count, by: 4).map {
            groups[$0..<min($0 + 4, groups.count)].joined(separator: "  ")
        }
    }

    /// A wrong number must not be taken for a "yes", so that this wants the word.
    private func ask(_ contact: Contact, _ client: ControlClient, _ context: Context) throws -> ExitCode {
        context.console.line()
        let question = "The number they see, their link, or \"yes\" if you have compared [later]: "
        guard let answer = context.console.ask(question), !answer.isEmpty else { return .done }
        let isCompared = answer.lowercased() == "yes"
        return try verify(contact.id, isCompared ? nil : answer, client, context)
    }
}
