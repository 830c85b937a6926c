import Basics
import Glibc

/// The names of the files of a repair, and the step that puts a repaired database in the place of the damaged one.
///
/// The new database grows as `kibo.sqlite.repairing`. Once it is complete and on the disk it is renamed to `kibo.sqlite.repaired`.
/// From then on the repair counts, and the next program that opens the data finishes the renaming: the damaged files get names
/// with the time, and the new one gets theirs. So a crash at any moment loses nothing, and the damaged files are never written to.
enum RepairedFile {
    static func growing(_ directory: String) -> String { directory + "/" + Store.fileName + ".repairing" }
    private static func complete(_ directory: String) -> String { directory + "/" + Store.fileName + ".repaired" }

    /// Removes what an earlier repair left if it did not come to its end.
    static func clear(_ directory: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(growing(directory) + suffix) }
    }

    /// Makes the new database count. It must be closed, and its log must be empty.
    static func commit(_ directory: String) throws(StoreError) {
        let path = growing(directory)
        let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw failure(path) }
        try move(path, to: complete(directory))
        try sync(directory)
    }

    /// Carries a repair that counts to its end. Does nothing if there is none.
    /// - Returns: the path of the damaged database; nil if there was nothing to do.
    @discardableResult
    static func finish(_ directory: String) throws(StoreError) -> String? {
        let (database, repaired) = (directory + "/" + Store.fileName, complete(directory))
        var status = stat()
        guard lstat(repaired, &status) == 0 else { return nil }
        // The name comes from the time of the repaired file, so it is the same however often this step is begun again.
        let damaged = "\(database).damaged-\(name(of: status.st_mtim.tv_sec))"
        // The database is renamed before its log: a log that is left alone is found again under its name.
        for suffix in ["", "-wal"] where access(database + suffix, F_OK) == 0 {
            try move(database + suffix, to: damaged + suffix)
        }
        unlink(database + "-shm")
        // The log of the damaged database must never stand beside the new one.
        try sync(directory)
        try move(repaired, to: database)
        try sync(directory)
        return damaged
    }

    private static func name(of seconds: time_t) -> String {
        var seconds = seconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        return "\(day)-\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))"
    }

    static func move(_ path: String, to target: String) throws(StoreError) {
        guard rename(path, target) == 0 else { throw failure(target) }
    }

    static func sync(_ directory: String) throws(StoreError) {
        let file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw failure(directory) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw failure(directory) }
    }

    static func failure(_ path: String) -> StoreError {
        let number = errno
        if DiskRoom.isLacking(number, at: path) { return .full }
        return .cannotOpen(path: path, reason: String(cString: strerror(number)))
    }
}
