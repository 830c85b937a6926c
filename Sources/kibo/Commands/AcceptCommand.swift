import Basics
import ControlProtocol

/// `kibo accept WHO`
struct AcceptCommand: Command {
    let spec = CommandSpec(
        "accept", .people, "Make a friend of somebody who asks",
        arguments: [ArgumentSpec("WHO", help: "one of those in kibo requests")],
        details: "To take a file that is offered: kibo get TRANSFER.", examples: ["kibo accept Anna"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let id = try People(client).account(context.word(0)) { $0 == .incoming }
        let result = try client.call("contact.accept", ["id": .string(id)])
        if context.printJSON(result) { return .done }
        let contact = try Contact(json: result)
        let name = context.console.styled(Words.name(contact.shownName), .bold)
        context.console.line("\(name) and you are friends.")
        return .done
    }
}

/// `kibo decline WHO|TRANSFER`
struct DeclineCommand: Command {
    let spec = CommandSpec(
        "decline", .people, "Refuse a request or a file that is offered",
        arguments: [
            ArgumentSpec("WHO|TRANSFER", .any, help: "one of those in kibo requests or kibo transfers, or several")
        ],
        details: """
            Whoever asked is told nothing. A request of your own is taken back; one that was refused
            is put away.
            """, examples: ["kibo decline Mallory", "kibo decline 019ac0de photos"])

    func run(_ context: Context) throws -> ExitCode {
        let words = context.arguments.positionals
        guard !words.isEmpty else { throw Failure.usage("WHO or TRANSFER is missing", command: "decline") }
        let client = try context.client()
        let people = try People(client, withRefused: true)
        var code = ExitCode.done
        for word in words {
            do { try decline(word, people, client, context) } catch let failure as Failure where words.count > 1 {
                // One that can't be declined keeps nobody from the others.
                context.console.errorLine(
                    context.console.styledError("Failed:", .red) + " \(ForeignText.escaped(failure.message))")
                code = .failed
            }
        }
        return code
    }

    private func decline(_ word: String, _ people: People, _ client: ControlClient, _ context: Context) throws {
        let persons = people.candidates { $0 != .friend && $0 != .blocked }
        let offers = try Transfers.all(client).filter { $0.state == .offered && $0.direction == .incoming }
        // Only what can be declined competes for the word; if nothing of it fits, the daemon says why not.
        let files = Transfers.candidates(offers) { _ in true }
        let matches = Resolver.matches(word, among: persons.filter(\.isLikely) + files)
        if matches.isEmpty {
            if AccountID(word) == nil, Resolver.matches(word, among: persons).isEmpty {
                throw Failure(
                    .notFound, "no requests or offered files fit \"\(word)\"",
                    hint: "See: kibo requests; kibo transfers")
            }
            return try declinePerson(try people.account(word) { $0 == .incoming }, people, client, context)
        }
        let found = try Resolver.resolve(word, among: matches, kind: "requests or files", hint: "")
        if files.contains(where: { $0.id == found.id }) { return try declineFile(found.id, people, client, context) }
        try declinePerson(found.id, people, client, context)
    }

    private func declinePerson(
        _ id: String, _ people: People, _ client: ControlClient, _ context: Context
    ) throws {
        let before = people.contacts[id]?.relation
        let result = try client.call("contact.decline", ["id": .string(id)])
        if context.printJSON(result) { return }
        let name = Words.name(try Contact(json: result).shownName)
        switch before {
        case .requested: context.console.line("Your request to \(name) is taken back.")
        case .some(.none): context.console.line("Your request to \(name), which was refused, is put away.")
        default: context.console.line("Declined: \(name).")
        }
    }

    private func declineFile(
        _ id: String, _ people: People, _ client: ControlClient, _ context: Context
    ) throws {
        let result = try client.call("transfer.decline", ["id": .string(id)])
        if context.printJSON(result) { return }
        let transfer = try Transfer(json: result)
        context.console.line("Declined: \(Words.name(transfer.name)) from \(people.name(transfer.peer)).")
    }
}
