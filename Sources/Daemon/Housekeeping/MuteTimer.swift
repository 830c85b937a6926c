import Basics
import Reactor
import Runtime
import Store

/// Ends the muting of conversations that were muted for a time. The database knows when each ends, so that a restart
/// forgets nothing.
@ReactorActor final class MuteTimer {
    private let environment: Environment
    private let log: Logger
    private var timer: TimerToken?
    private var isLooking = false
    /// A conversation was muted while the database was looked at.
    private var isStale = false
    private var isStopped = false

    init(environment: Environment) {
        self.environment = environment
        log = environment.log.labelled("housekeeping")
    }

    func stop() {
        isStopped = true
        timer?.cancel()
    }

    /// Unmutes what is to be unmuted now, and sets the timer for what comes next. Called at the start, and when a
    /// conversation was muted for a time.
    func look() {
        guard !isStopped else { return }
        guard !isLooking else { return isStale = true }
        isLooking = true
        timer?.cancel()
        let now = environment.clocks.wallTime
        environment.store.commit { transaction in
            // Most daemons have nothing to end: a commit that changes nothing writes nothing.
            let next = try transaction.nextMuteEnd()
            guard let next, next <= now else { return next }
            _ = try transaction.endMutes(at: now, limit: HousekeepingLimits.mutesAtOnce)
            return try transaction.nextMuteEnd()
        } then: { [weak self] in
            self?.looked($0)
        }
    }

    private func looked(_ result: Result<WallTime?, any Error>) {
        isLooking = false
        guard !isStopped else { return }
        if isStale {
            isStale = false
            return look()
        }
        var pause = HousekeepingLimits.muteLook
        switch result {
        case .success(nil), .failure(StoreError.closed): return
        case .success(let next?):
            let left = Duration.milliseconds(max(next.milliseconds - environment.clocks.wallTime.milliseconds, 0))
            pause = min(pause, left)
        case .failure(let error): log.error("muting can't be ended", [("error", "\(error)")])
        }
        timer = Reactor.shared.schedule(at: environment.clocks.now + pause) { [weak self] in self?.look() }
    }
}
