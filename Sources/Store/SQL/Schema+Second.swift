/// The second step: who is mentioned in a group, and which messages are pinned.
extension Schema {
    static let second = """
        -- Messages of others that mention this account and that nobody here has read; reading a message takes its row.
        CREATE TABLE mention (
            message INTEGER PRIMARY KEY REFERENCES message ON DELETE CASCADE, conversation INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX mention_conversation ON mention (conversation);
        CREATE TRIGGER mention_read AFTER UPDATE OF unread ON message WHEN old.unread = 1 AND new.unread = 0 BEGIN
            DELETE FROM mention WHERE message = old.number;
        END;

        -- `mentions_muted`: mentions don't count either while the conversation is muted.
        ALTER TABLE conversation ADD COLUMN mentions_muted INTEGER NOT NULL DEFAULT 0;

        -- Messages to which somebody has reacted with the pin.
        CREATE TABLE pin (
            message INTEGER PRIMARY KEY REFERENCES message ON DELETE CASCADE, conversation INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX pin_conversation ON pin (conversation, message);
        INSERT INTO pin (message, conversation)
            SELECT DISTINCT m.number, m.conversation FROM reaction AS r JOIN message AS m ON m.id = r.message
            WHERE r.emoji = '📌' AND r.removed = 0;
        """
}
