import Basics
import CSQLite
import Threads

extension Connection {
    /// Runs `body` in a transaction like those of a daemon. Nobody else may use the database.
    /// - Returns: the report as `body` leaves it.
    func mend(
        _ report: RepairReport, clocks: any Clocks,
        _ body: @escaping @Sendable (WriteTransaction, inout RepairReport) throws -> Void
    ) throws -> RepairReport {
        var random = SystemRandomNumberGenerator()
        let checkpointer = Checkpointer()
        let writer = try Writer(
            connection: self, memory: nil, clocks: clocks, observers: Lock([]), checkpointer: checkpointer,
            logEpoch: UUIDv7(at: clocks.wallTime, using: &random))
        let outcome = Lock<Result<RepairReport, any Error>?>(nil)
        let job = ClosureWriteJob(
            { (transaction: WriteTransaction) in
                var report = report
                try body(transaction, &report)
                return report
            }, completion: { result in outcome.withLock { $0 = result } })
        withExtendedLifetime(checkpointer) { writer.runNow([job]) }
        sqlite3_wal_hook(handle, nil, nil)
        guard let result = outcome.withLock({ $0 }) else { throw StoreError.closed }
        return try result.get()
    }
}
