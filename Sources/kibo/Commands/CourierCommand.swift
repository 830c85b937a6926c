import Arguments
import Basics
import ControlProtocol

/// `kibo courier [add|remove|parcels|drop] [WHO]`
struct CourierCommand: Command {
    let spec = CommandSpec(
        "courier", .people, "Let friends keep messages for you while you are away",
        arguments: [
            ArgumentSpec(
                "ACTION", .optional,
                help: "one of those below; without it, show who keeps messages for you, and whose you keep",
                choices: ["add", "remove", "parcels", "drop"]),
            ArgumentSpec("WHO", .optional, help: "one of those in kibo contacts"),
        ],
        options: [
            OptionSpec(Context.yesOption.name, short: "-y", help: "drop: don't ask first"),
            OptionSpec(Context.tsvOption.name, help: "without ACTION, parcels: \(Context.tsvOption.help)"),
        ],
        details: """
            add WHO        let a friend keep messages for you; your friends are told
            remove WHO     stop letting them
            parcels        what is kept here for friends who are away
            drop WHO       drop what is kept here from a friend and for them

            A courier is a friend who keeps messages for you while you are away. A friend of both of you who writes
            to you then leaves the message with the courier. The courier can't read it, and hands it
            over as soon as you are back, even if the sender has gone by then. You can name up to four.
            Files of up to 16 MiB are kept, too, once the courier has fetched them from the sender.

            What you keep for others stays here for 14 days at most, and takes at most 256 MiB. If you drop a
            parcel, its sender is told, and sends directly as before. To keep nothing for others:

              kibo settings courier.carry off

            WHO must be a whole name, an alias or an id. With drop, on a terminal, you are asked first, and the
            beginning of a name is enough (three characters or more).
            """,
        examples: ["kibo courier", "kibo courier add Carl", "kibo courier parcels", "kibo courier drop Ben"])

    func run(_ context: Context) throws -> ExitCode {
        let action = context.arguments.positional(0)
        let isList = [nil, "list", "parcels"].contains(action)
        if context.isForCutting, !isList { throw Failure.usage("--tsv belongs to lists", command: spec.name) }
        if context.arguments.has(Context.yesOption.name), action != "drop" {
            throw Failure.usage("--yes belongs to drop", command: spec.name)
        }
        if let action, !isList, !["add", "remove", "drop"].contains(action) {
            throw Failure.usage("kibo courier has no action \"\(action)\"", command: spec.name)
        }
        guard isList == (context.arguments.positional(1) == nil) else {
            throw Failure.usage(isList ? "this takes no WHO" : "WHO is missing", command: spec.name)
        }
        switch action {
        case nil, "list": return try list(context)
        case "parcels": return try parcels(context)
        case "add": return try add(context)
        case "remove": return try remove(context)
        default: return try drop(context)
        }
    }

    // MARK: Lists

    private func list(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let result = try client.call("courier.list")
        if context.printJSON(result) { return .done }
        let named = try (result["couriers"]?.array ?? []).map { try Courier(json: $0) }
        let carried = try (result["carriedFor"]?.array ?? []).map { try Courier(json: $0) }
        guard !named.isEmpty || !carried.isEmpty else {
            context.remark("You have no couriers, and you are nobody's courier.")
            context.remark("To let a friend keep messages for you while you are away: kibo courier add WHO")
            return .done
        }
        let carry = try client.call(
            "settings.get", ["key": .string(SettingsCatalogue.courierCarry.spec.key)], as: Setting.init(json:))
        let carries = carry.value.string != CarriageSetting.off.rawValue
        var table = Table([
            .init(title: "NAME", shrinks: true), .init(title: "WHAT", shrinks: true),
            .init(title: "PARCELS", alignsRight: true), .init(title: "SIZE", alignsRight: true),
            .init(title: "ID", goesLast: true),
        ])
        for courier in named {
            let nothing = Table.Cell("–", .dim)
            table.rows.append([
                .init(Words.name(courier.name)), Self.cell(courier.carries), nothing, nothing, .account(courier.id),
            ])
        }
        for friend in carried {
            table.rows.append([
                .init(Words.name(friend.name)),
                carries
                    ? .init("you keep messages for them")
                    : .init("named you, but you keep nothing for others", .yellow),
                .init("\(friend.parcels)"), Self.size(friend.bytes), .account(friend.id),
            ])
        }
        context.print(table)
        // What a courier has brought may be answered by it, although who gets the answer has not named it.
        let namers = Set(carried.map(\.id))
        let answers = try kept(context).filter { !namers.contains($0.to) }.count
        if answers > 0 {
            context.remark(
                "Answers for others are also kept here: \(Humane.count(Int64(answers), "parcel")). "
                    + "To see what is kept: kibo courier parcels")
        }
        if !carries, !carried.isEmpty {
            context.remark("To keep messages for them: kibo settings courier.carry \(CarriageSetting.friends.rawValue)")
        }
        return .done
    }

