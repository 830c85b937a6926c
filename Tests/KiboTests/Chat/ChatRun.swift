import Basics
import ControlProtocol
import Vocabulary

@testable import kibo

/// Runs `kibo chat` without a terminal and without a daemon: a test puts in by hand what both say.
struct ChatRun {
    var controller: ChatController
    private var seq: Int64 = 0

    /// - Parameter unread: how many of all messages are unread, also of those that are not on the first page.
    init(_ messages: [Message], hasMore: Bool = false, unread: Int64 = 0, columns: Int = 80, rows: Int = 12) {
        var people = People(own: Cast.own)
        for contact in Cast.contacts { people.update(contact) }
        let state = ChatState(
            model: ChatModel(conversation: Cast.chat), people: people, title: "Anna",
            contact: Cast.anna)
        var number = 0
        controller = ChatController(
            state, size: .init(columns: columns, rows: rows),
            surroundings: .init(
                path: { SentFile(path: $0) }, home: nil,
                key: {
                    number += 1
                    return "key\(number)"
                }))
        controller.state.wallTime = WallTime(milliseconds: Cast.noon)
        controller.connected()
        answer(.subscribed, FakeDaemon.subscribed)
        load(messages, hasMore: hasMore, unread: unread)
    }

    /// A message of Anna's; its number says where it stands and when it came.
    static func message(_ number: Int, unread: Bool = false, arrival: Int? = nil) -> Message {
        var message = Cast.message("number \(number).", .received)
        message.id = "019ac0de-4444-7000-8000-" + padded(number, 12)
        message.sender = Cast.anna
        message.position = "p" + padded(number, 6)
        message.arrival = Int64(arrival ?? number)
        message.unread = unread
        return message
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        String(repeating: "0", count: count - "\(number)".count) + "\(number)"
    }

    /// Answers the last request of that kind.
    mutating func load(_ messages: [Message], hasMore: Bool = false, unread: Int64 = 0) {
        let requests = controller.drainEffects().compactMap { effect -> ChatRequest? in
            if case .call(_, _, let request) = effect { request } else { nil }
        }
        for request in requests {
            switch request {
            case .newest, .older:
                answer(request, ["messages": .array(messages.map(\.json)), "hasMore": .bool(hasMore)])
            case .unread:
                var chat = Cast.conversations[0]
                chat.unread = unread
                answer(request, chat.json)
            default: break
            }
        }
    }

    mutating func answer(_ request: ChatRequest, _ result: JSONValue) {
        controller.answered(request, .success(result))
    }

    /// An event comes as it was recorded, with these fields in place of the recorded ones.
    mutating func happens(_ type: EventType, _ data: JSONValue, _ change: ChangeKind? = nil) {
        seq += 1
        controller.happened(Recorded.event(type, data, change, seq: seq))
    }

    /// Types a line and sends it.
    mutating func enters(_ line: String) {
        for character in line { controller.pressed(.text(String(character))) }
        controller.pressed(.enter)
    }

    /// Draws, as the loop does.
    @discardableResult
    mutating func draw() -> [String] {
        let (screen, view) = controller.screen.drawn()
        if let view { controller.shown(view) }
        return screen.rows.map(\.text)
    }

    /// The parameters of the requests of a method since this was asked last; others are forgotten.
    mutating func requests(_ method: String) -> [JSONObject] {
        controller.drainEffects().compactMap { effect in
            if case .call(method, let params, _) = effect { params } else { nil }
        }
    }
}
