import ControlProtocol

/// `kibo get TRANSFER [--to DIR] [--no-wait]`
struct GetCommand: Command {
    let spec = CommandSpec(
        "get", .files, "Take a file or folder that is offered",
        arguments: [ArgumentSpec("TRANSFER", help: "the beginning of its id, or its name; see kibo transfers")],
        options: [
            OptionSpec("--to", value: "DIR", help: "the directory to put it in"),
            OptionSpec("--no-wait", help: "return at once; it goes on by itself"),
        ],
        details: "Nothing is overwritten: a name that is taken becomes \"name (1).ext\".",
        examples: ["kibo get report.pdf", "kibo get 019ac0de --to ~/Documents"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let directory = try context.arguments.value("--to").map(LocalPath.directory)
        let found = try Transfers.find(context.word(0), client) { $0.direction == .incoming && $0.state == .offered }
        guard found.direction == .incoming else {
            throw Failure(.failed, "\(found.name) goes out, it does not come in", hint: "See: kibo transfers")
        }
        try TransferFollower.subscribe(client)
        var transfer = found
        if found.state == .offered {
            var params: JSONObject = ["id": .string(found.id)]
            if let directory { params["path"] = .string(directory) }
            transfer = try client.call("transfer.accept", params, as: Transfer.init(json:))
        } else if directory != nil {
            throw Failure(.failed, "\(found.name) is \(found.state.rawValue) already: --to comes too late")
        }
        if context.arguments.has("--no-wait") {
            if !context.printJSON(transfer.json) {
                context.console.line("\(Words.name(transfer.name)) is on its way. See: kibo transfers --watch")
            }
            return .done
        }
        return try TransferFollower(context, try People(client)).follow([found.id], printsJSON: true)
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
        if context.arguments.has("--no-wait") {
            if !context.printJSON(transfer.json) {
                context.console.line("\(Words.name(transfer.name)) goes on. See: kibo transfers --watch")
            }
            return .done
        }
        return try TransferFollower(context, try People(client)).follow([found.id], printsJSON: true)
    }
}

/// `kibo cancel TRANSFER`
struct CancelCommand: Command {
    let spec = CommandSpec(
        "cancel", .files, "End a transfer for both sides",
        arguments: [ArgumentSpec("TRANSFER", help: "the beginning of its id, or its name; see kibo transfers")])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let found = try Transfers.find(context.word(0), client) { !$0.state.isFinal }
        let result = try client.call("transfer.cancel", ["id": .string(found.id)])
        if context.printJSON(result) { return .done }
        context.console.line("Cancelled: \(Words.name(try Transfer(json: result).name)).")
        return .done
    }
}
