import Store

extension Store {
    /// Does the same as ``Store/commit(mayRunTwice:_:)`` for threads that may block; never on the reactor or the store's own threads.
    package func commitAndWait<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) throws -> Result {
        let answer = Answer<Result>()
        commit(body, completion: { answer.give($0) })
        return try answer.wait().get()
    }

    /// Does the same as ``Store/read(by:_:)`` for threads that may block; never on the reactor or the store's own threads.
    package func readAndWait<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) throws -> Result {
        let answer = Answer<Result>()
        read(body, completion: { answer.give($0) })
        return try answer.wait().get()
    }
}
