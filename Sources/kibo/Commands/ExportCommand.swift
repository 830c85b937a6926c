import Arguments
import Basics
import ControlProtocol
import Glibc

/// `kibo export CHAT FILE [--format jsonl|text]`
struct ExportCommand: Command {
    let spec = CommandSpec(
        "export", .talk, "Write a conversation to a file",
        arguments: [chatArgument, ArgumentSpec("FILE", help: "where to; it must not be there yet")],
        options: [
            OptionSpec("--format", value: "jsonl|text", help: "one JSON object a line (as without it), or text"),
            Context.groupOption,
        ],
        examples: ["kibo export Anna anna.jsonl", "kibo export Anna anna.txt --format text"])

    func run(_ context: Context) throws -> ExitCode {
        let format = context.arguments.value("--format") ?? "jsonl"
        guard format == "jsonl" || format == "text" else {
            throw Failure.usage("--format must be jsonl or text, not \"\(format)\"", command: "export")
        }
        let path = try LocalPath.new(context.word(1))
        let client = try context.client()
        let named = try context.chat(context.word(0))
        guard let id = named.conversation else {
            throw Failure(.notFound, "There is no conversation \(Words.place(named)).", hint: "See: kibo chats")
        }
        let result = try format == "text" ? exportText(of: id, to: path, client) : exportLines(of: id, to: path, client)
        if context.printJSON(result) { return .done }
        let count = result["messages"]?.integer.map { Humane.count($0, "message") } ?? "the messages"
        context.console.line("Wrote \(count) \(Words.place(named)) to \(ForeignText.escaped(path))")
        return .done
    }

    private func exportLines(of id: String, to path: String, _ client: ControlClient) throws -> JSONValue {
        try client.call("conversation.export", ["id": .string(id), "path": .string(path), "format": "jsonl"])
    }

    /// The daemon writes what it has beside the file; that is worded here, a message after the other.
    private func exportText(of id: String, to path: String, _ client: ControlClient) throws -> JSONValue {
        let people = try People(client, in: id)
        let own = try client.call("account.get", as: Account.init(json:)).displayName
        let lines = path + ".\(UInt32.random(in: .min ... .max)).jsonl"
        let result = try exportLines(of: id, to: lines, client)
        defer { unlink(lines) }
        let text = ExportText(people: people, own: own)
        try text.write(lines, to: path)
        return ["path": .string(path), "messages": result["messages"] ?? .null]
    }
}
