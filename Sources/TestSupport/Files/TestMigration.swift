/// A further step for the database that no program has, so that tests can look at how upgrades go: it rewrites each message
/// and setting, and copies the texts.
public enum TestMigration {
    /// For a database of today's version.
    public static let sql = """
        ALTER TABLE setting ADD COLUMN test INTEGER NOT NULL DEFAULT 0;
        UPDATE setting SET test = 1;
        ALTER TABLE message ADD COLUMN test INTEGER NOT NULL DEFAULT 0;
        UPDATE message SET test = length(text);
        CREATE INDEX message_test ON message (test, number);
        CREATE TABLE test_copy (number INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
        INSERT INTO test_copy (number, text) SELECT number, text FROM message ORDER BY number
        """

    /// Makes a conversation with this many messages of 400 bytes, each with a recipient, in a database of any version.
    public static func filling(messages: Int) -> String {
        """
        INSERT INTO key (number, bytes) VALUES (1, randomblob(32)), (2, randomblob(32)), (3, randomblob(32));
        INSERT INTO conversation (number, id, kind, contact, title, updated_at) VALUES (1, randomblob(16), 0, 2, 'Bert', 1);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(messages))
        INSERT INTO message (number, id, conversation, sender, device, kind, state, sent_at, received_at, hlc, text)
            SELECT i, randomblob(16), 1, 1, 3, 0, 1, i, i, i, hex(randomblob(200)) FROM n;
        INSERT INTO recipient (message, account, state, at) SELECT number, 2, 1, 1 FROM message;
        """
    }

    /// Counts the messages that are as they should be in a database that has taken this step, or hasn't.
    public static func wholeMessages(isTaken: Bool) -> String {
        !isTaken
            ? "SELECT count(*) FROM message WHERE length(text) = 400"
            : """
            SELECT count(*) FROM message AS m JOIN test_copy AS c ON c.number = m.number
            WHERE m.test = 400 AND length(m.text) = 400 AND c.text = m.text
            """
    }
}
