import Store

extension Store {
    /// Does the same as ``write(_:)`` for threads that may block; never on the reactor or the store's own threads.
    package func writeAndWait<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) throws -> Result {
        let answer = Answer<Result>()
        submit(body) { answer.give($0) }
        return try answer.wait().get()
    }

    /// Does the same as ``read(_:)`` for threads that may block; never on the reactor or the store's own threads.
    package func readAndWait<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) throws -> Result {
        let answer = Answer<Result>()
        submitRead(body) { answer.give($0) }
        return try answer.wait().get()
    }
}
