import Basics

/// The wait after wrong passphrases, which doubles with each. It is kept in memory only: a restart takes longer than the first
/// waits.
struct PassphraseDelay {
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
        until = now + min(AccountLimits.passphraseDelay.first * (1 << doublings), AccountLimits.passphraseDelay.longest)
    }

    mutating func succeeded() {
        failures = 0
        until = nil
    }
}
