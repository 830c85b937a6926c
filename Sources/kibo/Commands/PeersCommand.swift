import Arguments
import ControlProtocol

/// `kibo peers [QUERY] [--watch]`
struct PeersCommand: Command {
    let spec = CommandSpec(
        "peers", .people, "Show who is on this network now",
        arguments: [ArgumentSpec("QUERY", .optional, help: "only those whose name, id or the like matches")],
        options: [OptionSpec("--watch", short: "-w", help: "keep showing changes until Ctrl-C"), Context.tsvOption],
        examples: ["kibo peers", "kibo peers --watch"])

    func run(_ context: Context) throws -> ExitCode {
        var params = JSONObject()
        if let query = context.arguments.positional(0) { params["query"] = .string(query) }
        if context.arguments.has("--watch") {
            if context.arguments.has("--tsv") {
                throw Failure.usage("give --watch or --tsv, not both", command: "peers")
            }
            return try watch(params, context)
        }
        let result = try context.client().call("peer.list", params)
        if context.printJSON(result) { return .done }
        if let table = try table(result, context) { context.print(table) } else { context.remark(nobody(params)) }
        // Another kind of row would be none of this list's for a program.
        if !context.isForCutting { context.console.write(try devices(params, context)) }
        return .done
    }

    private func nobody(_ params: JSONObject) -> String {
        params["query"] == nil
            ? "Nobody else is on this network yet. If somebody should be: kibo doctor"
            : "Nobody who matches is on this network now."
    }

    private func render(_ result: JSONValue, _ params: JSONObject, _ context: Context) throws -> String {
        let peers = try table(result, context)?.render(on: context.console) ?? nobody(params) + "\n"
        return peers + (try devices(params, context))
    }

    /// The part about devices with LocalSend; empty if this host doesn't take part, or there are none.
    private func devices(_ params: JSONObject, _ context: Context) throws -> String {
        let client = try context.client()
        // A list of people is none the worse without them.
        guard let guests = try? Guests(client), guests.isOn else { return "" }
        let devices = guests.devicesNamed(params["query"]?.string)
        guard !devices.isEmpty else { return "" }
        return "\nPhones and other devices (LocalSend):\n" + GuestWords.table(devices).render(on: context.console)
    }

    /// Nil for nobody.
    private func table(_ result: JSONValue, _ context: Context) throws -> Table? {
        let peers = try (result["peers"]?.array ?? []).map { try Peer(json: $0) }
        guard !peers.isEmpty else { return nil }
        var table = Table([
            .init(title: "NAME", shrinks: true), .init(title: "RELATION"),
            .init(title: "ADDRESS", shrinks: true, goesLast: true),
            .init(title: "HEARD", isOptional: true), .init(title: "ID"),
        ])
        for peer in peers {
            // In the address book they may have another name.
            let calledHere =
                peer.entry.flatMap { $0.name == peer.displayName ? nil : " (\(Words.name($0.name)))" } ?? ""
            table.rows.append([
                .init(Words.name(peer.displayName) + calledHere), Words.cell(peer.relation),
                .init(Words.excerpt(peer.address)),
                .ago(peer.lastHeard, now: context.now), .account(peer.account),
            ])
        }
        return table
    }

    /// On a terminal the table is drawn over; elsewhere each change is a line.
    private func watch(_ params: JSONObject, _ context: Context) throws -> ExitCode {
        let client = try context.client()
        let types = [EventType.peerAppeared, .peerVanished, .contactChanged, .presenceChanged].map(\.rawValue)
        try client.call("events.subscribe", ["types": .strings(types)])
        let region = LiveRegion(context.console)
        defer { region.end() }
        let draws = region.isLive && !context.json
        if !draws {
            let result = try client.call("peer.list", params)
            if !context.printJSON(result) { context.console.write(try render(result, params, context)) }
        }
        return try context.untilInterrupted {
            while true {
                if draws { region.draw(try render(client.call("peer.list", params), params, context)) }
                // Once in a while also for the times to move on.
                guard let event = try client.nextEvent(timeout: draws ? .seconds(10) : nil) else { continue }
                if draws || context.printJSON(event.json) { continue }
                if let line = EventSentence.text(event, try People(client, withPeers: true), context) {
                    context.console.line(line)
                }
            }
        }
    }
}
