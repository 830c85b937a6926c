/// Statements that bring a database back to an older version, for tests of the upgrade.
public enum OlderDatabase {
    /// Puts what waits into the tables of version 27.
    public static let version27 = """
        BEGIN;
        DROP TRIGGER recipient_gone; DROP TRIGGER message_gone;
        CREATE TABLE older (
            seq INTEGER PRIMARY KEY, account INTEGER NOT NULL REFERENCES key, id BLOB NOT NULL, kind INTEGER NOT NULL,
            message INTEGER REFERENCES message ON DELETE CASCADE, created_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0, last_attempt INTEGER, body BLOB NOT NULL, about BLOB, reason TEXT,
            detail TEXT, shared INTEGER REFERENCES outbox_body, chat INTEGER REFERENCES group_chat ON DELETE CASCADE
        ) STRICT;
        INSERT INTO older SELECT o.seq, o.account, coalesce(o.id, m.id), o.kind, o.message, o.created_at, o.attempts,
            o.last_attempt, o.body, o.about, o.reason, o.detail, o.shared, o.chat
        FROM outbox AS o LEFT JOIN message AS m ON m.number = o.message;
        DROP TABLE outbox;
        ALTER TABLE older RENAME TO outbox;
        CREATE INDEX outbox_order ON outbox (account, seq);
        CREATE UNIQUE INDEX outbox_item ON outbox (id, account);
        CREATE INDEX outbox_message ON outbox (message) WHERE message IS NOT NULL;
        CREATE INDEX outbox_about ON outbox (about) WHERE about IS NOT NULL;
        CREATE INDEX outbox_shared ON outbox (shared) WHERE shared IS NOT NULL;
        CREATE INDEX outbox_chat ON outbox (chat, account) WHERE chat IS NOT NULL;
        CREATE TRIGGER outbox_body_unused AFTER DELETE ON outbox WHEN old.shared IS NOT NULL BEGIN
            DELETE FROM outbox_body WHERE number = old.shared
                AND NOT EXISTS (SELECT 1 FROM outbox WHERE shared = old.shared);
        END;
        ALTER TABLE recipient DROP COLUMN queued;
        ALTER TABLE contact DROP COLUMN request_source;
        ALTER TABLE contact DROP COLUMN asker;
        DROP INDEX group_chat_unconfirmed;
        ALTER TABLE group_chat DROP COLUMN confirmed;
        DROP INDEX message_wire;
        ALTER TABLE message DROP COLUMN wire;
        DROP INDEX transfer_wire;
        ALTER TABLE transfer DROP COLUMN wire;
        DROP INDEX removed_message_wire;
        ALTER TABLE removed_message DROP COLUMN account;
        ALTER TABLE removed_message DROP COLUMN wire;
        CREATE INDEX reaction_waits ON reaction (account, at) WHERE waits = 1;
        INSERT INTO reaction (message, account, emoji, hlc, removed, waits, at)
        SELECT message, account, emoji, hlc, removed, 1, at FROM early_reaction WHERE chat = 0;
        DROP TABLE early_reaction;
        DROP TABLE unasked;
        DROP TABLE roster;
        DROP TABLE search_bigrams;
        DELETE FROM meta WHERE name = 'search_bigrams_indexed';
        PRAGMA user_version = 27;
        COMMIT
        """
}
