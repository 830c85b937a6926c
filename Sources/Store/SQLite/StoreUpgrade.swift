import Basics

/// How far the upgrade of an older version's database is.
public struct StoreUpgrade: Hashable, Sendable {
    /// The step that is being taken, and the number of the last one.
    public let step: Int
    public let last: Int
    /// For how long the upgrade has been going on.
    public let elapsed: Duration
}

/// Reports an upgrade when each step begins, and each second while it lasts. It belongs to the thread that upgrades.
final class UpgradeWatch {
    private let last: Int
    private let report: (StoreUpgrade) -> Void
    private let clocks = SystemClocks()
    private let begun: Instant
    private var told: Instant
    private var step = 0

    /// - Parameter last: the number of the last step.
    init(of last: Int, _ report: @escaping (StoreUpgrade) -> Void) {
        (self.last, self.report) = (last, report)
        begun = clocks.now
        told = begun
    }

    func begin(_ step: Int) {
        self.step = step
        tell(clocks.now)
    }

    /// Called again and again while SQLite works.
    func look() {
        let now = clocks.now
        if now - told >= StoreLimits.upgradeToldEvery { tell(now) }
    }

    private func tell(_ now: Instant) {
        told = now
        report(StoreUpgrade(step: step, last: last, elapsed: now - begun))
    }
}
