/// Fewer pages for one message: an item of the outbox lies in one tree, and its recipient knows its place (docs/decisions/0070).
///
/// - `recipient.queued`: the place (`outbox.seq`) of the item that carries the message to this account; NULL if none waits.
/// - `outbox.id`: NULL for such an item, whose id is its message's. Only other items need an index to be found by their ids.
/// - Whichever of the two rows goes takes the other one's part with it.
///
/// It takes longer the more is waiting: a million items some seconds. The messages themselves are not touched.
enum Migration0028Outbox {
    static let sql = """
        ALTER TABLE recipient ADD COLUMN queued INTEGER;
        UPDATE recipient SET queued = o.seq
            FROM outbox AS o JOIN message AS m ON m.number = o.message AND m.id = o.id
            WHERE recipient.message = o.message AND recipient.account = o.account;

        CREATE TABLE outbox_now (
            account INTEGER NOT NULL REFERENCES key, seq INTEGER NOT NULL, id BLOB, kind INTEGER NOT NULL,
            -- The message that the receiver has once it has taken the frame.
            message INTEGER,
            -- The message of which the frame speaks.
            about BLOB,
            chat INTEGER REFERENCES group_chat ON DELETE CASCADE, shared INTEGER REFERENCES outbox_body,
            created_at INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, last_attempt INTEGER,
            reason TEXT, detail TEXT, body BLOB NOT NULL,
            CHECK (id IS NOT NULL OR message IS NOT NULL),
            PRIMARY KEY (account, seq)
        ) WITHOUT ROWID, STRICT;
        INSERT INTO outbox_now
            (account, seq, id, kind, message, about, chat, shared, created_at, attempts, last_attempt, reason, detail, body)
        SELECT o.account, o.seq, CASE WHEN r.queued IS o.seq THEN NULL ELSE o.id END, o.kind, o.message, o.about, o.chat,
            o.shared, o.created_at, o.attempts, o.last_attempt, o.reason, o.detail, o.body
        FROM outbox AS o LEFT JOIN recipient AS r ON r.message = o.message AND r.account = o.account
        ORDER BY o.account, o.seq;
        DROP TABLE outbox;
        ALTER TABLE outbox_now RENAME TO outbox;

        CREATE UNIQUE INDEX outbox_item ON outbox (id, account) WHERE id IS NOT NULL;
        CREATE INDEX outbox_message ON outbox (message) WHERE id IS NOT NULL AND message IS NOT NULL;
        CREATE INDEX outbox_about ON outbox (about) WHERE about IS NOT NULL;
        CREATE INDEX outbox_shared ON outbox (shared) WHERE shared IS NOT NULL;
        CREATE INDEX outbox_chat ON outbox (chat, account) WHERE chat IS NOT NULL;

        -- The last item takes the body with it, by whatever way it goes.
        CREATE TRIGGER outbox_body_unused AFTER DELETE ON outbox WHEN old.shared IS NOT NULL BEGIN
            DELETE FROM outbox_body WHERE number = old.shared
                AND NOT EXISTS (SELECT 1 FROM outbox WHERE shared = old.shared);
        END;
        CREATE TRIGGER outbox_left AFTER DELETE ON outbox WHEN old.id IS NULL BEGIN
            UPDATE recipient SET queued = NULL
                WHERE message = old.message AND account = old.account AND queued = old.seq;
        END;
        CREATE TRIGGER recipient_gone AFTER DELETE ON recipient WHEN old.queued IS NOT NULL BEGIN
            DELETE FROM outbox
                WHERE account = old.account AND seq = old.queued AND id IS NULL AND message = old.message;
        END;
        CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN
            DELETE FROM outbox WHERE message = old.number AND id IS NOT NULL;
        END;
        """
}
