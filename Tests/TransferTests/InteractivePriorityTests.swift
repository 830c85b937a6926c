import Basics
import Testing

@testable import Transfer

struct InteractivePriorityTests {
    @Test("Files give way only while a message is under way")
    func giving() {
        let way = InteractivePriority()
        let clocks = SystemClocks()
        /// The shortest of several times, because the machine may be busy with other things.
        func shortest(_ body: () -> Void) -> Duration {
            (0..<20).map { _ in
                let begin = clocks.now
                body()
                return clocks.now - begin
            }.min() ?? .zero
        }
        let pause = Duration.microseconds(Int64(TransferLimits.givingWayMicroseconds))
        #expect(shortest { way.give() } < pause)
        let claimed = shortest {
            way.claim()
            way.give()
        }
        #expect(claimed >= pause)
        way.claim()
        let end = clocks.now + TransferLimits.interactivePriority
        while clocks.now <= end { way.give() }
        #expect(shortest { way.give() } < pause)
    }
}
