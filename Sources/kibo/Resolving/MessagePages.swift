import ControlProtocol

/// Reads as many messages of a conversation as are wanted, page after page.
struct MessagePages {
    /// Where a part of the conversation begins or ends.
    enum Place: Equatable {
        /// Milliseconds since 1970.
        case time(Int64)
        case position(String)
    }

    let client: ControlClient
    let conversation: String

    /// The newest messages before a place, or the oldest from a place on.
    /// - Returns: `messages` in ascending order, and `hasMore`, as one page has them.
    func read(before: Place?, after: Place?, limit: Int64) throws -> JSONObject {
        var end: String?
        switch before {
        case .position(let position): end = position
        case .time(let time):
            // What stands before the first message that is not older. If there is none, everything does.
            end = try page(["at": .integer(time), "limit": 1]).messages.first?["position"]?.string
        case nil: break
        }
        guard let after else { return try older(before: end, limit: limit) }
        return try newer(after: after, before: end, limit: limit)
    }

    private func older(before end: String?, limit: Int64) throws -> JSONObject {
        var gathered: [JSONValue] = []
        var params = JSONObject()
        if let end { params["before"] = .string(end) }
        while true {
            params["limit"] = .integer(min(limit - Int64(gathered.count), Pages.size))
            let (messages, hasMore) = try page(params)
            gathered.insert(contentsOf: messages, at: 0)
            guard hasMore, Int64(gathered.count) < limit, let first = messages.first?["position"]?.string else {
                return ["messages": .array(gathered), "hasMore": .bool(hasMore)]
            }
            params["before"] = .string(first)
        }
    }

    private func newer(after start: Place, before end: String?, limit: Int64) throws -> JSONObject {
        var gathered: [JSONValue] = []
        var params: JSONObject =
            switch start {
            case .time(let time): ["at": .integer(time)]
            case .position(let position): ["after": .string(position)]
            }
        while true {
            params["limit"] = .integer(min(limit - Int64(gathered.count), Pages.size))
            let (messages, hasMore) = try page(params)
            // Positions sort as bytes.
            let inside = messages.prefix { message in
                guard let end, let position = message["position"]?.string else { return true }
                return position.utf8.lexicographicallyPrecedes(end.utf8)
            }
            gathered += inside
            let isOver = inside.count < messages.count
            guard hasMore, !isOver, Int64(gathered.count) < limit, let last = messages.last?["position"]?.string else {
                return ["messages": .array(gathered), "hasMore": .bool(hasMore && !isOver)]
            }
            params = ["after": .string(last)]
        }
    }

    private func page(_ params: JSONObject) throws -> (messages: [JSONValue], hasMore: Bool) {
        var params = params
        params["conversation"] = .string(conversation)
        let result = try client.call("message.list", params)
        return (result["messages"]?.array ?? [], result["hasMore"]?.bool == true)
    }
}
