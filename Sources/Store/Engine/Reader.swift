import Threads

/// The loop of the reading thread: each job gets a snapshot of its own, and never waits for a commit.
final class Reader {
    private let connection: Connection
    private let transaction: ReadTransaction

    init(connection: Connection, memory: MemoryCache?, assets: AssetTable, deadline: Deadline? = nil) {
        self.connection = connection
        transaction = ReadTransaction(connection, memory: memory, assets: assets, deadline: deadline)
        if let deadline { connection.obey(deadline) }
    }

    /// Runs jobs until the queue is closed and empty, and closes the connection.
    func run(_ queue: JobQueue<any ReadJob>) {
        while let jobs = queue.waitAndDrain() {
            for job in jobs { job.run(begin, end) }
        }
        connection.close()
    }

    private func begin() throws -> ReadTransaction {
        // The writer may have deleted a conversation since the last job.
        transaction.conversations.forget()
        transaction.order = nil
        transaction.knownVersion = nil
        transaction.deadline?.restart()
        try connection.run(SQL.beginSnapshot)
        return transaction
    }

    private func end() {
        if connection.isInTransaction { _ = try? connection.run(SQL.commit) }
    }
}
