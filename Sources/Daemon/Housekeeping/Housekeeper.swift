import Account
import Basics
import ControlProtocol
import Messaging
import Reactor
import Runtime
import Store

/// Removes what has to go, a piece at a time: messages of deleted conversations, messages older than `messages.keepDays`, and the
/// traces of both. After each deletion it empties the database's log, so that no file holds what was deleted.
@ReactorActor final class Housekeeper {
    private let environment: Environment
    private let account: CurrentAccount
    private lazy var removal = Chore(
        clocks: environment.clocks, log: environment.log.labelled("housekeeping")
    ) { [weak self] in
        try await self?.removePiece() ?? false
    }
    private var emptying: TimerToken?
    /// When the log is emptied even if deletions go on.
    private var emptyLatest: Instant?
    /// When traces were last looked through.
    private var expired: Instant?
    private var look: TimerToken?
    private let mutes: MuteTimer
    private var isStopped = false
    /// Called when the account no longer counts as one that was made again from its recovery code.
    private let recoveryEnded: @ReactorActor () -> Void

    init(environment: Environment, account: CurrentAccount, recoveryEnded: @escaping @ReactorActor () -> Void) {
        self.recoveryEnded = recoveryEnded
        self.environment = environment
        self.account = account
        mutes = MuteTimer(environment: environment)
    }

    func start() {
        environment.settings.onChange(SettingsCatalogue.keepDays) { [weak self] _ in self?.removal.wake() }
        removal.start()
        mutes.look()
        lookAtClock()
    }

    func stop() {
        isStopped = true
        removal.stop()
        mutes.stop()
        emptying?.cancel()
        look?.cancel()
    }

    /// Advances the clock that measures the ages of rows, and tells it whether rows can be read now. Called regularly,
    /// and when the account is locked or unlocked.
    func lookAtClock() {
        guard !isStopped else { return }
        let isReadable = !account.isLocked || environment.settings[SettingsCatalogue.historyWhileLocked]
        environment.store.commit {
            $0.setReadable(isReadable)
        } completion: { _ in
        }
        if account.isRecovering {
            environment.commits.commit(.recovering) {
                try RecoveryRows.isRecovering(for: MessagingLimits.recovering, in: $0)
            } then: { [weak self] in
                guard let self, !$0, account.isRecovering else { return }
                account.isRecovering = false
                recoveryEnded()
            }
        }
        look?.cancel()
        look = Reactor.shared.schedule(at: environment.clocks.now + HousekeepingLimits.clockLook) { [weak self] in
            self?.lookAtClock()
        }
    }

    /// A commit has muted a conversation for a time.
    func mutedForATime() { mutes.look() }

    /// A commit has deleted something. There may be more to remove, and the log is emptied when no deletion follows for a moment,
    /// or at last while they go on.
    func deleted() {
        guard !isStopped else { return }
        let now = environment.clocks.now
        let latest = emptyLatest ?? now + HousekeepingLimits.logEmptyingLatest
        emptyLatest = latest
        emptySoon(at: min(now + HousekeepingLimits.logEmptying, latest))
        removal.wake()
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

    /// The database was in use.
    private func emptyAgain() {
        guard emptyLatest == nil else { return }
        emptySoon(at: environment.clocks.now + HousekeepingLimits.logEmptyingRetry)
    }

    /// - Returns: whether there is more to remove.
    private func removePiece() async throws -> Bool {
        let now = environment.clocks.now
        let expires = expired.map { now - $0 >= HousekeepingLimits.traces } ?? true
        if expires { expired = now }
        return try await environment.store.commit { transaction in
            if expires { try transaction.expireTraces() }
            let limit = HousekeepingLimits.removalsAtOnce
            if try transaction.removeDoomed(limit: limit) { return true }
            let days = try transaction.setting(SettingsCatalogue.keepDays)
            if days > 0, try transaction.removeMessages(olderThan: .seconds(days * 24 * 3600), limit: limit) == limit {
                return true
            }
            if try transaction.thinOldMessages() { return true }
            return try transaction.giveBackPages()
        }
    }
}
