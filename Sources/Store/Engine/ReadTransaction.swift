import Basics

/// One consistent view of the database. The query methods stand in `Queries/`, one file per noun. Not to be kept or
/// handed to another thread: it ends with the closure that it was given to.
public class ReadTransaction {
    let connection: Connection
    let keys: KeyNumbers
    var conversations: ConversationNumbers
    /// The order of messages, once somebody has asked.
    var order: MessageOrder?

    init(_ connection: Connection) {
        self.connection = connection
        keys = KeyNumbers(connection)
        conversations = ConversationNumbers()
    }
}
