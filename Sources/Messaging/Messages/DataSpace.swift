import Store

/// Whether the disk with the database has room for what peers say. The writing thread asks; it waits for that disk
/// anyhow.
package struct DataSpace: Sendable {
    /// Free bytes that an unprivileged user may fill; nil if that can't be told.
    package var free: @Sendable () -> UInt64? = { nil }

    /// Makes a value that knows nothing: there is always room.
    package init() {}

    package init(free: @escaping @Sendable () -> UInt64?) { self.free = free }

    /// What one account may say unasked within its day, by the room that is left; nil while there is enough for all.
    ///
    /// Below the reserve, nobody is refused who has said little today: each account may have had a small part of what is
    /// left, which shrinks as the disk fills. The last quarter of the reserve is the user's own.
    package func share(by choices: Choices, in transaction: ReadTransaction) throws -> Int64? {
        guard let onDisk = free() else { return nil }
        let reserve = min(try choices.freeSpaceReserve(transaction), MessagingLimits.peerSpaceReserve)
        guard onDisk < reserve else { return nil }
        // The database's own empty pages are room, too: there the user has deleted something.
        let (free, overflow) = onDisk.addingReportingOverflow(UInt64(clamping: try transaction.emptyBytes()))
        guard !overflow, free < reserve else { return nil }
        let own = reserve / MessagingLimits.ownPartOfReserve
        guard free > own else { return 0 }
        return Int64(clamping: (free - own) / MessagingLimits.partOfRoom)
    }
}
