import Basics
import Reactor
import Runtime
import Store

/// Keeps the index of words behind the messages: not with each message, which would make it wait, but in the pauses, piece
/// by piece; then gets the words of deleted messages off the disk.
///
/// What is still to be done stands in the database. A crash loses nothing, and a start goes on where the end was.
@ReactorActor final class SearchIndexer {
    private let store: Store
    private let clocks: any Clocks
    private let log: Logger
    private var timer: TimerToken?
    private var isWorking = false
    private var isStopped = false
    private var lastCommit: Instant
    /// Since when commits hold up the work.
    private var waitsSince: Instant?
    /// Steps of the purge that runs.
    private var purgeSteps = 0
    private var restUntil: Instant

    /// What one job did.
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

    /// Takes up what the last run left.
    func start() { schedule(after: DaemonLimits.indexPause) }

    func stop() {
        isStopped = true
        timer?.cancel()
    }

    /// Something was committed that may have to be indexed or purged.
    func committed() {
        lastCommit = clocks.now
        if !isWorking { schedule(after: DaemonLimits.indexPause) }
    }

    /// Before a search: indexes what has just come. A long backlog goes on by and by.
    func catchUp() async throws {
        for _ in 0..<DaemonLimits.searchPieces {
            guard try await store.read({ try $0.searchBacklog() }) > 0 else { return }
            let count = try await store.write { try $0.indexMessages(limit: DaemonLimits.indexedAtOnce) }
            if count == 0 { return }
        }
    }

    /// An earlier call stays as it is.
    private func schedule(after pause: Duration) {
        let time = clocks.now + pause
        guard !isStopped, timer.map({ $0.deadline > time }) ?? true else { return }
        timer?.cancel()
        timer = Reactor.shared.schedule(at: time) { [weak self] in
            self?.timer = nil
            self?.work()
        }
    }

    /// A piece of work, if the writer has a pause or had none for too long.
    private func work() {
        let now = clocks.now
        let since = waitsSince ?? now
        if lastCommit + DaemonLimits.indexPause > now, now < since + DaemonLimits.indexLatest {
            waitsSince = since
            return schedule(after: DaemonLimits.indexPause)
        }
        waitsSince = nil
        isWorking = true
        let mayPurge = now >= restUntil
        store.commit { transaction -> Step in
            if try transaction.indexMessages(limit: DaemonLimits.indexedAtOnce) > 0 { return .indexed }
            guard mayPurge else { return .nothing }
            return .purged(try transaction.purgeSearch(pages: DaemonLimits.purge.pages))
        } then: { [weak self] in
            self?.worked($0)
        }
    }

    /// After a purge: as long as it was, and at least for `minimum`.
    private func rest(for minimum: Duration) {
        restUntil = clocks.now + max(DaemonLimits.purge.rest * purgeSteps, minimum)
        purgeSteps = 0
    }

    private func worked(_ result: Result<Step, any Error>) {
        isWorking = false
        switch result {
        case .success(.indexed): schedule(after: .zero)
        case .success(.purged(.going)):
            purgeSteps += 1
            schedule(after: DaemonLimits.purge.pace)
        case .success(.purged(.complete)):
            // Where something is deleted all the time, each purge is followed by the next.
            rest(for: DaemonLimits.purgeRest)
            schedule(after: restUntil - clocks.now)
        case .success(.purged(.clean)): rest(for: .zero)
        // Perhaps there is something to purge after the rest.
        case .success(.nothing): schedule(after: restUntil - clocks.now)
        case .failure(StoreError.closed): break
        case .failure(let error):
            log.error("messages can't be indexed", [("error", "\(error)")])
            schedule(after: DaemonLimits.indexRetry)
        }
    }
}
