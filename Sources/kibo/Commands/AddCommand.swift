import Basics
import ControlProtocol

/// `kibo add WHO|ADDRESS|LINK [--note TEXT]`
struct AddCommand: Command {
    let spec = CommandSpec(
        "add", .people, "Ask somebody to be your friend",
        arguments: [
            ArgumentSpec("WHO", help: "a name from kibo peers, an id, an address like 192.0.2.7:15427, or a kibo: link")
        ],
        options: [OptionSpec("--note", value: "TEXT", help: "a line to go with it (at most 500 characters)")],
        details: "Somebody who has asked you already is a friend at once.",
        examples: ["kibo add Anna --note \"Bob from the workshop\"", "kibo add 192.0.2.7:15427"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        var params = try target(context.word(0), client)
        if let note = context.arguments.value("--note") { params["note"] = .string(note) }
        let result = try client.call("contact.request", params)
        if context.printJSON(result) { return .done }
        let contact = try Contact(json: result)
        let name = context.console.styled(Words.name(contact.shownName), .bold)
        switch contact.relation {
        case .friend: context.console.line("\(name) and you are friends. Say hello: kibo send")
        case .requested where contact.presence == .offline:
            context.console.line("\(name) will be asked when they are here again.")
        default: context.console.line("\(name) is asked. You will see the answer in: kibo contacts")
        }
        return .done
    }

    private func target(_ word: String, _ client: ControlClient) throws -> JSONObject {
        if word.hasPrefix("kibo:") { return ["uri": .string(word)] }
        if SocketAddress(word) != nil { return ["address": .string(word)] }
        let people = try People(client, withPeers: true)
        return ["id": .string(try people.account(word) { $0 == .none || $0 == .incoming })]
    }
}
