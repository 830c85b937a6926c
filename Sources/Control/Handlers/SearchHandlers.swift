import ControlProtocol
import Messaging
import Store

extension Handlers {
    nonisolated static let searchMethods: [String: Method] = [
        "message.search": { handlers, parameters, _ in try await handlers.searchMessages(parameters) }
    ]

    func searchMessages(_ parameters: Parameters) async throws -> JSONValue {
        _ = try requireAccount()
        let query = SearchQuery(parameters.string("query"))
        guard !query.isEmpty else {
            throw ControlError(
                .invalid, "there is no word in the query", hint: .giveWord, field: "query")
        }
        var position: SearchPosition?
        if let text = parameters.optionalString("before") {
            position = SearchPosition(text)
            guard position != nil else {
                throw ControlError(
                    .invalid, "before is not a position of this list", hint: .giveNext,
                    field: "before")
            }
        }
        let conversation = parameters.uuid("conversation")
        let limit = parameters.limit
        // What came last stands on the first page.
        if position == nil { try await context.search.catchUp() }
        let (composer, start) = (composer, position)
        do {
            return try await context.store.searchRead { transaction in
                if let conversation, try transaction.conversation(conversation) == nil {
                    throw MessagingError.noConversation(conversation)
                }
                var page = PageBuilder(limit: limit)
                var (position, hasMore) = (start, true)
                reading: while hasMore, !page.isFull {
                    let piece = try transaction.search(query, in: conversation, before: position, limit: page.wanted)
                    for found in piece.found {
                        guard page.take(try Self.found(found, composer, transaction).json) else { break reading }
                        position = found.position
                    }
                    hasMore = piece.next != nil
                    position = piece.next ?? position
                }
                var result: JSONObject = ["messages": .array(page.objects)]
                if hasMore, let position { result["next"] = .string(position.description) }
                return .object(result)
            }
        } catch StoreError.tooLong {
            throw ControlError(
                .busy, "the search takes too long", hint: .searchLess)
        }
    }

    private nonisolated static func found(
        _ found: FoundMessage, _ composer: ObjectComposer, _ transaction: ReadTransaction
    ) throws -> Found {
        Found(
            message: try composer.message(found.message, in: transaction), snippet: found.snippet.text,
            marks: found.snippet.marks.map { Found.Mark(start: Int64($0.lowerBound), length: Int64($0.count)) })
    }
}
