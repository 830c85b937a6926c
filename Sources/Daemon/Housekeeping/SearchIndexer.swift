import Basics
import Reactor
import Store

/// Brings the index of words up to date piece by piece while the writer is idle, so that no message waits for it. Then it removes
/// the words of deleted messages from the disk.
///
/// The database knows what is left to do: a crash loses nothing, and the next start goes on.
@ReactorActor final class SearchIndexer {
    private let store: Store
    private let clocks: any Clocks
    private let log: Logger
    private var timer: TimerToken?
    private var isWorking = false
    private var isStopped = false
    private var lastCommit: Instant
    /// The time since which commits hold up the work.
    private var waitsSince: Instant?
    /// Steps of the purge that runs.
    private var purgeSteps = 0
    private var restUntil: Instant

    /// What one piece of work did.
    private enum Step {
        case indexed, purged(PurgeProgress), nothing
    }

    init(store: Store, clocks: any Clocks, log: Logger) {
        self.store = store
        self.clocks = clocks
        self.log = log.labelled("search")
        lastCommit = clocks.now
        restUntil = clocks.now
    }

    /// Goes on where the last run ended.
    func start() { schedule(after: HousekeepingLimits.indexPause) }

    func stop() {
        isStopped = true
        timer?.cancel()
    }

    /// A commit may have made work.
    func committed() {
        lastCommit = clocks.now
        if !isWorking { schedule(after: HousekeepingLimits.indexPause) }
    }

    /// Indexes the newest messages before a search. It doesn't wait for the end of a long backlog.
    func catchUp() async throws {
        for _ in 0..<HousekeepingLimits.searchPieces {
            guard try await store.read({ try $0.searchBacklog() }) > 0 else { return }
            let count = try await store.commit { try $0.indexMessages(limit: HousekeepingLimits.indexedAtOnce) }
            if count == 0 { return }
        }
    }

    /// A call that is scheduled earlier stays.
    private func schedule(after pause: Duration) {
        let time = clocks.now + pause
        guard !isStopped, timer.map({ $0.deadline > time }) ?? true else { return }
        timer?.cancel()
        timer = Reactor.shared.schedule(at: time) { [weak self] in
            self?.timer = nil
            self?.work()
        }
    }

    /// Does a piece of work, if the writer is idle or was busy for too long.
    private func work() {
        let now = clocks.now
        let since = waitsSince ?? now
        if lastCommit + HousekeepingLimits.indexPause > now, now < since + HousekeepingLimits.indexLatest {
            waitsSince = since
            return schedule(after: HousekeepingLimits.indexPause)
        }
        waitsSince = nil
        isWorking = true
        let mayPurge = now >= restUntil
        store.commit { transaction -> Step in
            if try transaction.indexMessages(limit: HousekeepingLimits.indexedAtOnce) > 0 { return .indexed }
            guard mayPurge else { return .nothing }
            return .purged(try transaction.purgeSearch(pages: HousekeepingLimits.purge.pages))
        } then: { [weak self] in
            self?.worked($0)
        }
    }

    /// Rests after a purge: as long as it took, and at least for `minimum`.
    private func rest(for minimum: Duration) {
        restUntil = clocks.now + max(HousekeepingLimits.purge.rest * purgeSteps, minimum)
        purgeSteps = 0
    }

    private func worked(_ result: Result<Step, any Error>) {
        isWorking = false
        switch result {
        case .success(.indexed): schedule(after: .zero)
        case .success(.purged(.going)):
            purgeSteps += 1
            schedule(after: HousekeepingLimits.purge.pace)
        case .success(.purged(.complete)):
            // Where something is deleted all the time, each purge is followed by the next.
            rest(for: HousekeepingLimits.purgeRest)
            schedule(after: restUntil - clocks.now)
        case .success(.purged(.clean)): rest(for: .zero)
        // Perhaps there is something to purge after the rest.
        case .success(.nothing): schedule(after: restUntil - clocks.now)
        case .failure(StoreError.closed): break
        case .failure(let error):
            log.error("messages can't be indexed", [("error", "\(error)")])
            schedule(after: HousekeepingLimits.indexRetry)
        }
    }
}
