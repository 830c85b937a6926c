import Basics

/// The bounds of making and restoring backups, with unit and reason.
enum BackupServiceLimits {
    /// Bytes that are read or written at once: enough that the calls cost nothing.
    static let chunk = 256 << 10
    /// Bytes after which the free space of the disk is looked at again.
    static let roomLook = 4 << 20
    /// A backup of texts takes a quarter of the database (67 of 258 MiB were measured), and pictures come on top. Where not even
    /// this part of the database has room, none is begun.
    static let leastPart: Int64 = 8
    /// A restored database takes four times the file (258 of 67 MiB). Where not even so many times have room, none is begun.
    static let leastTimes: Int64 = 2
    /// A backup that is older is said to be: enough for a habit of one a month.
    static let dueAfter = Duration.seconds(30 * 86_400)
    /// How much the kernel puts other threads before this work; 0 is none, 19 the most.
    static let niceness: Int32 = 5
    /// How long after the reply of a restore the daemon starts again: the reply leaves first.
    static let restartPause = Duration.milliseconds(20)
}
