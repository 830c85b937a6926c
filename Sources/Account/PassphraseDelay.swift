import Basics

/// The wait after wrong passphrases, which doubles with each. It is kept in memory only: a restart takes longer than the first
/// waits.
struct PassphraseDelay {
    /// A user who mistypes doesn't notice the first wait, and a program makes no more than a thousand and a half tries a
    /// day.
    private static let waits = (first: Duration.seconds(1), longest: Duration.seconds(60))

    private var failures = 0
    private var until: Instant?

    /// The time that is left; nil if a passphrase may be tried.
    func wait(now: Instant) -> Duration? {
        guard let until, now < until else { return nil }
        return until - now
    }

    mutating func failed(now: Instant) {
        let doublings = min(failures, 16)
        failures += 1
        until = now + min(Self.waits.first * (1 << doublings), Self.waits.longest)
    }

    mutating func succeeded() {
        failures = 0
        until = nil
    }
}
