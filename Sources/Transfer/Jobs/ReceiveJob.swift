import Basics
import Crypto

/// Receives one transfer over one connection, blocking on a thread of the caller's. After a broken connection or a
/// crash, a new job with a new plan asks only for what is not on disk yet.
public final class ReceiveJob: @unchecked Sendable {  // Owner: `disk` belongs to the thread of prepare and run.
    private let plan: ReceivePlan
    private let journal: any TransferJournal
    private let clocks: any Clocks
    private let files: any FileLayer
    private let progress: @Sendable (TransferProgress) -> Void
    private let stopSwitch = StopSwitch()
    private var disk: ReceivedParts?

    /// - Parameter progress: called on the thread of ``run(_:)``, at most five times a second, and once at the end.
    public init(
        _ plan: ReceivePlan, journal: any TransferJournal, clocks: any Clocks = SystemClocks(),
        files: any FileLayer = SystemFiles(), progress: @escaping @Sendable (TransferProgress) -> Void
    ) {
        self.plan = plan
        self.journal = journal
        self.clocks = clocks
        self.files = files
        self.progress = progress
    }

    /// Stops the job; any thread may call it. ``prepare()`` or ``run(_:)`` then throws `.cancelled`.
    public func cancel() { stopSwitch.stop() }

    /// Does what needs no sender: recognises a transfer that was finished before a crash, and checks every committed
    /// chunk on disk against its checksum, which takes as long as reading them. Call it before dialling; otherwise
    /// ``run(_:)`` calls it.
    /// - Returns: the outcome if nothing is left to do, so that no connection is needed; otherwise nil.
    public func prepare() throws(TransferFailure) -> ReceiveOutcome? {
        if let outcome = try plan.finishedBefore(journal, files) { return outcome }
        guard disk == nil else { return nil }
        do {
            disk = try plan.partsOnDisk(journal, files) { self.stopSwitch.isStopped }
        } catch {
            throw named(error)
        }
        return nil
    }

    /// Names the folder if the system refuses to write there, because the folder tells the user more than the
    /// operation.
    private func named(_ failure: TransferFailure) -> TransferFailure {
        guard case .io(let error) = failure, error.reason == .notAllowed else { return failure }
        return .io(FileError("can't write to \(ForeignText.escaped(plan.directory))", error.code))
    }

    /// Receives until everything has its final name and the sender knows it. Closes the connection.
    ///
    /// After a failure, received data is committed as far as the disk allows, so that the next job continues from
    /// there.
    public func run(_ connection: BulkConnection) throws(TransferFailure) -> ReceiveOutcome {
        stopSwitch.guardSocket(connection.socket)
        do {
            let outcome: ReceiveOutcome
            if let done = try prepare() {
                // A sender that called does not know it yet.
                outcome = done
                try? connection.send(.done)
            } else {
                let loop = try ReceiveLoop(
                    plan, connection, disk: disk, journal: journal, files: files, clocks: clocks, progress: progress)
                disk = nil
                outcome = try loop.run()
            }
            stopSwitch.release()
            connection.close()
            return outcome
        } catch {
            disk = nil
            let failure = stopSwitch.isStopped ? .cancelled : named(error)
            Self.explain(failure, to: connection)
            stopSwitch.release()
            if failure == .cancelled { connection.close() } else { connection.closeGently() }
            throw failure
        }
    }

    /// Tells the sender why the transfer ends, if the reason is on our side.
    private static func explain(_ failure: TransferFailure, to connection: BulkConnection) {
        switch failure {
        case .interrupted, .peer, .cancelled: break
        case .io where failure.reason == .notAllowed:
            try? connection.send(.failed(.notAllowed, detail: "can't write to its folder"))
        case .sourceChanged, .sourceGone, .noSpace, .invalid, .unsupported, .refused, .io, .journal:
            try? connection.send(.failed(failure.reason, detail: ""))
        }
    }
}
