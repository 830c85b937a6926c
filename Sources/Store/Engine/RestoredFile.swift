import Basics
import Glibc

/// The names of the files of a restore, and the step that puts the restored database in the place of the empty one.
///
/// The database grows as `kibo.sqlite.restoring`. Once it is complete and on the disk it is renamed to `kibo.sqlite.restored`.
/// From then on the restore counts, and the next program that opens the data finishes it. So a crash before leaves the daemon
/// without an account that was there, and one after leaves a complete one.
enum RestoredFile {
    static func growing(_ directory: String) -> String { directory + "/" + Store.fileName + ".restoring" }
    private static func complete(_ directory: String) -> String { directory + "/" + Store.fileName + ".restored" }

    /// Removes what a restore left that did not come to its end.
    static func clear(_ directory: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(growing(directory) + suffix) }
    }

    /// Makes the restored database count. It must be closed, and its log must be empty.
    static func commit(_ directory: String) throws(StoreError) {
        let path = growing(directory)
        let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw RepairedFile.failure(path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw RepairedFile.failure(path) }
        try RepairedFile.move(path, to: complete(directory))
        try RepairedFile.sync(directory)
    }

    /// Carries a restore that counts to its end, and removes what is left of one that doesn't. The database that makes room
    /// had no account.
    static func finish(_ directory: String) throws(StoreError) {
        clear(directory)
        let (database, restored) = (directory + "/" + Store.fileName, complete(directory))
        guard access(restored, F_OK) == 0 else { return }
        // The log of the old database must never stand beside the new one.
        for suffix in ["-wal", "-shm", ""] where unlink(database + suffix) != 0 && errno != ENOENT {
            throw RepairedFile.failure(database + suffix)
        }
        try RepairedFile.sync(directory)
        try RepairedFile.move(restored, to: database)
        try RepairedFile.sync(directory)
    }
}

extension Store {
    /// Where the database of a restore grows, beside the one in use. What an earlier restore left there is removed.
    public static func beginRestore(directory: String) -> String {
        RestoredFile.clear(directory)
        return RestoredFile.growing(directory)
    }

    /// Removes the database of a restore that failed.
    public static func abandonRestore(directory: String) { RestoredFile.clear(directory) }

    /// Makes the restored database count: the next start of the daemon finds it. It must be closed.
    /// - Throws: ``StoreError/full``, ``StoreError/cannotOpen(path:reason:)``. Nothing counts then.
    public static func commitRestore(directory: String) throws(StoreError) { try RestoredFile.commit(directory) }
}
