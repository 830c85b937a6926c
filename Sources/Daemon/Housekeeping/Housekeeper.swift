import Basics
import ControlProtocol
import Network
import Reactor
import Runtime
import Store
import Transfers

/// Removes what is to go, a little at a time: messages of deleted conversations, those that are older than
/// `messages.keepDays`, traces of both; and has the log emptied behind every deletion, so that what was deleted is in no
/// file.
@ReactorActor final class Housekeeper {
    private let environment: Environment
    private let account: CurrentAccount
    private let log: Logger
    private var timer: TimerToken?
    private var emptying: TimerToken?
    private var isRunning = false
    /// Something was deleted while a piece was being removed.
    private var isWanted = false
    /// By when the log is emptied, quiet or not.
    private var emptyLatest: Instant?
    /// When traces were last looked through.
    private var expired: Instant?
    private var look: TimerToken?
    private var isStopped = false

    init(environment: Environment, account: CurrentAccount) {
        self.environment = environment
        self.account = account
        log = environment.log.labelled("housekeeping")
    }

    func start() {
        environment.settings.onChange(SettingsCatalogue.keepDays) { [weak self] _ in self?.wake() }
        schedule(JobLimits.firstHousekeeping)
        lookAtClock()
    }

    func stop() {
        isStopped = true
        timer?.cancel()
        emptying?.cancel()
        look?.cancel()
    }

    /// Lets the clock by which things grow old go on, and know whether they can be read. Every now and then, and when the account
    /// was locked or unlocked.
    func lookAtClock() {
        guard !isStopped else { return }
        let isReadable = !account.isLocked || environment.settings[SettingsCatalogue.historyWhileLocked]
        environment.store.submit {
            $0.setReadable(isReadable)
        } completion: { _ in
        }
        look?.cancel()
        look = Reactor.shared.schedule(at: environment.clocks.now + DaemonLimits.clockLook) { [weak self] in
            self?.lookAtClock()
        }
    }

    /// A commit has deleted something: there may be more to remove, and the log is to be emptied once it is quiet, or at last
    /// when it isn't.
    func deleted() {
        guard !isStopped else { return }
        let now = environment.clocks.now
        let latest = emptyLatest ?? now + DaemonLimits.logEmptyingLatest
        emptyLatest = latest
        emptySoon(at: min(now + DaemonLimits.logEmptying, latest))
        wake()
    }

    private func emptySoon(at time: Instant) {
        guard !isStopped else { return }
        emptying?.cancel()
        emptying = Reactor.shared.schedule(at: time) { [weak self] in
            self?.emptyLatest = nil
            self?.environment.store.emptyLog { [weak self] isDone in
                guard !isDone else { return }
                Reactor.shared.post { self?.emptyAgain() }
            }
        }
    }

    /// Somebody was reading or writing.
    private func emptyAgain() {
        guard emptyLatest == nil else { return }
        emptySoon(at: environment.clocks.now + DaemonLimits.logEmptyingRetry)
    }

    /// Soon: a setting has changed.
    private func wake() {
        if isRunning { isWanted = true } else { schedule(.zero) }
    }

    private func schedule(_ delay: Duration) {
        guard !isStopped else { return }
        timer?.cancel()
        timer = Reactor.shared.schedule(at: environment.clocks.now + delay) { [weak self] in self?.run() }
    }

    /// One piece. The pause behind it lets those in who have something to send.
    private func run() {
        guard !isRunning, !isStopped else { return }
        isRunning = true
        isWanted = false
        let now = environment.clocks.now
        let expires = expired.map { now - $0 >= JobLimits.housekeeping } ?? true
        if expires { expired = now }
        environment.store.commit { transaction in
            if expires { try transaction.expireTraces() }
            if try transaction.removeDoomed(limit: JobLimits.removalsAtOnce) { return true }
            let days = try transaction.setting(SettingsCatalogue.keepDays)
            if days > 0 {
                let age = Duration.seconds(days * 24 * 3600)
                let count = try transaction.removeMessages(olderThan: age, limit: JobLimits.removalsAtOnce)
                if count == JobLimits.removalsAtOnce { return true }
            }
            if try transaction.thinOldMessages() { return true }
            return try transaction.giveBackPages()
        } then: { [weak self] result in
            guard let self else { return }
            isRunning = false
            switch result {
            case .success(let hasMore):
                schedule(hasMore || isWanted ? JobLimits.removalPause : JobLimits.housekeeping)
            case .failure(let error):
                log.error("what is to be removed can't be", [("error", "\(error)")])
                schedule(JobLimits.housekeeping)
            }
        }
    }
}
