/// A job for the writing thread. It runs once and is then finished once.
protocol WriteJob: Sendable {
    /// Whether it may be undone and run again before it is finished.
    var mayRunTwice: Bool { get }
    /// Does the work and keeps its result, or throws.
    func run(_ transaction: WriteTransaction) throws
    /// Tells the caller the result: nil after the commit, else why nothing was changed.
    func finish(_ failure: (any Error)?)
}

extension WriteJob {
    var mayRunTwice: Bool { false }
}

/// The caller owns the job until it submits it, then the store's thread alone owns it; the queue between them orders
/// the hand-over.
final class ClosureWriteJob<T: Sendable>: WriteJob, @unchecked Sendable {
    private let body: @Sendable (WriteTransaction) throws -> T
    private let completion: @Sendable (Result<T, any Error>) -> Void
    private var result: T?
    let mayRunTwice: Bool

    init(
        mayRunTwice: Bool = false, _ body: @escaping @Sendable (WriteTransaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        self.mayRunTwice = mayRunTwice
        self.body = body
        self.completion = completion
    }

    func run(_ transaction: WriteTransaction) throws { result = try body(transaction) }

    func finish(_ failure: (any Error)?) {
        if let failure {
            completion(.failure(failure))
        } else if let result {
            completion(.success(result))
        } else {
            completion(.failure(StoreError.closed))
        }
    }
}

/// A job for the reading thread.
protocol ReadJob: Sendable {
    /// Does the work and tells the caller.
    func run(_ begin: () throws -> ReadTransaction, _ end: () -> Void)
}

/// Runs a closure on a snapshot.
struct ClosureReadJob<T: Sendable>: ReadJob {
    let body: @Sendable (ReadTransaction) throws -> T
    let completion: @Sendable (Result<T, any Error>) -> Void

    func run(_ begin: () throws -> ReadTransaction, _ end: () -> Void) {
        let result = Result { () throws -> T in
            let transaction = try begin()
            defer { end() }
            return try body(transaction)
        }
        completion(result)
    }
}
