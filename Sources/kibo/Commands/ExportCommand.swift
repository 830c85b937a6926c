import Arguments
import Basics
import ControlProtocol
import Glibc

/// `kibo export CHAT FILE [--format jsonl|text]`
struct ExportCommand: Command {
    let spec = CommandSpec(
        "export", .talk, "Write a conversation to a file",
        arguments: [
            chatArgument,
            ArgumentSpec("FILE", help: "the file to write, which must not exist yet; - is standard output"),
        ],
        options: [
            OptionSpec("--format", value: "jsonl|text", help: "jsonl (the default), one JSON object a line; or text"),
            Context.groupOption,
        ],
        examples: [
            "kibo export Anna anna.jsonl", "kibo export Anna anna.txt --format text",
            "kibo export Anna - | less",
        ])

    func run(_ context: Context) throws -> ExitCode {
        let format = context.arguments.value("--format") ?? "jsonl"
        guard format == "jsonl" || format == "text" else {
            throw Failure.usage("--format must be jsonl or text, not \"\(format)\"", command: "export")
        }
        let isStream = context.word(1) == "-"
        let folder = isStream ? try TemporaryFolder() : nil
        let path = try folder.map { $0.path + "/messages" } ?? LocalPath.new(context.word(1))
        let client = try context.client()
        let named = try context.chat(context.word(0))
        guard let id = named.conversation else {
            throw Failure(.notFound, "There is no conversation \(Words.place(named)).", hint: "See: kibo chats")
        }
        // What is left of an attempt that failed.
        defer { folder?.remove() }
        let result = try format == "text" ? exportText(of: id, to: path, client) : exportLines(of: id, to: path, client)
        if isStream {
            // The file is gone before the first byte is written, whatever becomes of the reader.
            let file = open(path, O_RDONLY | O_CLOEXEC)
            folder?.remove()
            defer { close(file) }
            try StandardOutput.copy(file, to: context.console)
            return .done
        }
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

/// A folder of this process alone that the daemon can write to, too.
private struct TemporaryFolder {
    let path: String

    init() throws(Failure) {
        // The daemon may have a /tmp of its own.
        let place = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
        var template = Array(((place.hasPrefix("/") ? place : "/tmp") + "/kibo-export-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else {
            throw Failure(.failed, "there is no place for the messages: \(String(cString: strerror(errno)))")
        }
        path = String(cString: made)
    }

    func remove() {
        unlink(path + "/messages")
        rmdir(path)
    }
}

/// Standard output, for a command's `-`.
private enum StandardOutput {
    /// Writes a whole file to it.
    static func copy(_ file: CInt, to console: Console) throws(Failure) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(.failed, "the messages: \(String(cString: strerror(errno)))") }
            rest += buffer[..<count]
            // Whole lines, so that no character is cut.
            let end = count == 0 ? rest.count : (rest.lastIndex(of: 10).map { $0 + 1 } ?? 0)
            if end > 0 { console.write(String(decoding: rest[..<end], as: UTF8.self)) }
            rest.removeFirst(end)
            if count == 0 { return }
        }
    }
}
