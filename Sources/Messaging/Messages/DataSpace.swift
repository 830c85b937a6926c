import Store

/// Whether the disk with the database has room for what peers say. The writing thread asks; it waits for that disk
/// anyhow.
package struct DataSpace: Sendable {
    /// Free bytes that an unprivileged user may fill; nil if that can't be told.
    package var free: @Sendable () -> UInt64? = { nil }

    /// Makes a value that knows nothing: there is always room.
    package init() {}

    package init(free: @escaping @Sendable () -> UInt64?) { self.free = free }

    /// Whether so little is free that what peers say is put off.
    package func isFull(by choices: Choices, in transaction: ReadTransaction) throws -> Bool {
        guard let free = free() else { return false }
        let reserve = try choices.freeSpaceReserve(transaction)
        return free < min(reserve, MessagingLimits.peerSpaceReserve)
    }
}
