import Basics
import ControlProtocol

/// Finding a message by its id, or by the beginning of it.
enum Messages {
    /// The least part of an id that `message.get` takes.
    static let shortest = 8

    /// The message that a person means by a word, such as `kibo read --ids` shows it.
    static func find(_ word: String, _ client: ControlClient) throws -> Message {
        let id = word.lowercased()
        if UUIDv7(id) != nil { return try client.call("message.get", ["id": .string(id)], as: Message.init(json:)) }
        guard id.utf8.count >= shortest, id.allSatisfy({ $0 == "-" || $0.isASCII && $0.isHexDigit }) else {
            throw Failure(
                .usage,
                "\"\(word)\" is not a message: its id is meant, or the first \(shortest) characters or more of it",
                hint: "See them with: kibo read CHAT --ids")
        }
        return try client.call("message.get", ["prefix": .string(id)], as: Message.init(json:))
    }

    /// For each message the beginning of its id that tells it from the others of the list. The first 13 characters are
    /// the time in milliseconds: no shorter one would be good for long.
    static func shortIDs(_ messages: [Message]) -> [String: String] {
        ShortID.table(messages.map(\.id), atLeast: ShortID.time)
    }

    /// The texts that answers refer to: those of the list, and those that have to be asked for. Messages that are gone
    /// are left out.
    static func quoted(in messages: [Message], _ client: ControlClient) throws -> [String: Message] {
        var known: [String: Message] = [:]
        for message in messages { known[message.id] = message }
        var asked: [(id: String, request: Int64)] = []
        for id in Set(messages.compactMap(\.replyTo)) where known[id] == nil {
            asked.append((id, try client.send("message.get", ["id": .string(id)])))
        }
        for (id, request) in asked {
            if let json = try? client.reply(to: request) { known[id] = try? Message(json: json) }
        }
        return known
    }
}
