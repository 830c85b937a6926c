import Basics
import Reactor

/// Work that is done in pieces, so that other work is not held up. A pause follows each piece while there is more to do, and a
/// rest when there is not.
@ReactorActor package final class Chore {
    private let clocks: any Clocks
    private let log: Logger
    private let piece: @ReactorActor () async throws -> Bool
    private var timer: TimerToken?
    private var isRunning = false
    /// There is new work since the piece that runs has begun.
    private var isWanted = false
    private var isStopped = false

    /// - Parameter piece: does a piece of the work, and returns whether there is more.
    package init(clocks: any Clocks, log: Logger, piece: @escaping @ReactorActor () async throws -> Bool) {
        self.clocks = clocks
        self.log = log
        self.piece = piece
    }

    package func start() { schedule(RuntimeLimits.chore.first) }

    package func stop() {
        isStopped = true
        timer?.cancel()
    }

    /// Ends the rest: there is new work.
    package func wake() {
        if isRunning { isWanted = true } else { schedule(.zero) }
    }

    private func schedule(_ delay: Duration) {
        guard !isStopped else { return }
        timer?.cancel()
        timer = Reactor.shared.schedule(at: clocks.now + delay) { [weak self] in self?.run() }
    }

    private func run() {
        guard !isRunning, !isStopped else { return }
        isRunning = true
        isWanted = false
        Reactor.shared.task { [self] in
            var hasMore = false
            do {
                hasMore = try await piece()
            } catch {
                log.error("old data can't be removed", [("error", "\(error)")])
            }
            isRunning = false
            schedule(hasMore || isWanted ? RuntimeLimits.chore.pause : RuntimeLimits.chore.rest)
        }
    }
}
