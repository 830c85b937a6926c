import Basics
import ControlProtocol
import PeerProtocol
import Reactor
import Store

/// Removes what has lain too long: received files that nobody has used for `files.keepDays`, and parts whose sender has not
/// been heard of for a month. A little at a time, on the thread that blocks on files, in the rhythm of the
/// ``Housekeeper``.
@ReactorActor final class Retention {
    private unowned let context: Context
    private let log: Logger
    private var timer: TimerToken?
    private var isRunning = false
    private var isWanted = false
    private var isStopped = false
    /// How far the files have been looked through.
    private var position: ListPosition?
    private var clock = ClockWatch(tolerance: DaemonLimits.clockStep)
    /// Somebody has just chosen how old things may get.
    private var isAsked = false

    init(context: Context) {
        self.context = context
        log = context.log.labelled("retention")
    }

    func start() {
        context.settings.onChange(SettingsCatalogue.filesKeepDays) { [weak self] _ in self?.wake() }
        schedule(DaemonLimits.firstHousekeeping)
    }

    func stop() {
        isStopped = true
        timer?.cancel()
    }

    /// Soon: a setting has changed.
    private func wake() {
        position = nil
        isAsked = true
        if isRunning { isWanted = true } else { schedule(.zero) }
    }

    private func schedule(_ delay: Duration) {
        guard !isStopped else { return }
        timer?.cancel()
        timer = Reactor.shared.schedule(at: context.clocks.now + delay) { [weak self] in self?.run() }
    }

    private func run() {
        guard !isRunning, !isStopped else { return }
        isRunning = true
        isWanted = false
        Task { @ReactorActor in
            var hasMore = false
            do {
                // By a clock that was just set everything may look old: then the next look decides.
                let isSteady = clock.isSteady(now: context.clocks.now, wall: context.clocks.wallTime)
                if position != nil || isSteady || isAsked {
                    isAsked = false
                    try await giveUp()
                    hasMore = try await removeFiles()
                }
            } catch {
                log.error("what is to be removed can't be", [("error", "\(error)")])
            }
            isRunning = false
            if !hasMore { position = nil }
            schedule(hasMore || isWanted ? DaemonLimits.removalPause : DaemonLimits.housekeeping)
        }
    }

    // MARK: Parts

    /// Fails what waits for somebody who has been away for too long.
    private func giveUp() async throws {
        let time = context.clocks.wallTime + (.zero - DaemonLimits.partAge)
        let here = Set(context.contacts.all.keys.filter { context.contacts.isOnline($0) })
        let rows = try await context.store.write { transaction in
            try Self.giveUp(since: time, here: here, in: transaction)
        }
        for row in rows { context.transfers.peerChanged(row) }
    }

    /// Written as a failure that the other side is told of, so that both know when it comes back after all.
    nonisolated static func giveUp(
        since time: WallTime, here: Set<AccountID>, in transaction: WriteTransaction
    ) throws -> [TransferRow] {
        let found = try transaction.abandonedTransfers(since: time, limit: DaemonLimits.removalsAtOnce)
        return try found.filter { !here.contains($0.peer) }.map { row in
            var row = row
            row.state = .failed
            row.reason = ErrorKind.offline.rawValue
            row.detail =
                "nothing was heard of the other side for \(DaemonLimits.partAge.components.seconds / 86_400) days"
            row.finishedAt = transaction.wallTime
            try transaction.update(row)
            let refusal = Refusal(ReasonKind(rawValue: ErrorKind.offline.rawValue) ?? .internal, detail: row.detail)
            try FileFrames.status(.failed, of: row, refusal: refusal, in: transaction)
            return row
        }
    }

    // MARK: Files

    /// A page of them.
    /// - Returns: whether there are more.
    private func removeFiles() async throws -> Bool {
        let days = context.settings[SettingsCatalogue.filesKeepDays]
        guard days > 0 else { return false }
        let time = context.clocks.wallTime + .seconds(-days * 24 * 3600)
        let position = position
        let rows = try await context.store.read {
            try $0.keptFiles(finishedBefore: time, after: position, limit: DaemonLimits.filesLookedAtOnce)
        }
        guard let last = rows.last, let finishedAt = last.finishedAt else { return false }
        self.position = ListPosition(time: finishedAt, id: last.id)
        // What somebody has put into a place of their own is theirs.
        let directory = context.settings[SettingsCatalogue.filesDownloadDirectory]
        let removed = try await context.files.run {
            rows.filter { KeptFile.lies($0, in: directory) && KeptFile.remove($0, usedBefore: time) == .removed }
                .map(\.id)
        }
        if !removed.isEmpty {
            try await context.store.write { transaction in
                for id in removed {
                    guard var row = try transaction.transfer(id) else { continue }
                    row.life.removedAt = transaction.wallTime
                    try transaction.update(row)
                }
            }
            log.info("files were removed for their age", [("count", "\(removed.count)"), ("days", "\(days)")])
        }
        return rows.count == DaemonLimits.filesLookedAtOnce
    }
}
