private let removedExists = SQL("SELECT EXISTS (SELECT 1 FROM removed_message)")
private let earlyExists = SQL("SELECT EXISTS (SELECT 1 FROM early_edit)")
private let reactionExists = SQL("SELECT EXISTS (SELECT 1 FROM reaction WHERE waits = 1)")

/// Whether some tables may have rows about messages that are not here. They are empty nearly always, and then each message
/// that comes in is spared five look-ups. Once true, true until the store is opened again.
struct Traces {
    /// Messages that were here and were removed.
    var hasRemoved: Bool
    /// Edits that came before their message.
    var hasEarlyEdits: Bool
    /// Reactions that did.
    var hasEarlyReactions: Bool
}

extension ReadTransaction {
    func traces() throws(StoreError) -> Traces {
        Traces(
            hasRemoved: try connection.integer(removedExists) != 0,
            hasEarlyEdits: try connection.integer(earlyExists) != 0,
            hasEarlyReactions: try connection.integer(reactionExists) != 0)
    }
}
