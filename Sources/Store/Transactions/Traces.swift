private let removedExists = SQL("SELECT EXISTS (SELECT 1 FROM removed_message)")
private let earlyExists = SQL("SELECT EXISTS (SELECT 1 FROM early_edit)")
private let reactionExists = SQL("SELECT EXISTS (SELECT 1 FROM early_reaction)")
private let wireExists = SQL("SELECT EXISTS (SELECT 1 FROM message WHERE wire IS NOT NULL)")

/// Whether some tables may have rows about messages that are not here. They are nearly always empty, and then each
/// incoming message saves five look-ups. A flag that was set stays set until the store is opened again.
struct Traces {
    /// Some messages were here and were removed.
    var hasRemoved: Bool
    /// Some edits came before their message.
    var hasEarlyEdits: Bool
    /// Some reactions came before their message.
    var hasEarlyReactions: Bool
    /// Some messages have another id on the wire than here.
    var hasWireIDs: Bool
}

extension ReadTransaction {
    func traces() throws(StoreError) -> Traces {
        Traces(
            hasRemoved: try connection.integer(removedExists) != 0,
            hasEarlyEdits: try connection.integer(earlyExists) != 0,
            hasEarlyReactions: try connection.integer(reactionExists) != 0,
            hasWireIDs: try connection.integer(wireExists) != 0)
    }
}
