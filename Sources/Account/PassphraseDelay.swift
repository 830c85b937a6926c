import Basics
import ControlProtocol
import Crypto

/// The wait after wrong passphrases, which doubles with each. It is kept in memory only: a restart takes longer than the first
/// waits.
package struct PassphraseDelay {
    /// A user who mistypes doesn't notice the first wait, and a program makes no more than a thousand and a half tries a
    /// day.
    private static let waits = (first: Duration.seconds(1), longest: Duration.seconds(60))

    private var failures = 0
    private var until: Instant?

    /// One without a wait.
    package init() {}

    /// The time that is left; nil if a passphrase may be tried.
    package func wait(now: Instant) -> Duration? {
        guard let until, now < until else { return nil }
        return until - now
    }

    /// Call after a wrong passphrase.
    package mutating func failed(now: Instant) {
        let doublings = min(failures, 16)
        failures += 1
        until = now + min(Self.waits.first * (1 << doublings), Self.waits.longest)
    }

    /// Call after the right one.
    package mutating func succeeded() {
        failures = 0
        until = nil
    }
}

extension PassphraseDelay {
    /// - Throws: the refusal of a try that comes too early.
    package func check(now: Instant) throws(ControlError) {
        guard let wait = wait(now: now) else { return }
        let seconds = max(1, (wait.milliseconds + 999) / 1000)
        throw ControlError(
            .busy, "a wrong passphrase was given a moment ago",
            hint: .waitBeforeTrying, parameters: ["seconds": .integer(Int64(clamping: seconds))])
    }
}

extension ControlError {
    /// The refusal where the system lacks the memory for a passphrase.
    package static func outOfMemory(_ cost: PassphraseCost) -> ControlError {
        ControlError(
            .busy, "there is not enough free memory: a passphrase takes \(cost.kibibytes >> 10) MiB for a moment",
            hint: .freeMemory, parameters: ["bytes": .integer(Int64(clamping: cost.kibibytes) << 10)])
    }
}
