import Arguments
import Basics
import ControlProtocol

/// `kibo get TRANSFER…|--all [--to DIR] [--no-wait]`
struct GetCommand: Command {
    let spec = CommandSpec(
        "get", .files, "Take files and folders that are offered to you",
        arguments: [
            ArgumentSpec("TRANSFER", .any, help: "the beginning of its id, or its name; you can name several")
        ],
        options: [
            OptionSpec("--all", help: "everything that is offered to you"),
            OptionSpec("--to", value: "DIR", help: "the directory to put it in"),
            OptionSpec("--any-type", help: "also files that are held back because of their type"),
            OptionSpec("--no-wait", help: "don't wait; the transfer continues in the background"),
        ],
        details: """
            Nothing is overwritten: a name that is taken becomes "name (1).ext".
            Programs, archives and other types that are not in files.allowedTypes are held back: they are not
            fetched or opened until you say --any-type. They are never taken automatically, and are stored
            as plain files that can't be run. Make sure that you know who sent them.
            """,
        examples: ["kibo get report.pdf", "kibo get --all", "kibo get 019ac0de photos --to ~/Documents"])

    func run(_ context: Context) throws -> ExitCode {
        let words = context.arguments.positionals
        guard words.isEmpty == context.arguments.has("--all") else {
            throw Failure.usage(
                words.isEmpty ? "TRANSFER is missing, or --all" : "give TRANSFER or --all, not both", command: "get")
        }
        let client = try context.client()
        let directory = try context.arguments.value("--to").map(LocalPath.directory)
        // All are looked at before any is taken.
        var chosen: [Transfer] = []
        var heldBack = 0
        if words.isEmpty {
            let waiting = try Transfers.all(client).filter(Transfers.isWaiting)
            chosen = context.arguments.has("--any-type") ? waiting : waiting.filter { $0.heldBack == nil }
            heldBack = waiting.count - chosen.count
            guard !chosen.isEmpty else {
                if context.printJSON(["transfers": []]) { return .done }
                if heldBack == 0 { context.console.line("No file is offered to you.") }
                sayHeldBack(heldBack, context)
                return .done
            }
        }
        for word in words {
            let transfer = try Transfers.find(word, client, likely: Transfers.isWaiting)
            try check(transfer, directory)
            if !chosen.contains(where: { $0.id == transfer.id }) { chosen.append(transfer) }
        }
        try TransferFollower.subscribe(client)
        var taken: [Transfer] = []
        var problem: ClientError?
        for transfer in chosen {
            do throws(ClientError) {
                taken.append(try accept(transfer, directory, context))
            } catch {
                // One that can't be had doesn't hold up the others.
                guard case .refused(let refusal) = error, chosen.count > 1 else { throw error }
                problem = error
                context.console.errorLine(
                    context.console.styledError("Failed:", .red)
                        + " \(Words.name(transfer.name)): \(ForeignText.escaped(refusal.message))")
            }
        }
        let ended = try conclude(taken, client, context)
        sayHeldBack(heldBack, context)
        return problem == nil ? ended : .failed
    }

    /// What `--all` has left where it is.
    private func sayHeldBack(_ count: Int, _ context: Context) {
        guard count > 0, !context.json else { return }
        context.console.line(
            "\(Humane.count(Int64(count), "file")) \(count == 1 ? "is" : "are") held back because of "
                + "\(count == 1 ? "its type. To take it" : "their type. To take them") too: kibo get --all --any-type")
    }

    private func check(_ transfer: Transfer, _ directory: String?) throws(Failure) {
        guard transfer.direction == .incoming else {
            throw Failure(.failed, "\(transfer.name) is a file that you sent.", hint: "See: kibo transfers")
        }
        if transfer.state != .offered, directory != nil {
            throw Failure(
                .failed, "\(transfer.name) is \(transfer.state.rawValue) already, so its destination can't be changed.")
        }
    }

