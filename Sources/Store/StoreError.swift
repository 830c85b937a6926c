/// The errors of the store, and what the user can do about each.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The directory or the file can't be made, opened or read: look at its owner and permissions.
    case cannotOpen(path: String, reason: String)
    /// The file is another program's database: name another directory.
    case foreign(path: String)
    /// The database is from before the first release, and nothing reads it any more: move it away.
    case unreleased(path: String)
    /// The file is damaged or no database at all: repair it, or put a copy back.
    case corrupt(detail: String)
    /// The database was written by a newer Kibo: install that version.
    case newer(found: Int, supported: Int)
    /// The disk is full; nothing was changed. The store works again once there is space.
    case full
    /// The disk failed to read or write.
    case inputOutput(detail: String)
    /// Another process holds the database for longer than ``StoreLimits/busyTimeout``.
    case busy
    /// A search took longer than ``StoreLimits/searchTime``: look for rarer words.
    case tooLong
    /// A change that the schema doesn't allow: an error of the caller, nothing was changed.
    case constraint(detail: String)
    /// A row that the change needs does not exist.
    case missing(StoredObject)
    /// SQLite reports another error: its result code and text.
    case sql(code: Int32, detail: String)
    /// The system can't start another thread.
    case noThread(detail: String)
    /// The store was closed before the job could run.
    case closed

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open \(path): \(reason)"
        case .foreign(let path): "\(path) is not a Kibo database"
        case .unreleased(let path):
            "\(path) is from a Kibo before its first release, which this one can't read; move the whole data directory away, "
                + "and start again with a new account"
        case .corrupt(let detail):
            "the database is damaged (\(detail)); kibo doctor --repair saves what can be read, or put a copy back"
        case .newer(let found, let supported):
            "the database has version \(found), this Kibo knows up to \(supported); install a newer Kibo"
        case .full: "the disk is full"
        case .inputOutput(let detail): "the disk failed: \(detail)"
        case .busy: "another process is using the database"
        case .tooLong: "the search takes too long"
        case .constraint(let detail): "refused by the database: \(detail)"
        case .missing(let object): "there is no \(object)"
        case .sql(let code, let detail): "SQLite error \(code): \(detail)"
        case .noThread(let detail): detail
        case .closed: "the store is closed"
        }
    }
}
