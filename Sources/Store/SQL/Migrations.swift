/// The numbered steps from an empty file to today's schema. A released step is never changed; a new one is appended.
/// `user_version` holds the number of the last step taken.
enum Migrations {
    /// Step n is at index n − 1.
    static let all: [String] = [
        Migration0001Foundation.sql, Migration0002Conversations.sql, Migration0003Search.sql, Migration0004Cache.sql,
        Migration0005Parts.sql, Migration0006FilePolicy.sql, Migration0007TransferLife.sql, Migration0008LeftOut.sql,
        Migration0009Profile.sql, Migration0010AddressBook.sql, Migration0011Contacts.sql,
        Migration0012ContactIndexes.sql, Migration0013Groups.sql, Migration0014Trees.sql,
        Migration0015DiscoveryKeys.sql,
        Migration0016FormerParts.sql,
        Migration0017TrustedClock.sql,
        Migration0018Epochs.sql,
        Migration0019OldCopies.sql,
        Migration0020NamedAt.sql,
        Migration0021GroupBounds.sql,
        Migration0022GroupFiles.sql,
        Migration0023HeldBack.sql,
        Migration0024ChangedAt.sql,
        Migration0025HostSettings.sql,
        Migration0026RemovedMessages.sql,
        Migration0027Calls.sql,
        Migration0028Outbox.sql,
        Migration0029Requests.sql,
        Migration0030Confirmed.sql,
        Migration0031WireIDs.sql,
        Migration0032Unasked.sql,
        Migration0033Rosters.sql,
        Migration0034Bigrams.sql,
    ]

    /// "KIBO" in the file's header (`PRAGMA application_id`), by which `file(1)` and the store recognise the file.
    static let applicationID: Int64 = 0x4B49_424F

    private static let userVersion = SQL("PRAGMA user_version")
    private static let applicationIDQuery = SQL("PRAGMA application_id")
    private static let objectCount = SQL("SELECT count(*) FROM sqlite_schema")

    /// The number of the last step that the file has taken; 0 for an empty file.
    static func version(of connection: Connection) throws(StoreError) -> Int {
        Int(clamping: try connection.integer(userVersion) ?? 0)
    }

    /// Takes the steps that the file lacks, each in a transaction of its own: a crash leaves a step whole or untaken.
    /// - Parameters:
    ///   - steps: all steps; tests have their own.
    ///   - last: the number of the last step to take; tests make old databases with it.
    ///   - progress: see ``Store/open(directory:clocks:memory:upgrading:)``; not called for a new database.
    static func run(
        _ steps: [String] = all, on connection: Connection, path: String, upTo last: Int = .max,
        progress: @escaping (StoreUpgrade) -> Void = { _ in }
    ) throws(StoreError) {
        let found = try version(of: connection)
        let owner = try connection.integer(applicationIDQuery) ?? 0
        let isEmpty = try connection.integer(objectCount) == 0
        guard owner == applicationID || (isEmpty && owner == 0 && found == 0) else { throw .foreign(path: path) }
        guard found <= steps.count else { throw .newer(found: found, supported: steps.count) }
        let last = min(last, steps.count)
        guard found < last else { return }
        let watch = found > 0 ? UpgradeWatch(of: last, progress) : nil
        connection.watch(watch)
        defer { connection.watch(nil) }
        for number in (found + 1)...last {
            watch?.begin(number)
            try connection.execute("BEGIN IMMEDIATE")
            do {
                try connection.execute(steps[number - 1])
                try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(number)")
                try connection.execute("COMMIT")
            } catch {
                if connection.isInTransaction { try connection.execute("ROLLBACK") }
                throw error
            }
        }
    }
}
