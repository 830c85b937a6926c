/// The numbered steps from an empty file to today's schema. A released step is never changed; a new one is appended.
/// `user_version` holds the number of the last step taken.
enum Migrations {
    /// Step n is at index n − 1.
    static let all: [String] = [
        Schema.sql, Schema.second, Schema.third, Schema.fourth, Schema.fifth, Schema.sixth, Schema.seventh,
        Schema.eighth,
    ]

    /// "Kibo" in the file's header (`PRAGMA application_id`), by which `file(1)` and the store recognise the file.
    static let applicationID: Int64 = 0x4B69_626F
    /// "KIBO", which stood there before the first release. Those schemas had numbers of their own, from 1 to 34.
    private static let unreleasedID: Int64 = 0x4B49_424F

    private static let userVersion = SQL("PRAGMA user_version")
    private static let applicationIDQuery = SQL("PRAGMA application_id")
    private static let objectCount = SQL("SELECT count(*) FROM sqlite_schema")

    /// The number of the last step that the file has taken; 0 for an empty file.
    static func version(of connection: Connection) throws(StoreError) -> Int {
        Int(clamping: try connection.integer(userVersion) ?? 0)
    }

    /// Whether the file is ours and of today's schema.
    static func isToday(_ connection: Connection) throws(StoreError) -> Bool {
        let (owner, version) = (try connection.integer(applicationIDQuery), try version(of: connection))
        return owner == applicationID && version == all.count
    }

    /// Makes sure that a file is a database of Kibo's.
    /// - Parameter owner: its application id.
    static func check(owner: Int64, path: String) throws(StoreError) {
        if owner == unreleasedID { throw .unreleased(path: path) }
        guard owner == applicationID else { throw .foreign(path: path) }
    }

    /// Takes the steps that the file lacks, each in a transaction of its own: a crash leaves a step whole or untaken.
    /// - Parameters:
    ///   - steps: all steps; tests have their own.
    ///   - last: the number of the last step to take: a repair fills a database of the damaged one's version.
    ///   - progress: see ``Store/open(directory:clocks:memory:upgrading:)``; not called for a new database.
    static func run(
        _ steps: [String] = all, on connection: Connection, path: String, upTo last: Int = .max,
        progress: @escaping (StoreUpgrade) -> Void = { _ in }
    ) throws(StoreError) {
        let version = try version(of: connection)
        let owner = try connection.integer(applicationIDQuery) ?? 0
        let isEmpty = try connection.integer(objectCount) == 0
        if !isEmpty || owner != 0 || version != 0 { try check(owner: owner, path: path) }
        guard version <= steps.count else { throw .newer(found: version, supported: steps.count) }
        let last = min(last, steps.count)
        guard version < last else { return }
        let watch = version > 0 ? UpgradeWatch(of: last, progress) : nil
        connection.watch(watch)
        defer { connection.watch(nil) }
        for number in (version + 1)...last {
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
