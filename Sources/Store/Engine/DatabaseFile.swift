import Basics
import Glibc

/// Makes the directory and the file before SQLite opens them, so that no other user can ever read them, whatever the
/// umask: SQLite gives its log and index the permissions of the database.
enum DatabaseFile {
    /// - Returns: the path of the database in `directory`.
    static func prepare(directory: String) throws(StoreError) -> String {
        if mkdir(directory, 0o700) != 0 && errno != EEXIST { throw failure(directory) }
        // A repair or a restore that counts already may have been interrupted.
        try RepairedFile.finish(directory)
        try RestoredFile.finish(directory)
        let path = directory + "/" + Store.fileName
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(path) }
        defer { Glibc.close(file) }
        guard fchmod(file, 0o600) == 0 else { throw failure(path) }
        return path
    }

    private static func failure(_ path: String) -> StoreError {
        .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
}
