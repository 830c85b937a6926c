import Basics
import Glibc

/// Makes the directory and the file before SQLite opens them, so that no other user can ever read them, whatever the
/// umask: SQLite gives its log and index the permissions of the database.
enum DatabaseFile {
    /// - Returns: the path of the database in `directory`.
    static func prepare(directory: String) throws(StoreError) -> String {
        if mkdir(directory, 0o700) != 0 && errno != EEXIST { throw failure(directory) }
        // A repair that counts already may have been interrupted.
        try RepairedFile.finish(directory)
        let path = directory + "/" + Store.fileName
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(path) }
        defer { Glibc.close(file) }
        guard fchmod(file, 0o600) == 0 else { throw failure(path) }
        return path
    }

    /// - Returns: bytes of the database, and free bytes on its disk; both are 0 if the system doesn't tell.
    static func room(_ path: String) -> (size: Int64, free: Int64) {
        var status = stat()
        var system = statvfs()
        guard stat(path, &status) == 0, statvfs(path, &system) == 0 else { return (0, 0) }
        return (Int64(status.st_size), Int64(clamping: system.freeBytes))
    }

    private static func failure(_ path: String) -> StoreError {
        .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
}
