import Arguments
import ControlProtocol
import Vocabulary

/// `kibo transfers [--watch]`
struct TransfersCommand: Command {
    let spec = CommandSpec(
        "transfers", .files, "List the files that you send and receive",
        options: [
            OptionSpec("--watch", short: "-w", help: "keep showing changes until Ctrl-C"),
            OptionSpec("--limit", short: "-n", value: "N", help: "how many at most (50)"),
            OptionSpec(
                "--state", value: "STATE", help: "only those offered, queued, active, paused, done, …",
                choices: TransferState.allCases.map(\.rawValue)), Context.tsvOption,
        ])

    func run(_ context: Context) throws -> ExitCode {
        var params = JSONObject()
        let limit = try context.number("--limit", in: 1...Int64.max)
        if let state = context.arguments.value("--state") { params["state"] = .string(state) }
        let client = try context.client()
        if context.arguments.has("--watch") {
            if context.arguments.has("--tsv") {
                throw Failure.usage("give --watch or --tsv, not both", command: "transfers")
            }
            if let limit { params["limit"] = .integer(min(limit, Pages.size)) }
            return try watch(params, client, context)
        }
        let result = JSONValue.object(
            try Pages.some(limit, client, "transfer.list", params, field: "transfers"))
        if context.printJSON(result) { return .done }
        let transfers = try (result["transfers"]?.array ?? []).map { try Transfer(json: $0) }
        if transfers.isEmpty {
            context.remark(Self.none)
        } else {
            context.print(table(transfers, try People(client, of: transfers), context))
        }
        return .done
    }

    private static let none = "There are no transfers."

    private func render(_ transfers: [Transfer], _ people: People, _ context: Context) -> String {
        transfers.isEmpty ? Self.none + "\n" : table(transfers, people, context).render(on: context.console)
    }

    private func table(_ transfers: [Transfer], _ people: People, _ context: Context) -> Table {
        let short = ShortID.table(transfers.map(\.id), atLeast: ShortID.time)
        let states = transfers.map { progress($0, people) }
        var table = Table([
            .init(title: "TRANSFER"), .init(title: "NAME", shrinks: true),
            .init(title: "SIZE", alignsRight: true, isOptional: true),
            .init(title: "WITH", shrinks: true, isOptional: true),
            .init(title: "STATE", shrinks: true), .init(title: "WHEN", isOptional: true),
        ])
        for (transfer, state) in zip(transfers, states) {
            let arrow = transfer.direction == .incoming ? "from" : "to"
            table.rows.append([
                .init(short[transfer.id] ?? transfer.id, exact: transfer.id), .init(Words.name(transfer.name)),
                .init(Humane.size(transfer.size), exact: "\(transfer.size)"),
                .init("\(arrow) \(people.other(of: transfer))"), state.exactly(transfer.state.rawValue),
                .ago(transfer.finishedAt ?? transfer.createdAt, now: context.now),
            ])
        }
        return table
    }

    private func progress(_ transfer: Transfer, _ people: People) -> Table.Cell {
        let cell = Words.cell(
            transfer, peer: people.other(of: transfer), isPeerOffline: people.isOutOfReach(transfer),
            courier: people.courier(of: transfer))
        guard transfer.state == .active || transfer.state == .paused else { return cell }
        let percent = "\(ProgressLine.percent(transfer)) %"
        var text = percent
        if transfer.state == .active, people.isOutOfReach(transfer) {
            // Whatever the rate was, nothing comes from there now.
            text += ", \(people.other(of: transfer)) is offline"
            return Table.Cell(text, .yellow, head: percent)
        }
        if transfer.state == .active {
            text += ", \(Humane.size(transfer.rate))/s"
            if let left = transfer.secondsLeft { text += ", \(Humane.clock(seconds: left)) left" }
        } else {
            return Table.Cell("\(cell.text), \(text)", cell.style, head: cell.head)
        }
        return Table.Cell(text, cell.style, head: percent)
    }

    private func watch(_ params: JSONObject, _ client: ControlClient, _ context: Context) throws -> ExitCode {
        try TransferFollower.subscribe(client)
        var people = try People(client)
        let region = LiveRegion(context.console)
        defer { region.end() }
        let draws = region.isLive && !context.json
        var transfers = try list(params, client)
        try people.learn(transfers, client)
        if !draws, !context.printJSON(["transfers": .array(transfers.map(\.json))]) {
            context.console.write(render(transfers, people, context))
        }
        return try context.untilInterrupted {
            while true {
                if draws { region.draw(render(transfers, people, context)) }
                guard let event = try client.nextEvent(timeout: draws ? .seconds(10) : nil) else { continue }
                if draws {
                    if let contact = TransferFollower.contact(event) { people.update(contact) }
                    try apply(event, into: &transfers, params, client)
                    try people.learn(transfers, client)
                    continue
                }
                if event.isOf(.presenceChanged) || context.printJSON(event.json) { continue }
                if let transfer = try? Transfer(json: event.data) { try people.learn([transfer], client) }
                if let line = EventSentence.text(event, people, context) {
                    context.console.line(line)
                }
            }
        }
    }

    private func list(_ params: JSONObject, _ client: ControlClient) throws -> [Transfer] {
        let result = try client.call("transfer.list", params)
        return try (result["transfers"]?.array ?? []).map { try Transfer(json: $0) }
    }

    /// Progress is taken from the event; after an event that may change the list itself, it is asked for again.
    private func apply(
        _ event: Event, into transfers: inout [Transfer], _ params: JSONObject, _ client: ControlClient
    ) throws {
        if event.isOf(.transferProgress), let id = event.data["id"]?.string {
            guard let index = transfers.firstIndex(where: { $0.id == id }) else { return }
            transfers[index] = try Transfer(json: event.data)
        } else {
            transfers = try list(params, client)
        }
    }
}
