import Basics
import Threads

/// The loop of the writing thread: it gathers jobs, runs them in savepoints, writes down what changed, commits once,
/// then calls observers and completions. A lone job doesn't wait: a group is the jobs that came in during the last
/// commit.
final class Writer {
    typealias Observer = @Sendable (CommitRecord, ReadTransaction) -> Void

    private let transaction: WriteTransaction
    private let connection: Connection
    private let clocks: any Clocks
    private let observers: Lock<[Observer]>
    private let checkpointer: Checkpointer
    private let memory: MemoryCache?
    private let room: Lock<Store.Room>
    private let cost: Lock<CommitCost>
    private var lastEventSeq: Int64
    private var prunedAtSeq: Int64
    /// When the clock for the ages of rows was last stored.
    private var keptClock: Instant
    /// How long the last commit took.
    private var commitTook = Duration.zero

    /// A job of the group, and its error if it failed.
    private struct Entry {
        let job: any WriteJob
        var failure: (any Error)?
    }

    init(
        connection: Connection, memory: MemoryCache?, assets: AssetTable = AssetTable(), clocks: any Clocks,
        observers: Lock<[Observer]>, checkpointer: Checkpointer, logEpoch: UUIDv7,
        room: Lock<Store.Room> = Lock(Store.Room()), cost: Lock<CommitCost> = Lock(CommitCost())
    ) throws(StoreError) {
        self.connection = connection
        self.clocks = clocks
        self.observers = observers
        self.checkpointer = checkpointer
        self.room = room
        self.cost = cost
        self.memory = memory
        keptClock = clocks.now
        let state = ReadTransaction(connection)
        lastEventSeq = try state.latestEvent()
        prunedAtSeq = lastEventSeq
        transaction = WriteTransaction(
            connection, memory: memory, assets: assets, clock: HybridClock(latest: try state.latestHybridTime()),
            wallTime: clocks.wallTime, trusted: try state.trustedClock(wall: clocks.wallTime), logEpoch: logEpoch,
            lastOutboxSeq: try state.latestOutboxSeq(),
            lastMessage: try state.latestMessageNumber(), traces: try state.traces(), tally: try state.unaskedTally())
        checkpointer.watch(connection)
    }

    /// Runs jobs until the queue is closed and empty.
    func run(_ queue: JobQueue<any WriteJob>) {
        while let jobs = queue.waitAndDrain() {
            var waiting = jobs[...]
            while !waiting.isEmpty { waiting = runGroup(waiting, more: queue) }
        }
        // The next run continues from this time. If it can't be stored now, the next run counts the time since the last
        // stored one as an absence.
        runNow([
            ClosureWriteJob(
                {
                    try $0.keepTrustedClock()
                    try $0.keepUnasked()
                }, completion: { _ in })
        ])
        connection.close()
    }

    /// Runs these jobs as one group at once: for simulations, which own the connection and the time.
    func runNow(_ jobs: [any WriteJob]) {
        let nothingMore = JobQueue<any WriteJob>()
        var waiting = jobs[...]
        while !waiting.isEmpty { waiting = runGroup(waiting, more: nothingMore) }
    }

    /// Runs and finishes one group.
    /// - Returns: the jobs that did not fit into the group.
    private func runGroup(
        _ jobs: ArraySlice<any WriteJob>, more queue: JobQueue<any WriteJob>
    ) -> ArraySlice<any WriteJob> {
        var waiting = jobs
        var group: [Entry] = []
        var events: [EventRecord] = []
        var rows = ChangedRows()
        do {
            transaction.changes.removeAll()
            transaction.appended.removeAll(keepingCapacity: true)
            transaction.beganEpoch = false
            transaction.triesRoom = false
            transaction.counted = [:]
            let written = connection.rowsWritten
            try connection.run(SQL.begin)
            transaction.trusted.advance(now: clocks.now, wall: clocks.wallTime)
            let deadline = clocks.now + StoreLimits.gathering(after: commitTook)
            // Without a savepoint there is less to write, but a failure undoes the whole group: so this is only for a
            // single job.
            let isAlone = waiting.count == 1
            while let job = waiting.popFirst() {
                let first = group.count
                group.append(Entry(job: job, failure: nil))
                let end = min(first + StoreLimits.jobsPerSavepoint, StoreLimits.jobsPerCommit)
                while job.mayRunTwice, group.count < end, let next = waiting.first, next.mayRunTwice {
                    group.append(Entry(job: next, failure: nil))
                    waiting.removeFirst()
                }
                transaction.wallTime = clocks.wallTime
                if isAlone {
                    group[first].failure = try runAlone(job)
                } else {
                    try runInSavepoint(&group, first..<group.count)
                }
                if isAlone || group.count >= StoreLimits.jobsPerCommit || clocks.now >= deadline { break }
                if waiting.isEmpty { waiting = queue.drain()[...] }
            }
            if connection.isInTransaction {
                events = try recordEvents()
                rows = try ChangedRows(transaction)
                let keepsClock = isClockDue(besides: events)
                if keepsClock { try transaction.keepTrustedClock() }
                let keepsTally = keepsClock || !events.isEmpty && transaction.tally.unkept >= StoreLimits.unaskedUnkept
                if keepsTally { try transaction.keepUnasked() }
                let begun = clocks.now
                try connection.run(SQL.commit)
                commitTook = clocks.now - begun
                cost.withLock { $0.note(commitTook, rows: connection.rowsWritten - written) }
                if keepsClock { keptClock = clocks.now }
                if transaction.beganEpoch { transaction.isEpochKept = true }
                transaction.settleUnasked(isKept: keepsTally)
                if keepsClock || !events.isEmpty { noteRoom(isFull: false) }
            } else if group.contains(where: { $0.failure == nil }) {
                // A job swallowed the error with which SQLite undid everything.
                throw StoreError.inputOutput(detail: "the transaction was undone")
            }
        } catch {
            undo()
            (events, rows) = ([], ChangedRows())
            for index in group.indices where group[index].failure == nil { group[index].failure = error }
            // The transaction did not even begin: all waiting jobs fail now, so that no caller waits for ever.
            if group.isEmpty {
                group = waiting.map { Entry(job: $0, failure: error) }
                waiting = []
            }
        }
        if group.contains(where: { $0.failure as? StoreError == .full }) { noteRoom(isFull: true) }
        announce(events, rows, transaction.drainAppended())
        for entry in group { entry.job.finish(entry.failure) }
        checkpointer.afterCommit()
        return waiting
    }

