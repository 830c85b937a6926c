/// What a group may cost, and which messages came after their author was out
/// (docs/decisions/0036-bounds-of-a-group.md).
///
/// - `group_chat.bytes`: the bytes of its membership entries together. `group_chat.giver`: the friend that introduced
///   it.
/// - `message.late`: the message belongs to a group and came here only after its author was out.
enum Migration0021GroupBounds {
    static let sql = """
        ALTER TABLE message ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE group_chat ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE group_chat ADD COLUMN giver INTEGER REFERENCES key;
        UPDATE group_chat SET giver = added_by,
            bytes = (SELECT coalesce(sum(length(e.bytes)), 0) FROM group_entry AS e WHERE e.chat = group_chat.number);
        """
}
