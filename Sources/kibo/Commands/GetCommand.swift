import Arguments
import Basics
import ControlProtocol

/// `kibo get TRANSFER… [--to DIR] [--no-wait]`
struct GetCommand: Command {
    let spec = CommandSpec(
        "get", .files, "Take files or folders that are offered",
        arguments: [
            ArgumentSpec("TRANSFER", .any, help: "the beginning of its id, or its name; several are taken together")
        ],
        options: [
            OptionSpec("--to", value: "DIR", help: "the directory to put it in"),
            OptionSpec("--no-wait", help: "return at once; it goes on by itself"),
        ],
        details: "Nothing is overwritten: a name that is taken becomes \"name (1).ext\".",
        examples: ["kibo get report.pdf", "kibo get 019ac0de photos --to ~/Documents"])

    func run(_ context: Context) throws -> ExitCode {
        let words = context.arguments.positionals
        guard !words.isEmpty else { throw Failure.usage("TRANSFER is missing", command: "get") }
        let client = try context.client()
        let directory = try context.arguments.value("--to").map(LocalPath.directory)
        // All are looked at before any is taken.
        var found: [Transfer] = []
        for word in words {
            let transfer = try Transfers.find(word, client) { $0.direction == .incoming && $0.state == .offered }
            try check(transfer, directory)
            if !found.contains(where: { $0.id == transfer.id }) { found.append(transfer) }
        }
        try TransferFollower.subscribe(client)
        var taken: [Transfer] = []
        var problem: ClientError?
        for transfer in found {
            do throws(ClientError) {
                taken.append(try accept(transfer, directory, client))
            } catch {
                // One that can't be had doesn't hold up the others.
                guard case .refused(let refusal) = error, found.count > 1 else { throw error }
                problem = error
                context.console.errorLine(
                    context.console.styledError("Failed:", .red)
                        + " \(Words.name(transfer.name)): \(ForeignText.escaped(refusal.message))")
            }
        }
        let ended = try conclude(taken, client, context)
        return problem == nil ? ended : .failed
    }

    private func check(_ transfer: Transfer, _ directory: String?) throws(Failure) {
        guard transfer.direction == .incoming else {
            throw Failure(.failed, "\(transfer.name) goes out, it does not come in", hint: "See: kibo transfers")
        }
        if transfer.state != .offered, directory != nil {
            throw Failure(.failed, "\(transfer.name) is \(transfer.state.rawValue) already: --to comes too late")
        }
    }

    private func accept(
        _ transfer: Transfer, _ directory: String?, _ client: ControlClient
    ) throws(ClientError) -> Transfer {
        guard transfer.state == .offered else { return transfer }
        var params: JSONObject = ["id": .string(transfer.id)]
        if let directory { params["path"] = .string(directory) }
        return try client.call("transfer.accept", params, as: Transfer.init(json:))
    }

    private func conclude(_ taken: [Transfer], _ client: ControlClient, _ context: Context) throws -> ExitCode {
        guard context.arguments.has("--no-wait") else {
            return try TransferFollower(context, try People(client, of: taken)).follow(
                taken.map(\.id), printsJSON: true)
        }
        let isOne = taken.count == 1
        if !context.printJSON(isOne ? taken[0].json : ["transfers": .array(taken.map(\.json))]) {
            for transfer in taken {
                context.console.line("\(Words.name(transfer.name)) is on its way. See: kibo transfers --watch")
            }
        }
        return .done
    }
}

/// `kibo pause TRANSFER`
struct PauseCommand: Command {
    let spec = CommandSpec(
        "pause", .files, "Hold a transfer until you resume it",
        arguments: [ArgumentSpec("TRANSFER", help: "the beginning of its id, or its name; see kibo transfers")],
        details: "What is there already stays. Either side can pause; each takes back its own.")

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let found = try Transfers.find(context.word(0), client) { $0.state == .active || $0.state == .queued }
        let result = try client.call("transfer.pause", ["id": .string(found.id)])
        if context.printJSON(result) { return .done }
        context.console.line("Paused: \(Words.name(found.name)). Go on with: kibo resume \(found.id)")
        return .done
    }
}

/// `kibo resume TRANSFER [--no-wait]`
struct ResumeCommand: Command {
    let spec = CommandSpec(
        "resume", .files, "Go on with a transfer that stands or has failed",
        arguments: [ArgumentSpec("TRANSFER", help: "the beginning of its id, or its name; see kibo transfers")],
        options: [OptionSpec("--no-wait", help: "return at once; it goes on by itself")],
        details: "What is here already is not sent again.")

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let found = try Transfers.find(context.word(0), client) { $0.state == .paused || $0.state == .failed }
        try TransferFollower.subscribe(client)
        let transfer = try client.call("transfer.resume", ["id": .string(found.id)], as: Transfer.init(json:))
        if transfer.id != found.id || transfer.state == .paused {
            if context.printJSON(transfer.json) { return .done }
            let (name, people) = (Words.name(transfer.name), try People(client, of: [transfer]))
            context.console.line(
                transfer.id == found.id
                    ? "\(name) is \(Words.cell(transfer, peer: people.name(transfer.peer)).text) still."
                    : "\(name) has changed since it was offered. It is offered afresh: \(transfer.id)")
            return .done
        }
        if context.arguments.has("--no-wait") {
            if !context.printJSON(transfer.json) {
                context.console.line("\(Words.name(transfer.name)) goes on. See: kibo transfers --watch")
            }
            return .done
        }
        return try TransferFollower(context, try People(client, of: [transfer])).follow([found.id], printsJSON: true)
    }
}

/// `kibo cancel TRANSFER`
struct CancelCommand: Command {
    let spec = CommandSpec(
        "cancel", .files, "End a transfer for both sides",
        arguments: [ArgumentSpec("TRANSFER", help: "the beginning of its id, or its name; see kibo transfers")])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let found = try Transfers.find(context.word(0), client) { !$0.state.isOver }
        let result = try client.call("transfer.cancel", ["id": .string(found.id)])
        if context.printJSON(result) { return .done }
        context.console.line("Cancelled: \(Words.name(try Transfer(json: result).name)).")
        return .done
    }
}
