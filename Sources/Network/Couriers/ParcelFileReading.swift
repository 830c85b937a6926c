import Basics
import Messaging
import Reactor
import Threads

/// Reads the files that go with a parcel, and seals them. It ends once: when all are read, or when their disk takes too
/// long; a text doesn't wait for that.
@ReactorActor final class ParcelFileReading {
    private var then: (@ReactorActor ([MadeFile]) -> Void)?
    private var limit: TimerToken?
    private let isOver = Lock(false)

    /// - Parameter then: called once, with the files that were read in time.
    init(then: @escaping @ReactorActor ([MadeFile]) -> Void) { self.then = then }

    /// - Parameter worker: may be held up by a disk that doesn't answer.
    func start(_ plan: PlannedParcel, at time: WallTime, on worker: WorkerThread) {
        let isOver = isOver
        let accepted = worker.submit { [weak self] in
            let files = plan.sealedFiles(at: time) { isOver.withLock { $0 } }
            Reactor.shared.post { self?.end(files) }
        }
        guard accepted else { return end([]) }
        stop(after: NetworkLimits.parcelFileReading)
    }

    /// Ends it soon, with what is read by then.
    func hurry() { stop(after: NetworkLimits.parcelFileHurry) }

    private func stop(after time: Duration) {
        limit?.cancel()
        limit = Reactor.shared.schedule(at: Reactor.shared.now + time) { [weak self] in
            guard let self else { return }
            isOver.withLock { $0 = true }
            // What is read already comes at once, unless the disk doesn't answer.
            limit = Reactor.shared.schedule(at: Reactor.shared.now + NetworkLimits.parcelFileHurry) { [weak self] in
                self?.end([])
            }
        }
    }

    private func end(_ files: [MadeFile]) {
        limit?.cancel()
        guard let then else { return }
        self.then = nil
        then(files)
    }
}
