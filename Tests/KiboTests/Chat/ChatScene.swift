import Basics
import ControlProtocol
import Vocabulary

@testable import kibo

/// A conversation with Anna in a small terminal, without a daemon: effects are looked at, answers are given by hand.
final class ChatScene {
    var controller: ChatController
    private var seq: Int64 = 100
    private var count = 0

    static let bert = Cast.bob

    /// The calls that the browser was opened for, and why it can't be.
    final class Answers {
        var calls: [String] = []
        var problem: Failure?
    }

    let answers: Answers

    /// - Parameters:
    ///   - group: if given, it is that group's conversation, and not Anna's.
    ///   - isNotes: whether it is the conversation with oneself.
    init(
        columns: Int = 40, rows: Int = 12, messages: [Message] = [], hasMore: Bool = false, group: Group? = nil,
        isNotes: Bool = false
    ) {
        var people = People(own: Cast.own)
        for contact in Cast.contacts { people.update(contact) }
        if let group { people.update(group) }
        let state = ChatState(
            model: ChatModel(conversation: Cast.chat), people: people,
            title: group?.name ?? (isNotes ? "Notes" : "Anna"),
            contact: group == nil ? isNotes ? Cast.own : Cast.anna : nil, group: group?.id)
        var keys = 0
        let answers = Answers()
        self.answers = answers
        controller = ChatController(
            state, size: .init(columns: columns, rows: rows),
            surroundings: .init(
                path: { path in
                    if path.hasPrefix("/") { return SentFile(path: path) }
                    throw Failure(.failed, "\(path): No such file or directory")
                }, home: "/h",
                key: {
                    keys += 1
                    return "key\(keys)"
                },
                answer: { call in
                    if let problem = answers.problem { throw problem }
                    answers.calls.append(call)
                }))
        controller.state.now = Instant(nanoseconds: 1_000_000_000_000)
        controller.state.wallTime = WallTime(milliseconds: Cast.noon + 60_000)
        controller.connected()
        answer(.subscribed, ["subscription": 1, "next": 100, "oldest": 1])
        _ = controller.drainEffects()
        answer(
            .newest(asOf: 99, load: 1),
            ["messages": .array(messages.map(\.json)), "hasMore": .bool(hasMore)])
        _ = controller.drainEffects()
    }

    static func message(_ number: Int, _ text: String, from sender: String = Cast.anna) -> Message {
        var message = Cast.message(text, sender == Cast.own ? .delivered : .received)
        let digits = String(number)
        message.id = "019ac0de-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        message.position = "p" + String(1_000 + number)
        message.sender = sender
        message.arrival = Int64(number)
        return message
    }

    func answer(_ request: ChatRequest, _ result: JSONValue) { controller.answered(request, .success(result)) }

    func refuse(_ request: ChatRequest, _ error: RPCError) { controller.answered(request, .failure(error)) }

    /// An event comes as it was recorded, with these fields in place of the recorded ones.
    func happen(_ type: EventType, _ data: JSONValue, change: ChangeKind? = nil, isHostile: Bool = false) {
        seq += 1
        controller.happened(Recorded.event(type, data, change, seq: seq, at: 0, isHostile: isHostile))
    }

    func add(_ message: Message) { happen(.messageAdded, message.json, change: .insert) }

    func press(_ keys: Keystroke...) { for key in keys { controller.pressed(key) } }

    /// Types a line and Enter.
    func write(_ text: String) { press(.text(text), .enter) }

    func pass(_ time: Duration) {
        controller.state.now = controller.state.now + time
        controller.tick()
    }

    /// The requests to the daemon since the last time: methods and parameters.
    func calls() -> [String] {
        controller.drainEffects().compactMap { effect in
            if case .call(let method, let params, _) = effect { return method + " " + JSONValue.object(params).text }
            return nil
        }
    }

    /// The screen as text, without blanks at the ends of lines; the time of day is noon everywhere.
    var screen: String {
        let clock = Humane.timeOfDay(Cast.noon)
        return controller.screen.drawn().screen.rows.map { row in
            var text = Substring(row.text)
            while text.last == " " { text.removeLast() }
            return text.replacing(clock, with: "12:00")
        }.joined(separator: "\n")
    }
}