    private func accept(
        _ transfer: Transfer, _ directory: String?, _ context: Context
    ) throws(ClientError) -> Transfer {
        guard transfer.state == .offered else { return transfer }
        var params: JSONObject = ["id": .string(transfer.id)]
        if let directory { params["path"] = .string(directory) }
        if context.arguments.has("--any-type") { params["anyway"] = true }
        return try context.client().call("transfer.accept", params, as: Transfer.init(json:))
    }

    private func conclude(_ taken: [Transfer], _ client: ControlClient, _ context: Context) throws -> ExitCode {
        guard context.arguments.has("--no-wait") else {
            return try TransferFollower(context, try People(client, of: taken)).follow(
                taken.map(\.id), printsJSON: true)
        }
        let isOne = taken.count == 1
        if !context.printJSON(isOne ? taken[0].json : ["transfers": .array(taken.map(\.json))]) {
            for transfer in taken {
                let isHere = transfer.state == .done
                let place = transfer.path.map { ": \(ForeignText.escaped($0))" } ?? "."
                context.console.line(
                    Words.name(transfer.name)
                        + (isHere ? " is here already\(place)" : " is on its way. See: kibo transfers --watch"))
            }
        }
        return .done
    }
}

/// `kibo pause TRANSFER`
struct PauseCommand: Command {
    let spec = CommandSpec(
        "pause", .files, "Pause a transfer",
        arguments: [ArgumentSpec("TRANSFER", help: "the beginning of its id, or its name; see kibo transfers")],
        details: "What is there already stays. Both sides can pause it; each side resumes its own pause.")

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let transfer = try Transfers.find(context.word(0), client) { $0.state == .active || $0.state == .queued }
        let result = try client.call("transfer.pause", ["id": .string(transfer.id)])
        if context.printJSON(result) { return .done }
        context.console.line("Paused: \(Words.name(transfer.name)). To continue: kibo resume \(transfer.id)")
        return .done
    }
}

/// `kibo resume TRANSFER [--no-wait]`
struct ResumeCommand: Command {
    let spec = CommandSpec(
        "resume", .files, "Resume a transfer that is paused or has failed",
        arguments: [ArgumentSpec("TRANSFER", help: "the beginning of its id, or its name; see kibo transfers")],
        options: [OptionSpec("--no-wait", help: "return at once; it goes on by itself")],
        details: "What has already arrived is not sent again.")

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let paused = try Transfers.find(context.word(0), client) { $0.state == .paused || $0.state == .failed }
        try TransferFollower.subscribe(client)
        let transfer = try client.call("transfer.resume", ["id": .string(paused.id)], as: Transfer.init(json:))
        if transfer.id != paused.id || transfer.state == .paused {
            if context.printJSON(transfer.json) { return .done }
            let (name, people) = (Words.name(transfer.name), try People(client, of: [transfer]))
            context.console.line(
                transfer.id == paused.id
                    ? "\(name) is still \(Words.cell(transfer, peer: people.name(transfer.peer)).text)."
                    : "\(name) has changed since it was offered. It is offered again: \(transfer.id)")
            return .done
        }
        if context.arguments.has("--no-wait") {
            if !context.printJSON(transfer.json) {
                context.console.line("\(Words.name(transfer.name)) continues. See: kibo transfers --watch")
            }
            return .done
        }
        return try TransferFollower(context, try People(client, of: [transfer])).follow([paused.id], printsJSON: true)
    }
}

/// `kibo cancel TRANSFER`
struct CancelCommand: Command {
    let spec = CommandSpec(
        "cancel", .files, "Cancel a transfer, for both sides",
        arguments: [ArgumentSpec("TRANSFER", help: "the beginning of its id, or its name; see kibo transfers")])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let transfer = try Transfers.find(context.word(0), client) { !$0.state.isOver }
        let result = try client.call("transfer.cancel", ["id": .string(transfer.id)])
        if context.printJSON(result) { return .done }
        context.console.line("Cancelled: \(Words.name(try Transfer(json: result).name)).")
        return .done
    }
}
