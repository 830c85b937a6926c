import Basics
import ControlProtocol
import Crypto
import Messaging
import Runtime
import Store

extension Handlers {
    nonisolated static let conversationMethods: [String: Method] = [
        "conversation.list": { handlers, parameters, _ in try await handlers.conversations(parameters) },
        "conversation.get": { handlers, parameters, _ in try await handlers.conversation(parameters).json },
        "conversation.open": { handlers, parameters, _ in try await handlers.openConversation(parameters).json },
        "conversation.markRead": { handlers, parameters, _ in try await handlers.markRead(parameters).json },
        "conversation.update": { handlers, parameters, _ in try await handlers.updateConversation(parameters).json },
        "conversation.delete": { handlers, parameters, _ in try await handlers.deleteConversation(parameters) },
        "conversation.export": { handlers, parameters, _ in try await handlers.exportConversation(parameters) },
    ]

    func conversations(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let before = try parameters.optionalString("before").map { try Self.conversationPosition($0) }
        let limit = parameters.limit
        let archived = parameters.bool("archived")
        let query = parameters.optionalString("query").map { $0.lowercased() } ?? ""
        let composer = composer
        return try await context.store.read { transaction in
            var page = PageBuilder(limit: limit)
            var position = before
            var hasMore = true
            // Without a query this reads once; with one, on until the page is full or everything was looked at.
            reading: while !page.isFull, hasMore {
                let positions = try transaction.conversationPositions(
                    before: position, limit: limit + 1, archived: archived)
                hasMore = positions.count > limit
                for next in positions.prefix(limit) {
                    let conversation = page.isFull ? nil : try composer.conversation(next.position.id, in: transaction)
                    let isFound = conversation.map { query.isEmpty || $0.title.lowercased().contains(query) } ?? false
                    if page.isFull || isFound && !page.take(conversation?.json ?? .null) {
                        // The rest of these is for the next page.
                        hasMore = true
                        break reading
                    }
                    position = next
                }
            }
            var result: JSONObject = ["conversations": .array(page.objects)]
            if hasMore, let position { result["next"] = .string(position.description) }
            return .object(result)
        }
    }

    nonisolated static func conversationPosition(_ text: String) throws -> ConversationPosition {
        guard let position = ConversationPosition(text) else {
            throw ControlError(
                .invalid, "before is not a position of this list", hint: .giveNext,
                field: "before")
        }
        return position
    }

    nonisolated static func listPosition(_ text: String) throws -> ListPosition {
        guard let position = ListPosition(text) else {
            throw ControlError(
                .invalid, "before is not a position of this list", hint: .giveNext,
                field: "before")
        }
        return position
    }

    func conversation(_ parameters: Parameters) async throws -> Conversation {
        _ = try requireAccount()
        let id = try uuid("id", parameters)
        let composer = composer
        return try await context.store.read { transaction in
            guard let conversation = try composer.conversation(id, in: transaction) else {
                throw MessagingError.noConversation(id)
            }
            return conversation
        }
    }

    func openConversation(_ parameters: Parameters) async throws -> Conversation {
        _ = try requireAccount()
        if let group = parameters.uuid("group") { return try await openConversation(of: group) }
        guard let id = parameters.account("contact") else {
            throw ControlError(.invalid, "contact is not an account id", field: "contact")
        }
        let composer = composer
        let now = context.clocks.wallTime
        return try await context.store.write { transaction in
            guard let contact = try transaction.contact(id) else {
                throw MessagingError.notAmongContacts(id)
            }
            guard contact.relation == .friend || contact.conversation != nil else {
                throw MessagingError.notFriends(name: contact.shownName, contact.relation)
            }
            var random = SodiumGenerator()
            let row = try transaction.openConversation(with: id, newID: UUIDv7(at: now, using: &random))
            return try composer.conversation(row, in: transaction)
        }
    }

    /// One that was deleted gets a new one, as a friend does.
    private func openConversation(of group: UUIDv7) async throws -> Conversation {
        let (composer, now) = (composer, context.clocks.wallTime)
        return try await context.store.write { transaction in
            guard try transaction.group(group) != nil else {
                throw MessagingError.noGroup(group)
            }
            var random = SodiumGenerator()
            let row = try transaction.openConversation(of: group, newID: UUIDv7(at: now, using: &random))
            return try composer.conversation(row, in: transaction)
        }
    }

    // MARK: Changes

    func markRead(_ parameters: Parameters) async throws -> Conversation {
        let account = try requireAccount()
        let id = try uuid("id", parameters)
        let (first, last) = (parameters.uuid("from"), try uuid("upTo", parameters))
        let arrival = parameters.optionalInteger("arrival")
        let (composer, voice) = (composer, context.voice)
        // In pieces: nobody else waits while a hundred thousand are marked.
        while true {
            let (conversation, hasMore) = try await context.store.write { transaction in
                let (row, hasMore) = try Amendments(own: account.id, transaction: transaction, voice: voice)
                    .markRead(
                        id, from: first, upTo: last, arrival: arrival,
                        tells: transaction.setting(SettingsCatalogue.readReceipts))
                return (try composer.conversation(row, in: transaction), hasMore)
            }
            if !hasMore { return conversation }
        }
    }

    func updateConversation(_ parameters: Parameters) async throws -> Conversation {
        _ = try requireAccount()
        let id = try uuid("id", parameters)
        let (pinned, archived, muted) = (
            parameters.optionalBool("pinned"), parameters.optionalBool("archived"), parameters.optionalBool("muted")
        )
        let composer = composer
        return try await context.store.write { transaction in
            guard var row = try transaction.conversation(id) else { throw MessagingError.noConversation(id) }
            let before = row
            row.pinned = pinned ?? row.pinned
            row.archived = archived ?? row.archived
            row.muted = muted ?? row.muted
            if row != before { try transaction.update(row) }
            return try composer.conversation(row, in: transaction)
        }
    }

    func deleteConversation(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let id = try uuid("id", parameters)
        try await context.store.write { transaction in
            guard try transaction.remove(conversation: id) else { throw MessagingError.noConversation(id) }
        }
        return [:]
    }

    func exportConversation(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let path = parameters.string("path")
        let export = ConversationExport(
            conversation: try uuid("id", parameters), path: path, store: context.store, composer: composer)
        let count = try await context.workers.files.run { try export.run() }
        return ["path": .string(path), "messages": .integer(count)]
    }
}
