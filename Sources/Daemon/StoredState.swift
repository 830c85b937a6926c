import Messaging
import Store

/// What the start reads from the database before the network opens.
struct StoredState: Sendable {
    var account: AccountRow?
    var contacts: [ContactRow]
    var latestEvent: Int64
    /// The number of the last message.
    var latestMessage: Int64
    /// The settings that the user has set, by key.
    var settings: [String: String]
    /// What the configuration of this host says of settings.
    var hostSettings: [HostSettingRow] = []
    /// How many entries the address book has.
    var addressEntries: Int64 = 0
    /// The groups as they were when the daemon ended.
    var groups: [GroupIndex.Entry] = []
    /// Whether the account was made again from its recovery code not long ago.
    var isRecovering = false
    /// The calls that were under way when the daemon ended.
    var calls: [[UInt8]] = []
    /// The number of this start, by which peers notice a restart. Nil if a full disk could not store it: then the network waits.
    var incarnation: UInt32?

    /// - Parameter hostSettings: what the configuration says now; on a full disk, what it said at the last start counts.
    static func load(from store: Store, hostSettings: [HostSettingRow]) async throws -> StoredState {
        do {
            return try await store.commit { transaction in
                // Clients learn the epoch's name when they connect, which is later.
                try transaction.beginEpoch()
                try transaction.setHostSettings(hostSettings)
                var state = try read(transaction, incarnation: try transaction.nextIncarnation())
                state.isRecovering = try RecoveryRows.isRecovering(
                    for: MessagingLimits.recovering, in: transaction)
                return state
            }
        } catch StoreError.full {
            return try await store.read {
                var state = try read($0, incarnation: nil)
                state.isRecovering = try RecoveryRows.wasRecovered(in: $0)
                return state
            }
        }
    }

    private static func read(_ transaction: ReadTransaction, incarnation: UInt32?) throws -> StoredState {
        StoredState(
            account: try transaction.ownAccount(), contacts: try transaction.contacts(),
            latestEvent: try transaction.latestEvent(), latestMessage: try transaction.latestMessageNumber(),
            settings: Dictionary(try transaction.settings()) { $1 },
            hostSettings: try transaction.hostSettings(),
            addressEntries: try transaction.addressEntryCount(), groups: try GroupIndex.entries(in: transaction),
            calls: try transaction.callStates(), incarnation: incarnation)
    }
}
