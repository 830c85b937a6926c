import Basics
import Vocabulary

/// One consistent view of the database. The query methods stand in `Queries/`, one file per noun. Not to be kept or
/// handed to another thread: it ends with the closure that it was given to.
public class ReadTransaction {
    let connection: Connection
    let keys: KeyNumbers
    var conversations: ConversationNumbers
    /// Groups have numbers of the same sort.
    var chats: ConversationNumbers
    /// The order of messages, once somebody has asked.
    var order: MessageOrder?
    let cache: CompositeCache
    /// By when the work must be done, if it must.
    let deadline: Deadline?
    /// The state that the snapshot is of, once somebody has asked.
    var knownVersion: Int64?

    init(_ connection: Connection, cache: CompositeCache, deadline: Deadline? = nil) {
        self.connection = connection
        self.cache = cache
        self.deadline = deadline
        keys = KeyNumbers(connection)
        conversations = ConversationNumbers()
        chats = ConversationNumbers()
    }

    /// The number of the state that this is a snapshot of: of its newest event. Two states of one number show the same.
    /// Nil for a state that isn't committed yet.
    func version() throws(StoreError) -> Int64? {
        if let knownVersion { return knownVersion }
        let version = try latestEvent()
        knownVersion = version
        return version
    }
}
