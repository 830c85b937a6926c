import Basics

private let conversationShowing = SQL(
    """
    SELECT v.id FROM message AS m JOIN conversation AS v ON v.number = m.conversation AND v.last_message = m.number
    WHERE m.id = ? AND v.archived < 2
    """)
private let conversationWith = SQL("SELECT id FROM conversation WHERE contact = ?")

extension WriteTransaction {
    /// Marks the objects that show a changed object: a conversation shows its last message, and its title is the
    /// contact's name. So a client that follows the events has what a fresh look would show.
    func markDependents() throws(StoreError) {
        var seen: Set<StoredObject> = []
        for entry in changes.all where entry.hearers != .shells {
            let mark = entry.change
            switch mark.object {
            case .message(let id):
                // An insertion has marked its conversation already.
                guard mark.change == .update, seen.insert(mark.object).inserted else { continue }
                let conversation = try connection.first(conversationShowing, id) { row throws(StoreError) in
                    try row.identifier(0)
                }
                if let conversation { changed(.conversation(conversation), .update) }
            case .contact(let account):
                // A contact that comes back gives its conversation its title again.
                guard seen.insert(mark.object).inserted else { continue }
                let direct = try connection.first(conversationWith, try number(account)) { row throws(StoreError) in
                    try row.identifier(0)
                }
                if let direct { changed(.conversation(direct), .update) }
            case .conversation(let id):
                // A group shows the id of its conversation.
                guard mark.change == .insert, let group = try self.group(ofConversation: id) else { continue }
                changed(.group(group), .update)
            case .account, .group, .transfer, .setting: continue
            }
        }
    }
}
