import Glibc

/// Tells whether a disk is full. SQLite reports a full disk only for a write without room. If it can't make or lengthen
/// a file, a quota is used up, or a synchronisation finds no room late (network file systems, delayed allocation), it
/// reports a failure of input or output.
enum DiskRoom {
    /// - Parameters:
    ///   - number: the system's error number of the failure; 0 if SQLite has none.
    ///   - path: a file or directory on that disk.
    static func isLacking(_ number: CInt, at path: String) -> Bool {
        if number == ENOSPC || number == EDQUOT { return true }
        // Cleaning up after the failure may have left another error number.
        var system = statvfs()
        guard statvfs(path, &system) == 0, system.f_blocks > 0 else { return false }
        let isWithoutInodes = system.f_files > 0 && system.f_favail == 0
        return system.f_bavail == 0 || isWithoutInodes
    }
}
