import Basics
import Messaging
import Store

/// What the database holds at the start that must be known before the network opens.
struct StoredState: Sendable {
    var account: AccountRow?
    var contacts: [ContactRow]
    var latestEvent: Int64
    /// Those that are not at their default, by key.
    var settings: [String: String]
    /// How many entries the address book has.
    var addressEntries: Int64 = 0
    /// As they were when the daemon ended.
    var groups: [GroupIndex.Entry] = []
    /// Greater at each start; peers tell a restart by it. Nil if it could not be stored, because the disk is full: then the
    /// network has to wait.
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
