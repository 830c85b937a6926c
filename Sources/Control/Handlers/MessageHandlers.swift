import Basics
import ControlProtocol
import Messaging
import Reactor
import Store
import Vocabulary

/// Sends and lists messages.
@ReactorActor struct MessageHandlers: MethodArea {
    let base: MethodBase
    let sender: DraftSender

    var methods: [String: Method] {
        [
            "message.send": { parameters, connection in
                try await send(parameters, on: connection).json
            },
            "message.list": { parameters, _ in try await list(parameters) },
            "message.recent": { parameters, _ in try await recent(parameters) },
            "message.media": { parameters, _ in try await media(parameters) },
            "message.get": { parameters, _ in try await get(parameters).json },
        ]
    }

    // MARK: Messages

    private func list(_ parameters: Parameters) async throws -> JSONValue {
        let id = try uuid("conversation", parameters)
        let before = try Self.messagePosition("before", parameters)
        let after = try Self.messagePosition("after", parameters)
        let time = parameters.optionalInteger("at").map { WallTime(milliseconds: $0) }
        if time != nil, before != nil || after != nil {
            throw ControlError(.invalid, "at begins a list; before and after go on in one", field: "at")
        }
        let limit = parameters.limit
        let composer = composer
        return try await store.read { transaction in
            guard try transaction.conversation(id) != nil else { throw MessagingError.noConversation(id) }
            let order = try transaction.messageOrder()
            for position in [before, after].compactMap({ $0 }) where !position.isPosition(in: order) {
                throw ControlError(
                    .invalid, "this position is of another order than the one that is set now",
                    hint: .beginAgain, field: position == before ? "before" : "after")
            }
            var page = PageBuilder(limit: limit)
            var (before, hasMore) = (before, true)
            var after = try time.map { try transaction.position(before: $0) } ?? after
            // The page begins at the end that the client names; what does not fit lies beyond the other end.
            let isAscending = after != nil
            var names = SenderNames()
            reading: while hasMore, !page.isFull {
                let piece = try transaction.messageRecords(in: id, before: before, after: after, limit: page.wanted)
                for record in isAscending ? piece.records : piece.records.reversed() {
                    guard
                        page.accept(
                            try composer.message(record, order: order, names: &names, in: transaction).json)
                    else {
                        break reading
                    }
                    let position = record.row.position(in: order)
                    if isAscending { after = position } else { before = position }
                }
                hasMore = piece.hasMore && !piece.records.isEmpty
            }
            return [
                "messages": .array(isAscending ? page.objects : page.objects.reversed()), "hasMore": .bool(hasMore),
            ]
        }
    }

    private func recent(_ parameters: Parameters) async throws -> JSONValue {
        try await newestFirst(parameters) { transaction, position, limit in
            try transaction.recentMessages(before: position, limit: limit)
        }
    }

    private func media(_ parameters: Parameters) async throws -> JSONValue {
        let id = try uuid("conversation", parameters)
        guard let sort = parameters.choice("has", as: MediaSort.self) else {
            throw ControlError(.invalid, "has is missing")
        }
        return try await newestFirst(parameters) { transaction, position, limit in
            guard try transaction.conversation(id) != nil else { throw MessagingError.noConversation(id) }
            return try MediaList(of: id, with: sort).page(before: position, limit: limit, in: transaction)
        }
    }

    /// A page of messages in the order of their arrival, backwards.
    /// - Parameter read: gives a piece of the page.
    private func newestFirst(
        _ parameters: Parameters,
        read:
            @escaping @Sendable (ReadTransaction, ArrivalPosition?, Int) throws -> (
                messages: [(id: UUIDv7, position: ArrivalPosition)], hasMore: Bool
            )
    ) async throws -> JSONValue {
        let start = try position("before", parameters, ArrivalPosition.init)
        let limit = parameters.limit
        let composer = composer
        return try await store.read { transaction in
            var page = PageBuilder(limit: limit)
            var (position, hasMore) = (start, true)
            reading: while hasMore, !page.isFull {
                let piece = try read(transaction, position, page.wanted)
                for (id, place) in piece.messages {
                    if let message = try composer.message(id, in: transaction) {
                        guard page.accept(message.json) else { break reading }
                    }
                    position = place
                }
                hasMore = piece.hasMore
            }
            var result: JSONObject = ["messages": .array(page.objects)]
            if hasMore, let position { result["next"] = .string(position.description) }
            return .object(result)
        }
    }

