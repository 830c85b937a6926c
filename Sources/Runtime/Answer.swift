import Threads

/// A result that one thread gives and another waits for, once.
package final class Answer<Value: Sendable>: Sendable {
    private let queue = JobQueue<Result<Value, any Error>>()

    package init() {}

    /// Gives the result; only the first counts.
    package func give(_ result: Result<Value, any Error>) {
        _ = queue.put(result)
        queue.close()
    }

    /// Blocks until there is one. Never call it in the cooperative pool or on the reactor.
    package func wait() -> Result<Value, any Error> {
        guard let result = queue.waitAndDrain()?.first else { preconditionFailure("an answer is waited for once") }
        return result
    }
}
