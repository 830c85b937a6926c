import Arguments
import ControlProtocol
import Vocabulary

/// `kibo contacts [QUERY]`
struct ContactsCommand: Command {
    let spec = CommandSpec(
        "contacts", .people, "List the people you know",
        arguments: [ArgumentSpec("QUERY", .optional, help: "only those whose name, e-mail, phone or id matches")],
        options: [Context.tsvOption],
        details: """
            Upper case and accents don't matter, and neither does the format of a phone number. --json prints all
            of what is known.
            """,
        examples: ["kibo contacts", "kibo contacts anna", "kibo contacts '030 123'"])

    func run(_ context: Context) throws -> ExitCode {
        var params = JSONObject()
        if let query = context.arguments.positional(0) { params["query"] = .string(query) }
        let result = try context.client().call("contact.list", params)
        if context.printJSON(result) { return .done }
        let contacts = try (result["contacts"]?.array ?? []).map { try Contact(json: $0) }
        guard !contacts.isEmpty else {
            let isSearch = params["query"] != nil
            context.remark(
                isSearch ? "No contact matches." : "You have no contacts yet. See who is there: kibo peers")
            return .done
        }
        var table = Table([
            .init(title: "NAME", shrinks: true), .init(title: "RELATION", shrinks: true), .init(title: "PRESENCE"),
            .init(title: "STATUS", shrinks: true, isOptional: true), .init(title: "ID", goesLast: true),
        ])
        for contact in contacts {
            let isFriend = contact.relation == .friend
            table.rows.append([
                .init(Words.name(contact.shownName)), Words.relation(contact),
                isFriend
                    ? Words.presence(contact, now: context.now).exactly(contact.presence.rawValue) : .init("–", .dim),
                .init(Words.line(contact.statusText)), .account(contact.id),
            ])
        }
        context.print(table)
        for contact in contacts where contact.trust == .changed {
            context.remark()
            for line in Words.changedKey(contact, now: context.now) {
                context.remark(context.console.styled(line, .red))
            }
        }
        return .done
    }
}

/// `kibo requests`
struct RequestsCommand: Command {
    let spec = CommandSpec(
        "requests", .people, "Show who has asked to be your friend, and who you have asked",
        options: [Context.tsvOption],
        details: """
            Answer with kibo accept WHO or kibo decline WHO. A request of yours stays until it is answered;
            kibo decline WHO takes it back. A refused one stays until you ask again or decline it.
            """)

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        var people: [JSONValue] = []
        for relation in [Relation.incoming, .requested] {
            let result = try client.call("contact.list", ["relation": .string(relation.rawValue)])
            people += result["contacts"]?.array ?? []
        }
        let others = try client.call("contact.list", ["relation": .string(Relation.none.rawValue)])
        people += (others["contacts"]?.array ?? []).filter { $0["reason"]?.string != nil }
        if context.printJSON(["contacts": .array(people)]) { return .done }
        guard !people.isEmpty else {
            context.remark("There are no requests.")
            return .done
        }
        var table = Table([
            .init(title: "NAME", shrinks: true), .init(title: "REQUEST", shrinks: true),
            .init(title: "NOTE", shrinks: true, isOptional: true), .init(title: "ID"),
        ])
        for json in people {
            let contact = try Contact(json: json)
            table.rows.append([
                .init(Words.name(contact.shownName)), Words.request(contact),
                .init(Words.excerpt(contact.note)), .account(contact.id),
            ])
        }
        context.print(table)
        return .done
    }
}
