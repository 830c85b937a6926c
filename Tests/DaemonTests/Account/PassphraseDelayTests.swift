import Basics
import Testing

@testable import Account

struct PassphraseDelayTests {
    @Test("Each wrong passphrase doubles the wait, up to the longest; a right one ends it")
    func grows() {
        var delay = PassphraseDelay()
        var now = Instant(nanoseconds: 1_000)
        #expect(delay.wait(now: now) == nil)
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            delay.failed(now: now)
            #expect(delay.wait(now: now) == .seconds(seconds))
            now = now + .seconds(seconds)
            #expect(delay.wait(now: now) == nil)
        }
        for _ in 0..<1_000 { delay.failed(now: now) }
        #expect(delay.wait(now: now) == .seconds(60))
        delay.succeeded()
        #expect(delay.wait(now: now) == nil)
        delay.failed(now: now)
        #expect(delay.wait(now: now) == .seconds(1))
    }
}
