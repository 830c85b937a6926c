import Arguments
import Basics
import ControlProtocol

/// `kibo forward MESSAGE CHAT…`
struct ForwardCommand: Command {
    let spec = CommandSpec(
        "forward", .talk, "Forward a message to other people",
        arguments: [
            Context.messageArgument,
            ArgumentSpec("CHAT", .any, help: Context.chatHelp + "; each of several gets it"),
        ],
        options: [
            Context.placeOption,
            OptionSpec(
                Context.groupOption.name, help: "CHAT is a group (the same as a colon before its name)"),
        ],
        details: """
            Its text and files go as a message of your own, without the author's name. The files must be on
            this computer. last is the last message from another person. If one of the people can't be
            written to, nothing is sent.
            """,
        examples: ["kibo forward last Ben", "kibo forward 3f2a Ben :Hikers", "kibo forward last @me"])

    func run(_ context: Context) throws -> ExitCode {
        let words = context.arguments.positionals.dropFirst()
        guard !words.isEmpty else { throw Failure.usage("CHAT is missing", command: "forward") }
        let client = try context.client()
        let message = try context.message(isInGroup: false) { !$0.deleted && !$1 }
        guard message.kind != .system, !message.deleted else {
            throw Failure(.failed, "There is nothing in this message to forward.")
        }
        // All are looked at before anything is sent.
        let chats = try words.map { try context.chat($0) }
        var content = JSONObject()
        if !message.text.isEmpty { content["text"] = .string(message.text) }
        let files = try message.attachments.map { try path(of: $0, message) }
        if !files.isEmpty { content["files"] = .strings(files) }
        var sent: [JSONValue] = []
        for named in chats {
            var params = content
            switch named.kind {
            case .person, .notes: params["to"] = .string(named.id)
            case .group: params["conversation"] = .string(try context.conversation(opening: named))
            }
            sent.append(try client.call("message.send", params))
            if !context.json {
                context.console.line("Forwarded to \(Words.object(named)): \(Words.excerpt(message))")
            }
        }
        _ = context.printJSON(["messages": .array(sent)])
        return .done
    }

    /// Where a file of the message is.
    private func path(of file: Attachment, _ message: Message) throws -> String {
        let name = Words.name(file.name)
        guard !file.removed, let path = file.path, file.state == .done || message.state != .received else {
            let hint =
                file.state == .offered && message.state == .received
                ? "Take it first: kibo get \(file.transfer)" : "See: kibo transfers"
            throw Failure(.failed, "\(name) is not on this computer.", hint: hint)
        }
        return try LocalPath.existing(path)
    }
}
