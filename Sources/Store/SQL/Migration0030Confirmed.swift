/// Groups that a friend alone has told of (docs/decisions/0073-unconfirmed-groups.md).
///
/// - `group_chat.confirmed`: 1 once the user or another friend has taken part in the group; those that were here before
///   this migration are. Only groups that have a `giver` are looked at.
enum Migration0030Confirmed {
    static let sql = """
        ALTER TABLE group_chat ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
        UPDATE group_chat SET confirmed = 1;
        CREATE INDEX group_chat_unconfirmed ON group_chat (giver) WHERE confirmed = 0;
        """
}
