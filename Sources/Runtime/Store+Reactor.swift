import Reactor
import Store

/// The one way to commit and then apply: what is committed is applied on the reactor before anything that is committed later.
extension Store {
    /// Commits a change, then calls `then` with its result on the reactor. Jobs run in the order of their submission, and the
    /// calls come in the same order.
    ///
    /// - Parameters:
    ///   - isPatient: whether the change may wait a moment to be committed together with others.
    ///   - failed: called on the store's thread if the change was not committed, before the next job begins.
    ///   - then: gets what the body returned, or why it was not committed.
    package func commit<Value: Sendable>(
        isPatient: Bool = false, _ body: @escaping @Sendable (WriteTransaction) throws -> Value,
        failed: (@Sendable () -> Void)? = nil,
        then: @escaping @ReactorActor (Result<Value, any Error>) -> Void
    ) {
        commit(
            isPatient: isPatient, body,
            completion: { result in
                if case .failure = result { failed?() }
                Reactor.shared.post { then(result) }
            })
    }

    /// Commits a change, applies it on the reactor, and resumes the caller after that. A caller alone could not apply it in
    /// time: it may be woken after the callers of later commits.
    ///
    /// - Parameter apply: called with what the body returned; not called if the change was not committed.
    /// - Returns: what `apply` returned.
    /// - Throws: why it was not committed.
    package func commit<Value: Sendable, Output: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value,
        apply: @escaping @ReactorActor (Value) -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            commit(
                body,
                then: { result in
                    switch result {
                    case .success(let value): continuation.resume(returning: apply(value))
                    case .failure(let error): continuation.resume(throwing: error)
                    }
                })
        }
    }

    /// Reads, then calls `then` with the result on the reactor.
    package func read<Value: Sendable>(
        by thread: Store.ReadThread = .common, _ body: @escaping @Sendable (ReadTransaction) throws -> Value,
        then: @escaping @ReactorActor (Result<Value, any Error>) -> Void
    ) {
        read(by: thread, body, completion: { result in Reactor.shared.post { then(result) } })
    }
}
