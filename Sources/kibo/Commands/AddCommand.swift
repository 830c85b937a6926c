import Arguments
import Basics
import ControlProtocol

/// `kibo add WHO|ADDRESS|LINK [--note TEXT]`
struct AddCommand: Command {
    let spec = CommandSpec(
        "add", .people, "Ask a person to be your friend",
        arguments: [
            ArgumentSpec(
                "WHO",
                help: "a name from kibo peers, an id, an address (192.0.2.7, or 192.0.2.7:15425), or a kibo: link")
        ],
        options: [OptionSpec("--note", value: "TEXT", help: "a line to send with it (at most 500 characters)")],
        details: """
            A person who has already asked you becomes your friend at once. If somebody has not answered, you
            can ask again. kibo requests shows who you have asked, and who has refused.
            On a terminal the beginning of a name is enough (three characters or more), and you are asked first.
            """,
        examples: ["kibo add Anna --note \"Bob from the workshop\"", "kibo add 192.0.2.7:15425"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        guard var params = try target(context.word(0), context) else {
            context.console.line("Nobody was asked.")
            return .failed
        }
        if let note = context.arguments.value("--note") { params["note"] = .string(note) }
        let result = try client.call("contact.request", params)
        if context.printJSON(result) { return .done }
        let contact = try Contact(json: result)
        let name = context.console.styled(Words.name(contact.shownName), .bold)
        if contact.relation == .friend {
            let chat = Shell.quoted(Words.name(contact.shownName))
            context.console.line("\(name) and you are friends. Say hello: kibo send \(chat) TEXT")
        } else if try isHere(contact, client) {
            context.console.line("You asked \(name) to be your friend. See the answer with: kibo contacts")
        } else {
            context.console.line("\(name) is offline. Kibo asks them to be your friend when they are back.")
        }
        return .done
    }

    /// Presence is for friends; the list of peers says whether another person can be asked now.
    private func isHere(_ contact: Contact, _ client: ControlClient) throws -> Bool {
        if contact.presence != .offline { return true }
        let peers = try client.call("peer.list", ["query": .string(contact.id)])["peers"]?.array ?? []
        return try peers.contains { try Peer(json: $0).account == contact.id }
    }

    /// Where daemons listen unless they are told otherwise or it is taken (docs/PROTOCOL-DISCOVERY.md).
    private static let standardPort: UInt16 = 15426

    /// Nil if the user says no.
    private func target(_ word: String, _ context: Context) throws -> JSONObject? {
        if word.hasPrefix("kibo:") { return ["uri": .string(word)] }
        if SocketAddress(word) != nil { return ["address": .string(word)] }
        if let host = IPAddress(word) {
            return ["address": .string(SocketAddress(host, port: Self.standardPort).description)]
        }
        do throws(ClientError) {
            // A person who is taken for another would become a friend.
            return ["id": .string(try context.find(word, .anybody, isStrict: true).id)]
        } catch {
            // The beginning of one name: the user sees whose it is.
            guard case .refused(let refusal) = error, refusal.kind == .ambiguous, context.asksFirst else { throw error }
            let candidates = Named.candidates(of: refusal)
            guard candidates.count == 1, word.count >= Context.shortestBeginning else { throw error }
            let person = "\(Words.name(candidates[0].name)) (\(ShortID.account(candidates[0].id)))"
            return context.confirms("Ask \(person) to be your friend?") ? ["id": .string(candidates[0].id)] : nil
        }
    }
}
