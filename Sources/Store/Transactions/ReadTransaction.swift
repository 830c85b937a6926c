import Basics
import Vocabulary

/// One consistent view of the database. The query methods stand in `Queries/`, one file per noun. A transaction ends
/// with the closure that it was given to, so it must not be kept or handed to another thread.
public class ReadTransaction {
    let connection: Connection
    let keys: KeyNumbers
    var conversations: ConversationNumbers
    /// The row numbers of groups, which are remembered in the same way.
    var chats: ConversationNumbers
    /// The order of messages, once a query has asked for it.
    var order: MessageOrder?
    /// Records that were read before; nil for none.
    let memory: MemoryCache?
    let assets: AssetTable
    /// The time by which the work must be done, if there is one.
    let deadline: Deadline?
    /// The number of the state that the snapshot shows, once a query has asked for it.
    var knownVersion: Int64?

    init(
        _ connection: Connection, memory: MemoryCache? = nil, assets: AssetTable = AssetTable(),
        deadline: Deadline? = nil
    ) {
        self.connection = connection
        self.memory = memory
        self.assets = assets
        self.deadline = deadline
        keys = KeyNumbers(connection)
        conversations = ConversationNumbers()
        chats = ConversationNumbers()
    }

    /// Returns the number of the state that this snapshot shows, which is that of its newest event. Two snapshots with
    /// one number show the same. The result is nil for a state that isn't committed yet.
    func version() throws(StoreError) -> Int64? {
        if let knownVersion { return knownVersion }
        let version = try latestEvent()
        knownVersion = version
        return version
    }
}