    /// The parcels that are kept here.
    private func kept(_ context: Context) throws -> [Parcel] {
        try (context.client().call("courier.parcels")["parcels"]?.array ?? []).map { try Parcel(json: $0) }
    }

    /// What a courier does for this account.
    private static func cell(_ carries: Bool?) -> Table.Cell {
        switch carries {
        case true: .init("keeps messages for you", .green)
        case false: .init("named by you, but keeps nothing for others", .yellow)
        case nil: .init("named by you, and hasn't answered yet", .yellow)
        }
    }

    private static func size(_ bytes: Int64) -> Table.Cell { .init(Humane.size(bytes), exact: "\(bytes)") }

    private func parcels(_ context: Context) throws -> ExitCode {
        let result = try context.client().call("courier.parcels")
        if context.printJSON(result) { return .done }
        let parcels = try (result["parcels"]?.array ?? []).map { try Parcel(json: $0) }
        guard !parcels.isEmpty else {
            context.remark("Nothing is kept here for others.")
            return .done
        }
        var table = Table(
            [
                .init(title: "FROM", shrinks: true), .init(title: "FOR", shrinks: true), .init(title: "CAME"),
                .init(title: "UNTIL"), .init(title: "SIZE", alignsRight: true),
            ] + (context.isForCutting ? [.init(title: "ID")] : []))
        for parcel in parcels {
            table.rows.append(
                [
                    .init(Words.name(parcel.fromName)), .init(Words.name(parcel.toName)),
                    .ago(parcel.cameAt, now: context.now),
                    .init(Humane.date(parcel.until, now: context.now), exact: Humane.exact(parcel.until)),
                    Self.size(parcel.bytes),
                ] + (context.isForCutting ? [.init(parcel.id)] : []))
        }
        context.print(table)
        context.remark("All together: \(Humane.size(result["bytes"]?.integer ?? 0)). You can't read them.")
        return .done
    }

    // MARK: Changes

    private func add(_ context: Context) throws -> ExitCode {
        let person = try context.find(context.word(1), .contact, isStrict: true)
        let result = try context.client().call("courier.add", ["contact": .string(person.id)])
        if context.printJSON(result) { return .done }
        let name = context.console.styled(Words.object(person), .bold)
        context.console.line("\(name) may keep messages for you while you are away. Your friends are told.")
        switch try Courier(json: result).carries {
        case true: break
        case false: context.console.line("At the moment they keep nothing for others (their setting courier.carry).")
        case nil: context.console.line("Their Kibo hasn't said yet that it can do that. To see if it has: kibo courier")
        }
        return .done
    }

    private func remove(_ context: Context) throws -> ExitCode {
        let person = try context.find(context.word(1), .contact, isStrict: true)
        let result = try context.client().call("courier.remove", ["contact": .string(person.id)])
        if context.printJSON(result) { return .done }
        context.console.line("\(context.console.styled(Words.object(person), .bold)) is not your courier any more.")
        return .done
    }

    private func drop(_ context: Context) throws -> ExitCode {
        let person = try context.findForDanger(context.word(1), .contact)
        let name = context.console.styled(Words.object(person), .bold)
        let nothing = "Nothing is kept here from \(name) or for them."
        if context.asksFirst {
            guard try kept(context).contains(where: { $0.from == person.id || $0.to == person.id }) else {
                context.console.line(nothing)
                return .done
            }
            // The id tells a person from others who take the same name.
            let whom = "\(Words.name(person.name)) (\(ShortID.account(person.id)))"
            guard context.confirms("Drop all parcels here from \(whom) and for them? Their senders are told.") else {
                context.console.line("Nothing was dropped.")
                return .failed
            }
        }
        let result = try context.client().call("courier.drop", ["contact": .string(person.id)])
        if context.printJSON(result) { return .done }
        let count = result["dropped"]?.integer ?? 0
        context.console.line(
            count == 0
                ? nothing
                : "Dropped \(Humane.count(count, "parcel")) from \(name) or for them.")
        return .done
    }
}
