import Basics
import ControlProtocol
import TestSupport

/// Calls a daemon with a long history over its control socket: many calls of each kind, one at a time.
struct HistoryCalls {
    /// The times of one kind of call.
    struct Result {
        enum Kind { case page, list, search, other }

        let name: String
        let kind: Kind
        /// Nil if the daemon does not know the method.
        let milliseconds: [Double]?

        func cells(bounds: (page: Bound, list: Bound, search: Bound)) -> [String] {
            guard let milliseconds else { return [name, "not there"] }
            let bound: Bound? =
                switch kind {
                case .page: bounds.page
                case .list: bounds.list
                case .search: bounds.search
                case .other: nil
                }
            return HistoryBench.row(name, milliseconds, bound)
        }
    }

    /// The most entries that a page of the control API holds.
    private static let longestPage = 500
    private static let limit = Duration.seconds(60)

    let daemon: DaemonProcess
    let vocabulary: ZipfText
    let hanVocabulary: ZipfText
    let calls: Int
    let warmUp: Int

    func run() throws -> [Result] {
        let conversations = try allConversations()
        guard let longest = conversations.first(where: { $0.title == HistoryBench.name(0) })?.id else {
            throw BenchFailure(description: "there is no conversation with \(HistoryBench.name(0))")
        }
        let positions = try positions(in: longest)
        report("the longest conversation has \(positions.count) messages")
        let reads = pages(conversations, longest, positions) + lists() + searches(conversations, longest)
        var results: [Result] = []
        // Calls that change anything come last.
        for call in reads + changes(conversations) { results.append(try measure(call)) }
        return results
    }

    /// One kind of call.
    private struct Call {
        let name: String
        let kind: Result.Kind
        let method: String
        /// The parameters of the n-th call.
        let parameters: (Int) -> JSONObject
    }

    private func pages(_ conversations: [Conversation], _ longest: String, _ positions: [String]) -> [Call] {
        [
            Call(name: "page of 50, newest, any conversation", kind: .page, method: "message.list") { number in
                ["conversation": .string(Self.some(of: conversations, number).id)]
            },
            Call(name: "page of 50, newest, the longest", kind: .page, method: "message.list") { _ in
                ["conversation": .string(longest)]
            },
            Call(name: "page of 50, somewhere in the longest", kind: .page, method: "message.list") { number in
                let before = positions[(number * 7_919 + 997) % positions.count]
                return ["conversation": .string(longest), "before": .string(before)]
            },
        ]
    }

    private func lists() -> [Call] {
        [50, Self.longestPage].map { limit in
            Call(name: "conversation.list, \(limit)", kind: .list, method: "conversation.list") { _ in
                ["limit": .integer(Int64(limit))]
            }
        }
    }

    private func searches(_ conversations: [Conversation], _ longest: String) -> [Call] {
        let (common, rare) = (JSONValue.string(vocabulary.commonest), JSONValue.string(vocabulary.rarest))
        let method = "message.search"
        return [
            Call(name: "search, the commonest word", kind: .search, method: method) { _ in ["query": common] },
            Call(name: "search, the rarest word", kind: .search, method: method) { _ in ["query": rare] },
            Call(name: "search, the commonest, in the longest", kind: .search, method: method) { _ in
                ["query": common, "conversation": .string(longest)]
            },
            Call(name: "search, the commonest, in any one", kind: .search, method: method) { number in
                ["query": common, "conversation": .string(Self.some(of: conversations, number).id)]
            },
            Call(name: "search, the commonest two characters", kind: .search, method: method) { _ in
                ["query": .string(hanVocabulary.commonest)]
            },
            Call(name: "search, the rarest two characters", kind: .search, method: method) { _ in
                ["query": .string(hanVocabulary.rarest)]
            },
            Call(name: "search, the commonest character", kind: .search, method: method) { _ in
                ["query": .string(String(hanVocabulary.commonest.prefix(1)))]
            },
            Call(name: "search, five common words in Chinese", kind: .search, method: method) { _ in
                let words = hanVocabulary.words.prefix(5).map { String(decoding: $0, as: UTF8.self) }
                return ["query": .string(words.joined(separator: " "))]
            },
        ]
    }

    private func changes(_ conversations: [Conversation]) -> [Call] {
        let unread = conversations.filter { $0.unread > 0 }
        return [
            Call(name: "markRead", kind: .other, method: "conversation.markRead") { number in
                let conversation = Self.some(of: unread.isEmpty ? conversations : unread, number)
                return ["id": .string(conversation.id), "upTo": .string(conversation.lastMessage?.id ?? "")]
            },
            Call(name: "send, to somebody who is away", kind: .other, method: "message.send") { number in
                [
                    "conversation": .string(Self.some(of: conversations, number).id),
                    "text": .string("Message \(number)"),
                ]
            },
        ]
    }

    /// A different conversation each time, until all had their turn (their count is no multiple of seven).
    private static func some(of conversations: [Conversation], _ number: Int) -> Conversation {
        conversations[number * 7 % conversations.count]
    }

    private func measure(_ call: Call) throws -> Result {
        var milliseconds: [Double] = []
        for number in 0..<warmUp + calls {
            guard let duration = try time(call, call.parameters(number)) else {
                return Result(name: call.name, kind: call.kind, milliseconds: nil)
            }
            if number >= warmUp { milliseconds.append(duration.inMilliseconds) }
        }
        return Result(name: call.name, kind: call.kind, milliseconds: milliseconds)
    }

    /// The time of one call; nil if the daemon does not know the method.
    private func time(_ call: Call, _ parameters: JSONObject) throws -> Duration? {
        let clocks = SystemClocks()
        let client = try daemon.client
        let begin = clocks.now
        try client.send(call.method, parameters)
        let line = try client.line(timeout: Self.limit)
        let duration = clocks.now - begin
        // The answer is parsed once the time is taken: half a megabyte of JSON takes the client longer than the daemon.
        let response = try RPCResponse(json: JSONParser.parse(line, maximumBytes: line.count))
        guard case .error(let error) = response.outcome else { return duration }
        guard error.code == RPCError.methodNotFoundCode else { throw ClientError.refused(error) }
        return nil
    }

    private func allConversations() throws -> [Conversation] {
        var conversations: [Conversation] = []
        var before: JSONValue?
        repeat {
            var parameters: JSONObject = ["limit": .integer(Int64(Self.longestPage))]
            if let before { parameters["before"] = before }
            let page = try daemon.call("conversation.list", parameters)
            conversations += try (page["conversations"]?.array ?? []).map { json in try Conversation(json: json) }
            before = page["next"]
        } while before?.string != nil
        return conversations
    }

    /// The positions of all messages of a conversation, the newest first.
    private func positions(in conversation: String) throws -> [String] {
        var positions: [String] = []
        var hasMore = true
        while hasMore {
            var parameters: JSONObject = [
                "conversation": .string(conversation), "limit": .integer(Int64(Self.longestPage)),
            ]
            if let last = positions.last { parameters["before"] = .string(last) }
            let page = try daemon.call("message.list", parameters)
            let places = (page["messages"]?.array ?? []).compactMap { $0["position"]?.string }
            positions += places.reversed()
            hasMore = page["hasMore"]?.bool == true && !places.isEmpty
        }
        return positions
    }
}
