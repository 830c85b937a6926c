import Reactor
import Runtime
import Store

/// What one session's peer makes us read: one thing at a time, so that others have their turn, on a thread for whose
/// answers nobody waits.
@ReactorActor final class ReadLane {
    private let store: Store
    private var waiting: [@ReactorActor () -> Void] = []
    private var isReading = false

    init(store: Store) { self.store = store }

    /// Drops all reads that wait.
    func end() { waiting = [] }

    /// Reads on a snapshot of the store, then calls `then` on the reactor.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Value,
        then: @escaping @ReactorActor (Result<Value, any Error>) -> Void
    ) {
        waiting.append { [store] in
            store.read(
                by: .long, body,
                then: { result in
                    self.isReading = false
                    then(result)
                    self.readNext()
                })
        }
        readNext()
    }

    private func readNext() {
        guard !isReading, !waiting.isEmpty else { return }
        isReading = true
        waiting.removeFirst()()
    }
}
