import PeerProtocol
import Store
import Vocabulary

/// What the user has chosen, as a transaction sees it. Only the shell knows the names and forms of the settings.
package struct TransactionSettings: Sendable {
    package var files: @Sendable (ReadTransaction) throws -> FilePolicy
    /// Which accounts become friends by asking.
    package var contacts: @Sendable (ReadTransaction) throws -> ContactPolicy
    /// Bytes that stay free on a disk.
    package var freeSpaceReserve: @Sendable (ReadTransaction) throws -> UInt64
    /// Bytes of words that are taken from one account within a day.
    package var wordsADay: @Sendable (ReadTransaction) throws -> Int64
    /// What is kept for friends who are away.
    package var courier: @Sendable (ReadTransaction) throws -> CourierPolicy

    package init(
        files: @escaping @Sendable (ReadTransaction) throws -> FilePolicy,
        contacts: @escaping @Sendable (ReadTransaction) throws -> ContactPolicy,
        freeSpaceReserve: @escaping @Sendable (ReadTransaction) throws -> UInt64,
        wordsADay: @escaping @Sendable (ReadTransaction) throws -> Int64,
        courier: @escaping @Sendable (ReadTransaction) throws -> CourierPolicy = { _ in CourierPolicy() }
    ) {
        self.files = files
        self.contacts = contacts
        self.freeSpaceReserve = freeSpaceReserve
        self.wordsADay = wordsADay
        self.courier = courier
    }
}
