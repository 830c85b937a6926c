import ControlProtocol
import Testing

@testable import kibo

struct ChatReadingTests {
    @Test(
        "Only what was drawn is marked, from the highest to the lowest; what stands above is counted until it is seen")
    func marking() {
        let messages = (11...50).map { ChatRun.message($0, unread: true) }
        var run = ChatRun(messages, hasMore: true, unread: 45, columns: 80, rows: 12)
        let rows = run.draw()
        // The 12 rows hold two bars, the line being written and nine messages.
        #expect(rows.contains { $0.contains("number 42.") } && !rows.contains { $0.contains("number 41.") })
        #expect(rows[10].hasSuffix("36 unread above · PageUp "))
        let marked = run.requests("conversation.markRead")
        #expect(
            marked == [
                [
                    "id": .string(Cast.chat), "from": .string(messages[31].id), "upTo": .string(messages[39].id),
                    "arrival": 50,
                ]
            ])
        run.draw()
        #expect(run.requests("conversation.markRead").isEmpty)
        run.controller.pressed(.pageUp)
        #expect(run.draw()[10].contains("28 unread above"))
        let next = run.requests("conversation.markRead")
        #expect(next.map { $0["from"] } == [.string(messages[23].id)])
        #expect(next.map { $0["upTo"] } == [.string(messages[31].id)])
    }

    @Test("Unread ones of an older page are no longer counted as beyond it once it is here")
    func olderPage() {
        var run = ChatRun((11...50).map { ChatRun.message($0, unread: true) }, hasMore: true, unread: 45)
        run.draw()
        run.controller.loadOlder()
        run.load((1...10).map { ChatRun.message($0, unread: $0 > 5) })
        #expect(run.draw()[10].contains("36 unread above"))
    }

    @Test("A message that comes in above the visible ones is announced, and stays unread until it is seen")
    func slowClock() {
        var run = ChatRun((1...30).map { ChatRun.message($0 * 2) })
        run.draw()
        _ = run.controller.drainEffects()
        let late = ChatRun.message(5, unread: true, arrival: 99)
        run.happens(.messageAdded, late.json, .insert)
        #expect(run.draw()[10].hasSuffix("1 new above · PageUp "))
        #expect(run.requests("conversation.markRead").isEmpty)
        for _ in 0..<5 {
            run.controller.pressed(.pageUp)
            run.draw()
        }
        #expect(run.requests("conversation.markRead").count == 1)
        #expect(!run.draw()[10].contains("above"))
    }

    @Test("A daemon that can't be told where the seen part begins is told nothing more")
    func olderDaemon() {
        var run = ChatRun([ChatRun.message(1, unread: true)])
        run.draw()
        #expect(run.requests("conversation.markRead").count == 1)
        run.controller.answered(.markedRead, .failure(.invalidParams("unknown parameter from", field: "from")))
        run.happens(.messageAdded, ChatRun.message(2, unread: true).json, .insert)
        run.draw()
        #expect(run.requests("conversation.markRead").isEmpty)
    }
}
