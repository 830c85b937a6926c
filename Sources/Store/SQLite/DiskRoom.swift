import Glibc

/// Whether a disk is full. SQLite says so of a write that the disk has no room for; of a file that it can't make or lengthen, a
/// quota that is used up, or a synchronisation that finds no room late (network file systems, delayed allocation), it says
/// that input or output failed.
enum DiskRoom {
    /// - Parameters:
    ///   - number: the system's error number of the failure, 0 if SQLite knows of none.
    ///   - path: a file or directory on that disk.
    static func isLacking(_ number: CInt, at path: String) -> Bool {
        if number == ENOSPC || number == EDQUOT { return true }
        // Cleaning up after it may have left another number behind.
        var system = statvfs()
        guard statvfs(path, &system) == 0, system.f_blocks > 0 else { return false }
        let isWithoutInodes = system.f_files > 0 && system.f_favail == 0
        return system.f_bavail == 0 || isWithoutInodes
    }
}