    /// - Returns: the job's own failure.
    private func runAlone(_ job: any WriteJob) throws(StoreError) -> (any Error)? {
        do {
            try job.run(transaction)
            return nil
        } catch {
            undo()
            return error
        }
    }

    /// Runs one job, or several that may run twice, and notes the failures of their own. A savepoint keeps a copy of each
    /// page that changes after it, so one for each job would cost more than a small job itself.
    /// - Throws: an error if the whole transaction is lost.
    private func runInSavepoint(_ group: inout [Entry], _ range: Range<Int>) throws(StoreError) {
        let mark = transaction.changes.mark
        let appended = transaction.appended.count
        let beganEpoch = transaction.beganEpoch
        let counted = transaction.counted
        try connection.run(SQL.savepoint)
        for index in range {
            let (written, marked) = (connection.rowsWritten, transaction.changes.mark)
            do {
                try group[index].job.run(transaction)
            } catch {
                // A full disk or a failed write may have undone everything, earlier jobs included.
                guard connection.isInTransaction else {
                    throw (error as? StoreError) ?? .sql(code: 0, detail: "\(error)")
                }
                // Most refused jobs have looked at something and written nothing.
                if range.count > 1, connection.rowsWritten == written, transaction.changes.mark == marked {
                    group[index].failure = error
                    continue
                }
                try connection.run(SQL.rollbackToSavepoint)
                try connection.run(SQL.release)
                transaction.changes.rewind(to: mark)
                transaction.beganEpoch = beganEpoch
                transaction.counted = counted
                // There may be fewer items if the job emptied an outbox.
                if transaction.appended.count > appended { transaction.appended.removeSubrange(appended...) }
                transaction.forget()
                guard range.count > 1 else {
                    group[index].failure = error
                    return
                }
                // Only the failed job may be undone, so each runs again by itself.
                for again in range {
                    group[again].failure = nil
                    try runInSavepoint(&group, again..<again + 1)
                }
                return
            }
        }
        try connection.run(SQL.release)
    }

    /// The clock is stored with other changes once a minute, and without them once an hour.
    private func isClockDue(besides events: [EventRecord]) -> Bool {
        if transaction.triesRoom { return true }
        // A group that only reads must not fail because of the clock.
        if events.isEmpty, room.withLock({ $0.isFull }) { return false }
        let pause = events.isEmpty ? StoreLimits.clockKeptAtLeast : StoreLimits.clockKeptWithChanges
        return clocks.now - keptClock >= pause
    }

    private func noteRoom(isFull: Bool) {
        let observer = room.withLock { room -> (@Sendable (Bool) -> Void)? in
            guard room.isFull != isFull else { return nil }
            room.isFull = isFull
            return room.observer
        }
        observer?(isFull)
    }

    private func undo() {
        // If this fails too, the next BEGIN fails, and its jobs get the error.
        if connection.isInTransaction { _ = try? connection.run(SQL.rollback) }
        transaction.changes.removeAll()
        transaction.appended.removeAll(keepingCapacity: true)
        transaction.counted = [:]
        transaction.forget()
    }

    private func recordEvents() throws(StoreError) -> [EventRecord] {
        try transaction.markDependents()
        let at = clocks.wallTime
        var events: [EventRecord] = []
        for (offset, change) in transaction.changes.merged().enumerated() {
            events.append(
                EventRecord(
                    seq: lastEventSeq + Int64(offset) + 1, at: at, object: change.object, change: change.change,
                    parent: change.parent, aspects: change.aspects))
        }
        if !events.isEmpty { try transaction.beginEpoch() }
        try transaction.insert(events)
        let last = lastEventSeq + Int64(events.count)
        if last - prunedAtSeq >= StoreLimits.eventsBetweenPrunes {
            try transaction.pruneEvents()
            prunedAtSeq = last
        }
        return events
    }

    private func announce(_ events: [EventRecord], _ rows: ChangedRows, _ outbox: [OutboxRow]) {
        if let last = events.last { lastEventSeq = last.seq }
        // This comes before all observers and callers hear of the commit, so that their reads find the memory up to date.
        memory?.committed(events)
        let marks = transaction.marks
        transaction.marks = CommitMarks()
        guard !events.isEmpty || !rows.isEmpty || !outbox.isEmpty || marks != CommitMarks() else { return }
        let record = CommitRecord(events: events, outbox: outbox, rows: rows, marks: marks)
        for observer in observers.withLock({ $0 }) { observer(record, transaction) }
    }
}

extension SQL {
    // IMMEDIATE makes the only writer take its lock at once, so that no later statement can find it taken.
    static let begin = SQL("BEGIN IMMEDIATE")
    static let beginSnapshot = SQL("BEGIN")
    static let commit = SQL("COMMIT")
    static let rollback = SQL("ROLLBACK")
    static let savepoint = SQL("SAVEPOINT job")
    static let release = SQL("RELEASE job")
    static let rollbackToSavepoint = SQL("ROLLBACK TO job")
}
