import Arguments
import Basics
import ControlProtocol

/// `kibo invite ENTRY… --email|--sms [--text TEXT|--edit] [--send]`
struct InviteCommand: Command {
    let spec = CommandSpec(
        "invite", .people, "Invite people from your address book to Kibo",
        arguments: [ArgumentSpec("ENTRY", .any, help: "a name, e-mail address or number, or the beginning of one")],
        options: [
            OptionSpec("--email", help: "by e-mail"), OptionSpec("--sms", help: "by SMS"),
            OptionSpec("--text", value: "TEXT", help: "the text; {name}, {me}, {link} and {package} are filled in"),
            OptionSpec("--edit", help: "edit the text first ($VISUAL, $EDITOR)"),
            OptionSpec("--send", help: "send them; without this you get links that open your mail or message program"),
            OptionSpec(
                "--together", help: "one link for all of them, so everyone sees the others' addresses; without {name}"),
            OptionSpec("--even-on-kibo", help: "also those who are already on Kibo"),
        ],
        details: """
            The people are those of kibo addressbook. The text is the one of the setting invite.text unless you give one.
            It says where to get Kibo once you have set that:

              kibo settings invite.packageAddress http://intranet.example/kibo

            Sending needs a command, which is run without a shell, once for each person:

              kibo settings invite.emailCommand 'sendmail -t'
              kibo settings invite.smsCommand 'gammu sendsms TEXT {phone}'
            """,
        examples: [
            "kibo invite Anna Ben --email",
            "kibo invite \"Anna Schmidt\" --sms --text \"Hello {name}, join me: {link}\"",
            "kibo invite Anna Ben Cleo --email --edit --send",
        ])

    func run(_ context: Context) throws -> ExitCode {
        let arguments = context.arguments
        guard !arguments.positionals.isEmpty else { throw Failure.usage("ENTRY is missing", command: "invite") }
        guard arguments.has("--email") != arguments.has("--sms") else {
            throw Failure.usage("--email or --sms is missing", command: "invite")
        }
        if arguments.has("--send"), arguments.has("--together") {
            throw Failure.usage("--together makes a link, so it can't be used with --send", command: "invite")
        }
        let client = try context.client()
        var ids: [String] = []
        for word in arguments.positionals {
            let id = try AddressBook.entry(word, client).id
            if !ids.contains(id) { ids.append(id) }
        }
        var params: JSONObject = ["entries": .strings(ids), "via": arguments.has("--email") ? "email" : "sms"]
        if let text = try text(context, client) { params["text"] = .string(text) }
        if arguments.has("--even-on-kibo") { params["evenOnKibo"] = true }
        if arguments.has("--together") { params["together"] = true }
        return try arguments.has("--send") ? send(params, client, context) : compose(params, client, context)
    }

    /// Nil for what the setting says.
    private func text(_ context: Context, _ client: ControlClient) throws -> String? {
        let given = context.arguments.value("--text")
        guard context.arguments.has("--edit") else { return given }
        var text = given
        if text == nil { text = try Setting(json: client.call("settings.get", ["key": "invite.text"])).value.string }
        return try TextEditor.edit(text ?? "", named: "invitation.txt")
    }

    private func compose(_ params: JSONObject, _ client: ControlClient, _ context: Context) throws -> ExitCode {
        let result = try client.call("invite.compose", params)
        if context.printJSON(result) { return .done }
        let done = try Invitations(json: result)
        let isEmail = params["via"]?.string == "email"
        if !done.links.isEmpty {
            let count = Humane.count(Int64(done.recipients.count), "invitation")
            let program = isEmail ? "e-mail program" : "SMS program"
            context.console.line("\(count). Open a link, and your \(program) has it ready to send:")
            let names = done.recipients.map { "\(Words.name($0.name)), \(Words.excerpt($0.to))" }
            for (index, link) in done.links.enumerated() {
                let heading = done.links.count == names.count ? names[index] : names.joined(separator: "; ")
                context.console.line("\n" + context.console.styled(heading, .bold))
                context.console.line("  " + Words.excerpt(link))
            }
        }
        return tell(done.failed, context)
    }

    private func send(_ params: JSONObject, _ client: ControlClient, _ context: Context) throws -> ExitCode {
        let result = try context.interruptibly { try client.call("invite.send", params) }
        if context.printJSON(result) {
            return try Invitations(json: result).failed.isEmpty ? .done : .failed
        }
        let done = try Invitations(json: result)
        for recipient in done.recipients {
            context.console.line(
                "Sent to \(context.console.styled(Words.name(recipient.name), .bold)), \(Words.excerpt(recipient.to)).")
        }
        return tell(done.failed, context)
    }

    private func tell(_ failed: [Invitations.Failed], _ context: Context) -> ExitCode {
        for one in failed {
            // Most details go on from the name: "has no mobile number".
            let goesOn = ["has", "is"].contains { one.detail.hasPrefix($0 + " ") }
            context.console.errorLine(
                context.console.styledError("Not invited:", .red)
                    + " \(Words.name(one.name))\(goesOn ? "" : ":") \(Sentence.of(ForeignText.escaped(one.detail)))")
        }
        if failed.contains(where: { $0.reason == .alreadyExists }) {
            context.console.errorLine("             Ask those who are on Kibo with kibo add, or say --even-on-kibo.")
        }
        return failed.isEmpty ? .done : .failed
    }
}
