import Basics
import Testing

@testable import HTTP

@Suite("Connections in want of room and of time")
struct ConnectionTableTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test(
        "The oldest without a complete head makes way, then the one that was idle for the longest; one with a request never"
    )
    func giveUp() {
        var table = ConnectionTable<Int>()
        table.set(1, .request, until: nil)
        table.set(2, .between, until: start)
        table.set(3, .head, until: start)
        table.set(4, .head, until: start)
        table.set(5, .between, until: start)
        // It was idle, and has begun another request meanwhile.
        table.set(6, .between, until: start)
        table.set(6, .request, until: nil)
        #expect((1...5).map { _ in table.giveUp() } == [3, 4, 2, 5, nil])
        #expect(table.count == 6 && table.stage(of: 3) == .ending)
        table.remove(3)
        #expect(table.count == 5 && table.stage(of: 3) == nil)
    }

    @Test("A stage begins anew each time: who was idle just now is the last to go")
    func order() {
        var table = ConnectionTable<Int>()
        for id in 1...3 { table.set(id, .between, until: nil) }
        table.set(1, .between, until: nil)
        #expect(table.oldest(.silent) == nil && table.oldest(.silent, .between) == 2)
        #expect((1...3).map { _ in table.giveUp() } == [2, 3, 1])
    }

    @Test("Deadlines come in their order, each once, and a later one takes the place of an earlier one")
    func deadlines() {
        var table = ConnectionTable<Int>()
        table.set(1, .silent, until: start + .seconds(2))
        table.set(2, .silent, until: start + .seconds(3))
        table.set(3, .request, until: nil)
        table.set(4, .head, until: start + .seconds(1))
        table.set(4, .head, until: start + .seconds(10))
        #expect(table.next == start + .seconds(2))
        #expect(table.due(start + .seconds(1)).isEmpty)
        #expect(table.due(start + .seconds(3)) == [1, 2])
        #expect(table.due(start + .seconds(9)).isEmpty && table.next == start + .seconds(10))
        #expect(table.due(start + .seconds(60)) == [4] && table.next == nil)
        // What ends makes no way a second time.
        #expect(table.giveUp() == nil)
    }

    @Test("A flood keeps its bound of work and room: thousands come and go, the newest stay")
    func flood() {
        var table = ConnectionTable<Int>()
        for id in 1...5_000 {
            if table.count == 64, let oldest = table.giveUp() { table.remove(oldest) }
            table.set(id, .head, until: start)
        }
        #expect(table.count == 64 && table.oldest(.head) == 4_937)
    }
}
