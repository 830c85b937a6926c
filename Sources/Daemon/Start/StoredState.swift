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
    var groups: [GroupBook.Entry] = []
    /// One more at each start; peers tell a restart by it.
    var incarnation: UInt32

    static func load(from store: Store) async throws -> StoredState {
        try await store.write { transaction in
            StoredState(
                account: try transaction.ownAccount(), contacts: try transaction.contacts(),
                latestEvent: try transaction.latestEvent(),
                settings: Dictionary(try transaction.settings()) { $1 },
                addressEntries: try transaction.addressEntryCount(),
                groups: try GroupBook.entries(in: transaction), incarnation: try transaction.nextIncarnation())
        }
    }
}
