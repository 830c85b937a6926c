import ControlProtocol
import Testing

@testable import kibo

struct ChatLifeTests {
    private static let other = "019ac0de-0000-7000-8000-000000000002"

    @Test("A panel is wrapped to the width, and everything in it can be reached by scrolling")
    func panels() {
        for columns in [20, 40, 80] {
            var run = ChatRun([ChatRun.message(1)], columns: columns, rows: 8)
            run.enters("/help")
            var seen = ""
            for _ in 0..<60 {
                let rows = run.draw()
                #expect(rows.allSatisfy { DisplayWidth.of($0) <= columns })
                seen += rows.dropFirst().dropLast(2).joined(separator: " ") + " "
                run.controller.pressed(.pageDown)
            }
            let words = Set(seen.split(separator: " "))
            for name in SlashCommand.Name.allCases {
                let missing = "\(name.help.usage) \(name.help.meaning)".split(separator: " ").filter {
                    // A word that is wider than the screen is broken.
                    $0.count < columns - 2 && !words.contains($0)
                }
                #expect(missing.isEmpty, "\(missing) at \(columns)")
            }
        }
    }

    @Test("Lines are broken between words, whatever their inks, and none is too wide")
    func wrapping() {
        var line = StyledLine("12:00  ", .dim)
        line.append("handed over to the next one, ")
        line.append("日本語日本語日本語", .match)
        line.append(" waits\nfor Anna")
        let lines = line.wrapped(to: 24, indent: 7)
        #expect(lines.map(\.text).first == "12:00  handed over to ")
        #expect(lines.allSatisfy { $0.width <= 24 })
        #expect(lines.dropFirst().allSatisfy { $0.text.hasPrefix("       ") })
        let bare = lines.map(\.text).joined().filter { $0 != " " }
        #expect(bare == line.text.filter { $0 != " " && $0 != "\n" })
        #expect(StyledLine().wrapped(to: 10).count == 1)
        #expect(StyledLine("abc def").wrapped(to: 3).map(\.text) == ["abc", "def"])
    }

    @Test("A conversation that is deleted leaves the screen, and the next message begins a new one, which is followed")
    func deleted() {
        var run = ChatRun([ChatRun.message(1)])
        run.happens(.conversationChanged, ["id": .string(Cast.chat)], .delete)
        let rows = run.draw()
        #expect(!rows.contains { $0.contains("number 1.") })
        #expect(rows.contains { $0.contains("This conversation was deleted. What you write starts a new one.") })
        _ = run.controller.drainEffects()
        run.enters("again")
        let sent = run.requests("message.send")
        #expect(sent == [["to": .string(Cast.anna), "key": "key1", "text": "again"]])
        var message = ChatRun.message(2)
        message.conversation = Self.other
        message.sender = Cast.own
        message.text = "again"
        run.answer(.sent(key: "key1", asOf: 1), message.json)
        #expect(run.controller.state.model.conversation == Self.other && !run.controller.state.isDeleted)
        run.load([message])
        #expect(run.draw().contains { $0.contains("again") })
        run.enters("more")
        #expect(run.requests("message.send").first?["conversation"] == .string(Self.other))
    }

    @Test("The new conversation of the same contact is followed when it appears, and that of another contact is not")
    func following() {
        for type in [EventType.conversationChanged, .contactChanged] {
            var run = ChatRun([ChatRun.message(1)])
            run.happens(.conversationChanged, ["id": .string(Cast.chat)], .delete)
            var chat = Cast.conversations[0]
            chat.id = Self.other
            chat.contact = Cast.bob
            run.happens(.conversationChanged, chat.json, .insert)
            #expect(run.controller.state.isDeleted)
            _ = run.controller.drainEffects()
            chat.contact = Cast.anna
            var contact = Cast.contacts[0]
            contact.conversation = Self.other
            run.happens(type, type == .contactChanged ? contact.json : chat.json)
            #expect(!run.controller.state.isDeleted)
            #expect(run.requests("message.list").map { $0["conversation"] } == [.string(Self.other)])
        }
    }

    @Test("Deleting for all needs the message's name; deleting here says what went; an old error goes with a success")
    func deleting() {
        var own = ChatRun.message(2)
        own.sender = Cast.own
        own.state = .queued
        own.recipients = [.init(id: Cast.anna, state: .queued, at: Cast.noon)]
        var run = ChatRun([ChatRun.message(1), own])
        _ = run.controller.drainEffects()
        run.enters("/delete all")
        #expect(run.draw().contains { $0.contains("Which message should be deleted for everyone?") })
        #expect(run.requests("message.delete").isEmpty)
        run.controller.pressed(.control("c"))
        run.enters("/ids")
        #expect(!run.draw().contains { $0.contains("Which message") })
        run.enters("/delete #0002 all")
        #expect(run.requests("message.delete") == [["id": .string(own.id), "for": "all"]])
        run.enters("/delete")
        let request = run.controller.drainEffects().compactMap { effect -> ChatRequest? in
            if case .call("message.delete", _, let request) = effect { request } else { nil }
        }
        #expect(request.count == 1)
        if let request = request.first { run.answer(request, own.json) }
        #expect(
            run.controller.state.notice?.text.hasPrefix("Deleted here: number 2. · 1 message to Anna was") == true)
    }
}
