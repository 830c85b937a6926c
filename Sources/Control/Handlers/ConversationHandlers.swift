import Basics
import ControlProtocol
import Crypto
import Messaging
import Reactor
import Runtime
import Store

/// Lists and changes conversations.
@ReactorActor struct ConversationHandlers: MethodArea {
    let base: MethodBase

    var methods: [String: Method] {
        [
            "conversation.list": { parameters, _ in try await list(parameters) },
            "conversation.get": { parameters, _ in try await get(parameters).json },
            "conversation.totals": { _, _ in try await totals().json },
            "conversation.open": { parameters, _ in try await open(parameters).json },
            "conversation.markRead": { parameters, _ in try await markRead(parameters).json },
            "conversation.markUnread": { parameters, _ in try await markUnread(parameters).json },
            "conversation.update": { parameters, _ in try await update(parameters).json },
            "conversation.delete": { parameters, _ in try await delete(parameters) },
        ]
    }

    var descriptorMethods: [String: DescriptorMethod] {
        ["conversation.export": { parameters in try await export(parameters) }]
    }

    private func list(_ parameters: Parameters) async throws -> JSONValue {
        let before = try position("before", parameters, ConversationPosition.init)
        let limit = parameters.limit
        let archived = parameters.bool("archived")
        let query = parameters.optionalString("query").map { $0.lowercased() } ?? ""
        let composer = composer
        return try await store.read { transaction in
            var page = PageBuilder(limit: limit)
            var position = before
            var hasMore = true
            // Without a query this reads once. With a query it reads on until the page is full or everything was looked
            // at.
            reading: while !page.isFull, hasMore {
                let positions = try transaction.conversationPositions(
                    before: position, limit: limit + 1, archived: archived)
                hasMore = positions.count > limit
                for next in positions.prefix(limit) {
                    let conversation = page.isFull ? nil : try composer.conversation(next.position.id, in: transaction)
                    let isFound = conversation.map { query.isEmpty || $0.title.lowercased().contains(query) } ?? false
                    if page.isFull || isFound && !page.accept(conversation?.json ?? .null) {
                        // The remaining ones are for the next page.
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

    private func get(_ parameters: Parameters) async throws -> Conversation {
        let id = try uuid("id", parameters)
        let composer = composer
        return try await store.read { transaction in
            guard let conversation = try composer.conversation(id, in: transaction) else {
                throw MessagingError.noConversation(id)
            }
            return conversation
        }
    }

    private func totals() async throws -> Totals {
        _ = try requireAccount()
        return try await store.read { try Totals(in: $0) }
    }

    private func open(_ parameters: Parameters) async throws -> Conversation {
        if let group = parameters.uuid("group") { return try await open(group: group) }
        let own = try requireAccount().id
        let id = try account("contact", parameters)
        let composer = composer
        let now = clocks.wallTime
        return try await store.commit { transaction in
            var random = SodiumGenerator()
            if id == own {
                let row = try transaction.openConversation(with: own, newID: UUIDv7(at: now, using: &random))
                return try composer.conversation(row, in: transaction)
            }
            guard let contact = try transaction.contact(id) else {
                throw MessagingError.notAmongContacts(id)
            }
            guard contact.relation == .friend || contact.conversation != nil else {
                throw MessagingError.notFriends(name: contact.shownName, contact.relation)
            }
            let row = try transaction.openConversation(with: id, newID: UUIDv7(at: now, using: &random))
            return try composer.conversation(row, in: transaction)
        }
    }

    /// Makes a new conversation if the group's was deleted, as for a friend.
    private func open(group: UUIDv7) async throws -> Conversation {
        let (composer, now) = (composer, clocks.wallTime)
        return try await store.commit { transaction in
            guard try transaction.group(group) != nil else {
                throw MessagingError.noGroup(group)
            }
            var random = SodiumGenerator()
            let row = try transaction.openConversation(of: group, newID: UUIDv7(at: now, using: &random))
            return try composer.conversation(row, in: transaction)
        }
    }

    // MARK: Changes

    private func markRead(_ parameters: Parameters) async throws -> Conversation {
        let account = try requireAccount()
        let id = try uuid("id", parameters)
        let (first, last) = (parameters.uuid("from"), try uuid("upTo", parameters))
        let arrival = parameters.optionalInteger("arrival")
        let (composer, voice) = (composer, voice)
        // Mark in pieces, so that other changes don't wait while a hundred thousand messages are marked.
        let mark: @Sendable (WriteTransaction) throws -> (Conversation, hasMore: Bool) = { transaction in
            let (row, hasMore) = try Amendments(own: account.id, transaction: transaction, voice: voice)
                .markRead(
                    id, from: first, upTo: last, arrival: arrival,
                    tells: transaction.setting(SettingsCatalogue.readReceipts))
            return (try composer.conversation(row, in: transaction), hasMore)
        }
        do {
            while true {
                let (conversation, hasMore) = try await store.commit(mark)
                if !hasMore { return conversation }
            }
        } catch StoreError.full {
            // The messages were still read, so store that as soon as there is room.
            keepMarking(.markedRead(id, upTo: last), mark)
            throw StoreError.full
        }
    }

    private func keepMarking(
        _ key: RetriedCommits.Key,
        _ mark: @escaping @Sendable (WriteTransaction) throws -> (Conversation, hasMore: Bool)
    ) {
        let commits = base.environment.commits
        commits.commit(key, mark) { [self] in if $0.hasMore { keepMarking(key, mark) } }
    }

    private func markUnread(_ parameters: Parameters) async throws -> Conversation {
        let account = try requireAccount()
        let id = try uuid("id", parameters)
        let (composer, voice) = (composer, voice)
        return try await store.commit { transaction in
            let row = try Amendments(own: account.id, transaction: transaction, voice: voice).markUnread(id)
            return try composer.conversation(row, in: transaction)
        }
    }

    private func update(_ parameters: Parameters) async throws -> Conversation {
        let id = try uuid("id", parameters)
        let (pinned, archived, muted) = (
            parameters.optionalBool("pinned"), parameters.optionalBool("archived"), parameters.optionalBool("muted")
        )
        let mentionsMuted = parameters.optionalBool("mentionsMuted")
        let until = parameters.optionalInteger("mutedUntil").map { WallTime(milliseconds: $0) }
        if let until {
            guard muted != false else { throw ControlError(.invalid, "muted is false", field: "mutedUntil") }
            guard until > base.environment.clocks.wallTime else {
                throw ControlError(.invalid, "that time is over", field: "mutedUntil")
            }
        }
        let composer = composer
        return try await store.commit { transaction in
            guard var row = try transaction.conversation(id) else { throw MessagingError.noConversation(id) }
            let before = row
            row.pinned = pinned ?? row.pinned
            row.archived = archived ?? row.archived
            if muted != nil || until != nil {
                // Whether mentions come through is a part of muting: it ends with it, and begins again as usual.
                if !row.muted || muted == false { row.mentionsMuted = false }
                (row.muted, row.mutedUntil) = (muted ?? true, until)
            }
            row.mentionsMuted = mentionsMuted ?? row.mentionsMuted
            if row != before { try transaction.update(row) }
            return try composer.conversation(row, in: transaction)
        }
    }

    private func delete(_ parameters: Parameters) async throws -> JSONValue {
        let id = try uuid("id", parameters)
        let unread = parameters.optionalInteger("unread")
        try await store.commit { transaction in
            // A deletion that had to wait must not remove messages that came meanwhile and that the user hasn't seen.
            if let unread, let row = try transaction.conversation(id), row.unread > unread {
                throw ControlError(.invalid, "new messages have come meanwhile", field: "unread")
            }
            guard try transaction.remove(conversation: id) else { throw MessagingError.noConversation(id) }
        }
        return [:]
    }

    private func export(_ parameters: Parameters) async throws -> Outcome {
        _ = try requireAccount()
        let export = ConversationExport(
            conversation: try uuid("id", parameters), store: store, composer: composer)
        guard let path = parameters.optionalString("path") else {
            guard parameters.bool("descriptor") else {
                throw ControlError(.invalid, "descriptor can only be true", field: "descriptor")
            }
            let directory = base.environment.directory
            let (descriptor, count) = try await workers.files.run { try export.unnamed(in: directory) }
            return Outcome(["messages": .integer(count)], with: descriptor)
        }
        let count = try await workers.files.run { try export.run(to: path) }
        return Outcome(["path": .string(path), "messages": .integer(count)])
    }
}
