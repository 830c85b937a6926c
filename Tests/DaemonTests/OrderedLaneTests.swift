import Reactor
import Testing

@testable import Daemon
@testable import Runtime

@Suite("The lane that keeps requests of a connection in order")
struct OrderedLaneTests {
    @Test("Requests that come while one is prepared go after it, in the order in which they came")
    @ReactorActor func order() async {
        let lane = AsyncMutex()
        var passed: [Int] = []
        await lane.enter()
        let others = (1...20).map { number in
            Reactor.shared.task {
                if number % 5 == 0 {
                    await lane.enter()
                    passed.append(number)
                    lane.leave()
                } else {
                    await lane.pass()
                    passed.append(number)
                }
            }
        }
        // All of them have to arrive first.
        for _ in 0..<100 { await Task.yield() }
        #expect(passed.isEmpty)
        lane.leave()
        for other in others { await other.value }
        #expect(passed == Array(1...20))
        // The lane is free again.
        await lane.pass()
    }
}
