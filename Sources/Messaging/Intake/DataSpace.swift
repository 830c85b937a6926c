import Basics
import Glibc
import Store

/// Whether the disk with the database has room for what peers say. The writing thread asks; it waits for that disk
/// anyway.
package struct DataSpace: Sendable {
    /// Free bytes that an unprivileged user may fill; nil if that can't be told.
    package var free: @Sendable () -> UInt64? = { nil }

    /// Makes a value that knows nothing: there is always room.
    package init() {}

    package init(free: @escaping @Sendable () -> UInt64?) { self.free = free }

    /// Asks the file system of a directory.
    package init(of directory: String) {
        self.init {
            var figures = statvfs()
            return statvfs(directory, &figures) == 0 ? figures.freeBytes : nil
        }
    }

    /// Bytes that one account may say unasked within its day, by the room that is left; nil while there is enough for
    /// all.
    ///
    /// Below the reserve, nobody who has said little today is refused: each account may have had a small part of what
    /// is left, and that part shrinks as the disk fills. The last quarter of the reserve is the user's own.
    package func share(by choices: TransactionSettings, in transaction: ReadTransaction) throws -> Int64? {
        guard let onDisk = free() else { return nil }
        let reserve = min(try choices.freeSpaceReserve(transaction), MessagingLimits.peerSpaceReserve)
        guard onDisk < reserve else { return nil }
        // The database's own empty pages count as room: the user has deleted something there.
        let (free, overflow) = onDisk.addingReportingOverflow(UInt64(clamping: try transaction.emptyBytes()))
        guard !overflow, free < reserve else { return nil }
        let own = reserve / MessagingLimits.ownPartOfReserve
        guard free > own else { return 0 }
        return Int64(clamping: (free - own) / MessagingLimits.partOfRoom)
    }
}
