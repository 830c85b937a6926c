import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// `kibo accept WHO`
struct AcceptCommand: Command {
    let spec = CommandSpec(
        "accept", .people, "Accept a person who asks to be your friend",
        arguments: [ArgumentSpec("WHO", help: "one of those in kibo requests")],
        details: "To take a file that was offered to you: kibo get TRANSFER.", examples: ["kibo accept Anna"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        // As with decline, a person who has asked nothing can't be meant, and takes the word from no other.
        let id = try context.find(context.word(0), .request, isStrict: true).id
        let result = try client.call("contact.accept", ["id": .string(id)])
        if context.printJSON(result) { return .done }
        let contact = try Contact(json: result)
        let name = context.console.styled(Words.name(contact.shownName), .bold)
        context.console.line("\(name) and you are friends.")
        return .done
    }
}

/// `kibo decline WHO|TRANSFER`, `kibo decline --all`, `kibo decline --like WHO`
struct DeclineCommand: Command {
    let spec = CommandSpec(
        "decline", .people, "Decline a request, or a file that was offered to you",
        arguments: [
            ArgumentSpec("WHO|TRANSFER", .any, help: "one of those in kibo requests or kibo transfers, or several")
        ],
        options: [
            OptionSpec("--all", help: "all who ask to be your friend"),
            OptionSpec("--like", value: "WHO", help: "all requests that came from the same place as WHO's"),
            Context.yesOption,
        ],
        details: """
            The person who asked is not told. This also takes back a request of yours, and clears a refused one
            from the list. If somebody asks under many names, --like declines all of them.
            """, examples: ["kibo decline Mallory", "kibo decline 019ac0de photos", "kibo decline --all"])

    func run(_ context: Context) throws -> ExitCode {
        let words = context.arguments.positionals
        if context.arguments.has("--all") || context.arguments.has("--like") {
            guard words.isEmpty, context.arguments.has("--all") != context.arguments.has("--like") else {
                throw Failure.usage("give --all, --like WHO, or names", command: "decline")
            }
            return try declineAll(context)
        }
        guard !words.isEmpty else { throw Failure.usage("WHO or TRANSFER is missing", command: "decline") }
        var code = ExitCode.done
        for word in words {
            do {
                try decline(word, context)
            } catch let error where words.count > 1 {
                // One that can't be declined doesn't hold up the others.
                guard let message = Self.refusal(error) else { throw error }
                context.console.errorLine(
                    context.console.styledError("Failed:", .red) + " \(ForeignText.escaped(message))")
                code = .failed
            }
        }
        return code
    }

    /// Refuses the requests of many.
    private func declineAll(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        var params: JSONObject = [:]
        if let word = context.arguments.value("--like") {
            params["like"] = .string(try context.find(word, .request, isStrict: true).id)
        } else if context.asksFirst {
            let waiting = try client.call("contact.list", ["relation": .string(Relation.incoming.rawValue)])
            let count = waiting["contacts"]?.array?.count ?? 0
            guard count == 0 || context.confirms("Decline \(Self.requests(count))?") else {
                context.console.line("Nothing was changed.")
                return .failed
            }
        }
        let result = try client.call("contact.declineAll", params)
        if context.printJSON(result) { return .done }
        let count = Int(clamping: result["declined"]?.integer ?? 0)
        context.console.line(count == 0 ? "There are no requests." : "Declined: \(Self.requests(count)).")
        return .done
    }

    private static func requests(_ count: Int) -> String { count == 1 ? "one request" : "\(count) requests" }

    /// The message of an error, if it is about one of several words.
    private static func refusal(_ error: any Error) -> String? {
        switch error {
        case let failure as Failure: failure.message
        case ClientError.refused(let refusal): refusal.message
        default: nil
        }
    }

    private func decline(_ word: String, _ context: Context) throws {
        let client = try context.client()
        let offers = try Transfers.all(client).filter { $0.state == .offered && $0.direction == .incoming }
        // Only what can be declined competes for the word.
        let files = Transfers.candidates(offers) { _ in true }
        let matches = Resolver.matches(word, among: files)
        guard let person = try request(of: word, context) else {
            guard matches.isEmpty else {
                let candidate = try Resolver.resolve(word, among: matches, kind: "offered files", hint: "")
                return try declineFile(candidate.id, client, context)
            }
            throw Failure(
                .notFound, "No request or offered file matches \"\(word)\".", hint: "See: kibo requests; kibo transfers"
            )
        }
        // A person who asks may have the name of a file, and a file may have theirs.
        guard matches.isEmpty || AccountID(word) != nil else {
            throw Failure(
                .failed, "\"\(word)\" may mean a request or a file.",
                hint: ([person.word + "  " + Words.name(person.name)] + matches.map(\.label)).joined(separator: "\n"))
        }
        try declinePerson(person, client, context)
    }

    /// The person whose request a word means; nil if there is none.
    private func request(of word: String, _ context: Context) throws(ClientError) -> Named? {
        do {
            return try context.find(word, .request, isStrict: true)
        } catch {
            guard case .refused(let refusal) = error, refusal.kind == .notFound else { throw error }
            return nil
        }
    }

    private func declinePerson(_ person: Named, _ client: ControlClient, _ context: Context) throws {
        let result = try client.call("contact.decline", ["id": .string(person.id)])
        if context.printJSON(result) { return }
        let name = Words.name(try Contact(json: result).shownName)
        switch person.relation {
        case .requested: context.console.line("Took back your request to \(name).")
        case .some(.none): context.console.line("Cleared your request to \(name), which was refused.")
        default: context.console.line("Declined \(name)'s request.")
        }
    }

    private func declineFile(_ id: String, _ client: ControlClient, _ context: Context) throws {
        let result = try client.call("transfer.decline", ["id": .string(id)])
        if context.printJSON(result) { return }
        let transfer = try Transfer(json: result)
        let people = try People(client, of: [transfer])
        context.console.line("Declined: \(Words.name(transfer.name)) from \(people.name(transfer.peer)).")
    }
}
