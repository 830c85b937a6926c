import ControlProtocol
import Threads

/// Work on another thread: how far it is, and its end.
final class BackupWork: Sendable {
    private struct State {
        var isStopped = false
        var progress = BackupStatus.Running(step: .reading, done: 0, total: 0)
    }

    private let state = Lock(State())

    /// Ends the work at its next step.
    func stop() { state.withLock { $0.isStopped = true } }

    /// - Throws: `CancellationError` once it is stopped.
    func check() throws { if state.withLock({ $0.isStopped }) { throw CancellationError() } }

    /// How far it is.
    var progress: BackupStatus.Running { state.withLock { $0.progress } }

    /// Begins a step with this much to do; 0 if that is not known.
    func begin(_ step: BackupStatus.Step, total: Int64 = 0) {
        state.withLock { $0.progress = BackupStatus.Running(step: step, done: 0, total: total) }
    }

    /// More of the step is done.
    func add(_ done: Int) { state.withLock { $0.progress.done += Int64(clamping: done) } }
}