    /// "0" stands for the very beginning.
    private static func messagePosition(_ name: String, _ parameters: Parameters) throws -> MessagePosition? {
        guard let text = parameters.optionalString(name) else { return nil }
        if text == "0" { return MessagePosition(key: 0, id: .zero) }
        guard let position = MessagePosition(text) else {
            throw ControlError(.invalid, "\(name) is not a position", hint: .givePosition, field: name)
        }
        return position
    }

    private func get(_ parameters: Parameters) async throws -> Message {
        let composer = composer
        if let prefix = parameters.optionalString("prefix") {
            return try await store.read { transaction in
                try Self.message(try MessagePrefix.resolve(prefix, in: transaction), composer, transaction)
            }
        }
        let id = try uuid("id", parameters)
        return try await store.read { transaction in
            try Self.message(id, composer, transaction)
        }
    }

    private nonisolated static func message(
        _ id: UUIDv7, _ composer: ObjectComposer, _ transaction: ReadTransaction
    ) throws -> Message {
        guard let message = try composer.message(id, previews: true, in: transaction) else {
            throw MessagingError.noMessage(id)
        }
        return message
    }

    /// The files of a message, with the names under which they go.
    static func files(_ parameters: Parameters) throws(ControlError) -> [NamedPath] {
        let (paths, names) = (parameters.strings("files"), parameters.strings("names"))
        guard !names.isEmpty else { return paths.map { NamedPath($0) } }
        guard names.count == paths.count else {
            throw ControlError(.invalid, "there must be as many names as files", field: "names")
        }
        return zip(paths, names).map { NamedPath($0, name: $1.isEmpty ? nil : $1) }
    }

    private func send(_ parameters: Parameters, on connection: any Caller) async throws -> Message {
        let account = try requireAccount()
        let paths = try Self.files(parameters)
        let text = parameters.optionalString("text") ?? ""
        var draft = Draft(
            own: account.id, device: account.device, text: text, replyTo: parameters.uuid("replyTo"),
            key: parameters.optionalString("key"), now: clocks.wallTime)
        draft.voice = voice
        if let conversation = parameters.uuid("conversation") {
            draft.target = .conversation(conversation)
        } else if let to = parameters.account("to") {
            draft.target = .contact(to)
        }
        let isNamed = !parameters.has("conversation") && parameters.account("to") == nil
        if paths.isEmpty {
            guard draft.kind.allows(text) else {
                throw ControlError(.invalid, "there is nothing to send", hint: .giveContent, field: "text")
            }
            if !isNamed {
                await connection.lane.pass()
                return try await sender.send(draft)
            }
        }
        // Looking at names and files takes time; later requests of the client must not overtake it.
        await connection.lane.enter()
        defer { connection.lane.leave() }
        if isNamed { draft.target = try await target(parameters.string("to"), of: draft) }
        if !paths.isEmpty { try await sender.prepare(&draft, paths: paths, anyType: parameters.bool("anyType")) }
        return try await sender.send(draft)
    }

    /// The chat that a name means, and no other.
    private func target(_ word: String, of draft: Draft) async throws -> Audience.Target {
        let question = NameQuestion(word: word, purpose: .chat, isStrict: true, own: draft.own, now: draft.now)
        let named: Named?
        do {
            named = try await store.read { transaction in
                // What was sent under its key is found again, whoever has the name now.
                try draft.sent(in: transaction) == nil ? try question.answer(in: transaction) : nil
            }
        } catch var error as ControlError {
            error.field = "to"
            throw error
        }
        guard let named else { return draft.target }
        switch named.kind {
        case .group: if let id = UUIDv7(named.id) { return .group(id) }
        case .person, .notes: if let id = AccountID(named.id) { return .contact(id) }
        }
        throw ControlError(.internal, "a name means something without an id")
    }
}
