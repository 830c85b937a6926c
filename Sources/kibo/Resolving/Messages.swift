import Arguments
import Basics
import ControlProtocol

/// Finding the message that a person means: `last`, `last-1`, the end of an id (`3f2a`, `#3f2a`), an id or the beginning of one.
enum Messages {
    /// The least part of an id that `message.get` takes.
    static let shortest = 8
    /// The least end of an id that means a message. Ids end in random digits.
    static let shortestEnd = 4
    /// How many messages are looked through for the end of an id.
    private static let reach = 2_000

    /// The message that a word means.
    ///
    /// - Parameters:
    ///   - conversation: where `last` and ends of ids are looked for; nil for all conversations.
    ///   - fits: whether a message can be meant by `last`; nil for any that a person has written and not deleted.
    static func find(
        _ word: String, _ client: ControlClient, in conversation: String? = nil, fits: ((Message) -> Bool)? = nil
    ) throws -> Message {
        let text = word.lowercased()
        if let back = stepsBack(text) {
            return try last(back, client, conversation) { fits?($0) ?? (!$0.deleted && $0.kind != .system) }
        }
        if UUIDv7(text) != nil { return try client.call("message.get", ["id": .string(text)], as: Message.init(json:)) }
        let id = text.hasPrefix("#") ? String(text.dropFirst()) : text
        guard id.utf8.count >= shortestEnd, id.allSatisfy({ $0 == "-" || $0.isASCII && $0.isHexDigit }) else {
            throw Failure(
                .usage, "\"\(word)\" is not a message: say last, last-1, or its id as kibo read CHAT --ids shows it")
        }
        if id.utf8.count >= shortest, let message = try beginning(id, client) { return message }
        return try ending(id, client, conversation)
    }

    /// 0 for `last`, 2 for `last-2`; nil for other words.
    static func stepsBack(_ word: String) -> Int? {
        if word == "last" { return 0 }
        guard word.hasPrefix("last-"), let number = Int(word.dropFirst(5)), number >= 0 else { return nil }
        return number
    }

    private static func last(
        _ back: Int, _ client: ControlClient, _ conversation: String?, fits: (Message) -> Bool
    ) throws -> Message {
        var left = back
        let match = try newest(client, conversation) { message in
            guard fits(message) else { return false }
            left -= 1
            return left < 0
        }
        guard let match else {
            throw Failure(
                .notFound, back == 0 ? "There is no such message." : "There aren't that many such messages.",
                hint: "See them with: kibo read CHAT --ids")
        }
        return match
    }

    /// The message whose id begins so; nil if there is none.
    private static func beginning(_ id: String, _ client: ControlClient) throws -> Message? {
        do {
            return try client.call("message.get", ["prefix": .string(id)], as: Message.init(json:))
        } catch ClientError.refused(let refusal) where refusal.kind == .notFound {
            return nil
        }
    }

    private static func ending(_ id: String, _ client: ControlClient, _ conversation: String?) throws -> Message {
        var matches: [Message] = []
        _ = try newest(client, conversation) { message in
            if message.id.hasSuffix(id) { matches.append(message) }
            return false
        }
        if matches.count == 1 { return matches[0] }
        guard !matches.isEmpty else {
            throw Failure(
                .notFound, "No message has an id that ends in \(id).", hint: "See them with: kibo read CHAT --ids")
        }
        let lines = matches.map { "\($0.id)  \(DisplayWidth.truncate(Words.excerpt($0), to: 40))" }
        throw Failure(
            .failed, "\(matches.count) messages have ids that end in \(id).",
            hint: (["Give the whole id of one:"] + lines).joined(separator: "\n"))
    }

    /// Goes through the newest messages, the last one first, until one is accepted.
    private static func newest(
        _ client: ControlClient, _ conversation: String?, until accepts: (Message) -> Bool
    ) throws -> Message? {
        var params: JSONObject = ["limit": .integer(Pages.size)]
        if let conversation { params["conversation"] = .string(conversation) }
        var count = 0
        while count < reach {
            let page = try client.call(conversation == nil ? "message.recent" : "message.list", params)
            var messages = try (page["messages"]?.array ?? []).map { try Message(json: $0) }
            // A conversation is listed in ascending order.
            if conversation != nil { messages.reverse() }
            if let message = messages.first(where: accepts) { return message }
            count += messages.count
            let next = conversation == nil ? page["next"]?.string : messages.last?.position
            guard let next, conversation == nil || page["hasMore"]?.bool == true else { return nil }
            params["before"] = .string(next)
        }
        return nil
    }

    /// For each message the end of its id that tells it from the others of the list.
    static func shortIDs(_ messages: [Message]) -> [String: String] {
        let backwards = ShortID.table(messages.map { String($0.id.reversed()) }, atLeast: shortestEnd)
        var table: [String: String] = [:]
        for (id, short) in backwards { table[String(id.reversed())] = String(short.reversed()) }
        return table
    }

    /// The texts that answers refer to: those of the list, and those that have to be asked for. Messages that are gone
    /// are left out.
    static func quoted(in messages: [Message], _ client: ControlClient) throws -> [String: Message] {
        var quoted: [String: Message] = [:]
        for message in messages { quoted[message.id] = message }
        var asked: [(id: String, request: Int64)] = []
        for id in Set(messages.compactMap(\.replyTo)) where quoted[id] == nil {
            asked.append((id, try client.send("message.get", ["id": .string(id)])))
        }
        for (id, request) in asked {
            if let json = try? client.reply(to: request) { quoted[id] = try? Message(json: json) }
        }
        return quoted
    }
}

extension Context {
    /// The argument that all commands for one message take.
    static let messageArgument = ArgumentSpec("MESSAGE", help: "last, last-1, or its id, as kibo read --ids shows it")

    /// An option of those commands.
    static let placeOption = OptionSpec(
        "--chat", value: "CHAT", help: "look for last and for ids in this chat only")

    static let placeIsGroupOption = OptionSpec(
        groupOption.name, help: "the CHAT of --chat is a group (the same as a colon before its name)")

    /// The message that the first argument means.
    /// - Parameters:
    ///   - isInGroup: whether `--chat` names a group even without the sign; nil for what `--group` says.
    ///   - fits: whether `last` can mean a message, and whether this account wrote it.
    func message(
        isInGroup: Bool? = nil, fits: @escaping (Message, _ isOwn: Bool) -> Bool = { message, _ in !message.deleted }
    ) throws -> Message {
        let client = try client()
        var conversation: String?
        var isInNotes = false
        if let chat = arguments.value(Self.placeOption.name) {
            let named = try self.chat(chat, isGroup: isInGroup)
            guard let id = named.conversation else {
                throw Failure(.notFound, "There are no messages \(Words.place(named)) yet.")
            }
            conversation = id
            isInNotes = named.kind == .notes
        }
        let own = try ownAccount()
        return try Messages.find(word(0), client, in: conversation) {
            // Among the notes, what can be done with other people's messages can be done with one's own.
            $0.kind != .system && (fits($0, $0.sender == own) || isInNotes && fits($0, false))
        }
    }
}
