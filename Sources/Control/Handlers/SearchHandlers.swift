import ControlProtocol
import Messaging
import Reactor
import Store

/// Finds messages by their words.
@ReactorActor struct SearchHandlers: MethodArea {
    let base: MethodBase
    let search: any SearchControl

    var methods: [String: Method] {
        [
            "message.search": { parameters, _ in try await find(parameters) }
        ]
    }

    private func find(_ parameters: Parameters) async throws -> JSONValue {
        let query = SearchQuery(parameters.string("query"))
        guard !query.isEmpty else {
            throw ControlError(.invalid, "there is no word in the query", hint: .giveWord, field: "query")
        }
        let start = try position("before", parameters, ArrivalPosition.init)
        let conversation = parameters.uuid("conversation")
        let limit = parameters.limit
        // The newest messages stand on the first page.
        if start == nil { try await search.catchUp() }
        let composer = composer
        do {
            return try await store.read(by: .search) { transaction in
                if let conversation, try transaction.conversation(conversation) == nil {
                    throw MessagingError.noConversation(conversation)
                }
                var page = PageBuilder(limit: limit)
                var (position, hasMore) = (start, true)
                reading: while hasMore, !page.isFull {
                    let piece = try transaction.search(query, in: conversation, before: position, limit: page.wanted)
                    for found in piece.found {
                        guard page.accept(try Self.found(found, composer, transaction).json) else { break reading }
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
            throw ControlError(.busy, "the search takes too long", hint: .searchLess)
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
