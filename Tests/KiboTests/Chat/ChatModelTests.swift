import Basics
import ControlProtocol
import Testing

@testable import kibo

struct ChatModelTests {
    private static func message(_ number: Int, _ text: String = "", at place: Int? = nil) -> Message {
        var message = Cast.message(text, .received)
        let digits = String(number)
        message.id = "019ac0de-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        message.position = position(place ?? number) + (place == nil ? "" : "-" + digits)
        return message
    }

    private static func position(_ place: Int) -> String {
        String(repeating: "0", count: 6 - String(place).count) + String(place)
    }

    private static func event(_ seq: Int64, _ type: EventType, _ message: Message) -> Event {
        Recorded.event(type, message.json, seq: seq, at: 0)
    }

    @Test("An event that is older than a page changes nothing, one that is newer stands against it")
    func versions() {
        var model = ChatModel(conversation: Cast.chat, lastSeq: 10)
        let added = model.apply(Self.event(12, .messageChanged, Self.message(1, "new")))
        #expect(added == .added(Self.message(1).id))
        model.applyNewest([Self.message(1, "old"), Self.message(2, "b")], hasMore: false, asOf: 11)
        #expect(model.messages.map(\.text) == ["new", "b"] && model.lastSeq == 12 && model.isLoaded)
        var outcomes = [model.apply(Self.event(11, .messageChanged, Self.message(1, "older")))]
        outcomes.append(model.apply(Self.event(12, .messageChanged, Self.message(1, "new"))))
        #expect(model.lastSeq == 12)
        model.remove(Self.message(1).id)
        outcomes.append(model.apply(Self.event(13, .messageChanged, Self.message(1, "ghost"))))
        #expect(outcomes == [.nothing, .nothing, .nothing])
        #expect(model.messages.map(\.text) == ["b"])
    }

    @Test("Messages older than the loaded part stay out of sight until the pages between are there")
    func holes() {
        var model = ChatModel(conversation: Cast.chat)
        model.applyNewest([Self.message(50), Self.message(51)], hasMore: true, asOf: 0)
        _ = model.apply(Self.event(1, .messageChanged, Self.message(10)))
        #expect(model.count == 2 && model.start == Self.position(50) && model.index(of: Self.message(10).id) == nil)
        model.applyOlder([Self.message(30), Self.message(40)], hasMore: true, asOf: 1)
        #expect(model.count == 4 && model[0]?.id == Self.message(30).id)
        model.applyOlder([Self.message(10), Self.message(20)], hasMore: false, asOf: 1)
        #expect(model.messages.map(\.position) == [10, 20, 30, 40, 50, 51].map(Self.position) && !model.hasOlder)
        #expect(model[-1] == nil && model[6] == nil && model.index(of: Self.message(51).id) == 5)
    }

    @Test("Events of other conversations and other kinds only move the place in the log")
    func others() {
        var model = ChatModel(conversation: Cast.chat)
        var foreign = Self.message(1)
        foreign.conversation = Cast.report
        let events = [
            Self.event(4, .messageAdded, foreign),
            Event(subscription: 1, seq: nil, at: 0, type: "x", change: .update, data: .null),
        ]
        for event in events {
            let outcome = model.apply(event)
            #expect(outcome == .nothing)
        }
        #expect(model.count == 0 && model.lastSeq == 4)
    }

    /// The messages of a daemon, and everything that ever happened to them.
    private struct Server {
        var messages: [String: Message] = [:]
        var log: [Event] = []
        private var count = 0

        mutating func step(_ generator: inout SeededGenerator) {
            let seq = Int64(log.count + 1)
            let known = messages.values.sorted { $0.id < $1.id }
            let dice = Int.random(in: 0..<10, using: &generator)
            if known.isEmpty || dice < 5 {
                count += 1
                // Most come at the end, and a few somewhere before.
                let place = dice == 0 ? Int.random(in: 0...count * 10, using: &generator) : count * 10
                let message = ChatModelTests.message(count, "0", at: place)
                messages[message.id] = message
                log.append(ChatModelTests.event(seq, .messageAdded, message))
                return
            }
            var message = known[Int.random(in: 0..<known.count, using: &generator)]
            if dice == 9 {
                messages[message.id] = nil
                log.append(
                    Recorded.event(
                        .messageRemoved, ["id": .string(message.id), "conversation": .string(Cast.chat)], seq: seq,
                        at: 0))
            } else {
                message.text = String(seq)
                messages[message.id] = message
                log.append(ChatModelTests.event(seq, .messageChanged, message))
            }
        }

        var ordered: [Message] { messages.values.sorted { ($0.position, $0.id) < ($1.position, $1.id) } }

        func page(before: String?, _ limit: Int) -> (messages: [Message], hasMore: Bool) {
            let all = ordered.filter { message in before.map { message.position < $0 } ?? true }
            return (Array(all.suffix(limit)), all.count > limit)
        }
    }

    @Test("Pages and events may cross each other, come twice and late: in the end the model has what the daemon has")
    func property() {
        for seed in 0..<150 {
            var generator = SeededGenerator(seed: UInt64(seed))
            var server = Server()
            for _ in 0..<Int.random(in: 0...30, using: &generator) { server.step(&generator) }
            var model = ChatModel(conversation: Cast.chat, lastSeq: Int64(server.log.count))
            let begin = server.log.count
            var delivered = begin
            // A page on its way: its messages, and the place in the log when it was asked for.
            var newest: (page: (messages: [Message], hasMore: Bool), asOf: Int64)? = (
                server.page(before: nil, 5), model.lastSeq
            )
            var older: (page: (messages: [Message], hasMore: Bool), asOf: Int64)?
            for _ in 0..<120 {
                switch Int.random(in: 0..<8, using: &generator) {
                case 0, 1: server.step(&generator)
                case 2, 3:
                    guard delivered < server.log.count else { continue }
                    _ = model.apply(server.log[delivered])
                    delivered += 1
                case 4:
                    guard delivered > begin else { continue }
                    // An event may come once more, or out of its turn: numbers decide.
                    _ = model.apply(server.log[Int.random(in: begin..<delivered, using: &generator)])
                case 5:
                    guard let arrived = newest else { continue }
                    model.applyNewest(arrived.page.messages, hasMore: arrived.page.hasMore, asOf: arrived.asOf)
                    newest = nil
                    older = nil
                case 6:
                    if let arrived = older {
                        model.applyOlder(arrived.page.messages, hasMore: arrived.page.hasMore, asOf: arrived.asOf)
                        older = nil
                    } else if model.isLoaded, newest == nil, let start = model.start {
                        older = (server.page(before: start, 4), model.lastSeq)
                    }
                default:
                    if newest == nil, Int.random(in: 0..<10, using: &generator) == 0 {
                        newest = (server.page(before: nil, 5), model.lastSeq)
                    }
                }
            }
            if let arrived = newest {
                model.applyNewest(arrived.page.messages, hasMore: arrived.page.hasMore, asOf: arrived.asOf)
            } else if let arrived = older {
                model.applyOlder(arrived.page.messages, hasMore: arrived.page.hasMore, asOf: arrived.asOf)
            }
            for event in server.log[delivered...] { _ = model.apply(event) }
            let expected = server.ordered.filter { message in model.start.map { message.position >= $0 } ?? true }
            let brief = { (messages: [Message]) in messages.map { "\($0.position):\($0.text)" } }
            #expect(brief(model.messages) == brief(expected), "seed \(seed), from \(model.start ?? "the beginning")")
            #expect(model.messages.enumerated().allSatisfy { model.index(of: $0.element.id) == $0.offset })
        }
    }
}
