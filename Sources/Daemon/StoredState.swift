import Messaging
import Store

/// What the start reads from the database before the network opens.
struct StoredState: Sendable {
    var account: AccountRow?
    var contacts: [ContactRow]
    var latestEvent: Int64
    /// The settings that are not at their default, by key.
    var settings: [String: String]
    /// How many entries the address book has.
    var addressEntries: Int64 = 0
    /// The groups as they were when the daemon ended.
    var groups: [GroupIndex.Entry] = []
    /// The number of this start, by which peers notice a restart. Nil if a full disk could not store it: then the network waits.
    var incarnation: UInt32?

    static func load(from store: Store) async throws -> StoredState {
        do {
            return try await store.write { transaction in
                // Clients learn the epoch's name when they connect, which is later.
                try transaction.beginEpoch()
                return try read(transaction, incarnation: try transaction.nextIncarnation())
            }
        } catch StoreError.full {
            return try await store.read { try read($0, incarnation: nil) }
        }
    }

    private static func read(_ transaction: ReadTransaction, incarnation: UInt32?) throws -> StoredState {
        StoredState(
            account: try transaction.ownAccount(), contacts: try transaction.contacts(),
            latestEvent: try transaction.latestEvent(), settings: Dictionary(try transaction.settings()) { $1 },
            addressEntries: try transaction.addressEntryCount(), groups: try GroupIndex.entries(in: transaction),
            incarnation: incarnation)
    }
}
