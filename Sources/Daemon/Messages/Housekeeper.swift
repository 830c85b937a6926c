import Basics
import ControlProtocol
import Reactor
import Store

/// Removes what is to go, a little at a time: messages of deleted conversations, those that are older than
/// `messages.keepDays`, traces of both; and has the log emptied behind every deletion, so that what was deleted is in no
/// file.
@ReactorActor final class Housekeeper {
    private let context: Context
    private let log: Logger
    private var timer: TimerToken?
    private var emptying: TimerToken?
    private var isRunning = false
    private var isStopped = false

    init(context: Context) {
        self.context = context
        log = context.log.labelled("housekeeping")
    }

    func start() {
        context.settings.onChange(SettingsCatalogue.keepDays) { [weak self] _ in self?.wake() }
        schedule(DaemonLimits.firstHousekeeping)
    }

    func stop() {
        isStopped = true
        timer?.cancel()
        emptying?.cancel()
    }

    /// A commit has deleted something: there may be more to remove, and the log is to be emptied once it is quiet.
    func deleted() {
        guard !isStopped else { return }
        emptying?.cancel()
        emptying = Reactor.shared.schedule(at: context.clocks.now + DaemonLimits.logEmptying) { [weak self] in
            self?.context.store.emptyLog()
        }
        if !isRunning { schedule(.zero) }
    }

    /// Soon: a setting has changed.
    private func wake() { if !isRunning { schedule(.zero) } }

    private func schedule(_ delay: Duration) {
        guard !isStopped else { return }
        timer?.cancel()
        timer = Reactor.shared.schedule(at: context.clocks.now + delay) { [weak self] in self?.run() }
    }

    /// One piece. The pause behind it lets those in who have something to send.
    private func run() {
        guard !isRunning, !isStopped else { return }
        isRunning = true
        context.store.submit { transaction in
            if try transaction.removeDoomed(limit: DaemonLimits.removalsAtOnce) { return true }
            let days = try transaction.setting(SettingsCatalogue.keepDays)
            guard days > 0 else {
                try transaction.expireTraces()
                return false
            }
            let time = transaction.wallTime + .seconds(-days * 24 * 3600)
            let count = try transaction.removeMessages(arrivedBefore: time, limit: DaemonLimits.removalsAtOnce)
            if count == 0 { try transaction.expireTraces() }
            return count == DaemonLimits.removalsAtOnce
        } completion: { [weak self] result in
            Reactor.shared.post {
                guard let self else { return }
                self.isRunning = false
                switch result {
                case .success(let hasMore):
                    self.schedule(hasMore ? DaemonLimits.removalPause : DaemonLimits.housekeeping)
                case .failure(let error):
                    self.log.error("what is to be removed can't be", [("error", "\(error)")])
                    self.schedule(DaemonLimits.housekeeping)
                }
            }
        }
    }
}
